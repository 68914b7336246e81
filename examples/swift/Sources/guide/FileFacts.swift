// Metadata: everything that introspection knows about a file.
import Cormorant

enum FileFacts {
    static func show(_ database: Database) throws {
        try tables(database)
        try document(database)
        try understand()
    }

    /// Each table with its columns, and where its relations lead.
    static func tables(_ database: Database) throws {
        for table in try database.metadata().tables {
            print("\(table.name), a \(table.kind) with the key \(table.primaryKey)")
            for column in table.columns {
                print("  \(column.name): \(column.swiftType)", column.isUnique ? "unique" : "")
            }
            for relation in table.relations {
                print("  \(relation.kind) \(relation.table) over \(relation.columns) = \(relation.tableColumns)")
            }
        }
    }

    /// The same as one JSON document.
    static func document(_ database: Database) throws {
        print(try database.metadata().json.utf8.count, "bytes of JSON")
    }

    /// Of a text that no file has; what cannot be understood is listed.
    static func understand() throws {
        let metadata = try Schema(script: "CREATE VIEW broken AS SELECT * FROM gone").metadata()
        for problem in metadata.problems { print("\(problem.type) \(problem.name): \(problem.message)") }
    }
}
