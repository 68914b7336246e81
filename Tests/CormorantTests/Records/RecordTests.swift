import Cormorant
import Testing

/// A key of which not every integer is one.
private struct EvenNumber: RawRepresentable, ColumnValue, Equatable {
    let rawValue: Int64

    init?(rawValue: Int64) {
        guard rawValue.isMultiple(of: 2) else { return nil }
        self.rawValue = rawValue
    }
}

@Model
private struct Pair: Equatable {
    @Key var id: EvenNumber?
    var name: String
}

@Model
private struct Numbered: Equatable {
    @Key var id: UInt32?
}

@Model
private struct Counted: Equatable {
    @Key var id: UInt?
}

@Model
private struct Versioned: Equatable {
    @Key var id: Int64?
    @Column(unique: true) var name: String
    @Column(version: true) var version = 0
}

struct RecordTests {
    /// The version of a record stays that of its row, also where a batch is rolled back.
    @Test func aRecordIsOfItsRowsVersion() throws {
        let database = try memoryDatabase(Versioned.self)
        var first = try database.inserted(Versioned(name: "first"))
        var second = try database.inserted(Versioned(name: "second"))
        #expect(first.version == 1)
        var stale = first
        try database.update(&first, \.name)
        #expect(first.version == 2)
        var all = [second, stale]
        let error = expectError(.staleRecord) { try database.update(contentsOf: &all) }
        #expect(error?.recordIndex == 1 && error?.columns == ["id"])
        #expect(all == [second, stale])
        expectError(.staleRecord) { try database.save(contentsOf: &all) }
        #expect(all == [second, stale])
        expectError(.staleRecord) { try database.delete(stale) }
        expectError(.staleRecord) { try database.delete(contentsOf: all) }
        try database.save(&second)
        try database.refresh(&stale)
        #expect(stale == first)
        #expect(try database.delete(contentsOf: [stale, second]) == 2)
        #expect(try !database.delete(stale))
    }

    /// A key that cannot be missing is the program's to give, in JSON too.
    @Test func aMissingKeyInJSONIsRefusedWhereThereIsNoNil() throws {
        func read(_ json: String) throws -> [Department] {
            let records = try JSONRecords<Department>()
            try records.feed(json)
            try records.end()
            return try records.next()
        }
        for json in [#"{"name": "Sales", "city": "Rome"}"#, #"{"id": null, "name": "Sales", "city": "Rome"}"#] {
            #expect(throws: CormorantError.self) { try read(json) }
        }
        #expect(try read(#"{"id": 0, "name": "Sales", "city": "Rome"}"#).map(\.id) == [0])
    }

    /// To save instead of to insert helps with a key, and with no other column.
    @Test func theHintOfAConflictHelps() throws {
        let database = try memoryDatabase(Department.self)
        _ = try database.inserted(Department(id: 1, name: "Sales", city: "Rome"))
        let key = expectError(.unique) { try database.inserted(Department(id: 1, name: "Help", city: "Rome")) }
        #expect(key?.hint == "another row has the same value; change it, or save instead of insert")
        let name = expectError(.unique) { try database.saved(Department(id: 2, name: "Sales", city: "Rome")) }
        #expect(name?.hint == "another row has the same value; change it, or update that row")
    }

    /// Else the record would have no key, and be inserted again when it is saved.
    @Test func aKeyThatItsTypeRefusesLeavesNoRow() throws {
        let database = try memoryDatabase(Pair.self)
        var one = Pair(name: "one")
        expectError(.range) { try database.insert(&one) }
        expectError(.range) { try database.save(&one) }
        var many = [Pair(name: "one"), Pair(name: "two")]
        expectError(.range) { try database.insert(contentsOf: &many) }
        #expect(one.id == nil && many.map(\.id) == [nil, nil])
        #expect(try database.fetchCount(Pair.self) == 0)
        // Those that SQLite makes after the greatest one.
        let others = try memoryDatabase(Numbered.self, Counted.self)
        _ = try others.inserted(Numbered(id: .max))
        expectError(.range) { try others.inserted(Numbered()) }
        try others.execute("INSERT INTO counted VALUES (-3)")
        expectError(.range) { try others.inserted(Counted()) }
        #expect(
            try others.fetchValues("SELECT id FROM numbered UNION ALL SELECT id FROM counted") == [4_294_967_295, -3])
        try database.execute("INSERT INTO pair VALUES (3, 'three')")
        try database.insert(&one)
        #expect(one.id?.rawValue == 4)
        #expect(try database.fetchCount(Pair.self) == 2)
    }

    @Test func recordsHaveVerbsOfTheirOwn() throws {
        let database = try memoryDatabase(Person.self)
        var ada = Person(name: "Ada")
        try ada.insert(in: database)
        ada.age = 36
        try ada.update(in: database, properties: ["age"])
        ada.city = "London"
        try ada.save(in: database)
        var copy = Person(id: ada.id, name: "stale")
        try copy.refresh(in: database)
        #expect(copy == ada)
        #expect(try ada.delete(in: database))
    }

    @Test func keysOfSeveralColumns() throws {
        let database = try memoryDatabase(Membership.self)
        let chess = try database.inserted(Membership(person: 1, club: "chess"))
        #expect(chess == Membership(person: 1, club: "chess", since: 2000, number: 10))
        #expect(try database.find(Membership.self, key: 1, "chess") == chess)
        #expect(try database.find(Membership.self, key: 1, "go") == nil)
        #expect(try database.exists(Membership.self, key: 1, "chess"))
        #expect(try database.delete(Membership.self, key: 1, "chess"))
        let error = expectError(.binding) { try database.find(Membership.self, key: 1) }
        #expect(error?.message.contains("2 values, 1") == true)
        expectError(.type) { try database.find(Membership.self, key: "chess", 1) }
        expectError(.misuse) { try database.maxKey(Membership.self) }
    }

    @Test func keysOfOtherTypes() throws {
        let database = try memoryDatabase(Ticket.self, Narrow.self)
        var ticket = Ticket(id: nil, status: .open, class: 3, reader: "Ada")
        ticket.isSelected = true
        try database.insert(&ticket)
        #expect(ticket.id == TicketID(rawValue: 1))
        #expect(try database.find(Ticket.self, key: ticket.id)?.isOpen == true)
        try database.execute("UPDATE ticket SET status = 'closed'")
        try database.refresh(&ticket)
        #expect(ticket.status == .closed)
        #expect(ticket.isSelected, "refresh leaves an ignored property alone")
        var narrow = Narrow(key: nil)
        try database.insert(&narrow)
        #expect(narrow.key == 1)
        try database.execute("INSERT INTO narrow VALUES (127, '')")
        narrow.key = nil
        #expect(expectError(.range) { try database.insert(&narrow) }?.message.contains("Int8") == true)
    }

    /// What is said by key paths is the same as what is said by names.
    @Test func propertiesAreGivenAsKeyPaths() throws {
        let database = try memoryDatabase(Person.self, Department.self)
        var ada = try database.inserted(Person(name: "Ada", city: "Rome", age: 35))
        (ada.name, ada.city, ada.age) = ("Eve", "Oslo", 36)
        try database.update(&ada, \.age)
        #expect(try database.find(Person.self, key: 1) == Person(id: 1, name: "Ada", city: "Rome", age: 36))
        try ada.update(in: database, \.city, \.age)
        var all = [ada]
        try database.update(contentsOf: &all, \.name)
        #expect(try database.find(Person.self, key: 1) == ada)

        var sales = Department(id: 1, name: "Sales", city: "Rome")
        #expect(try database.fetchOrInsert(&sales, on: \.city, \.name))
        var more = [Department(id: 2, name: "Sales", city: "Rome"), Department(id: 3, name: "Help", city: "Rome")]
        try database.upsert(contentsOf: &more, on: \.name, \.city)
        #expect(more.map(\.id) == [1, 3])
        try database.upsert(&sales, keeping: \.name)
        expectError(.misuse) { try database.upsert(&sales, on: \.name) }
    }

    @Test func propertiesAreGivenAsKeyPathsInTasks() async throws {
        let database = try memoryDatabase(Department.self)
        var sales = Department(id: 1, name: "Sales", city: "Rome")
        #expect(try await database.fetchOrInsert(&sales, on: \.city, \.name))
        sales.city = "Oslo"
        try await database.update(&sales, \.city)
        var all = [sales, Department(id: 2, name: "Help", city: "Rome")]
        try await database.upsert(contentsOf: &all, on: \.name, \.city)
        try await database.upsert(&sales, keeping: \.name)
        try await database.update(contentsOf: &all, \.name, \.city)
        #expect(try await database.fetchAll(Department.all) == all)
    }
}
