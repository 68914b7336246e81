import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

// The table of a server. There a column has one type, so that a value lies in the one of four that is its own; a text is
// compared by its bytes.
let createTableOnServer = """
    CREATE TABLE IF NOT EXISTS \(keyValueTable) (
      store text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      version bigint NOT NULL,
      created bigint NOT NULL,
      updated bigint NOT NULL,
      expires bigint,
      json boolean NOT NULL,
      value_integer bigint,
      value_real double precision,
      value_text text COLLATE "C",
      value_blob bytea,
      PRIMARY KEY (store, key),
      CHECK (num_nonnulls(value_integer, value_real, value_text, value_blob) <= 1),
      CHECK (CASE WHEN json THEN value_text IS NOT NULL AND CAST(value_text AS json) IS NOT NULL ELSE true END)
    );
    CREATE INDEX IF NOT EXISTS \(keyValueTable)_expires ON \(keyValueTable) (store, expires) WHERE expires IS NOT NULL;
    """

let columnsOnServer: Set<ExactText> = [
    "store", "key", "version", "created", "updated", "expires", "json", "value_integer", "value_real", "value_text",
    "value_blob",
]

/// The engine hands over a row as the one value in it.
private let value = "ROW(value_integer, value_real, value_text, value_blob)"

private let range = """
    store = CAST(?1 AS text) AND key >= CAST(?2 AS text) AND (key < CAST(?3 AS text) OR CAST(?3 AS text) IS NULL)
    """
private let alive = "(expires IS NULL OR expires > CAST(?4 AS bigint))"

let scanOnServer = """
    SELECT key, \(value) AS value, json, created, updated, expires, version FROM \(keyValueTable)
    WHERE \(range) AND \(alive) ORDER BY key LIMIT CAST(?5 AS bigint)
    """

extension KeyValueOperation {
    /// The parameters of a value: of integers, reals, texts and blobs.
    static let values: (integer: Int32, real: Int32, text: Int32, blob: Int32) = (7, 8, 9, 10)

    var sqlOnServer: String {
        let table = keyValueTable
        let own = "store = CAST(?1 AS text) AND key = CAST(?2 AS text)"
        let version = "(CAST(random() * 4503599627370496 AS bigint) << 1 | 1)"
        let insert = """
            INSERT INTO \(table) (store, key, version, created, updated, expires, json,
              value_integer, value_real, value_text, value_blob)
            VALUES (?1, ?2, \(version), CAST(?4 AS bigint), CAST(?4 AS bigint), ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (store, key) DO UPDATE SET version = excluded.version, updated = excluded.updated,
            expires = excluded.expires, json = excluded.json, value_integer = excluded.value_integer,
            value_real = excluded.value_real, value_text = excluded.value_text, value_blob = excluded.value_blob
            """
        switch self {
        case .get:
            return "SELECT \(value) AS value, json, created, updated, expires, version FROM \(table) WHERE \(own)"
        case .contains: return "SELECT 1 FROM \(table) WHERE \(own) AND \(alive)"
        case .put:
            return insert
                + ", created = CASE WHEN \(table).expires <= excluded.updated THEN excluded.updated ELSE \(table).created END"
        case .add: return insert + ", created = excluded.created WHERE \(table).expires <= excluded.updated"
        case .replace:
            return """
                UPDATE \(table) SET version = \(version), updated = CAST(?4 AS bigint), expires = ?5, json = ?6,
                value_integer = ?7, value_real = ?8, value_text = ?9, value_blob = ?10
                WHERE \(own) AND version = CAST(?3 AS bigint) AND \(alive)
                """
        case .delete: return "DELETE FROM \(table) WHERE \(own) RETURNING expires"
        case .count: return "SELECT count(*) FROM \(table) WHERE \(range) AND \(alive)"
        case .clear: return "DELETE FROM \(table) WHERE \(range)"
        case .purge: return "DELETE FROM \(table) WHERE store = CAST(?1 AS text) AND expires <= CAST(?4 AS bigint)"
        case .probe:
            return """
                SELECT store, key, \(value) AS value, json, created, updated, expires, version FROM \(table) LIMIT 0
                """
        }
    }
}

extension Statement {
    /// Binds a value to the parameter of its kind.
    /// - Parameters:
    ///   - memory: where the value is bound first, to be looked at.
    ///   - bind: binds the value.
    ///   - run: runs the statement, while the value is there.
    func bindOnServer(
        _ memory: Connection, _ bind: (Statement, Int32) throws -> Void, _ run: () throws -> Void
    ) throws {
        let carrier = try memory.statement("SELECT ?")
        defer { memory.recycle(carrier) }
        try bind(carrier, 1)
        guard try carrier.step() else { return }
        let places = KeyValueOperation.values
        for place in places.integer...places.blob { bindNull(place) }
        let cell = Row(carrier).cell(0)
        switch cell.type {
        case StorageType.integer: self.bind(cell.int64, places.integer)
        case StorageType.real: self.bind(cell.double, places.real)
        case StorageType.text:
            let text = cell.text
            try bindText(UnsafeRawPointer(text.baseAddress) ?? noBytes, count: text.count, places.text, borrowing: true)
        case StorageType.blob:
            let blob = cell.blob
            try bindBlob(blob.baseAddress ?? noBytes, count: blob.count, places.blob, borrowing: true)
        default: break
        }
        try run()
    }
}

private var noBytes: UnsafeRawPointer { UnsafeRawPointer(emptyText) }
