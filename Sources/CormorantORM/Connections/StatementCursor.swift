import CormorantBase
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// A running statement that streams its rows in constant memory. One thread at a time; closed with its database at the
/// latest.
package final class StatementCursor {
    private let database: Database
    package let model: ModelDescriptor?
    private let plan: ModelPlan?
    private(set) var statement: Statement?
    private let pooled: PooledConnection
    private let connection: Connection
    /// On one of a pool, which may be another thread's once the statement has ended: 1 then. Set under the connection's lock.
    private let ended: AtomicNumber?
    /// How often SQLite had prepared the statement when `columns` was made; nil once the first step has confirmed it.
    private var reprepared: Int32?
    /// The result column of each column of the model.
    let columns: UnsafeMutablePointer<Int32>
    /// Until the first step, as the statement was prepared. Only its reader changes it, for no lock is held where it is read.
    package private(set) var columnNames: [String]
    /// Whether it changes nothing.
    package let onlyReads: Bool
    private var onRow = false
    /// Whether it has stepped to the first row, for the names, and has not given it yet.
    private var isAhead = false
    /// How many rows it has stepped to.
    private var rowCount = 0
    /// Of one that had none to step to.
    private var typesWithoutRows: [String?] = []
    /// Why it ended before its last row.
    private var ending: CormorantError?
    private let isRawSQL: Bool
    /// What it was compiled of, where that was not SQL.
    let compiled: CompiledStatement?
    /// The result columns whose values must have the form of a datetime column; those of records see to it themselves.
    private let timeColumns: [(place: Int32, table: TableReference, column: TableReference.Column)]
    /// The texts it is bound to.
    private let scratch: ScratchMemory?

    /// While the connection is acquired, with a statement that is bound.
    init(
        _ database: Database, _ pooled: PooledConnection, _ connection: Connection, _ statement: Statement,
        plan: ModelPlan?,
        columns: [Int32], scratch: ScratchMemory? = nil, isRawSQL: Bool = true,
        compiled: CompiledStatement? = nil
    ) {
        self.isRawSQL = isRawSQL
        self.compiled = compiled
        timeColumns = compiled?.timeColumns ?? []
        self.database = database
        self.pooled = pooled
        ended = pooled.isPooled ? AtomicNumber() : nil
        self.connection = connection
        self.statement = statement
        self.plan = plan
        model = plan?.model
        self.scratch = scratch
        self.columns = .allocate(capacity: max(1, columns.count))
        self.columns.initialize(from: columns, count: columns.count)
        reprepared = statement.reprepareCount
        onlyReads = statement.isReadOnly
        statement.engine?.taking = .streamed
        columnNames = (0..<statement.columnCount).map(statement.columnName)
        pooled.add(self)
    }

    deinit {
        if !hasEnded, !closeIfFree(keeping: nil), let statement {
            let (id, connection, scratch) = (ObjectIdentifier(self), connection, scratch)
            pooled.closedCursors.add(on: pooled) {
                $0.end(statement, of: id, on: connection)
                _ = scratch
            }
        }
        columns.deallocate()
        ended?.deallocate()
    }

    /// Ends the statement, which does not wait: where another thread has the connection, for a call or a transaction, that
    /// one ends it when it next begins or ends a call. So whoever collects garbage waits for nobody's transaction. A second
    /// close does nothing.
    package func close() {
        if hasEnded || closeIfFree(keeping: self) { return }
        pooled.closedCursors.add(on: pooled) { pooled in
            self.end()
            pooled.remove(self)
        }
    }

    /// - Parameter cursor: this one, which may be what a function of the program's runs in, unless nobody has it any more.
    /// - Returns: false where another thread has the connection.
    private func closeIfFree(keeping cursor: StatementCursor?) -> Bool {
        switch pooled.tryAcquire(for: self) {
        case .busy: return false
        case .ended: return true
        case .acquired: break
        }
        defer { pooled.release() }
        if pooled.isInFunction {
            guard let cursor else { return false }
            pooled.closeAfterFunction(cursor)
        } else {
            finishClosing()
        }
        return true
    }

    func finishClosing() {
        end()
        pooled.remove(self)
    }

    private func end() {
        ending = CormorantError(.misuse, "the cursor is closed", hint: "open another")
        finish()
    }

    /// Whether the connection may be another thread's by now.
    private var hasEnded: Bool { ended.map { $0.load() != 0 } ?? false }

    private func noCurrentRow() -> CormorantError {
        CormorantError(.misuse, "there is no current row", hint: "go to the next row first, and stop at the end")
    }

    /// The SQL it runs.
    package var sql: String { statement?.ownSQL ?? "" }

    /// The result column of each column of the model; none without one.
    package var recordColumns: [Int32] { (0..<(model?.columns.count ?? 0)).map { columns[$0] } }

    /// Whether rows may still come from it.
    package var isRunning: Bool { statement != nil }

    /// The type that a table declares for each column that is one of its; empty once it has ended, but for one that asking
    /// for the names has found without rows.
    package var declaredTypes: [String?] {
        statement.map { (0..<$0.columnCount).map($0.declaredType) } ?? typesWithoutRows
    }

    /// Its connection closes: the statement ends first.
    /// - Parameter reason: nil where the database closes, which is told before that is done.
    func invalidate(_ reason: CormorantError?) {
        if statement != nil { ending = reason ?? databaseClosed() }
        finish()
    }

    /// It goes on with a task, on any thread.
    package func leaveThread() throws { _ = try acquiring { if isRunning { pooled.leaveThread(self) } } }

    /// Ends the statement because of an interrupt, which SQLite upholds until no statement runs.
    func interrupted() {
        guard statement != nil else { return }
        ending = CormorantError(.interrupted, "the statement was interrupted")
        finish()
    }

    private func finish() {
        onRow = false
        isAhead = false
        guard let statement else { return }
        self.statement = nil
        ended?.store(1)
        connection.recycle(statement)
        pooled.ended(self)
    }

    /// Goes to the next row and reads it as a record; nil at the end.
    package func next<Result>(_ read: (RecordReader) throws -> Result) throws -> Result? {
        try acquiring {
            guard let statement = try advance() else { return nil }
            do {
                return try read(RecordReader(statement, columns: columns, model: model))
            } catch {
                throw located(error)
            }
        } ?? nil
    }

    /// An error of reading the row says which one it is, counted from 0.
    @inline(never)
    package func located(_ error: any Error) -> any Error {
        guard rowCount > 0, let error = error as? CormorantError, error.isOfRow, error.recordIndex == nil else {
            return error
        }
        return error.namesRow ? error.at(record: rowCount - 1) : error.at(row: rowCount - 1)
    }

    /// Reads the next rows, `limit` at most, as records, the lock taken once.
    /// - Returns: how many there were.
    @discardableResult
    package func forEach(limit: Int = .max, _ read: (RecordReader) throws -> Void) throws -> Int {
        try acquiring {
            guard limit > 0, let statement = try advance() else { return 0 }
            let reader = RecordReader(statement, columns: columns, model: model)
            var count = 0
            repeat {
                do { try read(reader) } catch { throw located(error) }
                count &+= 1
            } while try count < limit && advance() != nil
            return count
        } ?? 0
    }

    /// The same of all that are left, which whoever reads them keeps in memory.
    package func readAll(_ read: (RecordReader) throws -> Void) throws {
        try wantAll()
        try forEach(read)
    }

    /// What is left is read to its end, and kept in memory.
    package func wantAll() throws {
        guard database.dialect != .sqlite else { return }
        _ = try acquiring { statement?.engine?.taking = .all }
    }

    /// The same for the rows of raw SQL.
    @discardableResult
    package func forEachRow(limit: Int = .max, _ read: (Row) throws -> Void) throws -> Int {
        try acquiring {
            var count = 0
            while count < limit, let statement = try advance() {
                do { try read(Row(statement)) } catch { throw located(error) }
                count &+= 1
            }
            return count
        } ?? 0
    }

    /// Reads the next rows until `read` has enough, the lock taken once.
    /// - Parameter read: whether it wants more.
    package func readRows(while read: (Row) throws -> Bool) throws {
        _ = try acquiring {
            while let statement = try advance() {
                do { guard try read(Row(statement)) else { return } } catch { throw located(error) }
            }
        }
    }

    /// Goes to the next row; false at the end.
    package func nextRow() throws -> Bool {
        try acquiring { try advance() != nil } ?? false
    }

    /// Reads the row it stands on.
    package func row<Result>(_ read: (Row) throws -> Result) throws -> Result {
        let result = try acquiring {
            // What has interrupted it says so.
            guard onRow, let statement else { throw ending ?? noCurrentRow() }
            do { return try read(Row(statement)) } catch { throw located(error) }
        }
        guard let result else { throw noCurrentRow() }
        return result
    }

    /// Runs `body` while the connection is acquired; nil where the statement has ended, and a reader may be another thread's.
    @inline(__always)
    private func acquiring<T>(_ body: () throws -> T) throws -> T? {
        guard !hasEnded, try pooled.acquire(for: self) else { return try afterEnd() }
        defer { pooled.release() }
        return try body()
    }

    @inline(never)
    private func afterEnd<T>() throws -> T? {
        if database.isClosed { throw databaseClosed() }
        if let ending { throw ending }
        return nil
    }

    @inline(__always)
    private func advance() throws -> Statement? {
        guard let statement else {
            if let ending { throw ending }
            return nil
        }
        if isAhead {
            isAhead = false
            onRow = true
            return statement
        }
        do {
            if reprepared != nil { try statement.refuseTransactionWord(connection) }
            onRow = try statement.step()
            if reprepared != nil { try confirmColumns(statement) }
            if onRow {
                rowCount &+= 1
                if !timeColumns.isEmpty { try checkTimes(of: Row(statement)) }
            }
        } catch {
            finish()
            var error = isRawSQL ? error : plan?.explain(error) ?? error
            if let compiled { error = connection.explainedReference(error, compiled) }
            ending = ending ?? error as? CormorantError
            throw error
        }
        if !onRow {
            finish()
            return nil
        }
        return statement
    }
}

extension StatementCursor {
    private func checkTimes(of row: Row) throws {
        do {
            for time in timeColumns { try checkTime(row.cell(time.place), of: time.table, time.column) }
        } catch {
            throw located(error)
        }
    }

    /// The names that its rows have. A statement that only reads goes to its first row for them, which comes next: until
    /// then nobody knows whether another program altered the table. What fails there, fails next.
    package var namesOfRows: [String] {
        guard reprepared != nil, !columnNames.isEmpty, onlyReads else { return columnNames }
        do {
            _ = try acquiring {
                let types = declaredTypes
                isAhead = try advance() != nil
                onRow = false
                if statement == nil, types.count == columnNames.count { typesWithoutRows = types }
            }
        } catch {
            ending = ending ?? error as? CormorantError
        }
        return columnNames
    }

    /// What writes does so now, whoever reads its rows; its first row comes next. What only reads waits for its reader.
    package func beginWriting() throws {
        guard reprepared != nil, !onlyReads else { return }
        _ = try acquiring { isAhead = try advance() != nil }
        onRow = false
    }

    /// After the first step: a `SELECT *` prepared before another program altered its table has other columns now.
    private func confirmColumns(_ statement: Statement) throws {
        defer { reprepared = nil }
        guard statement.reprepareCount != reprepared else { return }
        columnNames = (0..<statement.columnCount).map(statement.columnName)
        guard let model, isRawSQL else { return }
        let found = try model.resultColumns(of: statement)
        columns.update(from: found, count: found.count)
    }
}

extension Database {
    /// A cursor over the records of a query.
    /// - Parameter bind: binds the query's SQL, where it has some; nil: its own bindings.
    package func cursor(
        _ model: ModelDescriptor, _ query: Query, bind: ((Statement) throws -> Void)? = nil
    ) throws -> StatementCursor {
        // The records of raw SQL may be of no table.
        if query.sql == nil { try prepare(model) }
        return try withPlan(model, for: query.sql) { pooled, plan in
            let scratch = ScratchMemory(firstSize: 256)
            let (statement, columns) = try plan.open(query, scratch, bind: bind)
            return StatementCursor(
                self, pooled, plan.connection, statement, plan: plan, columns: columns, scratch: scratch,
                isRawSQL: query.sql != nil)
        }
    }

    /// A cursor over the rows of raw SQL.
    package func cursor(_ sql: String, _ bind: (Statement) throws -> Void) throws -> StatementCursor {
        let pooled = try acquire(for: sql)
        defer { release(pooled) }
        let connection = try pooled.connected()
        let statement = try connection.statement(sql)
        do {
            try bind(statement)
        } catch {
            connection.recycle(statement)
            throw error
        }
        return StatementCursor(self, pooled, connection, statement, plan: nil, columns: [])
    }

    /// Runs raw SQL, on the connection that can.
    /// - Parameter body: binds and steps the statement; whether it has more rows to give.
    /// - Returns: what gives those rows.
    package func run(_ sql: String, _ body: (Connection, Statement) throws -> Bool) throws -> StatementCursor? {
        let pooled = try acquire(for: sql)
        defer { release(pooled) }
        let connection = try pooled.connected()
        let statement = try connection.statement(sql)
        do {
            if try body(connection, statement) {
                return StatementCursor(self, pooled, connection, statement, plan: nil, columns: [])
            }
        } catch {
            connection.recycle(statement)
            throw error
        }
        connection.recycle(statement)
        return nil
    }
}
