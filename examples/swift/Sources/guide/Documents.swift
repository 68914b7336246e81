// JSON: documents read into records, written from them, imported.
import Cormorant

enum Documents {
    static func show(_ database: Database) throws {
        try exchange(database)
        try load(database)
    }

    static let document = """
        {"data": {"artists": [
          {"name": "Pia", "albums": [{"title": "Tides", "year": 2020}, {"title": "Ebb", "year": 2022}]},
          {"name": "Ron"}
        ]}}
        """

    /// A document becomes records with their related ones, these a graph in the database, and JSON again.
    static func exchange(_ database: Database) throws {
        var artists = try Artist.readJSON(document, JSONOptions(path: "$.data.artists"))
        for index in artists.indices { try database.save(graph: &artists[index]) }
        print(try artists.writeJSON())
    }

    /// A document goes straight into the database.
    static func load(_ database: Database) throws {
        let count = try database.importJSON(Album.self, #"[{"title": "Flow", "year": 2025}]"#)
        print("\(count) album imported")
        do {
            try database.importJSON(Album.self, #"[{"title": "Flood", "year": "soon"}]"#)
        } catch let error as CormorantError {
            print(error.message)  // $[0].year: expected an integer, found a string
        }
    }
}
