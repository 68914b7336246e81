import CSQLite
import CormorantBase

/// An order of texts that the program brings.
package final class HostCollation: Sendable {
    package typealias Compare =
        @Sendable (_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) throws -> Int

    package let name: String
    let compare: Compare

    /// - Parameter compare: below 0, 0 or above 0.
    package init(_ name: String, _ compare: @escaping Compare) { (self.name, self.compare) = (name, compare) }
}

private final class CollationOnConnection {
    let collation: HostCollation
    let calls: HostCalls

    init(_ collation: HostCollation, _ calls: HostCalls) { (self.collation, self.calls) = (collation, calls) }

    /// SQLite has no way to say that a comparison failed, and looks in loops alone whether a statement is interrupted: so whoever
    /// runs one asks after each step (`endIfCollationFailed`).
    func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int32 {
        do {
            return Int32(clamping: try calls.run { try collation.compare(left, right) })
        } catch {
            calls.fail(error, in: collation.name)
            return 0
        }
    }
}

extension Connection {
    /// Source: https://www.sqlite.org/c3ref/create_collation.html
    /// - Parameter collation: nil takes it away.
    func setCollation(_ name: String, _ collation: HostCollation?, _ calls: HostCalls) throws {
        if collation != nil, !hasHostCollations {
            hasHostCollations = true
            updateCommitHook()
        }
        let context = collation.map { Unmanaged.passRetained(CollationOnConnection($0, calls)) }
        let status = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, context?.toOpaque(),
            context == nil
                ? nil
                : { context, leftCount, left, rightCount, right in
                    guard let context else { return 0 }
                    return Unmanaged<CollationOnConnection>.fromOpaque(context).takeUnretainedValue().compare(
                        UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                        UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
                },
            { context in
                if let context { Unmanaged<CollationOnConnection>.fromOpaque(context).release() }
            })
        guard status != SQLITE_OK else { return }
        // As with no other of its functions, SQLite leaves it to the caller.
        context?.release()
        throw status == SQLITE_BUSY ? inUse("collation", name) : error(status)
    }

    /// Ends a statement in which a collation failed, whatever SQLite made of it. As where SQLite interrupts one that writes, the
    /// transaction is rolled back with it.
    /// - Returns: the error that it has; nil where no collation failed.
    func endIfCollationFailed(_ statement: OpaquePointer?, _ sql: String) -> CormorantError? {
        guard let calls = hostCalls, let failure = calls.collationFailure else { return nil }
        let writes = sqlite3_stmt_readonly(statement) == 0
        // By which a statement with RETURNING commits: the hook does not let it.
        sqlite3_reset(statement)
        calls.forgetCollationFailure()
        changeLog?.statementFailed(statement)
        if writes, isInTransaction { try? rollBackAll() }
        return failure.during(sql)
    }
}
