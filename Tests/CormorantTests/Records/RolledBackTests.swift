import Cormorant
import Dispatch
import Foundation
import Testing

private let server = ProcessInfo.processInfo.environment["CORMORANT_POSTGRES"]

@Model(table: "person")
private struct Owner: Equatable {
    @Key var id: Int64?
}

/// Whose foreign key is looked at by the commit.
@Model
private struct Letter: Equatable {
    @Key var id: Int64?
    var owner: Int64?
    @Column(unique: true) var text: String
    @Column(version: true) var version = 0
    @Column(notNull: true, stamp: .created) var created: Timestamp?

    init(owner: Int64? = nil, text: String) {
        self.owner = owner
        self.text = text
    }
}

@Model(table: "letter")
private struct HookedLetter: Equatable {
    @Key var id: Int64?
    var owner: Int64?
    @Column(unique: true) var text: String
    @Column(version: true) var version = 0
    @Column(notNull: true, stamp: .created) var created: Timestamp?

    init(owner: Int64? = nil, text: String) {
        self.owner = owner
        self.text = text
    }
}

extension HookedLetter: RecordHooks {}

/// Without a version.
@Model(table: "letter")
private struct PlainLetter: Equatable {
    @Key var id: Int64?
    var owner: Int64?
    @Column(unique: true) var text: String
}

@Model
private struct Item: Equatable {
    @Key var id: Int64?
    @Column(version: true) var version = 0
    @Column(default: "'made'") var label: String?
    @Column(notNull: true, stamp: .created) var created: Timestamp?
    var number: Int
    /// A text where the number is above 1.
    @Column(computed: "CASE WHEN number > 1 THEN 'many' ELSE number END") var several: Int?

    init(number: Int) { self.number = number }
}

private protocol SomeLetter: Record {
    var id: Int64? { get }
    var owner: Int64? { get set }
    init(owner: Int64?, text: String)
    static var key: KeyPath<Columns, SQLExpression<String>> { get }
}

extension Letter: SomeLetter {
    static var key: KeyPath<Columns, SQLExpression<String>> { \.text }
}

extension HookedLetter: SomeLetter {
    static var key: KeyPath<Columns, SQLExpression<String>> { \.text }
}

extension PlainLetter: SomeLetter {
    static var key: KeyPath<Columns, SQLExpression<String>> { \.text }

    init(owner: Int64?, text: String) { self.init(id: nil, owner: owner, text: text) }
}

/// A write that is rolled back leaves the record as it was.
struct RolledBackTests {
    private static let tables: SQL = """
        CREATE TABLE person (id INTEGER PRIMARY KEY);
        CREATE TABLE letter (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person (id) DEFERRABLE INITIALLY DEFERRED,
            text TEXT NOT NULL UNIQUE, version INTEGER NOT NULL DEFAULT 1, created DATETIME NOT NULL DEFAULT 0);
        """

    private func open() throws -> Database {
        let database = try Database(path: ":memory:")
        try database.executeScript(Self.tables)
        return database
    }

    private func tryEachWrite<Letter: SomeLetter & Equatable>(_ type: Letter.Type, _ database: Database) throws {
        var letter = Letter(owner: 99, text: "a")
        let before = letter
        expectError(.foreignKey) { try database.insert(&letter) }
        #expect(letter == before)
        expectError(.foreignKey) { try database.save(&letter) }
        #expect(letter == before)
        expectError(.foreignKey) { try database.upsert(&letter, on: Letter.key) }
        #expect(letter == before)
        expectError(.foreignKey) { try database.fetchOrInsert(&letter, on: Letter.key) }
        #expect(letter == before)
        // The row that has the key now is another record's.
        var other = Letter(owner: nil, text: "b")
        try database.insert(&other)
        letter.owner = nil
        try database.save(&letter)
        #expect(try database.fetchAll(Letter.self, Query(order: ["id"])) == [other, letter])
        letter.owner = 99
        let saved = letter
        expectError(.foreignKey) { try database.update(&letter) }
        #expect(letter == saved)
        expectError(.foreignKey) { try database.update(&letter, properties: ["owner"]) }
        #expect(letter == saved)
        expectError(.foreignKey) { try database.save(&letter) }
        #expect(letter == saved)
        expectError(.foreignKey) { try database.upsert(&letter, on: Letter.key) }
        #expect(letter == saved)
        letter.owner = nil
        try database.update(&letter)
        try database.delete(letter)
    }

    @Test func aCommitThatFails() throws {
        try tryEachWrite(Letter.self, open())
        try tryEachWrite(HookedLetter.self, open())
        let database = try open()
        try database.execute("ALTER TABLE letter DROP COLUMN version")
        try database.execute("ALTER TABLE letter DROP COLUMN created")
        try tryEachWrite(PlainLetter.self, database)
    }

    /// Where a statement is its own transaction, the row comes back before that is committed.
    @Test(.enabled(if: server != nil, "without CORMORANT_POSTGRES there is no server"))
    func aCommitThatFailsOnAServer() throws {
        let database = try Database(path: #require(server))
        let tables: SQL = """
            DROP TABLE IF EXISTS letter, person; CREATE TABLE person (id bigint PRIMARY KEY);
            CREATE TABLE letter (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                owner bigint REFERENCES person (id) DEFERRABLE INITIALLY DEFERRED, text text NOT NULL UNIQUE,
                version bigint NOT NULL DEFAULT 1, created timestamptz NOT NULL DEFAULT now());
            """
        try database.executeScript(tables)
        try tryEachWrite(Letter.self, database)
        try database.deleteAll(Letter.self)
        try tryEachWrite(HookedLetter.self, database)
        try database.deleteAll(Letter.self)
        try tryEachWrite(PlainLetter.self, database)
        try database.executeScript("DROP TABLE letter, person")
        try database.close()
    }

    @Test func aReleaseOfASavepoint() throws {
        let database = try open()
        try database.transaction {
            var letter = Letter(owner: 99, text: "a")
            try database.insert(&letter)
            #expect(letter.id == 1 && letter.version == 1)
            letter.owner = nil
            try database.update(&letter)
        }
    }

    @Test func whatComesBackDoesNotFit() throws {
        let database = try memoryDatabase(Item.self)
        var item = Item(number: 2)
        expectError(.type) { try database.insert(&item) }
        #expect(item == Item(number: 2))
        expectError(.type) { try database.save(&item) }
        #expect(item == Item(number: 2))
        item.number = 1
        try database.insert(&item)
        let before = item
        let writes: [(inout Item) throws -> Void] = [
            { try database.update(&$0) }, { try database.update(&$0, \.number) }, { try database.save(&$0) },
            { try database.upsert(&$0) },
        ]
        for write in writes {
            item.number = 2
            expectError(.type) { try write(&item) }
            item.number = 1
            #expect(item == before)
        }
        try database.update(&item)
        #expect(item.version == 2)
    }

    /// The write and its commit are two steps where a cursor of another thread is open on the same connection.
    @Test func aCommitBesideACursor() throws {
        let database = try open()
        try database.execute("INSERT INTO person VALUES (1), (2)")
        let (begun, ended, goOn) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        Thread {
            do {
                let cursor = try database.cursor(Owner.self)
                #expect(try cursor.next() != nil)
                begun.signal()
                goOn.wait()
                cursor.close()
            } catch { Issue.record(error) }
            ended.signal()
        }.start()
        begun.wait()
        try tryEachWrite(Letter.self, database)
        try database.deleteAll(Letter.self)
        try tryEachWrite(HookedLetter.self, database)
        try database.deleteAll(Letter.self)
        var plain = PlainLetter(id: nil, owner: 99, text: "plain")
        expectError(.foreignKey) { try database.insert(&plain) }
        #expect(plain.id == nil)
        goOn.signal()
        ended.wait()
    }
}
