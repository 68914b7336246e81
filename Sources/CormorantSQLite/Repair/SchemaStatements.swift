import CSQLite
import CormorantBase

/// The entries of a schema that CREATE statements make, which may be anyone's: what is no CREATE statement is not run.
/// - Parameter skipsOthers: whether what makes nothing is left out, instead of being an error.
func schemaEntries(_ statements: [String], _ monitor: ProgressMonitor, skipsOthers: Bool) throws -> [SchemaEntry] {
    let memory = try Connection(path: ":memory:", options: OpenOptions())
    let schema = SchemaGuard()
    defer { withExtendedLifetime((monitor, schema)) { memory.close() } }
    memory.acceptForeignSchemas()
    memory.setMonitor(monitor)
    sqlite3_set_authorizer(memory.handle, denyOthers, Unmanaged.passUnretained(schema).toOpaque())
    for sql in statements {
        schema.isVirtual = false
        do {
            try memory.foreignScript(sql)
        } catch let error as CormorantError where error.code != .interrupted {
            if skipsOthers { continue }
            guard error.sqliteCode & 0xFF == SQLITE_AUTH else { throw error }
            throw CormorantError(
                .misuse, "the schema has a statement that does more than CREATE does: \(sql.prefix(100))",
                hint: "give it CREATE statements alone")
        }
    }
    sqlite3_set_authorizer(memory.handle, nil, nil)
    let statement = try Statement(memory, "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    defer { statement.finalize() }
    var entries: [SchemaEntry] = []
    while try statement.step() {
        let row = Row(statement)
        func text(_ column: Int32) -> String { row.cell(column).string ?? "" }
        entries.append(SchemaEntry(type: text(0), name: text(1), table: text(2), root: 0, sql: text(3)))
    }
    return entries
}

/// The statements of a script, each with its semicolon.
func statements(_ script: String) -> [String] {
    var all: [String] = []
    var rest = script.utf8[...]
    var end = rest.startIndex
    while let next = rest[end...].firstIndex(of: UInt8(ascii: ";")) {
        end = rest.index(after: next)
        let statement = String(decoding: rest[..<end], as: UTF8.self)
        guard sqlite3_complete(statement) == 1 else { continue }
        all.append(statement)
        rest = rest[end...]
    }
    return all + [String(decoding: rest, as: UTF8.self)]
}

private final class SchemaGuard {
    /// Whether the statement makes a virtual table, whose module runs statements of its own.
    var isVirtual = false
}

private func denyOthers(
    _ context: UnsafeMutableRawPointer?, _ action: Int32, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    guard let context else { return SQLITE_DENY }
    let schema = Unmanaged<SchemaGuard>.fromOpaque(context).takeUnretainedValue()
    switch action {
    case SQLITE_CREATE_VTABLE:
        schema.isVirtual = true
        return SQLITE_OK
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW, SQLITE_CREATE_TRIGGER, SQLITE_READ,
        SQLITE_FUNCTION, SQLITE_REINDEX, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
        return SQLITE_OK
    case SQLITE_ATTACH, SQLITE_DETACH: return SQLITE_DENY
    default: return schema.isVirtual ? SQLITE_OK : SQLITE_DENY
    }
}
