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

struct RecordTests {
    @Test func insertFillsInTheKey() throws {
        let database = try memoryDatabase(Person.self, Department.self)
        var ada = Person(id: nil, name: "Ada", city: "London", age: 36)
        try database.insert(&ada)
        #expect(ada.id == 1)
        #expect(try database.find(Person.self, key: 1) == ada)
        var sales = Department(id: 5, name: "Sales", city: "Rome")
        try database.insert(&sales)
        #expect(sales.id == 5)
        #expect(try database.inserted(Person(id: 40, name: "Alan")).id == 40)
        #expect(try database.inserted(Person(name: "Grace")).id == 41)
    }

    /// finding reliability.md A3
    @Test func theKey0IsAKeyLikeAnyOther() throws {
        let database = try memoryDatabase(Person.self, Department.self)
        var sales = Department(id: 0, name: "Sales", city: "Rome")
        try database.insert(&sales)
        var ada = Person(id: 0, name: "Ada")
        try database.insert(&ada)
        #expect(sales.id == 0 && ada.id == 0)
        var found = try #require(try database.find(Department.self, key: 0))
        found.city = "Oslo"
        try database.save(&found)
        #expect(try database.fetchAll(Department.self) == [Department(id: 0, name: "Sales", city: "Oslo")])
        // Refused, it is still the key that was given.
        var again = Department(id: 0, name: "Help", city: "Oslo")
        expectError(.unique) { try database.insert(&again) }
        #expect(again.id == 0)
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

    @Test func conflictPolicies() throws {
        let database = try memoryDatabase(City.self)
        var rome = City(name: "Rome")
        #expect(try database.insert(&rome))
        var again = City(name: "Rome")
        #expect(try database.insert(&again, onConflict: .ignore) == false)
        #expect(again.id == nil)
        #expect(try database.insert(&again, onConflict: .replace))
        #expect(try database.fetchAll(City.self) == [again])
        var batch = [City(name: "Oslo"), City(name: "Rome"), City(name: "Paris")]
        #expect(try database.insert(contentsOf: &batch, onConflict: .ignore) == 2)
        #expect(batch.map { $0.id == nil } == [false, true, false])
    }

    @Test func saveInsertsOrUpdates() throws {
        let database = try memoryDatabase(Person.self)
        var ada = try database.saved(Person(name: "Ada", age: 36))
        #expect(ada.id == 1)
        ada.age = 37
        try database.save(&ada)
        var people = [ada, Person(id: 7, name: "Alan"), Person(name: "Grace")]
        people[0].city = "London"
        try database.save(contentsOf: &people)
        #expect(people.map(\.id) == [1, 7, 8])
        #expect(try database.fetchAll(Person.self, Query(order: ["id"])) == people)
    }

    @Test func updateWritesAllOrNamedProperties() throws {
        let database = try memoryDatabase(Person.self)
        var ada = try database.inserted(Person(name: "Ada", city: "London", age: 36))
        ada.name = "Countess"
        ada.age = 37
        try database.update(&ada, properties: ["age"])
        #expect(try database.find(Person.self, key: 1) == Person(id: 1, name: "Ada", city: "London", age: 37))
        try database.update(&ada)
        #expect(try database.find(Person.self, key: 1) == ada)
        let unknown = expectError(.misuse) { try database.update(&ada, properties: ["shoeSize"]) }
        #expect(unknown?.message.contains("shoeSize") == true)
        expectError(.misuse) { try database.update(&ada, properties: ["id"]) }
        var nobody = Person(id: 9, name: "Nobody")
        #expect(expectError(.noRecord) { try database.update(&nobody) }?.table == "person")
    }

    @Test func deleteAndRefresh() throws {
        let database = try memoryDatabase(Person.self)
        var people = ["Ada", "Alan", "Grace", "Edsger"].map { Person(name: $0) }
        try database.insert(contentsOf: &people)
        #expect(try database.delete(people[0]))
        #expect(try database.delete(people[0]) == false)
        #expect(try database.delete(Person.self, key: 2))
        #expect(try database.delete(contentsOf: people) == 2)
        #expect(try database.deleteAll(Person.self) == 0)
        expectError(.noRecord) { try database.refresh(&people[0]) }
        var ada = try database.inserted(people[0])
        try database.execute("UPDATE person SET age = 85")
        try database.refresh(&ada)
        #expect(ada.age == 85)
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

    @Test func recordsWithoutKeyAreInsertedAndFound() throws {
        let database = try memoryDatabase(Note.self)
        var note = Note(text: "first")
        try database.insert(&note)
        #expect(try database.find(Note.self, key: 1) == note)
        #expect(try database.maxKey(Note.self) == 1)
        #expect(expectError(.misuse) { try database.save(&note) }?.hint != nil)
        expectError(.misuse) { try database.delete(note) }
        #expect(try database.delete(Note.self, key: 1))
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

    @Test func maxKeyAndTableExists() throws {
        let database = try memoryDatabase(Person.self)
        #expect(try database.maxKey(Person.self) == nil)
        _ = try database.inserted(Person(id: 12, name: "Ada"))
        #expect(try database.maxKey(Person.self) == 12)
        #expect(try database.tableExists(Person.self))
        #expect(try database.tableExists(Note.self) == false)
        try database.createTables(Person.self, Note.self)
        #expect(try database.tableExists(Note.self))
    }

    @Test func aBatchStopsAndRollsBackAtItsFirstError() throws {
        let database = try memoryDatabase(City.self)
        var cities = (0..<10_000).map { City(name: "\($0)") }
        cities[7_000].name = "6"
        let error = expectError(.unique) { try database.insert(contentsOf: &cities) }
        #expect(error?.recordIndex == 7_000)
        #expect(error?.columns == ["name"])
        #expect(try database.fetchCount(City.self) == 0)
        var missing = [try database.inserted(City(name: "a")), City(id: 99, name: "b")]
        missing[0].name = "changed"
        #expect(expectError(.noRecord) { try database.update(contentsOf: &missing) }?.recordIndex == 1)
        #expect(try database.fetchAll(City.self).map(\.name) == ["a"])
    }

    @Test func aModelThatCannotWorkIsRefused() throws {
        let database = try Database(path: ":memory:")
        let model = ModelDescriptor(name: "Broken", columns: [ColumnDescriptor("age", Int.self, length: 5)])
        #expect(expectError(.model) { try database.createTables([model]) }?.message.contains("age") == true)
    }
}
