public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantSQLite

@_cdecl("corm_block_run") @implementation
public func corm_block_run(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ begin: UnsafePointer<CChar>?,
    _ bindings: UnsafeRawPointer?, _ size: Int, _ maxRows: Int64, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try runStatement(handle, sql, begin, bindings, size, maxRows, require(block, "block"))
        return CORM_OK
    }
}

/// What `corm_block_run` does.
/// - Returns: what has the rows that are left, as the block says.
@discardableResult
func runStatement(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ begin: UnsafePointer<CChar>?,
    _ bindings: UnsafeRawPointer?, _ size: Int, _ maxRows: Int64, _ block: UnsafeMutablePointer<corm_block>
) throws -> OpaquePointer? {
    var run = StatementRun(
        database: try database(handle), sql: try string(sql, "SQL"), begin: begin, writer: MarshalWriter(block))
    if maxRows == 0 { try run.many(bindings, size) } else { try run.one(bindings, size, maxRows) }
    run.writer.finish()
    return run.rest
}

@_cdecl("corm_block_in_transaction") @implementation
public func corm_block_in_transaction(
    _ handle: OpaquePointer?, _ outOpen: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try require(outOpen, "out_open").pointee = database(handle).withConnection { $0.isInTransaction ? 1 : 0 }
        return CORM_OK
    }
}

@_cdecl("corm_block_on_rollback") @implementation
public func corm_block_on_rollback(
    _ handle: OpaquePointer?, _ undo: corm_release?, _ context: UnsafeMutableRawPointer?, _ release: corm_release?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    let kept = HostContext(context, release)
    return boundary(outError) {
        try database(handle).withConnection { $0.onRollback { undo?(kept.context) } }
        return CORM_OK
    }
}

@_cdecl("corm_block_set_trace") @implementation
public func corm_block_set_trace(
    _ handle: OpaquePointer?, _ callback: corm_trace_callback?, _ isWanted: corm_trace_wanted?,
    _ context: UnsafeMutableRawPointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).setRawTrace {
            isWanted?(context) == true ? callback.map { callback in { callback($0, $1, context) } } : nil
        }
        return CORM_OK
    }
}

private struct StatementRun {
    let database: Database
    let sql: String
    let begin: UnsafePointer<CChar>?
    var writer: MarshalWriter
    var rest: OpaquePointer?

    mutating func one(_ bindings: UnsafeRawPointer?, _ size: Int, _ maxRows: Int64) throws {
        // Compiled first, so that a mistake in it begins nothing.
        let cursor = try database.run(sql) { connection, statement in
            try bindBlock(bindings, size, to: statement)
            let onlyReads = statement.isReadOnly
            try beginTransaction(connection)
            let before = connection.totalChanges
            try writer.tuple(6)
            let list = try writer.beginList()
            let limit = onlyReads ? Int(clamping: max(1, maxRows)) : .max
            var count = 0
            var isRunning = true
            while isRunning, count < limit {
                isRunning = try statement.step()
                if isRunning {
                    try writer.row(Row(statement))
                    count &+= 1
                }
            }
            try writer.endList(count, at: list)
            try tellColumns(statement)
            if onlyReads { tell(-1, nil) } else { tellChanges(connection, before) }
            return isRunning
        }
        if let cursor {
            rest = try Handles.add(ResultBox(cursor), .result)
            writer.integer(Int64(Int(bitPattern: rest)))
        } else {
            writer.none()
        }
    }

    mutating func many(_ bindings: UnsafeRawPointer?, _ size: Int) throws {
        let reader = try MarshalReader(bindings, size)
        let count = try reader.sequence()
        // The connection is kept from the transaction's beginning to what is told of the statement.
        try database.withConnection { connection in
            try beginTransaction(connection)
            let changed = try database.executeBatch(sql, count: count) { try reader.bind(to: $0, borrowing: true) }
            try writer.tuple(6)
            try writer.endList(0, at: writer.beginList())
            try writer.tuple(0)
            try writer.tuple(0)
            tell(changed, nil)
            writer.none()
        }
    }

    private func beginTransaction(_ connection: Connection) throws {
        guard let begin, !connection.isInTransaction, StatementRouting.verb(of: sql) != .apart else { return }
        try connection.script(string(begin, "begin"))
    }

    private mutating func tellColumns(_ statement: Statement) throws {
        let count = statement.columnCount
        try writer.tuple(count)
        for column in 0..<count where try !statement.withColumnName(column, { try writer.text($0) }) {
            try writer.value(.text(""))
        }
        try writer.tuple(count)
        for column in 0..<count {
            let isTold = try statement.withDeclaredType(column) { type in try type.map { try writer.text($0) } ?? false
            }
            if !isTold { writer.none() }
        }
    }

    private mutating func tellChanges(_ connection: Connection, _ before: Int64) {
        let changed = connection.totalChanges == before ? 0 : connection.changes
        switch StatementRouting.verb(of: sql) {
        case .insert: tell(changed, changed == 0 || connection.engine != nil ? nil : connection.lastInsertID)
        case .change: tell(changed, nil)
        default: tell(-1, nil)
        }
    }

    private mutating func tell(_ changed: Int64, _ key: Int64?) {
        writer.integer(changed)
        if let key { writer.integer(key) } else { writer.none() }
    }
}
