import Cormorant
import Testing

@Model(scope: "deleted_at IS NULL")
private struct Member: Equatable {
    @Key var id: Int64?
    var name: String
    @Column(scale: 2) var fee: DecimalText?
    var deletedAt: Timestamp?
}

@Model(table: "names", view: true)
private struct Name: Equatable {
    @Key var id: Int64
    var name: String?
}

/// What `@Model` and `@Column` say of scopes, views and scales, and the unscoped table.
struct ScopeTests {
    @Test func theUnscopedTableHasAllRows() throws {
        let database = try memoryDatabase(Member.self)
        var (ada, bob) = (Member(name: "Ada"), Member(name: "Bob"))
        try database.insert(&ada)
        try database.insert(&bob)
        bob.deletedAt = Timestamp(microseconds: 0)
        try database.update(&bob)
        let everybody = try Member.unscoped()
        #expect(try database.fetchAll(Member.where { $0.name != "" }) == [ada])
        #expect(try database.fetchAll(everybody.where { $0.name != "" }).count == 2)
        #expect(try database.find(Member.self, key: 2) == nil)
        #expect(try database.find(everybody, key: 2) == bob)
        #expect(throws: CormorantError.self) { try database.update(&bob) }
        bob.deletedAt = nil
        try database.save(&bob, in: everybody)
        #expect(try database.find(Member.self, key: 2) == bob)
        #expect(try database.delete(bob, from: everybody))
    }

    @Test func aViewIsReadByItsModel() throws {
        let database = try memoryDatabase(Member.self)
        try database.execute("CREATE VIEW names AS SELECT id, name FROM member")
        try database.createTables([Name.model])
        var ada = Member(name: "Ada")
        try database.insert(&ada)
        #expect(try database.find(Name.self, key: 1) == Name(id: 1, name: "Ada"))
        var bob = Name(id: 2, name: "Bob")
        let error = #expect(throws: CormorantError.self) { try database.insert(&bob) }
        #expect(error?.code == .schema)
    }

    @Test func aDecimalKeepsItsScale() throws {
        let database = try memoryDatabase(Member.self)
        var ada = Member(name: "Ada", fee: "1.5")
        try database.insert(&ada)
        try database.refresh(&ada)
        #expect(ada.fee == "1.50")
        ada.fee = "1.505"
        let error = #expect(throws: CormorantError.self) { try database.update(&ada) }
        #expect(error?.code == .range)
    }
}
