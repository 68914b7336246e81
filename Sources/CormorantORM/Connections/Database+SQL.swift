import CormorantBase
import CormorantQuery
import CormorantSQLite

extension Database {
    /// Runs one SQL statement to its end. One that is there for its rows, such as a SELECT, throws `misuse`; those of a PRAGMA
    /// and of RETURNING are dropped.
    /// - Returns: rows inserted, updated or deleted by it.
    package func execute(_ sql: String, bind: (Statement) throws -> Void) throws -> Int64 {
        try withConnection(for: sql) { connection in
            let before = connection.totalChanges
            let statement = try connection.statement(sql)
            defer { connection.recycle(statement) }
            try bind(statement)
            try refuseQuery(statement, sql)
            while try statement.step() {}
            return statement.isReadOnly || connection.totalChanges == before ? 0 : connection.changes
        }
    }

    private func refuseQuery(_ statement: Statement, _ sql: String) throws {
        if statement.columnCount > 0, statement.isReadOnly, StatementRouting.isQuery(sql) { throw thereForItsRows(sql) }
    }

    func thereForItsRows(_ sql: String) -> CormorantError {
        CormorantError(
            .misuse, "the statement is there for its rows, which executing it would drop", hint: "run it as a query",
            sql: sql)
    }

    /// Runs one statement `count` times with other bindings, in one transaction.
    /// - Parameter isPart: as of `batch`.
    package func executeBatch(
        _ sql: String, count: Int, isPart: Bool = false, bind: (Statement) throws -> Void
    ) throws -> Int64 {
        try whole(isPart: isPart) {
            try withConnection { connection in
                let statement = try connection.statement(sql)
                defer { connection.recycle(statement) }
                // Without what triggers and foreign keys do, which the total has.
                var changed: Int64 = 0
                for index in 0..<count {
                    let before = connection.totalChanges
                    do {
                        try bind(statement)
                        if index == 0 { try refuseQuery(statement, sql) }
                        while try statement.step() {}
                    } catch let error as CormorantError {
                        throw error.at(record: index)
                    }
                    statement.reset()
                    if connection.totalChanges != before { changed += connection.changes }
                }
                return changed
            }
        }
    }

    /// Runs `body` as a whole or not at all: in a transaction, or in a savepoint of the one that raw SQL began.
    private func whole<Result>(isPart: Bool, _ body: () throws -> Result) throws -> Result {
        try withConnection { connection in
            if isPart, connection.isInTransaction { return try body() }
            guard connection.isInTransaction, connection.transactionDepth == 0 else {
                return try inTransaction(isBatch: true, body)
            }
            try connection.script("SAVEPOINT corm_batch")
            do {
                let result = try body()
                try connection.script("RELEASE corm_batch")
                return result
            } catch {
                // After some errors SQLite has rolled back all of it.
                if connection.isInTransaction { try? connection.script("ROLLBACK TO corm_batch; RELEASE corm_batch") }
                throw error
            }
        }
    }

    /// Runs SQL text with any number of statements and no bindings, stopping at the first error.
    package func execute(script sql: String) throws {
        let pooled = try acquireWriter(for: sql)
        defer { release(pooled) }
        try pooled.connected().script(sql)
    }

    /// Lends the connection that writes to `body`, for what only SQLite's own calls can do. Other threads' writes wait
    /// meanwhile. It runs in the transaction that the thread has open, if any, and may call the database; of what it changes
    /// observers are told.
    @available(*, noasync)
    public func useConnection<Result>(_ body: (borrowing RawConnection) throws -> Result) throws -> Result {
        var result: Result?
        try lendConnection { result = try body($0) }
        guard let result else { throw CormorantError(.internal, "what was lent a connection gave nothing") }
        return result
    }

    package func lendConnection(_ body: (borrowing RawConnection) throws -> Void) throws {
        let pooled = try acquireWriter()
        defer { release(pooled) }
        let connection = try pooled.connected()
        try connection.lend { raw in
            let (depth, kept) = (connection.transactionDepth, pooled.keptDepth)
            pooled.keptDepth = depth
            defer { pooled.keptDepth = kept }
            do {
                try body(raw)
            } catch {
                _ = rollBack(to: depth, connection)
                throw error
            }
            if rollBack(to: depth, connection) { throw connection.leftOpen() }
        }
    }

    /// How many records a query has.
    package func count(_ model: ModelDescriptor, _ query: Query) throws -> Int64 {
        if let sql = query.sql { return try count(sql, bind: query.bind) }
        return try withReadingPlan(model) { plan in
            let scratch = ScratchMemory(firstSize: 256)
            let counting = try plan.select(query, scratch, counting: true)
            defer { plan.connection.recycle(counting) }
            return try withExtendedLifetime(scratch) {
                do { return try single(counting) } catch { throw plan.explain(error) }
            }
        }
    }

    /// How many rows a SELECT has.
    package func count(_ sql: String, bind: (Statement) throws -> Void) throws -> Int64 {
        try withConnection(for: sql) { connection in
            // Prepared alone first, so that it is one whole statement, and a mistake is reported at its own offset.
            let alone = try connection.statement(sql)
            let isQuery = alone.columnCount > 0 && alone.isReadOnly
            let ownSQL = alone.ownSQL
            connection.recycle(alone)
            guard isQuery else {
                throw CormorantError(.sql, "only a SELECT has rows to count", hint: "give a SELECT", sql: sql)
            }
            let counting = try connection.statement(SQLCompiler(connection.dialect).count(trimmed(ownSQL)))
            defer { connection.recycle(counting) }
            try bind(counting)
            return try single(counting)
        }
    }

    private func single(_ statement: Statement) throws -> Int64 {
        try statement.step() ? Row(statement).cell(0).int64 : 0
    }

    /// How many pages of `pageSize` hold `count` records.
    package func pages(_ count: Int64, _ pageSize: Int64) throws -> Int64 {
        guard pageSize >= 1 else {
            throw CormorantError(
                .misuse, "a page of \(pageSize) records is none", hint: "give a page size of at least 1")
        }
        return count / pageSize + (count % pageSize == 0 ? 0 : 1)
    }

    /// The greatest primary key; nil for an empty table.
    package func maxKey(_ model: ModelDescriptor) throws -> Value? {
        try withReadingPlan(model) { plan in
            guard model.keyColumns.count <= 1 else {
                throw CormorantError(
                    .misuse, "the key of \(model.name) has \(model.keyColumns.count) columns",
                    hint: "ask for the greatest value of one column with SQL", table: model.table)
            }
            try model.requireAnyKey()
            let statement: Statement
            do {
                statement = try plan.connection.statement(
                    try plan.compiler.greatest(model.keyNames[0], in: model.table))
            } catch let error as CormorantError {
                throw plan.schemaError(error)
            }
            defer { plan.connection.recycle(statement) }
            do { guard try statement.step() else { return nil } } catch { throw plan.explain(error) }
            guard let column = model.keyColumns.first else {
                let value = try Row(statement).value(0)
                return value == .null ? nil : value
            }
            var columns = [Int32](repeating: 0, count: model.columns.count)
            return try columns.withUnsafeMutableBufferPointer { columns in
                guard let base = columns.baseAddress else { return nil }
                let value = try RecordReader(statement, columns: base, model: model).value(at: column)
                return value == .null ? nil : value
            }
        }
    }

    /// Runs `body` on a plan in one transaction, for many records. An error rolls all of it back and names the record
    /// that `body` had reached.
    /// - Parameter isPart: whether the caller rolls back the transaction that it has open where this throws, so that no savepoint
    ///   is needed, for which SQLite would copy each page that the records change.
    package func batch<Result>(
        _ model: ModelDescriptor, isPart: Bool = false, _ body: (ModelPlan, inout Int) throws -> Result
    ) throws -> Result {
        if isPart, try withConnection({ $0.isInTransaction }) { return try records(of: model, body) }
        return try inTransaction(isBatch: !model.hasHooks) { try records(of: model, body) }
    }

    private func records<Result>(
        of model: ModelDescriptor, _ body: (ModelPlan, inout Int) throws -> Result
    ) throws -> Result {
        try withPlan(model) { plan in
            var index = 0
            let wasInBatch = plan.isInBatch
            plan.isInBatch = true
            defer { plan.isInBatch = wasInBatch }
            do {
                return try body(plan, &index)
            } catch let error as CormorantError {
                throw error.at(record: index < 0 ? nil : index)
            }
        }
    }
}

/// SQL without the semicolon that ends it, to stand inside another statement.
private func trimmed(_ sql: String) -> String {
    var text = Substring(sql)
    while let last = text.last, last == ";" || last.isWhitespace { text.removeLast() }
    return String(text)
}
