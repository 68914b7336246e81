import Cormorant
import Testing

@Model(table: "pages", module: ModuleSchema("fts5", ["tokenize = 'porter'"]))
private struct Page: Equatable {
    var title: String
    var body: String?
}

/// Full-text search: a model of an FTS5 table.
struct FullTextTests {
    private let database: Database

    init() throws {
        database = try Database(path: ":memory:")
        try database.createTables(Page.self)
        var pages = [
            Page(title: "Cats", body: "They purr."), Page(title: "Dogs", body: "No cats run here."),
            Page(title: "Birds", body: "They sing."),
        ]
        try database.insert(contentsOf: &pages)
    }

    @Test func aMatchInAnyColumnOrInOne() throws {
        let best = raw("rank", as: Double.self)
        #expect(
            try database.fetchAll(Page.where { $0.match("cat") }.order { _ in best }.select { $0.title })
                == ["Cats", "Dogs"])
        try expectSQL(
            Page.where { $0.body.match("running") }.select { $0.title },
            #"SELECT "title" FROM "pages" WHERE "body" MATCH ?"#, ["running"])
        #expect(
            try database.fetchAll(Page.where { $0.match("they NOT purr") }) == [
                Page(title: "Birds", body: "They sing.")
            ])
    }
}
