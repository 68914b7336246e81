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

/// Without a memberwise initializer.
@Model
private struct Labelled: Equatable {
    @Key var id: Int64?
    var label: String

    init(_ label: String) { self.label = label }
}

@propertyWrapper
private struct Trimmed: Equatable {
    var wrappedValue = "" { didSet { wrappedValue = String(wrappedValue.drop { $0 == " " }) } }
}

/// With one that takes other things than the columns.
@Model
private struct Wrapped: Equatable {
    @Key var id: Int64?
    @Trimmed var label: String
}

/// With one that is private, and takes what is none of the columns.
@Model
struct Hidden: Equatable {
    @Key private var id: Int64?
    private var label: String
    @Ignored private var count = 1
    @Ignored let other = 2

    static func named(_ label: String) -> Self { Self(label: label) }
    var text: String { "\(id ?? 0) \(label) \(count) \(other)" }
}

@Model
private struct Numbered: Equatable {
    @Key var id: UInt32?
}

@Model
private struct Counted: Equatable {
    @Key var id: UInt?
}

/// With keys that the database makes, and that are read as present.
@Model
private struct Shelf: Equatable {
    @Key(autoIncrement: true) var id: Int64!
    var name: String
    @Relation var volumes = ToMany<Volume>.notLoaded
}

@Model
private struct Volume: Equatable {
    @Key var id: EvenNumber!
    @References("shelf") var shelfID: Int64
    @Relation var shelf = ToOne<Shelf>.notLoaded
}

@Model
private struct Versioned: Equatable {
    @Key var id: Int64?
    @Column(unique: true) var name: String
    @Column(version: true) var version = 0
}

@Model
private struct Draft: Equatable {
    @Key var id: Int64?
    var title: String
    var body: String?
    @Column(computed: "length(title)") var size: Int?
    @Column(version: true) var version = 0
    @Column(notNull: true, stamp: .created) var created: Timestamp?
    @Column(stamp: .updated) var updated: Timestamp = Timestamp(microseconds: 0)
    @Ignored var isOpen = false
}

/// A record of its own that says nothing of updates of some properties.
private struct Handmade: Record {
    var id: Int64?
    var name: String
    var version: Int64 = 0

    static let model = ModelDescriptor(
        name: "Handmade",
        columns: [
            ColumnDescriptor("id", Int64?.self, primaryKey: true), ColumnDescriptor("name", String.self),
            ColumnDescriptor("version", Int64.self, isVersion: true),
        ])

    init(name: String) { self.name = name }

    init(from reader: RecordReader) throws {
        id = try Int64?(from: reader, at: 0)
        name = try String(from: reader, at: 1)
        version = try Int64(from: reader, at: 2)
    }

    func write(to writer: inout RecordWriter) throws {
        try id.write(to: &writer, at: 0)
        try name.write(to: &writer, at: 1)
        try version.write(to: &writer, at: 2)
    }

    mutating func setGeneratedKey(_ key: Int64) { id = key }
    mutating func clearGeneratedKey() { id = nil }
}

struct RecordTests {
    /// What is not saved stays in the record: only what the database made of the update comes back.
    @Test func initializersOfAllKindsAreLeftToTheStruct() throws {
        let database = try memoryDatabase(Labelled.self)
        try database.createTables(Wrapped.self, Hidden.self)
        let labelled = try database.inserted(Labelled("a"))
        #expect(try database.fetchAll(Labelled.self) == [labelled])
        let wrapped = try database.inserted(Wrapped(label: Trimmed(wrappedValue: "b")))
        #expect(try database.fetchAll(Wrapped.self) == [wrapped])
        _ = try database.inserted(Hidden.named("c"))
        #expect(try database.fetchAll(Hidden.self).map(\.text) == ["1 c 1 2"])
    }

    @Test func aKeyThatTheDatabaseMakesIsReadAsPresent() throws {
        let database = try memoryDatabase(Shelf.self, Volume.self)
        var shelf = Shelf(name: "a")
        #expect(shelf.id == nil)
        try database.insert(&shelf)
        let key: Int64 = shelf.id
        #expect(key == 1)
        #expect(try database.find(Shelf.self, key: shelf.id) == shelf)
        let keys: [Int64?] = try database.fetchAll(Shelf.where { $0.id == key }.select { $0.id })
        #expect(keys == [key])
        let volume = try database.inserted(Volume(id: EvenNumber(rawValue: 4), shelfID: shelf.id))
        let typed: EvenNumber = volume.id
        #expect(typed.rawValue == 4)
        #expect(try database.fetchAll(Shelf.join(along: \.volumes)).map(\.1) == [volume])
        try database.load(\.volumes, of: &shelf)
        #expect(try shelf.volumes.records.map(\.id) == [typed])
        shelf.name = "b"
        try database.update(&shelf, \.name)
        #expect(try Shelf.readJSON("[\(shelf.writeJSON())]").map(\.id) == [key])
        #expect(try database.delete(volume) && database.delete(shelf))
        let again = try database.saved(Shelf(name: "c"))
        #expect(again.id == 2 && again.id + 1 == 3)
    }

    @Test func anUpdateOfSomePropertiesLeavesTheOthersAlone() throws {
        let database = try memoryDatabase(Draft.self)
        var draft = try database.inserted(Draft(title: "first", body: "text"))
        #expect(draft.version == 1 && draft.size == 5)
        let created = try #require(draft.created)
        (draft.title, draft.body, draft.isOpen) = ("changed", "unsaved", true)
        try database.update(&draft, \.title)
        #expect(draft.title == "changed" && draft.body == "unsaved" && draft.isOpen)
        #expect(draft.version == 2 && draft.size == 7 && draft.created == created && draft.updated >= created)
        var drafts = [draft]
        drafts[0].title = "again"
        try database.update(contentsOf: &drafts, \.title)
        #expect(drafts[0].body == "unsaved" && drafts[0].version == 3 && drafts[0].size == 5)
        #expect(try database.find(Draft.self, key: 1)?.body == "text")
    }

    @Test func anEmptyListOfPropertiesWritesNothing() throws {
        let database = try memoryDatabase(Draft.self)
        let draft = try database.inserted(Draft(title: "first", body: "text"))
        var changed = [draft]
        changed[0].title = "changed"
        try database.update(&changed[0], properties: [])
        try changed[0].update(in: database, properties: [])
        try database.update(contentsOf: &changed, properties: [])
        #expect(changed[0].title == "changed" && changed[0].version == draft.version)
        #expect(try database.find(Draft.self, key: 1)?.title == "first")
    }

    @Test func aRecordThatCannotTakeSomeColumnsAloneSaysSo() throws {
        let database = try memoryDatabase(Handmade.self)
        var record = try database.inserted(Handmade(name: "a"))
        let error = expectError(.misuse) { try database.update(&record, properties: ["name"]) }
        #expect(error?.message.contains("fills in version, which the record cannot take alone") == true)
        record.name = "b"
        try database.update(&record)
        #expect(record.version == 2)
        #expect(try database.fetchAll(Handmade.self).map(\.version) == [2])
    }

    @Test func whatChangedIsWrittenAndNothingElse() throws {
        let database = try memoryDatabase(Draft.self)
        var draft = try database.inserted(Draft(title: "first", body: "text"))
        let old = draft
        #expect(try draft.changes(since: old).isEmpty)
        #expect(try database.updateChanges(of: &draft, since: old).isEmpty)
        #expect(draft == old)
        draft.title = "second"
        (draft.size, draft.updated, draft.isOpen) = (99, Timestamp(microseconds: 5), true)
        #expect(try draft.changes(since: old) == ["title"])
        #expect(try draft.updateChanges(in: database, since: old) == ["title"])
        #expect(draft.version == 2 && draft.size == 6)
        var moved = draft
        moved.id = 7
        expectError(.misuse) { try database.updateChanges(of: &moved, since: draft) }
    }

    /// A batch that fails takes them back.
    @Test func timesAreOfTheRow() throws {
        let database = try memoryDatabase(Draft.self)
        var draft = try database.inserted(Draft(title: "first"))
        let first = draft.updated
        #expect(draft.created == first && first.microseconds > 1_577_836_800_000_000)
        var batch = [Draft(title: "second"), draft]
        batch[1].version = 9
        expectError(.staleRecord) { try database.save(contentsOf: &batch) }
        #expect(batch[0].created == nil && batch[0].updated == Timestamp(microseconds: 0))
        draft.created = nil
        try database.save(&draft)
        #expect(draft.created == first && draft.updated >= first)
        #expect(
            expectError(.model) {
                try ModelDescriptor(
                    name: "A",
                    columns: [
                        ColumnDescriptor("id", Int64?.self, primaryKey: true),
                        ColumnDescriptor("made", Timestamp.self, stamp: .created),
                    ]
                ).validate()
            }?.message.contains("its property always has a time") == true)
    }

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
        var some = [Department(id: 8, name: "Sales", city: "Rome"), Department(id: 9, name: "Law", city: "Rome")]
        #expect(try database.fetchOrInsert(contentsOf: &some, on: \.city, \.name) == 1)
        #expect(some.map(\.id) == [1, 9])
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
        #expect(try await database.fetchOrInsert(contentsOf: &all) == 1)
        try await database.upsert(contentsOf: &all, on: \.name, \.city)
        try await database.upsert(&sales, keeping: \.name)
        try await database.update(contentsOf: &all, \.name, \.city)
        #expect(try await database.fetchAll(Department.all) == all)
    }
}
