import CSQLite
import CormorantBase

/// One connection of a database, lent to a closure: to set it up when it is opened (``OpenOptions/setUp``), or for what only
/// SQLite's own calls can do (`Database.useConnection`).
public struct RawConnection: ~Copyable {
    package let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Whether it reads beside the connection that writes.
    public var isReader: Bool { connection.isReader }

    /// Runs SQL text with any number of statements and no bindings, stopping at the first error. Rows are dropped.
    public func execute(script sql: String) throws { try connection.run(script: sql) }

    /// SQLite's own handle, an `sqlite3 *`, for what this library has no call for: of the SQLite that this library is linked
    /// with, valid until the closure returns, on its thread; nil where the database is of another engine.
    ///
    /// The library no longer does what it promises once a program closes it, finalizes statements that are not its own, sets
    /// the update, pre-update, commit, rollback or log hook, the authorizer, the trace or the busy handler, leaves a
    /// transaction or a statement open, or makes what only this connection has: a temporary table, an attached file, a setting
    /// that reads depend on.
    public var sqliteHandle: OpaquePointer? { connection.handle }
}

/// Tells what the program's set-up threw from what went wrong with the file.
package struct SetUpFailure: Error {
    package let error: CormorantError

    package init(error: CormorantError) { self.error = error }
}

extension Connection {
    /// Lends the connection; a transaction that `body` begins must end in it. Not generic, at which Swift 6.3's optimiser fails.
    package func lend(_ body: (borrowing RawConnection) throws -> Void) throws {
        let (wasInTransaction, wasOpen) = (isInTransaction, isOpenOnServer)
        // What is done with SQLite's own handle is not seen.
        defer { schemaChanges &+= 1 }
        do {
            try body(RawConnection(self))
        } catch {
            if !wasOpen, isOpenOnServer { try? script("ROLLBACK") }
            throw error
        }
        if wasInTransaction, !isInTransaction {
            throw CormorantError(
                .transaction, "the transaction that was open was ended on its connection",
                hint: "end it as it was begun, after the call")
        }
        guard !wasOpen, isOpenOnServer else { return }
        try? script("ROLLBACK")
        throw leftOpen()
    }

    /// Of a transaction that the borrower of a connection has not ended.
    package func leftOpen() -> CormorantError {
        CormorantError(
            .misuse, "a transaction was left open on the connection, which is rolled back",
            hint: "end it where it is begun, with COMMIT or ROLLBACK")
    }

    /// Lends the connection, which is being opened, to the program's set-up.
    package func run(_ setUp: @Sendable (borrowing RawConnection) throws -> Void) throws {
        do {
            try lend(setUp)
        } catch let error as CormorantError {
            throw SetUpFailure(error: error)
        } catch {
            throw SetUpFailure(
                error: CormorantError(.callback, "the set-up of a connection failed: \(error)", cause: error))
        }
    }

    fileprivate func run(script sql: String) throws {
        // Also where a later statement fails.
        defer { scriptsRun?(sql) }
        try script(sql)
    }
}
