import CormorantBase
import CormorantKeyValue
import CormorantORM
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// Edits, SQL and key-value stores.
extension StudioInterface {
    /// The statements of a set, each with its values and with the rows of other tables that go along.
    func preview(_ file: StudioFile, _ json: JSON) throws -> JSON {
        let edits = try EditSet(json["edits"]).edits
        let tables = try file.metadata().tables
        var isKept = true
        var budget = EditCascade.Budget()
        let statements = try file.database(.pages).withReader { connection in
            connection.acceptForeignSchemas()
            return try edits.map { edit -> JSON in
                let shape = try file.table(edit.table)
                let piece = try edit.statement(shape)
                let cascade = try EditCascade(of: edit, shape, tables, connection, &budget)
                isKept = isKept && cascade.isKept
                return [
                    "sql": .text(piece.sql), "values": .array(piece.values.map(Wire.json)),
                    "along": .array(
                        cascade.parts.map {
                            ["table": .text($0.table), "deleted": JSON($0.deleted), "changed": JSON($0.changed)]
                        }), "isAll": .bool(cascade.isKept),
                ]
            }
        }
        return ["statements": .array(statements), "canBeUndone": .bool(isKept)]
    }

    func apply(_ file: StudioFile, _ json: JSON) throws -> JSON {
        guard file.isWritable else { throw file.notWritable() }
        let set = try EditSet(json["edits"])
        // No other set is written, or taken back, until this one is kept.
        try file.database(.writing).withConnection { _ in file.keep(try set.apply(file)) }
        return ["applied": JSON(set.edits.count), "undo": JSON(file.undoCount)]
    }

    func undo(_ file: StudioFile) throws -> JSON {
        guard file.isWritable else { throw file.notWritable() }
        return try file.database(.writing).withConnection { _ in
            guard let set = file.newestUndo else {
                throw CormorantError(
                    .misuse, "there is nothing to take back", hint: "sets are kept until the server ends")
            }
            _ = try set.apply(file)
            file.dropNewestUndo()
            return ["applied": JSON(set.edits.count), "undo": JSON(file.undoCount)]
        }
    }

    func sql(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> JSON {
        let seconds = min(3600, max(1, Int(json["seconds"].integer ?? 10)))
        return try SQLRun(json, file).run(StudioJob(connection, seconds: seconds))
    }

    // Key-value stores ------------------------------------------------------------------------------------------------

    func stores(_ file: StudioFile, _ connection: HTTPConnection) throws -> JSON {
        // From one name to the next by the index, however many entries there are.
        let sql = """
            WITH RECURSIVE s (name) AS (
              SELECT min(store) FROM \(keyValueTable)
              UNION ALL SELECT (SELECT min(store) FROM \(keyValueTable) WHERE store > name) FROM s WHERE name IS NOT NULL
            )
            SELECT name FROM s WHERE name IS NOT NULL LIMIT 1000
            """
        return try file.read(StudioJob(connection, seconds: 3)) { connection in
            let known = "SELECT 1 FROM main.sqlite_schema WHERE name = '\(keyValueTable)'"
            guard try Statement(connection, known).firstText() != nil else { return ["stores": []] }
            let statement = try connection.statement(sql)
            defer { connection.recycle(statement) }
            var names: [JSON] = []
            while try statement.step() { names.append(JSON(Row(statement).cell(0).string)) }
            return ["stores": .array(names)]
        }
    }

    func entries(_ file: StudioFile, _ json: JSON, _ connection: HTTPConnection) throws -> JSON {
        let store = try file.database(.pages).store(try json.required("store"))
        var range = KeyValueRange(prefix: json["prefix"].text.flatMap { $0.isEmpty ? nil : $0 }, limit: 100)
        range.after = json["after"].text
        return ["entries": .array(try store.entries(range).map(Self.json))]
    }

    private static func json(_ entry: KeyValueEntry) -> JSON {
        [
            "key": .text(entry.key), "value": Wire.json(entry.value), "isJSON": .bool(entry.isJSON),
            "version": .text(String(entry.version)), "created": .integer(entry.created),
            "updated": .integer(entry.updated),
            "expires": JSON(entry.expires),
        ]
    }

    /// Writes or deletes an entry that is still what it was when it was shown.
    func put(_ file: StudioFile, _ json: JSON) throws -> JSON {
        guard file.isWritable else { throw file.notWritable() }
        let database = try file.database(.writing)
        let store = try database.store(try json.required("store"))
        let key = try json.required("key")
        let version = Int64(json["version"].text ?? "") ?? 0
        return try database.transaction {
            let entry = try store.entry(key)
            guard (entry?.version ?? 0) == version else {
                throw CormorantError(
                    .conflict, "another program has written \"\(visible(key))\" meanwhile", hint: "look at it again")
            }
            if json["isDeleted"].isTrue {
                try store.delete(key)
            } else if json["isJSON"].isTrue {
                try store.put(key, json: try json.required("value"), expires: entry?.expires)
            } else {
                try store.put(key, Wire.value(json["value"]), expires: entry?.expires)
            }
            return ["entry": try store.entry(key).map(Self.json) ?? .null]
        }
    }
}
