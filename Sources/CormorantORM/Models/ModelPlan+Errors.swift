import CormorantBase
import CormorantQuery
import CormorantSQLite

extension ModelPlan {
    /// Adds to a constraint error what SQLite leaves out: the table, and the columns of a CHECK or FOREIGN KEY.
    /// - Parameter isWriting: whether it was an insert or update, which break the table's own references; a delete
    ///   breaks those of others.
    package func explain(_ error: any Error, isWriting: Bool = true) -> any Error {
        guard let error = error as? CormorantError else { return error }
        guard let record = error.recordIndex else { return explained(error, isWriting) }
        return explained(error, isWriting).at(record: record)
    }

    private func explained(_ error: CormorantError, _ isWriting: Bool) -> CormorantError {
        if connection.engine != nil, let known = explainedOfServer(error, isWriting) { return known }
        switch error.code {
        case .check:
            let check = model.schema.checks.first { $0.name == error.constraint }
            // A check that the model makes itself of a column's type.
            if let column = check?.column.flatMap({ name in model.columns.first { isSame($0.column, name) } }),
                column.type == .json, check?.condition != column.checkSQL
            {
                return CormorantError(
                    .check, "\(model.name).\(column.name) is not JSON", hint: "give a JSON text",
                    sqliteCode: error.sqliteCode, sql: error.sql, table: model.table, columns: [column.column],
                    constraint: error.constraint)
            }
            return named(
                error, columns: check?.column.map { [$0] } ?? [],
                hint: check.map {
                    "give \($0.column == nil ? "values that meet" : "a value that meets") the condition \($0.condition)"
                })
        case .foreignKey:
            return connection.explainedReference(
                error, of: model.table, in: model.attachment,
                columns: isWriting ? model.schema.foreignKeys.flatMap(\.columns) : [])
        case .constraint, .unique, .notNull, .type:
            if error.table == nil, let columns = columns(in: error.plainMessage) {
                return CormorantError(
                    error.code, error.plainMessage, hint: error.plainHint, sqliteCode: error.sqliteCode, sql: error.sql,
                    offset: error.offset, table: model.table, columns: columns, constraint: error.constraint)
            }
            let isNamed = error.table != nil || contains(error.plainMessage, model.table + ".")
            return isNamed ? error : named(error, columns: error.columns)
        // A table that was dropped or altered since the statement was prepared.
        case .sql where error.isMissingName: return schemaError(error)
        default: return error
        }
    }

    /// An error of a batch that nobody has received: of a row that was copied.
    func explainSettled(_ error: any Error) -> any Error {
        guard let last = lastOfBatch else { return explain(error) }
        return explain(error, of: last, wantsKey: false, isWriting: last.isInsert)
    }

    /// An error of binding a value, which names its parameter, as one of the column.
    func named(_ error: any Error, _ planned: PlannedStatement) -> any Error {
        guard let known = error as? CormorantError, known.plainMessage.hasPrefix("parameter ") else { return error }
        let rest = known.plainMessage.dropFirst("parameter ".count)
        let digits = rest.prefix { $0.isNumber }
        guard let number = Int32(digits),
            let column = model.columns.indices.first(where: { planned.parameters[$0] == number })
        else { return error }
        let named = CormorantError(
            known.code, "\(model.name).\(model.columns[column].name)\(rest.dropFirst(digits.count))",
            hint: known.plainHint, table: model.table, columns: [model.columns[column].column])
        return known.recordIndex.map(named.at(record:)) ?? named
    }

    /// What only a server says so.
    private func explainedOfServer(_ error: CormorantError, _ isWriting: Bool) -> CormorantError? {
        func changed(
            _ code: ErrorCode, _ message: String, hint: String, columns: [ColumnDescriptor]
        ) -> CormorantError {
            CormorantError(
                code, message, hint: hint, sql: error.sql, table: model.table, columns: columns.map(\.column),
                constraint: error.constraint)
        }
        switch error.code {
        case .check:
            guard let column = model.columns.first(where: { error.constraint == "\(model.table)_\($0.column)_scale" })
            else { return nil }
            return changed(
                .range,
                "\(model.name).\(column.name) is set to a number which has more digits than its decimal("
                    + "\(column.scale ?? 0))",
                hint: "round it in the program, or give the column a greater scale; nothing was written",
                columns: [column])
        case .json:
            // It does not say of which column the text is.
            let columns = model.columns.filter { $0.type == .json }
            guard !columns.isEmpty else { return nil }
            let names = columns.map { "\(model.name).\($0.name)" }.joined(separator: " or ")
            return changed(.check, "\(names) is not JSON", hint: "give a JSON text", columns: columns)
        // What does not fit is found when the statement runs.
        case .sql: return schemaError(error)
        default: return nil
        }
    }

    /// The columns in "UNIQUE constraint failed: t.a, t.b", where the names alone would not tell where they end.
    private func columns(in message: String) -> [String]? {
        let known = Array((model.table + ".").utf8)
        guard let colon = message.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        var rest = Array(message.utf8[colon...].dropFirst(2))[...]
        var found: [String] = []
        while rest.starts(with: known) {
            rest = rest.dropFirst(known.count)
            let fitting = model.columns.map(\.column).filter { name in
                let left = rest.dropFirst(name.utf8.count)
                return rest.starts(with: name.utf8) && (left.isEmpty || left.starts(with: ", ".utf8))
            }
            guard let longest = fitting.max(by: { $0.utf8.count < $1.utf8.count }) else { return nil }
            found.append(longest)
            rest = rest.dropFirst(longest.utf8.count)
            if rest.isEmpty { return found }
            rest = rest.dropFirst(2)
        }
        return nil
    }

    private func named(_ error: CormorantError, columns: [String], hint: String? = nil) -> CormorantError {
        error.naming(model.table, columns, hint: hint)
    }
}

extension Connection {
    /// Adds to the error of a foreign key what the engine leaves out.
    /// - Parameters:
    ///   - table: the one that was written.
    ///   - columns: those of its references that were written; empty: a reference of another table to its rows is broken.
    func explainedReference(
        _ error: CormorantError, of table: String, in attachment: String?, columns: [String]
    ) -> CormorantError {
        var referring: [String] = []
        if engine == nil {
            guard columns.isEmpty, attachment == nil else { return error.naming(table, columns) }
            referring = untraced { (try? catalog.columns(referringTo: table)) ?? [] }
        } else if let other = error.table, !sameIdentifier(other, table) || columns.isEmpty {
            referring = error.columns.isEmpty ? [other] : error.columns.map { "\(other).\($0)" }
        } else {
            return error.naming(table, error.columns)
        }
        guard !referring.isEmpty else { return error.naming(table, columns) }
        let list = referring.joined(separator: ", ")
        return error.naming(
            table, [], hint: "\(list) may refer to it: delete those rows first, or lead them elsewhere")
    }

    /// The same of a statement made of expressions.
    func explainedReference(_ error: any Error, _ compiled: CompiledStatement) -> any Error {
        guard let error = error as? CormorantError, error.code == .foreignKey, let table = compiled.table,
            let known = table.modelTable
        else { return error }
        let written = Set(compiled.assigned.map { nameKey($0.column.column.name) })
        // A server says itself which reference it is.
        let columns = known.schema.foreignKeys.flatMap(\.columns)
            .filter { engine != nil || written.contains(nameKey($0)) }
        return explainedReference(error, of: known.name, in: known.attachment, columns: columns)
    }
}

extension CormorantError {
    fileprivate func naming(_ table: String, _ columns: [String], hint: String? = nil) -> CormorantError {
        let place = columns.isEmpty ? table : "\(table).\(columns.joined(separator: ", "))"
        return CormorantError(
            code, "\(plainMessage) (\(place))", hint: hint ?? plainHint, sqliteCode: sqliteCode, sql: sql,
            offset: offset, table: table, columns: columns, constraint: constraint)
    }
}
