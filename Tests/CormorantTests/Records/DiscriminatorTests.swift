import Cormorant
import Testing

private enum Kind: String, ColumnValue { case dog, cat }

@Model
private struct Animal: Equatable {
    @Key var id: Int64?
    var kind: Kind
    var name: String
    var lives: Int?
}

@Model(table: "animal")
private struct Cat: Equatable {
    @Key var id: Int64?
    @Column(discriminator: "cat") var kind = "cat"
    var name: String
    var lives: Int
}

/// What `@Column(discriminator:)` says: several models of one table.
struct DiscriminatorTests {
    @Test func eachModelIsAboutItsRows() throws {
        let database = try memoryDatabase(Cat.self, Animal.self)
        let tom = try database.inserted(Cat(kind: "dog", name: "Tom", lives: 9))
        #expect(tom == Cat(id: 1, name: "Tom", lives: 9))
        let rex = try database.inserted(Animal(kind: .dog, name: "Rex"))
        #expect(try database.fetchAll(Cat.all) == [tom])
        #expect(try database.find(Cat.self, key: rex.id) == nil)
        #expect(try database.fetchAll(Animal.order { $0.name }).map(\.kind) == [.dog, .cat])
        #expect(try database.execute(Cat.all.update { $0.lives = 8 }) == 1)
        #expect(Cat.model.isPart && !Animal.model.isPart && Cat.model.createSQL.isEmpty)
    }

    @Test func aDiscriminatorThatNobodyKnowsIsToldByTheRow() throws {
        let database = try memoryDatabase(Animal.self)
        try database.execute("INSERT INTO animal (kind, name) VALUES ('cow', 'Elsa')")
        let error = #expect(throws: CormorantError.self) { try database.fetchAll(Animal.all) }
        #expect(error?.code == .type && error?.columns == ["kind"] && error?.message.contains("1") == true)
    }
}
