import Cormorant
import Foundation
import Testing

/// The scenarios that the C, Python and Swift faces share.
struct ConformanceTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("../Conformance").standardized

    static let files = try! FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".json") && $0 != "edge-values.json" }
        // Scenarios about encryption say themselves what is encrypted, and those about damage that nothing is.
        .filter { testKey == nil || !["encryption.json", "damaged-files.json", "plain-files.json"].contains($0) }
        .filter { file in wantedScenarios.map { file.contains($0) } ?? true }
        .sorted()

    @Test func scenariosAreThere() {
        #expect(Self.files.count > 10 || wantedScenarios != nil)
    }

    @Test(arguments: files)
    func scenariosHold(_ file: String) throws {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent(file))
        let whole = try JSONDecoder().decode(JSONValue.self, from: data)
        var document = try Members(whole.forEngine { print("not on this engine, \(file): \($0)") })
        let models = try document.take("models")?.array() ?? []
        let setup = try document.take("setup")?.array() ?? []
        for json in try document.required("scenarios").array() {
            do {
                try Scenario(json, models: models, setup: setup).run()
            } catch {
                Issue.record("\(file): \(error)")
            }
        }
        try document.end()
    }
}
