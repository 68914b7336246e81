import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Statements that are built of expressions.
extension Database {
    /// The rows of a SELECT as records of a model. Where it lists columns of its own, they are matched by name.
    /// - Parameter columnsInOrder: its first columns are the model's, in order.
    package func cursor(
        _ model: ModelDescriptor, _ compiled: CompiledStatement, _ parameters: [String: ParameterValue] = [:],
        columnsInOrder: Bool = false
    ) throws -> StatementCursor {
        try prepare(compiled)
        return try withPlan(model, for: compiled.checkedSQL) { pooled, plan in
            let statement = try plan.connection.prepared(compiled, parameters)
            do {
                guard statement.columnCount > 0 else {
                    throw CormorantError(
                        .misuse, "a statement that writes is no query",
                        hint: "execute it, or let it return the rows it writes", sql: compiled.sql)
                }
                let isRecord = columnsInOrder || compiled.records === model.tableReference
                let columns =
                    isRecord
                    ? model.columns.indices.map { Int32(truncatingIfNeeded: $0) }
                    : try model.resultColumns(of: statement)
                return StatementCursor(
                    self, pooled, plan.connection, statement, plan: plan, columns: columns, isRawSQL: !isRecord)
            } catch {
                plan.connection.recycle(statement)
                throw error
            }
        }
    }

    /// The rows of a SELECT, or of what a statement with RETURNING wrote, as they come.
    package func cursor(
        _ compiled: CompiledStatement, _ parameters: [String: ParameterValue] = [:]
    ) throws -> StatementCursor {
        try prepare(compiled)
        let pooled = try acquire(for: compiled.checkedSQL)
        defer { release(pooled) }
        let connection = try pooled.connected()
        let statement = try connection.prepared(compiled, parameters)
        let columns = (0..<statement.columnCount).map { Int32(truncatingIfNeeded: $0) }
        return StatementCursor(self, pooled, connection, statement, plan: nil, columns: columns, compiled: compiled)
    }

    /// Runs a statement to its end.
    /// - Returns: rows inserted, updated or deleted by it.
    package func execute(_ compiled: CompiledStatement, _ parameters: [String: ParameterValue] = [:]) throws -> Int64 {
        if compiled.isSelect { throw thereForItsRows(compiled.sql) }
        try prepare(compiled)
        return try withConnection(for: compiled.checkedSQL) { connection in
            let before = connection.totalChanges
            let statement = try connection.prepared(compiled, parameters)
            defer { connection.recycle(statement) }
            var rows: Int64 = 0
            do {
                while try statement.step() { rows += 1 }
            } catch {
                throw connection.explainedReference(error, compiled)
            }
            if let table = compiled.table, table.isView { return rows }
            return statement.isReadOnly || connection.totalChanges == before ? 0 : connection.changes
        }
    }

    /// Runs statements that write and give no rows, in a transaction that is open: to a server they are sent without waiting
    /// for each.
    package func execute(all statements: [CompiledStatement]) throws {
        guard dialect != .sqlite, statements.count > 1 else {
            for statement in statements { _ = try execute(statement) }
            return
        }
        try withConnection(reading: false) { connection in
            try connection.engine?.pipelined {
                for compiled in statements {
                    let statement = try connection.prepared(compiled, [:])
                    defer { connection.recycle(statement) }
                    _ = try statement.engine?.send(copying: nil)
                }
            }
        }
    }

    /// The number in the first row.
    package func number(_ compiled: CompiledStatement, _ parameters: [String: ParameterValue] = [:]) throws -> Int64 {
        try prepare(compiled)
        return try withConnection(for: compiled.checkedSQL) { connection in
            let statement = try connection.prepared(compiled, parameters)
            defer { connection.recycle(statement) }
            return try statement.step() ? Row(statement).cell(0).int64 : 0
        }
    }

    /// Whether there is a row.
    package func exists(_ compiled: CompiledStatement, _ parameters: [String: ParameterValue] = [:]) throws -> Bool {
        try prepare(compiled)
        return try withConnection(for: compiled.checkedSQL) { connection in
            let statement = try connection.prepared(compiled, parameters)
            defer { connection.recycle(statement) }
            return try statement.step()
        }
    }
}

extension Connection {
    /// A prepared statement, for what is wrong with it.
    func compiled(_ compiled: CompiledStatement) throws -> Statement {
        do { return try statement(compiled.sql) } catch let error as CormorantError { throw explained(error, compiled) }
    }

    /// A prepared statement with its values bound.
    fileprivate func prepared(_ compiled: CompiledStatement, _ parameters: [String: ParameterValue]) throws -> Statement
    {
        try checkParameters(compiled, parameters)
        for table in compiled.timeTables { try checkForms(of: table) }
        let statement: Statement
        do {
            if let probe = compiled.viewProbe { recycle(try self.statement(probe)) }
            statement = try self.statement(keeping(compiled))
        } catch let error as CormorantError {
            throw explained(error, compiled)
        }
        do {
            for (offset, binding) in compiled.bindings.enumerated() {
                let index = Int32(truncatingIfNeeded: offset + 1)
                switch binding {
                case .value(let value): try statement.bind(value, index)
                case .list(let values, let width): try statement.bind(list: values, width: width, index)
                case .parameter(let name, let form):
                    try statement.bind((parameters[name] ?? .null).one(name, form), index)
                case .listParameter(let name, let forms):
                    let values = try (parameters[name] ?? .null).rows(name, forms)
                    try statement.bind(list: values, width: forms.count, index)
                case .listHasNull(let name): try statement.bind((parameters[name] ?? .null).hasNull(name), index)
                }
            }
            return statement
        } catch {
            recycle(statement)
            throw error
        }
    }

    private func checkParameters(_ compiled: CompiledStatement, _ parameters: [String: ParameterValue]) throws {
        guard compiled.hasParameters || !parameters.isEmpty else { return }
        let names = compiled.parameterNames
        for name in names where parameters[name] == nil {
            throw CormorantError(
                .binding, "parameter \"\(name)\" has no value", hint: "give a value for each parameter",
                sql: compiled.sql)
        }
        // There may be one for each value of very many rows.
        let known = Set(names)
        for name in parameters.keys where !known.contains(name) {
            throw CormorantError(
                .binding, "the statement has no parameter \"\(name)\"",
                hint: names.isEmpty ? "it has no parameters" : nearestNames(to: name, names), sql: compiled.sql)
        }
    }

    /// SQL made of expressions is well-formed: what does not compile is a table or column that the file lacks.
    private func explained(_ error: CormorantError, _ compiled: CompiledStatement) -> CormorantError {
        if compiled.ordersWithin, error.code == .sql, error.plainMessage.hasPrefix("near \"ORDER\"") {
            return CormorantError(
                .sql, "an aggregate is ordered within, which SQLite knows from 3.44 on; this is \(versionOfSQLite())",
                hint:
                    "order a window with the frame ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING, or in the "
                    + "program", sqliteCode: error.sqliteCode, sql: error.sql, offset: error.offset)
        }
        // SQLite's parser has a stack of 100 before 3.46, of which each pair of parentheses takes some.
        if error.code == .sql, error.plainMessage == "parser stack overflow" {
            return CormorantError(
                .misuse, "the statement nests deeper than SQLite parses",
                hint: "join conditions side by side with one \"all\" or \"any\", or use SQLite 3.46 or newer",
                sqliteCode: error.sqliteCode)
        }
        if error.code == .sql, error.plainMessage == "too many SQL variables" {
            return CormorantError(
                .tooBig, "the statement has more values than SQLite takes in one",
                hint:
                    "insert fewer rows at a time, in a transaction, or insert records, of which there may be any number",
                sqliteCode: error.sqliteCode)
        }
        if error.plainMessage.hasSuffix("because it is a view") {
            return CormorantError(
                .schema, "the statement does not fit the file: \(error.plainMessage)",
                hint: "write to the tables that it reads, or give it an INSTEAD OF trigger",
                sqliteCode: error.sqliteCode, sql: error.sql)
        }
        guard error.isMissingName else { return error }
        return CormorantError(
            .schema, "the statement does not fit the file: \(error.plainMessage)",
            hint: error.isMissingTableFunction
                ? error.plainHint
                : "create the models' tables, or migrate the file; check names that no model describes",
            sqliteCode: error.sqliteCode, sql: error.sql, offset: error.offset)
    }
}
