// Every operator and function that expressions have, with the SQL that each stands for.
import Cormorant

@Model(module: ModuleSchema("fts5", ["tokenize = 'porter'"]))
struct Page {
    var title: String
    var body: String
}

enum Expressions {
    static func show(_ database: Database) throws {
        try values()
        try comparing()
        try conditions()
        try numbers()
        try texts()
        try choosing()
        try aggregates()
        try functions()
        try subqueries()
        try others()
        try explain(database)
        try search(database)
    }

    /// An expression is a value that knows its SQL and what is bound to it.
    private static func show<Content>(_ expression: (Album.Columns) -> SQLExpression<Content>) throws {
        var made: SQLExpression<Content>?
        _ = Album.select { album in
            let expression = expression(album)
            made = expression
            return expression
        }
        if let sql = try made?.sql { print(sql.text, sql.bindings) }
    }

    private static func show(term: (Album.Columns) -> some SQLOrderTerm) throws {
        print(try Album.order(by: term).sql.text)
    }

    /// Expressions can be kept and used in others.
    private static let (recent, cheap) = {
        var kept = (SQLExpression(true), SQLExpression(true))
        _ = Album.where { album in
            kept = (album.year > 2000, album.price < 10)
            return kept.0
        }
        return kept
    }()
    private static let ids = Artist.select { $0.id }
    private static let newest = Album.select { $0.year.max() }

    static func values() throws {
        try show { $0.year }
        try show { $0.artist.name }
        try show { _ in SQLExpression(5) }
        try show { _ in parameter("since", Int.self) }
    }

    static func comparing() throws {
        try show { $0.year == 2004 }
        try show { $0.year != 2004 }
        try show { $0.year < 2004 }
        try show { $0.year <= 2004 }
        try show { $0.year > 2004 }
        try show { $0.year >= 2004 }
        try show { $0.price == nil }
        try show { $0.price != nil }
        try show { $0.price.isNotDistinct(from: 7.5) }
        try show { $0.price.isDistinct(from: 7.5) }
        try show { $0.year.isBetween(1990, 1999) }
        try show { $0.year.isIn([1998, 2004]) }
        try show { $0.artistID.isIn(ids) }
        try show { $0.year.isIn(parameter: "years") }
        try show { SQLRow($0.year, $0.title) > (1998, "F") }
        try show { SQLRow($0.year, $0.title).isIn([(1998, "First Light")]) }
    }

    static func conditions() throws {
        try show { _ in recent && cheap }
        try show { _ in recent || cheap }
        try show { _ in !recent }
        try show { _ in SQLExpression.all([recent, cheap]) }
        try show { _ in SQLExpression.any([recent, cheap]) }
    }

    static func numbers() throws {
        try show { $0.year + 1 }
        try show { $0.year - 1 }
        try show { $0.year * 2 }
        try show { $0.year / 10 }
        try show { $0.year % 10 }
        try show { -$0.year }
        try show { $0.year.magnitude() }
        try show { $0.price.rounded(digits: 1) }
        try show { $0.year & 3 }
        try show { $0.year | 3 }
        try show { ~$0.year }
        try show { $0.year << 3 }
        try show { $0.year >> 3 }
        try show { $0.year.cast(to: String.self) }
    }

    static func texts() throws {
        try show { $0.title + "!" }
        try show { $0.title.hasPrefix("50%") }
        try show { $0.title.hasSuffix("Off") }
        try show { $0.title.contains("%") }
        try show { $0.title.like("F_rst%") }
        try show { $0.title.notLike("F%") }
        try show { $0.title.glob("[A-M]*") }
        try show { $0.title.notGlob("F*") }
        try show { $0.title.regexp("^[A-M].*t$") }
        try show { $0.title.collate("NOCASE") }
        try show { $0.title.collate("corm_nocase").contains("É") }
        try show { $0.title.lowercased() }
        try show { $0.title.uppercased() }
        try show { $0.title.trimmed() }
        try show { $0.title.length() }
    }

    static func choosing() throws {
        try show { _ in when(recent, "new").otherwise("old") }
        try show { $0.year.when(1998, "first").end() }
        try show { $0.price ?? 0 }
    }

    static func aggregates() throws {
        try show { _ in count() }
        try show { $0.price.count() }
        try show { $0.price.sum() }
        try show { $0.price.total() }
        try show { $0.price.average() }
        try show { $0.year.min() }
        try show { $0.year.max() }
        try show { $0.title.joined(separator: ", ") }
        try show { $0.title.joined(separator: ", ").ordered(by: $0.year) }
        try show { $0.year.count().distinct() }
        try show { $0.price.sum().filter(recent) }
        try show { $0.price.sum().over(.order(by: $0.year)) }
        try show { call("rank", as: Int64.self).over(.partition(by: $0.artistID).order(by: $0.year)) }
        try show { $0.price.average().over(.order(by: $0.year).frame("ROWS 1 PRECEDING")) }
    }

    static func functions() throws {
        try show { $0.details.jsonValue(at: "$.tracks", as: Int.self) }
        try show { $0.details.json(at: "$.label") }
        try show { call("strftime", SQLExpression("%Y"), $0.released, as: String?.self) }
        try show { call("replace", $0.title, SQLExpression("%"), SQLExpression(" per cent"), as: String.self) }
    }

    static func subqueries() throws {
        try show { _ in newest.scalar() }
        try show { _ in ids.exists() }
    }

    static func others() throws {
        try show(term: { $0.year.desc() })
        try show(term: { $0.price.asc().nullsLast() })
        try show { $0.year.max().named("newest") }
        try show { _ in raw("length(title) > ?", [3], as: Bool.self) }
    }

    /// The SQL of a whole query, and how SQLite would run it.
    static func explain(_ database: Database) throws {
        let query = Album.where { $0.id == 1 && $0.title.hasPrefix("50%") }.select { $0.title }
        print(try query.sql.text, try query.sql.bindings)
        print(try database.explain(query), terminator: "")
    }

    /// Full-text search: in one column, or in all of an FTS5 table.
    static func search(_ database: Database) throws {
        try database.createTables(Page.self)
        var pages = [Page(title: "Cats", body: "They purr."), Page(title: "Dogs", body: "No cats run here.")]
        try database.insert(contentsOf: &pages)
        print(try database.fetchAll(Page.where { $0.body.match("running") }.select { $0.title }))
        print(try database.fetchAll(Page.where { $0.match("cat") }.select { $0.title }))
    }
}
