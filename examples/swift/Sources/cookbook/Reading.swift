import Cormorant

/// A full-text index beside the tracks; triggers of the schema could keep it, here the program does.
@Model(module: ModuleSchema("fts5", ["tokenize = 'porter'"]))
struct TrackText {
    var title: String
    var words: String
}

extension Recipes {
    /// A page begins after the last record of the one before: right when rows come and go, and as fast far down as at the top.
    static func page() throws {
        let database = try tracks(25)
        let query = Track.order { ($0.seconds.desc(), $0.id) }.limit(10)
        var page = try database.fetchAll(query)
        while let last = page.last {
            print(page.count, "from", page[0].title)
            page = try database.fetchAll(query.after(last))
        }
    }

    static func search() throws {
        let database = try Database(path: ":memory:")
        try database.createTables(TrackText.self)
        var texts = [
            TrackText(title: "Tide", words: "the boats are running home"),
            TrackText(title: "Ebb", words: "no boat here"),
        ]
        try database.insert(contentsOf: &texts)
        print(try database.fetchAll(TrackText.where { $0.match("boats NOT run") }.select { $0.title }))
    }

    /// A file for each user. At most 100 are open; one that is needed again is opened anew.
    static func files(_ folder: String) async throws {
        let users = try Registry("\(folder)/user-{name}.db", limit: 100)
        for name in ["ada", "ben"] {
            try await users.use(name) { database in
                try await database.sync(Track.self)
                _ = try await database.inserted(Track(title: "The first of \(name)", seconds: 60))
            }
        }
        print(try await users.use("ben") { try await $0.fetchAll(Track.all) }.map(\.title))
        try await users.close()
    }
}
