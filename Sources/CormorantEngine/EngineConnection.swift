import CormorantBase

/// A connection of an engine that is not linked into the library, such as PostgreSQL. Values cross in SQLite's storage classes
/// and in the texts that its files hold (a datetime is the text of `TimeForm`, a boolean 1 or 0, a decimal and a UUID a text):
/// the engine makes its own types of them, and these of its own, so that all above knows one form.
///
/// Not safe to share, but for `interrupt`: whoever owns it holds a lock. Errors are thrown as they are told to the user, with
/// table, columns and constraint where the engine names them.
package protocol EngineConnection: AnyObject {
    /// The name of the engine, with its version, as messages say it.
    var engineName: String { get }
    /// Whether a transaction is open, one that has failed included; known without asking the server.
    var isInTransaction: Bool { get }
    /// Whether an error has ended the transaction that is open, in which nothing but a rollback goes on.
    var hasFailedTransaction: Bool { get }
    /// Whether the server, or the account, takes no writes.
    var isReadOnly: Bool { get }
    /// Rows that the newest statement inserted, updated or deleted; and all since the connection was opened.
    var changes: Int64 { get set }
    var totalChanges: Int64 { get }
    /// Grows with each statement that may change the schema, or take such a change back.
    var schemaChanges: Int { get }
    /// Grows when a transaction has ended that may have written.
    var writes: Int64 { get }
    /// Whether SQL has changed settings of the session's, or has made temporary tables, since it was set up: it may answer otherwise than others.
    var hasOwnSettings: Bool { get }
    /// Whether SQL has made a temporary table that outlives its transaction.
    var hasTemporaryTable: Bool { get }
    /// Whether rows of a statement are still to come.
    var isStreaming: Bool { get }
    /// Whether one session runs all: a pooler that gives each transaction another server keeps nothing between two.
    var keepsSession: Bool { get }
    /// How the program wants to be told of what is committed.
    var watching: EngineWatching { get }

    /// Prepares one statement, with SQLite's parameters: `?`, `?1`, `:name`, `@name`, `$name`.
    func prepare(_ sql: String) throws -> any EngineStatement
    /// Runs SQL text with any number of statements and no bindings. An error's offset counts from the start of the text.
    /// - Parameter refusal: the error of a statement that begins with this word, BEGIN, COMMIT or the like, and is not to be run.
    func script(_ sql: String, refusal: (_ transactionWord: String) -> CormorantError?) throws
    /// Begins a savepoint or releases it, inside a transaction; the server may learn of it with what is run next.
    func savepoint(_ sql: String) throws
    /// Begins the outermost transaction.
    func begin(_ kind: EngineTransaction) throws
    /// Opens another connection to the same database, with the same options.
    func another(isReader: Bool) throws -> any EngineConnection
    /// Has the program set it up, now and whenever it is connected anew: what that sets is what all connections of the database have.
    func setUp(_ body: @escaping () throws -> Void) throws
    /// Looks, without asking the server, whether that has ended the connection while nothing ran for long; if so, the next use connects anew.
    func wake()
    /// Stops the running statement. May be called by any thread while the connection is open.
    func interrupt()
    /// Runs `body`, in which `EngineStatement.send` does not wait. Ends with `settle`.
    func pipelined(_ body: () throws -> Void) throws
    /// Whether such a body runs.
    var isPipelining: Bool { get }
    /// Waits for all that was sent; outcomes that were not received are dropped. Throws the error that was met then, which names
    /// the statement by its place among all that were sent: `recordIndex`. After it all else that is sent has failed.
    func settle() throws
    /// Marks the sessions of this connection and of all that it opens, and they open: `sessionMark` stands behind their names then.
    func mark(_ number: Int64)
    /// Opens a connection that is only notified on a channel.
    func listener(_ channel: String) throws -> any EngineListener
    /// Has each statement that is run told, with its nanoseconds; nil stops.
    func setTrace(_ callback: ((_ sql: String, _ nanoseconds: Int64) -> Void)?)
    /// Ends it, and what is open on it. A second close does nothing.
    func close()
}

extension EngineStatement {
    /// `send` of all parameters.
    package func send(copying sql: String?) throws -> Bool { try send(copying: sql, omitting: 0) }
}

extension EngineConnection {
    /// `script` that refuses no statement.
    package func script(_ sql: String) throws { try script(sql) { _ in nil } }
}

/// How a program is told of what is committed to a server.
package struct EngineWatching: Sendable {
    /// Whether what is missing for it is made: a table, functions and triggers.
    package let installs: Bool
    /// Whether the server is to notify of commits.
    package let notifies: Bool
    /// How often others' commits are looked for, in milliseconds.
    package let interval: Int

    package init(installs: Bool, notifies: Bool, interval: Int) {
        self.installs = installs
        self.notifies = notifies
        self.interval = interval
    }
}

/// What stands behind the name of sessions that are marked.
package func sessionMark(_ number: Int64) -> String { " #" + String(number, radix: 36) }

/// A connection that waits to be notified. One thread has it.
package protocol EngineListener: AnyObject {
    /// Readable when there is something to take.
    var descriptor: Int32 { get }
    /// Takes what has come.
    /// - Returns: whether a notification was among it. Throws when the connection is lost.
    func take() throws -> Bool
    func close()
}

/// What a transaction is for.
package enum EngineTransaction: Sendable {
    case write
    /// Statements of one call, each of which stands for itself: it sees what was committed before it, and waits for who writes the
    /// same row. That they are done as a whole is all that is wanted.
    case batch
    /// One snapshot for several reads, in which writing is refused.
    case read
}

/// A prepared statement of an `EngineConnection`. Belongs to its connection's lock.
package protocol EngineStatement: AnyObject {
    var parameterCount: Int { get }
    /// With its sigil; nil for `?`. Counted from 1.
    func parameterName(_ index: Int) -> String?
    /// Position of the named parameter, with or without its sigil; 0 for none.
    func parameterIndex(_ name: String) -> Int
    /// How often it was prepared anew, or had columns of other names: they may be others from its first row on.
    var preparations: Int { get }
    var columnCount: Int { get }
    func columnName(_ index: Int) -> String
    /// As SQLite's declarations say it (`INTEGER`, `DATETIME`, `DECIMAL_TEXT`, ...): what `Dialect.typeName` of SQLite gives for
    /// the column's type.
    func declaredType(_ index: Int) -> String?
    /// Whether it changes nothing.
    var isReadOnly: Bool { get }
    /// Whether it may change the schema.
    var changesSchema: Bool { get }
    /// BEGIN, COMMIT and the like, where it is one.
    var transactionWord: String? { get }

    // Parameters, counted from 1. Bytes are copied, unless they are borrowed: then they stay until it is bound again or cleared.

    func bindNull(_ index: Int32)
    func bind(_ value: Int64, _ index: Int32)
    func bind(_ value: Double, _ index: Int32)
    func bindText(_ bytes: UnsafeRawPointer, count: Int, _ index: Int32, borrowing: Bool) throws
    func bindBlob(_ bytes: UnsafeRawPointer, count: Int, _ index: Int32, borrowing: Bool) throws
    func clearBindings()
    /// The integer that is bound, where it is one.
    func boundInteger(_ index: Int32) -> Int64?

    /// How the rows of a run are taken; at first as they come.
    var taking: RowTaking { get set }
    /// Runs it, and goes to its next row; false at the end.
    func step() throws -> Bool
    /// Sends it without waiting for its outcome, in a pipeline.
    /// - Parameters:
    ///   - sql: of a plain INSERT of its parameters in turn the COPY in binary form that does the same; the engine takes it where
    ///     that is so. For one statement it is the same in all of a pipeline.
    ///   - omitted: the parameter that this COPY has no column for; 0: none.
    /// - Returns: whether its outcome is to be received; else `settle` tells it.
    func send(copying sql: String?, omitting omitted: Int32) throws -> Bool
    /// Waits for the outcome of what was sent first of all that was not received, which is a run of this one: goes to its
    /// first row, or gives false where it has none; `changes` are its own.
    func receive() throws -> Bool
    /// The row it stands on: a cell for each column, at the same address for each row, and how many; valid until the next step, as
    /// are the bytes of its texts and blobs, behind each of which stands a NUL.
    var row: (cells: UnsafePointer<RowCell>, count: Int32) { get }
    /// Ends the running of it; its bindings stay.
    func reset()
    func finalize()
}

/// The hint of an error that says that the server takes no more connections, by which the error is known.
package let fullServerHint =
    "end connections that nobody needs, lower writer_count and reader_count, put a pooler before the server, or raise its max_connections"

/// How who runs a statement takes its rows. Compared without a call from other modules.
@usableFromInline
package enum RowTaking {
    /// As they come, while others may use the connection.
    case streamed
    /// All at once, into memory.
    case all
    /// One, or none.
    case one

    @inlinable @inline(__always)
    package var isStreamed: Bool { if case .streamed = self { true } else { false } }

    @inlinable @inline(__always)
    package var isOne: Bool { if case .one = self { true } else { false } }
}
