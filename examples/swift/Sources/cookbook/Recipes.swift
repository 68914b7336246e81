// Recipes of docs/swift/cookbook.md, one function or type each; and the right-hand sides of the coming-from pages.
import CormorantFoundation
import Foundation

@Model
struct Track: Codable, Sendable {
    @Key var id: Int64?
    var title: String
    var seconds: Int
    var tags: JSON<[String]> = JSON([])
}

@main
struct Recipes {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Playlists(path: folder.appendingPathComponent("actor.db").path).show()
        try await showStore()
        try await log()
        try encrypt(folder.appendingPathComponent("encrypted.db").path)
        try codable()
        try page()
        try search()
        try await files(folder.path)
        try await ComingFrom.show(folder)
    }

    static func tracks(_ count: Int) throws -> Database {
        let database = try Database(path: ":memory:")
        try database.createTables(Track.self)
        var tracks = (1...count).map { Track(title: "Track \($0)", seconds: 100 + $0 % 7) }
        try database.insert(contentsOf: &tracks)
        return database
    }
}
