public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantSQLite

@_cdecl("corm_block_run") @implementation
public func corm_block_run(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ begin: UnsafePointer<CChar>?,
    _ bindings: UnsafeRawPointer?, _ size: Int, _ many: Bool, _ maxRows: Int64,
    _ block: UnsafeMutablePointer<corm_block>?, _ outResult: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outResult, "out_result")
        out.pointee = nil
        let database = try database(handle)
        let writer = MarshalWriter(try require(block, "block"))
        var run = try StatementRun(
            database: database, sql: string(sql, "SQL"), begin: optionalString(begin, "begin"), writer: writer)
        // The connection is kept from the transaction's beginning to what is told of the statement.
        let cursor = try database.withConnection { connection in
            many ? try run.many(connection, bindings, size) : try run.one(connection, bindings, size, maxRows)
        }
        run.writer.finish()
        if let cursor { out.pointee = try Handles.add(ResultBox(cursor), .result) }
        return CORM_OK
    }
}

@_cdecl("corm_block_in_transaction") @implementation
public func corm_block_in_transaction(_ handle: OpaquePointer?) -> Bool {
    guard let database = try? database(handle) else { return false }
    return (try? database.withConnection { $0.isInTransaction }) ?? false
}

private struct StatementRun {
    let database: Database
    let sql: String
    let begin: String?
    var writer: MarshalWriter

    /// - Returns: what gives the rows that are left.
    mutating func one(
        _ connection: Connection, _ bindings: UnsafeRawPointer?, _ size: Int, _ maxRows: Int64
    ) throws -> StatementCursor? {
        let verb = StatementRouting.verb(of: sql)
        // Compiled first, so that a mistake in it begins nothing.
        let cursor = try database.cursor(sql) { try bindBlock(bindings, size, to: $0) }
        let onlyReads = cursor.onlyReads
        try beginTransaction(connection, verb)
        let before = connection.totalChanges
        try writer.tuple(5)
        let list = try writer.beginList()
        var types = cursor.declaredTypes
        let limit = onlyReads ? Int(clamping: max(1, maxRows)) : .max
        let count = try cursor.forEachRow(limit: limit) { try writer.row($0) }
        try writer.endList(count, at: list)
        let names = cursor.columnNames
        // Prepared anew at the first step, it may have others.
        if types.count != names.count { types = names.map { _ in nil } }
        try tell(names, types)
        let changed = connection.totalChanges == before ? 0 : connection.changes
        switch verb {
        case .insert: tell(changed, changed == 0 ? nil : connection.lastInsertID)
        case .change where !onlyReads: tell(changed, nil)
        default: tell(-1, nil)
        }
        return cursor.isRunning ? cursor : nil
    }

    mutating func many(_ connection: Connection, _ bindings: UnsafeRawPointer?, _ size: Int) throws -> StatementCursor?
    {
        let reader = try MarshalReader(bindings, size)
        let count = try reader.sequence()
        try beginTransaction(connection, StatementRouting.verb(of: sql))
        let changed = try database.executeBatch(sql, count: count) { try reader.bind(to: $0, borrowing: true) }
        try writer.tuple(5)
        try writer.endList(0, at: writer.beginList())
        try tell([], [])
        tell(changed, nil)
        return nil
    }

    private func beginTransaction(_ connection: Connection, _ verb: StatementRouting.Verb) throws {
        if let begin, verb != .apart, !connection.isInTransaction { try connection.script(begin) }
    }

    private mutating func tell(_ names: [String], _ types: [String?]) throws {
        try writer.tuple(names.count)
        for name in names { try writer.value(.text(name)) }
        try writer.tuple(types.count)
        for type in types { try writer.value(type.map { .text($0) } ?? .null) }
    }

    private mutating func tell(_ changed: Int64, _ key: Int64?) {
        writer.integer(changed)
        if let key { writer.integer(key) } else { writer.none() }
    }
}
