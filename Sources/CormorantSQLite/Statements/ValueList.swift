import CSQLite
import CormorantBase

/// Many values in one parameter: `corm_values(?)` is a table of them, with the columns `value`, `value1` to `value7`, so
/// that IN takes any number of values whatever SQLite's limit of parameters, and its statement stays the same.
/// Source: https://www.sqlite.org/vtab.html#tabfunc2 and https://www.sqlite.org/bindptr.html
final class ValueList {
    let values: [Value]
    /// How many of them make a row.
    let width: Int
    let rowCount: Int

    init(_ values: [Value], width: Int) {
        self.values = values
        self.width = width
        rowCount = values.count / width
    }
}

extension Statement {
    /// Binds a list for `corm_values(?)`; SQLite releases it.
    package func bind(list values: [Value], width: Int, _ index: Int32) throws {
        for case .real(let real) in values where real.isNaN { throw nanBinding(index) }
        if pointer == nil { return try bindEngine(list: values, width: width, index) }
        let list = Unmanaged.passRetained(ValueList(values, width: width)).toOpaque()
        let status = sqlite3_bind_pointer(pointer, index, list, listTypeName) { list in
            if let list { Unmanaged<ValueList>.fromOpaque(list).release() }
        }
        if status != SQLITE_OK { throw bindError(status) }
    }
}

extension Connection {
    /// Makes `corm_values` known.
    func registerValueList() throws {
        let status = sqlite3_create_module_v2(handle, "corm_values", &valueListModule, nil, nil)
        if status != SQLITE_OK { throw error(status) }
    }
}

/// SQLite compares the pointer's type by its text, which must live as long as the process.
nonisolated(unsafe) private let listTypeName: UnsafePointer<CChar> = {
    let name: StaticString = "corm_values"
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
}()

/// The hidden column that takes the list.
private let listColumn: Int32 = 8

/// What SQLite allocates nothing for: its own fields first, ours behind them.
private struct ListCursor {
    var base = sqlite3_vtab_cursor()
    var list: Unmanaged<ValueList>?
    var row = 0
}

private func listCursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<ListCursor>? {
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: ListCursor.self)
}

/// Read only once it is made. Eponymous: without xCreate, nobody can make a table of it.
nonisolated(unsafe) private var valueListModule: sqlite3_module = {
    var module = sqlite3_module()
    module.xConnect = { handle, _, _, _, table, _ in
        let status = sqlite3_declare_vtab(
            handle,
            "CREATE TABLE corm_values (value, value1, value2, value3, value4, value5, value6, value7, list HIDDEN)")
        guard status == SQLITE_OK else { return status }
        let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
        made.initialize(to: sqlite3_vtab())
        table?.pointee = made
        return SQLITE_OK
    }
    module.xDisconnect = { table in
        table?.deallocate()
        return SQLITE_OK
    }
    module.xBestIndex = { _, info in
        guard let info else { return SQLITE_ERROR }
        for index in 0..<Int(info.pointee.nConstraint) {
            let constraint = info.pointee.aConstraint[index]
            guard constraint.iColumn == listColumn, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ) else { continue }
            guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
            info.pointee.aConstraintUsage[index].argvIndex = 1
            info.pointee.aConstraintUsage[index].omit = 1
            info.pointee.estimatedRows = 1000
            info.pointee.estimatedCost = 1000
            return SQLITE_OK
        }
        // Without its list it has no rows.
        info.pointee.estimatedRows = 0
        return SQLITE_OK
    }
    module.xOpen = { _, cursor in
        let made = UnsafeMutablePointer<ListCursor>.allocate(capacity: 1)
        made.initialize(to: ListCursor())
        cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }
    module.xClose = { cursor in
        guard let cursor = listCursor(cursor) else { return SQLITE_OK }
        cursor.pointee.list?.release()
        cursor.deallocate()
        return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, count, arguments in
        guard let cursor = listCursor(cursor) else { return SQLITE_ERROR }
        cursor.pointee.list?.release()
        cursor.pointee.list = nil
        cursor.pointee.row = 0
        if count == 1, let list = sqlite3_value_pointer(arguments?[0], listTypeName) {
            cursor.pointee.list = Unmanaged<ValueList>.fromOpaque(list).retain()
        }
        return SQLITE_OK
    }
    module.xNext = { cursor in
        listCursor(cursor)?.pointee.row += 1
        return SQLITE_OK
    }
    module.xEof = { cursor in
        guard let cursor = listCursor(cursor)?.pointee, let list = cursor.list else { return 1 }
        return cursor.row >= withoutRetaining(list) { $0.rowCount } ? 1 : 0
    }
    module.xColumn = { cursor, context, column in
        guard let cursor = listCursor(cursor)?.pointee, let list = cursor.list else { return SQLITE_OK }
        withoutRetaining(list) { list in
            if column < list.width { setResult(list.values[cursor.row * list.width + Int(column)], context) }
        }
        return SQLITE_OK
    }
    module.xRowid = { cursor, rowID in
        rowID?.pointee = Int64(listCursor(cursor)?.pointee.row ?? 0)
        return SQLITE_OK
    }
    return module
}()

/// Gives a copy of the value as the result of a function.
func setResult(_ value: Value, _ context: OpaquePointer?) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let integer): sqlite3_result_int64(context, integer)
    case .real(let real): sqlite3_result_double(context, real)
    case .text(var text):
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                sqlite3_result_text64(
                    context, characters.baseAddress ?? emptyText, UInt64(characters.count), transientBytes,
                    UInt8(SQLITE_UTF8))
            }
        }
    case .blob(let bytes):
        bytes.withUnsafeBytes { bytes in
            sqlite3_result_blob64(
                context, bytes.baseAddress ?? UnsafeRawPointer(emptyText), UInt64(bytes.count), transientBytes)
        }
    }
}
