import Cormorant
import Foundation

/// The PostgreSQL server that scenarios run on, each in a schema of its own; nil: SQLite.
private let server = ProcessInfo.processInfo.environment["CORMORANT_TEST_POSTGRES"].flatMap { $0.isEmpty ? nil : $0 }

/// Whether scenarios run on it.
let isOnServer = server != nil

/// Part of the names of the files to run; nil: all.
let wantedScenarios = ProcessInfo.processInfo.environment["CORMORANT_TEST_SCENARIOS"].flatMap { $0.isEmpty ? nil : $0 }

extension JSONValue {
    /// What of a scenario file is for this engine, with what its members `postgres` say.
    /// - Parameter tell: is told why something is left out.
    func forEngine(tell: (String) -> Void) throws -> JSONValue {
        switch self {
        case .array(let items):
            return .array(try items.filter { try $0.isForEngine(tell: tell) }.map { try $0.forEngine(tell: tell) })
        case .object(var members):
            let other = members.removeValue(forKey: "postgres")
            if let engines = members.removeValue(forKey: "engines"), let scenarios = members["scenarios"] {
                let all = try scenarios.array().map { scenario in
                    JSONValue.object(
                        ["engines": engines, "because": members["because"] ?? .null].merging(try scenario.object()) {
                            $1
                        })
                }
                members["scenarios"] = .array(all)
            }
            if server != nil, let other { members.merge(try other.object()) { $1 } }
            return .object(try members.mapValues { try $0.forEngine(tell: tell) })
        default: return self
        }
    }

    private func isForEngine(tell: (String) -> Void) throws -> Bool {
        guard case .object(let members) = self, let engines = members["engines"] else { return true }
        if try engines.strings().contains(server == nil ? "sqlite" : "postgres") { return true }
        tell(try members["because"]?.string() ?? "no reason")
        return false
    }
}

/// Where schemas are made and dropped: a connection for each would take longer than most scenarios.
private let schemas = Result { try server.map { try Database(path: $0) } }

/// Where the database of a scenario is.
struct ScenarioPlace {
    let path: String
    private let schema: String?

    init(_ folder: TemporaryFolder) throws {
        guard let server else {
            path = folder.file("test.db")
            schema = nil
            return
        }
        let schema = "scenario_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try schemas.get()?.executeScript(SQL(text: "CREATE SCHEMA \(schema)"))
        self.schema = schema
        path = "\(server)\(server.contains("?") ? "&" : "?")options=-csearch_path%3D\(schema)"
    }

    func remove() {
        guard let schema else { return }
        try? schemas.get()?.executeScript(SQL(text: "DROP SCHEMA \(schema) CASCADE"))
    }
}
