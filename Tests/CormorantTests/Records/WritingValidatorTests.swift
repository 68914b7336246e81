import Cormorant
import Foundation
import Testing

private let server = ProcessInfo.processInfo.environment["CORMORANT_POSTGRES"]

@Model(table: "corm_validated")
private struct Word: Equatable {
    @Key var id: Int64?
    @Column(validate: Self.note) var text: String

    nonisolated(unsafe) static var database: Database?
    nonisolated(unsafe) static var notes = 0

    /// Writes as many copies of what it looks at.
    static func note(_ text: String) throws {
        guard let database, !text.hasPrefix("copy") else { return }
        var copies = (0..<notes).map { Word(text: "copy \($0) of \(text)") }
        if notes == 1 { try database.insert(&copies[0]) } else { try database.insert(contentsOf: &copies) }
        #expect(copies.allSatisfy { $0.id != nil })
        let found = try database.fetchAll(Word.self).filter { copies.contains($0) }
        #expect(found.count == notes)
    }
}

/// Validators that write records of the model that they look at, in batches, which are sent to a server in one go.
@Suite(.serialized)
struct WritingValidatorTests {
    private func open(_ path: String) throws -> Database {
        let database = try Database(path: path)
        try database.executeScript("DROP TABLE IF EXISTS corm_validated")
        try database.createTables(Word.self)
        return database
    }

    private func writeEach(_ database: Database) throws {
        Word.database = database
        defer { Word.database = nil }
        for notes in 1...2 {
            Word.notes = notes
            var words = ["a", "b", "c"].map { Word(text: $0) }
            try database.insert(contentsOf: &words)
            for word in words { #expect(try database.find(Word.self, key: word.id) == word) }
            #expect(try database.fetchCount(Word.self) == 3 + 3 * notes)
            for index in words.indices { words[index].text += "!" }
            words.append(Word(text: "d"))
            try database.save(contentsOf: &words)
            for word in words { #expect(try database.find(Word.self, key: word.id) == word) }
            #expect(try database.fetchCount(Word.self) == 4 + 7 * notes)
            try database.deleteAll(Word.self)
        }
        try database.executeScript("DROP TABLE corm_validated")
        try database.close()
    }

    @Test func inAFile() throws { try writeEach(open(":memory:")) }

    @Test(.enabled(if: server != nil, "without CORMORANT_POSTGRES there is no server"))
    func onAServer() throws { try writeEach(open(#require(server))) }
}
