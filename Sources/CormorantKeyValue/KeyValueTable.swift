import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

// All stores of a file are in one table, so that the name of a store is a value. It is a table with rowids: without them a
// value of 1,000 bytes makes the tree of keys so wide that reading and writing take four times as long.
//
// `value` is last, so that the other columns are read without the pages that a large value overflows to.
private let createTable = """
    CREATE TABLE IF NOT EXISTS main.\(keyValueTable) (
      store TEXT NOT NULL,
      key TEXT NOT NULL,
      version INTEGER NOT NULL,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      expires INTEGER,
      json INTEGER NOT NULL,
      value,
      PRIMARY KEY (store, key),
      CHECK (NOT json OR (typeof(value) = 'text' AND json_valid(value)))
    );
    CREATE INDEX IF NOT EXISTS main.\(keyValueTable)_expires ON \(keyValueTable) (store, expires)
      WHERE expires IS NOT NULL;
    """

/// Its columns and their places in the primary key.
private let expectedColumns: [(name: String, key: Int64)] = [
    ("store", 1), ("key", 2), ("version", 0), ("created", 0), ("updated", 0), ("expires", 0), ("json", 0), ("value", 0),
]

/// The columns of a scan. `range` below gives its parameters.
func scanStatement(_ dialect: Dialect) -> String { dialect == .sqlite ? scan : scanOnServer }

private let scan = """
    SELECT key, value, json, created, updated, expires, version FROM main.\(keyValueTable)
    WHERE \(range) AND (expires IS NULL OR expires > ?4) ORDER BY key LIMIT ?5
    """

/// As a scan of a file without the table: no rows, and the same columns.
let emptyScanStatement = """
    SELECT NULL AS key, NULL AS value, NULL AS json, NULL AS created, NULL AS updated, NULL AS expires, NULL AS version
    LIMIT 0
    """

private let range = "store = ?1 AND key >= ?2 AND key < ?3"

/// What is done with one statement, prepared once. Parameters: 1 the store, 2 the key or start, 3 the end, 4 the time.
enum KeyValueOperation: Int, CaseIterable {
    case get, contains, put, add, replace, delete, count, clear, purge, probe

    var isReading: Bool { self == .get || self == .contains || self == .count || self == .probe }

    func sql(_ dialect: Dialect) -> String { dialect == .sqlite ? sql : sqlOnServer }

    private var sql: String {
        let table = "main.\(keyValueTable)"
        let alive = "(expires IS NULL OR expires > ?4)"
        // Versions are random, so that one never comes again, not even after a delete; 0 stands for none.
        let insert = """
            INSERT INTO \(table) (store, key, version, created, updated, expires, json, value)
            VALUES (?1, ?2, random() | 1, ?4, ?4, ?5, ?6, ?7)
            ON CONFLICT (store, key) DO UPDATE SET version = excluded.version, updated = ?4, expires = excluded.expires,
            json = excluded.json, value = excluded.value
            """
        switch self {
        case .get:
            return """
                SELECT value, json, created, updated, expires, version FROM \(table) WHERE store = ?1 AND key = ?2
                """
        case .contains: return "SELECT 1 FROM \(table) WHERE store = ?1 AND key = ?2 AND \(alive)"
        case .put: return insert + ", created = CASE WHEN expires <= ?4 THEN ?4 ELSE created END"
        case .add: return insert + ", created = ?4 WHERE expires <= ?4"
        case .replace:
            return """
                UPDATE \(table) SET version = random() | 1, updated = ?4, expires = ?5, json = ?6, value = ?7
                WHERE store = ?1 AND key = ?2 AND version = ?3 AND \(alive)
                """
        case .delete: return "DELETE FROM \(table) WHERE store = ?1 AND key = ?2 RETURNING expires"
        case .count:
            // The first is counted in the index of keys, the second in the small one of what expires.
            return """
                SELECT (SELECT count(*) FROM \(table) WHERE \(range))
                - (SELECT count(*) FROM \(table) WHERE \(range) AND expires <= ?4)
                """
        case .clear: return "DELETE FROM \(table) WHERE \(range)"
        case .purge: return "DELETE FROM \(table) WHERE store = ?1 AND expires <= ?4"
        case .probe: return "SELECT store, key, value, json, created, updated, expires, version FROM \(table) LIMIT 0"
        }
    }
}

/// The statements of a connection's stores. They are the connection's, so that closing it ends them.
final class KeyValueStatements: ConnectionAttachment {
    private unowned(unsafe) let connection: Connection
    private var prepared = [Statement?](repeating: nil, count: KeyValueOperation.allCases.count)
    /// Those of the server's that the connection knew of when the table was there; nil: a file.
    private let schemaChanges: Int?

    /// - Returns: nil where the file has no table yet.
    static func of(_ connection: Connection) throws -> KeyValueStatements? {
        if let ready = connection.attachment(KeyValueStatements.self) {
            if ready.schemaChanges == connection.engine?.schemaChanges { return ready }
            // On a server a statement of a table that is not there ends the transaction.
            connection.setAttachment(KeyValueStatements?.none)
        }
        guard try isThere(connection) else { return nil }
        let made = KeyValueStatements(connection)
        connection.setAttachment(made)
        return made
    }

    private init(_ connection: Connection) {
        self.connection = connection
        schemaChanges = connection.engine?.schemaChanges
    }

    @inline(__always)
    func statement(_ operation: KeyValueOperation) throws -> Statement {
        if let ready = prepared[operation.rawValue] { return ready }
        let made = try Statement(connection, operation.sql(connection.dialect))
        prepared[operation.rawValue] = made
        return made
    }

    /// Whether the table is there; an error when it is another program's.
    private static func isThere(_ connection: Connection) throws -> Bool {
        guard connection.engine == nil else {
            let columns = try connection.catalog.columns(of: keyValueTable)
            guard columns.isEmpty || columns.isSuperset(of: columnsOnServer) else { throw foreignTable() }
            return !columns.isEmpty
        }
        let statement = try Statement(connection, "PRAGMA main.table_xinfo(\(keyValueTable))")
        var columns: [(name: String, key: Int64)] = []
        while try statement.step() {
            let row = Row(statement)
            columns.append((row.cell(1).string ?? "", row.cell(5).int64))
        }
        if columns.isEmpty { return false }
        guard columns.elementsEqual(expectedColumns, by: { $0.name == $1.name && $0.key == $1.key }) else {
            throw foreignTable()
        }
        return true
    }

    /// Makes the table where it is not there.
    static func createTable(_ connection: Connection) throws {
        if connection.engine != nil { return try connection.script(createTableOnServer) }
        let encoding = try Statement(connection, "PRAGMA encoding").firstText() ?? ""
        guard encoding == "UTF-8" else {
            throw CormorantError(
                .schema, "the file's texts are \(encoding), in which keys have no order of their own",
                hint: "copy it into a file with PRAGMA encoding = 'UTF-8'")
        }
        try connection.script(CormorantKeyValue.createTable)
    }
}

func foreignTable(_ detail: String = "") -> CormorantError {
    CormorantError(
        .schema, "the table \(keyValueTable) of the file is another program's\(detail.isEmpty ? "" : ": " + detail)",
        hint: "rename it", table: keyValueTable)
}

extension CormorantError {
    /// The table is not there, or not any more: a rollback or another program took it away.
    var isMissingTable: Bool {
        isMissingName && ["main.\(keyValueTable)", keyValueTable].contains { message == "no such table: \($0)" }
    }

    /// The error of a statement on the table, in terms of stores.
    var ofStore: CormorantError {
        switch code {
        case .sql: foreignTable(message)
        case .check, .json:
            CormorantError(.json, "the value is no JSON", hint: "put it as text, or mend it", sqliteCode: sqliteCode)
        default: self
        }
    }
}
