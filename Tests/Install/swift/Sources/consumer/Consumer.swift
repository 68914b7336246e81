import Cormorant

@Model
struct Person {
    @Key var id: Int64?
    var name: String
}

struct Unexpected: Error {}

/// What a first program does: a model, a table, a record in and out again.
@main
struct Consumer {
    static func main() throws {
        let database = try Database(path: ":memory:")
        try database.createTables(Person.self)
        var ada = Person(name: "Ada")
        try database.insert(&ada)
        guard let key = ada.id, let found = try database.find(Person.self, key: key), found.name == "Ada" else {
            throw Unexpected()
        }
        print("found \(found.name) with key \(key)")
        try database.close()
    }
}
