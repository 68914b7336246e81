import Cormorant
import Testing

@Model
private struct Flag: Equatable {
    @Key var id: Int64?
    var isSet: Bool
}

struct AsyncTests {
    private let database: Database

    init() throws { database = try memoryDatabase(Person.self) }

    @Test func everyVerbHasAnAsyncForm() async throws {
        var ada = Person(name: "Ada", age: 36)
        try await database.insert(&ada)
        #expect(ada.id == 1)
        ada.age = 37
        try await database.update(&ada, properties: ["age"])
        var copy = Person(id: 1, name: "stale")
        try await database.refresh(&copy)
        #expect(copy == ada)
        ada.city = "London"
        try await database.save(&ada)
        #expect(try await database.find(Person.self, key: 1) == ada)
        var more = [Person(name: "Alan"), Person(name: "Grace")]
        #expect(try await database.insert(contentsOf: &more) == 2)
        more[0].age = 41
        try await database.update(contentsOf: &more, properties: ["age"])
        more[1].age = 85
        try await database.save(contentsOf: &more)
        #expect(
            try await database.fetchAll(Person.self, Query(order: ["-age"])).map(\.name) == ["Grace", "Alan", "Ada"])
        #expect(try await database.fetchOne(Person.self, Query(["name": "Alan"])) == more[0])
        #expect(try await database.delete(ada))
        #expect(try await database.fetchCount(Person.self) == 2)
        #expect(try await database.delete(contentsOf: more) == 2)
        #expect(try await database.execute("INSERT INTO person (name) VALUES (?)", ["Edsger"]) == 1)
        #expect(try await database.query("SELECT name FROM person").map(\.values) == [["Edsger"]])
    }

    /// As view models and actors keep them.
    @MainActor
    private final class Card {
        var person = Person(name: "Ada")
    }

    @MainActor
    @Test func propertiesOfActorsAreAssigned() async throws {
        let card = Card()
        card.person = try await database.inserted(card.person)
        #expect(card.person.id == 1)
        card.person.age = 36
        card.person = try await database.saved(card.person)
        #expect(try await database.find(Person.self, key: 1) == card.person)
        let other = Person(id: 1, name: "Alan")
        #expect(try await database.inserted(other, onConflict: .ignore) == other)
    }

    @Test func relatedRecordsAndRows() async throws {
        let database = try musicDatabase()
        var artists = try await database.fetchAll(Artist.order { $0.id })
        try await database.load(\.albums, of: &artists) { $0.order { $0.year }.limit(1).load(\.artist) }
        #expect(try artists[0].albums.records.map { try $0.artist.record?.name } == ["AC/DC"])
        try await database.load(\.albums, of: &artists[1])
        #expect(try artists[1].albums.records.count == 2)
        var albums = try await database.fetchAll(Album.order { $0.id })
        try await database.load(\.artist, of: &albums)
        try await database.load(\.artist, of: &albums[0])
        #expect(try albums[0].artist.record?.name == "AC/DC")
        let rows = try await database.fetchRows(Artist.where { $0.id == 1 }.select { $0.name })
        #expect(rows.map(\.json) == [#"{"name":"AC/DC"}"#])
    }

    @Test func aFailedCallLeavesTheRecordAlone() async throws {
        var people = [Person(id: nil, name: "Ada"), Person(id: 1, name: "Alan")]
        await #expect(throws: CormorantError.self) { try await database.insert(contentsOf: &people) }
        #expect(people.map(\.id) == [nil, 1])
        #expect(try await database.fetchCount(Person.self) == 0)
    }

    @Test func aTransactionIsOneBodyOnTheQueue() async throws {
        struct Stop: Error {}
        let id = try await database.transaction { database in
            var ada = Person(name: "Ada")
            try database.insert(&ada)
            #expect(database.transactionDepth == 1)
            return ada.id
        }
        #expect(id == 1)
        await #expect(throws: Stop.self) {
            try await database.transaction { database in
                try database.deleteAll(Person.self)
                throw Stop()
            }
        }
        #expect(try await database.fetchCount(Person.self) == 1)
        #expect(try await database.perform { try $0.maxKey(Person.self) } == 1)
    }

    @Test func manyTasksWriteAtOnce() async throws {
        let database = database
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<200 {
                group.addTask {
                    var person = Person(name: "\(task)", age: 0)
                    try await database.insert(&person)
                    let id = person.id
                    try await database.transaction { database in
                        var mine = try #require(try database.find(Person.self, key: id))
                        mine.age = task
                        try database.update(&mine)
                    }
                }
            }
            try await group.waitForAll()
        }
        let ages = try await database.fetchAll(Person.self).map { "\($0.age ?? -1)" == $0.name }
        #expect(ages.count == 200)
        #expect(ages.allSatisfy { $0 })
    }

    /// Rows are read in blocks, of which those before a faulty one come first.
    @Test func rowsBeforeAnErrorCome() async throws {
        try await database.executeScript("CREATE TABLE flag (id INTEGER PRIMARY KEY, is_set)")
        try await database.execute(
            """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO flag SELECT i, CASE i WHEN 100 THEN 2 ELSE 1 END FROM n
            """)
        var flags = try await database.cursor(Flag.self).makeAsyncIterator()
        var ids: [Int64?] = []
        let error = await #expect(throws: CormorantError.self) {
            while let flag = try await flags.next() { ids.append(flag.id) }
        }
        #expect(error?.recordIndex == 99)
        #expect(ids == (1...99).map { $0 })
        while let flag = try await flags.next() { ids.append(flag.id) }
        #expect(ids == (1...300).filter { $0 != 100 })
        var rows = try await database.rowCursor("SELECT abs(id - 300 - (id = 150) * 9223372036854775658) FROM flag")
            .makeAsyncIterator()
        var count = 0
        await #expect(throws: CormorantError.self) { while try await rows.next() != nil { count += 1 } }
        #expect(count == 149)
    }

    @Test func aClosedDatabaseSaysSo() async throws {
        try await database.perform { try $0.close() }
        await #expect(throws: CormorantError.self) { try await database.fetchAll(Person.self) }
    }
}
