// Functions and collations of the program's, which SQL calls.
import Cormorant

enum Functions {
    static func show(_ database: Database) throws {
        try scalar(database)
        try aggregate(database)
        try order(database)
    }

    /// A function of one row, by the types of its arguments.
    static func scalar(_ database: Database) throws {
        try database.registerFunction("decade", isDeterministic: true) { (year: Int) in year / 10 * 10 }
        let nineties = try database.fetchAll(Album.where { call("decade", $0.year, as: Int.self) == 1990 })
        print(nineties.count)
    }

    /// An aggregate begins each group of rows with `initial`; with `inverse` it stands over windows, too.
    static func aggregate(_ database: Database) throws {
        try database.registerAggregate(
            "product", initial: 1,
            step: { (product: inout Int, factor: Int) in product *= factor },
            inverse: { $0 /= $1 },
            value: { $0 })
        print(try database.fetchCount("SELECT product(id) FROM album"))
    }

    /// An order of texts.
    static func order(_ database: Database) throws {
        try database.registerCollation("byLength") { $0.utf8.count < $1.utf8.count }
        print(try database.query("SELECT name FROM artist ORDER BY name COLLATE byLength").count)
    }
}
