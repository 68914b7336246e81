// 'name' is a constant, and columns are read anew; make it a var
import Cormorant

@Model
struct Label {
    @Key var id: Int64?
    let name: String
    var year: Int
}

func labels(_ database: Database) throws -> [String] {
    try database.sync(Label.self)
    var label = Label(name: "Blue", year: 1939)
    try database.insert(&label)
    let found = try database.fetchAll(Label.where { $0.name == "Blue" && $0.year > 1900 }.order { $0.name })
    let names: [String] = try database.fetchAll(Label.select { $0.name })
    return try names + found.map(\.name) + [database.find(Label.self, key: 1)?.name ?? ""]
}
