import Cormorant
import Testing

private struct Refusal: Error, Equatable {
    var reason: String
}

private func isSmall(_ size: Int) throws {
    if size > 100 { throw Refusal(reason: "\(size) is too large") }
}

@Model(keys: [.unique("title")])
private struct Draft: Equatable {
    @Key var id: Int64?
    var title: String
    @Column(validate: isSmall) var size: Int?
    @Column(version: true) var version = 0
    @Column(notNull: true, stamp: .created) var created: Timestamp?
    @Relation var notes: ToMany<Memo> = .notLoaded

    static func == (left: Draft, right: Draft) -> Bool {
        left.id == right.id && left.title == right.title && left.version == right.version
            && left.created == right.created
    }
}

extension Draft: RecordHooks {
    mutating func willSave(in database: Database) throws {
        if title == "shout" { title = "SHOUT" }
        if title == "before" { throw Refusal(reason: title) }
    }

    mutating func didSave(in database: Database) throws {
        if title == "after" { throw Refusal(reason: title) }
        if title == "noted" { _ = try database.inserted(Memo(text: "saved")) }
    }

    func didDelete(in database: Database) throws {
        if title == "bound" { throw Refusal(reason: title) }
    }

    func validate() throws {
        if title.isEmpty { throw Refusal(reason: "there is no title") }
    }
}

@Model
private struct Memo: Equatable {
    @Key var id: Int64?
    @Column(validate: Self.isGood) var text: String
    @References("draft") var draftID: Int64?

    static func isGood(_ text: String) throws {
        if text == "bad" { throw Refusal(reason: "it is bad") }
    }
}

/// By hand.
private struct Label: Equatable {
    var id: Int64?
    var text: String
}

extension Label: RecordHooks {
    static let model = ModelDescriptor(
        name: "Label",
        columns: [ColumnDescriptor("id", Int64?.self, primaryKey: true), ColumnDescriptor("text", String.self)])

    init(from reader: RecordReader) throws {
        id = try Int64?(from: reader, at: 0)
        text = try String(from: reader, at: 1)
    }

    func write(to writer: inout RecordWriter) throws {
        try id.write(to: &writer, at: 0)
        try text.write(to: &writer, at: 1)
    }

    mutating func setGeneratedKey(_ key: Int64) { id = key }
    mutating func clearGeneratedKey() { id = nil }

    mutating func willInsert(in database: Database) throws { text += "!" }
}

/// What only Swift has of hooks: its own errors, values that are as they were, types.
struct HookTests {
    private func open() throws -> Database { try memoryDatabase(Draft.self, Memo.self, Label.self) }

    @Test func theErrorIsTheHooksOwnAndTheRecordIsAsItWas() throws {
        let database = try open()
        var draft = Draft(title: "after")
        #expect(throws: Refusal(reason: "after")) { try database.insert(&draft) }
        #expect(throws: Refusal(reason: "after")) { try database.save(&draft) }
        #expect(draft == Draft(title: "after"))
        draft.title = "before"
        #expect(throws: Refusal(reason: "before")) { try database.insert(&draft) }
        var kept = try database.inserted(Draft(title: "shout"))
        #expect(kept.title == "SHOUT")
        let before = kept
        kept.title = "after"
        #expect(throws: Refusal(reason: "after")) { try database.update(&kept) }
        #expect(throws: Refusal(reason: "after")) { try database.update(&kept, \.title) }
        #expect((kept.version, kept.created) == (before.version, before.created))
        kept.title = "bound"
        try database.save(&kept)
        #expect(throws: Refusal(reason: "bound")) { try database.delete(kept) }
        #expect(try database.fetchAll(Draft.all).count == 1)
    }

    @Test func aBatchAndAGraphAreTakenBack() throws {
        let database = try open()
        var drafts = [Draft(title: "noted"), Draft(title: "after")]
        #expect(throws: Refusal(reason: "after")) { try database.insert(contentsOf: &drafts) }
        #expect(drafts.allSatisfy { $0.id == nil && $0.version == 0 })
        var draft = Draft(title: "graph")
        draft.notes = .loaded([Memo(text: "good"), Memo(text: "bad")])
        let error = #expect(throws: CormorantError.self) { try database.save(graph: &draft) }
        #expect(error?.code == .validation && error?.recordIndex == 1)
        #expect(draft.id == nil)
        drafts = [Draft(title: "a"), Draft(title: "bound")]
        try database.save(contentsOf: &drafts)
        #expect(throws: Refusal(reason: "bound")) { try database.delete(contentsOf: drafts) }
        #expect(try database.fetchAll(Draft.all).count == 2)
        #expect(try database.fetchAll(Memo.all).count == 0)
    }

    @Test func aValidatorBecomesAnErrorWithItsCause() throws {
        let database = try open()
        var draft = Draft(title: "a", size: 101)
        let error = #expect(throws: CormorantError.self) { try database.insert(&draft) }
        #expect(error?.code == .validation && error?.table == "draft" && error?.columns == ["size"])
        #expect(error?.message.hasPrefix("Draft.size: ") == true)
        #expect(error?.cause as? Refusal == Refusal(reason: "101 is too large"))
        draft.size = nil
        try database.insert(&draft)
        draft.title = ""
        let second = #expect(throws: CormorantError.self) { try database.update(&draft) }
        #expect(second?.code == .validation && second?.columns == [])
        var note = Memo(text: "bad")
        #expect(throws: CormorantError.self) { try note.insert(in: database) }
    }

    @Test func validatorsAloneAndByHand() throws {
        #expect(Draft.hookKind == .all && Memo.hookKind == .validators && Label.hookKind == .all)
        let database = try open()
        var label = Label(text: "a")
        try database.insert(&label)
        #expect(try database.find(Label.self, key: 1) == Label(id: 1, text: "a!"))
        let other = try Draft.table(suffix: "2")
        try database.createTables([other.model])
        var draft = Draft(title: "shout")
        try database.insert(&draft, into: other)
        #expect(draft.title == "SHOUT")
    }

    @Test func importsRefuseThem() throws {
        let database = try open()
        for read in [
            { try database.importJSON(Draft.self, "[]") }, { try database.importJSON(Memo.self, "[]") },
            { try database.importJSON(Label.self, "[]") },
        ] {
            let error = #expect(throws: CormorantError.self) { _ = try read() }
            #expect(error?.code == .misuse && error?.message.contains("hooks and validators of model") == true)
        }
    }

    @Test func aQueuesBatchCallsThem() throws {
        let database = try open()
        let queue = try WriteQueue(database)
        let batch = queue.begin()
        batch.insert(Draft(title: "noted"))
        batch.insert(Draft(title: "after"))
        batch.insert(Draft(title: "shout"))
        let results = try batch.commit(onError: .continue)
        #expect(results.map(\.generatedKey) == [1, nil, 2])
        #expect(results[1].error?.cause as? Refusal == Refusal(reason: "after"))
        #expect(try database.fetchAll(Draft.all).map(\.title) == ["noted", "SHOUT"])
        #expect(try database.fetchAll(Memo.all).count == 1)
        try queue.close()
    }

    @Test func asyncCallsRunThem() async throws {
        let database = try open()
        var draft = Draft(title: "noted")
        try await database.insert(&draft)
        #expect(try await database.fetchAll(Memo.all).count == 1)
    }
}
