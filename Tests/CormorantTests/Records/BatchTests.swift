import Cormorant
import Foundation
import Testing

private let server = ProcessInfo.processInfo.environment["CORMORANT_POSTGRES"]

@Model(table: "corm_batch_artist")
private struct BatchArtist: Equatable {
    @Key var id: Int64?
    var name: String
}

@Model(table: "corm_batch_album")
private struct BatchAlbum: Equatable {
    @Key var id: Int64?
    @Column(unique: true) var title: String
    @References("corm_batch_artist") var artistID: Int64?
    @Relation var artist = ToOne<BatchArtist>.notLoaded

    init(_ title: String, by artist: BatchArtist? = nil) {
        self.title = title
        if let artist { self.artist = .loaded(artist) }
    }
}

@Model(table: "corm_batch_word")
private struct BatchWord: Equatable {
    @Key var id: Int64?
    @Column(unique: true) var key: String
    @Column(validate: Self.look) var text: String

    struct Empty: Error {}

    static func look(_ text: String) throws { if text.isEmpty { throw Empty() } }
}

/// Each notes in which isolation it was written.
@Model(table: "corm_batch_line")
private struct BatchLine: Equatable {
    @Key var id: Int64?
    var isolation: String?

    nonisolated(unsafe) static var deletions: [String] = []

    static func isolation(in database: Database) throws -> String {
        let values = try database.fetchValues("SELECT current_setting('transaction_isolation')")
        guard case .text(let name)? = values.first else { return "none" }
        return name
    }
}

extension BatchLine: RecordHooks {
    mutating func willSave(in database: Database) throws { isolation = try Self.isolation(in: database) }

    func willDelete(in database: Database) throws { Self.deletions.append(try Self.isolation(in: database)) }
}

/// Many records by one call, which are sent to a server without waiting for each.
@Suite(.serialized)
struct BatchTests {
    private func open(_ path: String) throws -> Database {
        let database = try Database(path: path)
        for table in ["album", "artist", "word", "line", "line_old"] {
            try database.execute(SQL(stringLiteral: "DROP TABLE IF EXISTS corm_batch_\(table)"))
        }
        return database
    }

    /// Those that are inserted have the foreign keys of relations that were set, and were looked at by validators; those that are
    /// there need neither.
    private func findOrInsert(_ database: Database) throws {
        try database.createTables(BatchArtist.self, BatchAlbum.self, BatchWord.self)
        let nina = try database.inserted(BatchArtist(name: "Nina"))
        var there = BatchAlbum("There")
        try database.insert(&there)
        var albums = [
            BatchAlbum("A", by: nina), BatchAlbum("There", by: BatchArtist(name: "new")), BatchAlbum("B"),
            BatchAlbum("C", by: nina),
        ]
        #expect(try database.fetchOrInsert(contentsOf: &albums, on: \.title) == 3)
        #expect(albums.map(\.artistID) == [nina.id, nil, nil, nina.id])
        #expect(try albums[0].artist.record == nina && !albums[2].artist.isLoaded)
        albums = [BatchAlbum("D", by: nina), BatchAlbum("B", by: nina)]
        #expect(try database.fetchOrInsert(contentsOf: &albums, on: \.title) == 1)
        #expect(albums.map(\.artistID) == [nina.id, nil])
        albums = [BatchAlbum("E", by: nina), BatchAlbum("F", by: BatchArtist(name: "new"))]
        expectError(.misuse) { try database.fetchOrInsert(contentsOf: &albums, on: \.title) }
        #expect(albums.map(\.artistID) == [nil, nil])
        let keys = try database.fetchAll(BatchAlbum.self, Query(order: ["title"])).map(\.artistID)
        #expect(keys == [nina.id, nil, nina.id, nina.id, nil])

        try database.execute("INSERT INTO corm_batch_word (key, text) VALUES ('there', '')")
        var words = [BatchWord(key: "a", text: "x"), BatchWord(key: "there", text: "")]
        #expect(try database.fetchOrInsert(contentsOf: &words, on: \.key) == 1)
        words = [BatchWord(key: "b", text: "x"), BatchWord(key: "c", text: "")]
        expectError(.validation) { try database.fetchOrInsert(contentsOf: &words, on: \.key) }
        #expect(try database.fetchCount(BatchWord.self) == 2)
        try database.executeScript(
            "DROP TABLE corm_batch_album; DROP TABLE corm_batch_artist; DROP TABLE corm_batch_word")
        try database.close()
    }

    @Test func findsOrInsertsInAFile() throws { try findOrInsert(open(":memory:")) }

    @Test(.enabled(if: server != nil, "without CORMORANT_POSTGRES there is no server"))
    func findsOrInsertsOnAServer() throws { try findOrInsert(open(#require(server))) }

    /// What hooks read and write is right only as a whole.
    @Test(.enabled(if: server != nil, "without CORMORANT_POSTGRES there is no server"))
    func hooksRunInSerializableTransactions() throws {
        let database = try open(#require(server))
        let old = try BatchLine.table(suffix: "old")
        try database.createTables(BatchLine.self)
        try database.execute("CREATE TABLE corm_batch_line_old (LIKE corm_batch_line INCLUDING ALL)")
        BatchLine.deletions = []
        var lines = [BatchLine(), BatchLine()]
        try database.insert(contentsOf: &lines, into: old)
        #expect(lines.map(\.isolation) == ["serializable", "serializable"])
        lines = [BatchLine(), BatchLine()]
        try database.insert(contentsOf: &lines)
        #expect(lines.map(\.isolation) == ["serializable", "serializable"])
        try database.delete(contentsOf: lines)
        #expect(BatchLine.deletions == ["serializable", "serializable"])
        try database.executeScript("DROP TABLE corm_batch_line; DROP TABLE corm_batch_line_old")
        try database.close()
    }
}
