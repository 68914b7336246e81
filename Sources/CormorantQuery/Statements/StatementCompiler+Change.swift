import CormorantBase

extension StatementCompiler {
    func write(_ change: Change) throws {
        try write(change.commonTables)
        try checkNames(of: change.table)
        noteForms(of: change.table)
        switch change.kind {
        case .update: try write(update: change)
        case .delete:
            sql += "DELETE FROM " + change.table.source
            scopes.append(Scope(of: change))
            try writeConditions(change)
        case .insertValues: try writeInsert(change)
        case .insertSelect(let columns, let select):
            if change.table.columns.contains(where: { $0.constant != nil }) {
                throw CormorantError(
                    .misuse,
                    "rows of a SELECT are inserted by model \(change.table.model), whose rows a discriminator tells",
                    hint: "insert them by the model of all rows of the table, discriminator and all",
                    table: change.table.name)
            }
            let made = made(in: change.table, besides: columns)
            sql += try insertion(change) + change.table.target
            try write(names: columns + made, of: change.table)
            try checkExact(columns, of: change.table, from: select)
            sql += " "
            if !made.isEmpty { sql += "SELECT *" + made.map { _ in ", " + dialect.now }.joined() + " FROM (" }
            try write(select, into: columns, of: change.table, endsInWhere: made.isEmpty && change.upsert != nil)
            if !made.isEmpty { sql += ") AS corm_rows WHERE " + dialect.truth(true) }
            scopes.append(Scope(of: change))
            try writeUpsert(change)
        }
        try writeReturning(change)
        scopes = []
    }

    private func write(update change: Change) throws {
        guard !change.assignments.isEmpty else {
            throw CormorantError(.misuse, "an UPDATE sets nothing", hint: "set at least one property")
        }
        if dialect == .postgres, change.policy != .abort { throw lacksPolicy(change.policy) }
        sql += dialect.update(change.policy) + change.table.source
        guard let source = change.source else {
            scopes.append(Scope(of: change))
            try writeSet(change)
            return try writeConditions(change)
        }
        var read = Select(from: Source(.table(change.table), identity: change.identity))
        read.joins = [Join(.cross, source, on: nil)]
        scopes.append(try scope(of: read))
        scopes[0].canJoin = false
        try writeSet(change)
        sql += " FROM "
        try write(source, at: 1)
        try writeWhere(change.conditions)
        guard let scope = change.table.scope else { return }
        sql += change.conditions.isEmpty ? " WHERE " : " AND "
        try write(scope: scope, apartOf: change.table)
    }

    /// That the row of the table meets the scope, whose SQL must not meet the columns of what is read beside the table: it
    /// stands in a SELECT of that row alone.
    private func write(scope: String, apartOf table: TableReference) throws {
        guard !table.key.isEmpty || table.hiddenKey != nil else {
            throw CormorantError(
                .misuse, "model \(table.model) reads a view, declares no key, and has a scope",
                hint: "declare its primary key to update rows from others", table: table.name)
        }
        try refuseCommonTable(calledAs: table, isImplied: true)
        let key = table.key.isEmpty ? [table.hiddenKey ?? ""] : table.key.map { table.columns[$0].name }
        let (inner, outer) = (quoteIdentifier(unusedName(table.name)), quoteIdentifier(table.name))
        let same = key.map { "\(inner).\(quoteIdentifier($0)) = \(outer).\(quoteIdentifier($0))" }
        sql += "EXISTS (SELECT 1 FROM \(table.quoted) AS \(inner) WHERE \(same.joined(separator: " AND "))"
        sql += " AND (\(try written(scope: scope, of: table))))"
    }

    /// The condition of the model's scope, if it has one.
    private func scopeCondition(of table: TableReference) throws -> [Expression] {
        try refuseCommonTable(inScopeOf: table)
        return try table.scope.map { [Expression(.raw("(\(try written(scope: $0, of: table)))", []))] } ?? []
    }

    private func writeSet(_ change: Change) throws {
        sql += " SET "
        try write(change.assignments, of: change.table)
        writeStamps(of: change.table, besides: change.assignments)
    }

    private func write(_ assignments: [(column: Int, value: Expression)], of table: TableReference) throws {
        try refuseTwice(assignments.map(\.column), of: table)
        for (index, assignment) in assignments.enumerated() {
            if index > 0 { sql += ", " }
            sql += table.columns[assignment.column].quoted + " = "
            try write(assignment.value, assignedTo: assignment.column, of: table)
        }
    }

    /// Writes the time into the columns that hold that of each update, unless the statement sets them itself.
    private func writeStamps(
        of table: TableReference, besides assignments: [(column: Int, value: Expression)]
    ) {
        for (index, column) in table.columns.enumerated()
        where column.stamp == .updated && !assignments.contains(where: { $0.column == index }) {
            sql += ", " + column.quoted + " = " + dialect.now
        }
    }

    /// Writes a value as the column's type wants it.
    private func write(_ value: Expression, assignedTo column: Int, of table: TableReference) throws {
        guard !table.columns[column].isComputed else {
            throw CormorantError(
                .misuse, "\(table.model).\(table.columns[column].property) is computed and cannot be set",
                hint: "set the columns it is computed from", table: table.name, columns: [table.columns[column].name])
        }
        if let constant = table.columns[column].constant {
            throw CormorantError(
                .misuse,
                "\(table.model).\(table.columns[column].property) is \(constant) in all rows of the model and cannot be set",
                hint: "set it by the model of all rows of the table", table: table.name,
                columns: [table.columns[column].name])
        }
        let reference = ColumnReference(table, column)
        if dialect == .postgres { return try write(value, into: reference) }
        let start = sql.count
        switch value.node {
        case .value(let value, nil):
            let stored = try value.comparable(with: reference)
            try write(storedIn: reference, isSure: stored.fits(reference.column)) {
                $0.bind(.value(stored))
            }
        case .parameter(let name):
            try write(storedIn: reference, isSure: reference.column.takesAllOfItsKind) {
                $0.bindParameter(name, .comparedWith(reference))
            }
        default:
            try write(storedIn: reference, isSure: isSure(value, of: reference.column)) {
                if reference.column.type == .decimal {
                    try $0.write(exact: value)
                } else {
                    try $0.write(value, at: .any)
                }
            }
        }
        assigned.append((reference, start..<sql.count))
    }

    /// Writes a value through what makes it one of the column, or refuses it when the statement runs.
    /// - Parameter isSure: it is one.
    private func write(
        storedIn reference: ColumnReference, isSure: Bool, _ value: (StatementCompiler) throws -> Void
    ) throws {
        let isSure = isSure && reference.column.scale == nil
        if !isSure { write(check: dialect.stored) }
        try value(self)
        if !isSure { write(check: dialect.stored(of: reference)) }
    }

    /// Writes SQL that is there to check values only.
    private func write(check text: String) {
        let start = sql.count
        sql += text
        checks.append(start..<sql.count)
    }

    /// Whether an expression gives what a column of the same type holds.
    private func isSure(_ value: Expression, of column: TableReference.Column) -> Bool {
        switch value.node {
        case .column(let other): other.column.holdsOnly(column)
        case .name(let source, let name):
            if let upserted, source == "excluded",
                let index = upserted.columns.firstIndex(where: {
                    $0.property == name || sameIdentifier($0.name, name)
                })
            {
                upserted.columns[index].holdsOnly(column)
            } else {
                false
            }
        case .labelled(let inner, _): isSure(inner, of: column)
        default: false
        }
    }

    /// Writes the SELECT whose rows are inserted.
    private func write(
        _ select: Select, into columns: [Int], of table: TableReference, endsInWhere: Bool
    ) throws {
        let targets = columns.map { ColumnReference(table, $0) }
        if dialect == .postgres { return try write(select, into: targets) }
        assigned += targets.map { ($0, nil) }
        let sources = select.resultColumns
        let areSure = targets.indices.map { place in
            targets[place].column.scale == nil
                && sources.map { $0.indices.contains(place) && isSure($0[place], of: targets[place].column) } ?? false
        }
        let isChecked = areSure.contains(false) || !select.compounds.isEmpty
        let names = columns.indices.map { "v\($0)" }
        if isChecked { write(check: "WITH corm_rows (" + names.joined(separator: ", ") + ") AS (") }
        try write(endsInWhere ? select.endingInWhere : select)
        guard isChecked else { return }
        let values = zip(names, targets).map { dialect.stored + $0 + dialect.stored(of: $1) }
        write(check: ") SELECT \(values.joined(separator: ", ")) FROM corm_rows\(endsInWhere ? " WHERE 1" : "")")
    }

    /// WHERE; along relations the rows are found by a SELECT, since UPDATE and DELETE join nothing.
    private func writeConditions(_ change: Change) throws {
        let table = change.table
        guard namesAll else {
            scopes[scopes.count - 1].canJoin = true
            defer { scopes[scopes.count - 1].canJoin = false }
            return try writeWhere(change.conditions + scopeCondition(of: table))
        }
        guard !table.key.isEmpty || table.hiddenKey != nil else {
            throw CormorantError(
                .misuse, "model \(table.model) reads a view and declares no key",
                hint: "declare its primary key to change rows by conditions along relations", table: table.name)
        }
        let key = table.key.isEmpty ? [table.hiddenKey ?? ""] : table.key.map { table.columns[$0].name }
        sql += key.count == 1 ? " WHERE \(quotedNames(key)) IN " : " WHERE (\(quotedNames(key))) IN "
        var found = Select(from: table)
        found.columns = key.map { Expression(.name(source: table.name, $0)) }
        found.conditions = change.conditions
        let outer = scopes
        scopes = []
        try write(subquery: found)
        scopes = outer
    }

    private func writeInsert(_ change: Change) throws {
        sql += try insertion(change) + change.table.target
        let rows = change.rows.isEmpty ? [change.assignments] : change.rows
        let table = change.table
        if rows.allSatisfy(\.isEmpty), !table.columns.contains(where: { $0.constant != nil }) {
            guard rows.count == 1 else { throw rowsOfDefaults(rows.count) }
            sql += " DEFAULT VALUES"
        } else {
            let set = rows[0].map(\.column)
            let made = made(in: table, besides: set)
            let values = made.map { table.columns[$0].constant ?? dialect.now }.joined(separator: ", ")
            try write(names: set + made, of: table)
            sql += " VALUES "
            for (number, row) in rows.enumerated() {
                sql += number > 0 ? ", (" : "("
                for (index, assignment) in try row.inOrder(of: set, number, change.table).enumerated() {
                    if index > 0 { sql += ", " }
                    let isMade = table.columns[assignment.column].stamp == .created && assignment.value.mayBeGivenNull
                    if isMade { sql += "coalesce(" }
                    try write(assignment.value, assignedTo: assignment.column, of: table)
                    if isMade { sql += ", \(dialect.now))" }
                }
                sql += (set.isEmpty || made.isEmpty ? "" : ", ") + values + ")"
            }
        }
        scopes.append(Scope(of: change))
        try writeUpsert(change)
    }

    /// The columns that get the time of an INSERT that does not set them.
    private func made(in table: TableReference, besides set: [Int]) -> [Int] {
        table.columns.indices.filter {
            (table.columns[$0].stamp != nil || table.columns[$0].constant != nil) && !set.contains($0)
        }
    }

    private func rowsOfDefaults(_ count: Int) -> CormorantError {
        CormorantError(
            .misuse, "\(count) rows of an INSERT set nothing", hint: "set a property in each, or insert records")
    }

    /// SQLite takes one of the values and says nothing.
    func refuseTwice(_ columns: [Int], of table: TableReference) throws {
        guard let (_, column) = columns.enumerated().first(where: { columns[..<$0].contains($1) }) else { return }
        throw CormorantError(
            .misuse, "\(table.model).\(table.columns[column].property) is set twice",
            hint: "set each property once; an insert of several rows gives them as rows of values",
            table: table.name, columns: [table.columns[column].name])
    }

    private func write(names columns: [Int], of table: TableReference) throws {
        try refuseTwice(columns, of: table)
        if let computed = columns.first(where: { table.columns[$0].isComputed }) {
            throw CormorantError(
                .misuse, "\(table.model).\(table.columns[computed].property) is computed and cannot be set",
                hint: "leave it out", table: table.name, columns: [table.columns[computed].name])
        }
        sql += " (" + columns.map { table.columns[$0].quoted }.joined(separator: ", ") + ")"
    }

    private func writeUpsert(_ change: Change) throws {
        guard let upsert = change.upsert else {
            if dialect == .postgres, change.policy == .ignore { sql += " ON CONFLICT DO NOTHING" }
            return
        }
        sql += " ON CONFLICT"
        if !upsert.target.isEmpty {
            if dialect == .postgres {
                try write(conflictTarget: upsert.target, of: change.table)
            } else {
                try write(names: upsert.target, of: change.table)
            }
        }
        if upsert.assignments.isEmpty { return sql += " DO NOTHING" }
        guard !upsert.target.isEmpty else {
            throw CormorantError(
                .misuse, "an upsert updates, but not on the conflict of a key",
                hint: "name the properties of the key or unique index in the way")
        }
        sql += " DO UPDATE SET "
        // Of the row in the way and `excluded`, the new one, columns stand with their table's name.
        scopes[scopes.count - 1].qualifies = true
        upserted = change.table
        try write(upsert.assignments, of: change.table)
        writeStamps(of: change.table, besides: upsert.assignments)
        upserted = nil
        scopes[scopes.count - 1].qualifies = false
        // A row outside of the scope stays as it is.
        guard let scope = change.table.scope else { return }
        try refuseCommonTable(inScopeOf: change.table)
        guard dialect == .postgres else { return sql += " WHERE (\(scope))" }
        // The columns of both rows would meet its names.
        sql += " WHERE "
        try write(scope: scope, apartOf: change.table)
    }

    /// A property of the new row, or its column's name.
    func writeExcluded(_ name: String, of table: TableReference) throws {
        let named = table.columns.firstIndex { sameIdentifier($0.name, name) }
        let column = try table.column(named: name) ?? named ?? table.require(name)
        sql += "\"excluded\"." + table.columns[column].quoted
    }

    private func writeReturning(_ change: Change) throws {
        guard !change.returning.isEmpty else {
            // Rows that triggers change in place of a view are counted by what comes back.
            if change.table.isView { write(check: " RETURNING 1") }
            return
        }
        sql += " RETURNING "
        for (index, column) in change.returning.enumerated() {
            if index > 0 { sql += ", " }
            if dialect == .postgres {
                try write(resultColumn: column, as: nil)
            } else {
                let name = returnedAsExpression(column, change.table)
                if name != nil { sql += "+" }
                try write(column, at: .any)
                if let name, case .column = column.node { sql += " AS " + quoteIdentifier(name) }
            }
            if case .labelled(_, let name) = column.node { sql += " AS " + (try given(name)) }
        }
    }
}

/// The name of a column that does not come back as it is unless it is an expression.
private func returnedAsExpression(_ expression: Expression, _ table: TableReference) -> String? {
    if case .labelled(let labelled, _) = expression.node { return returnedAsExpression(labelled, table) }
    guard case .column(let reference) = expression.node else { return nil }
    let name = reference.column.name
    return table.mustReturn(name, .sqlite) ? name : nil
}

extension [(column: Int, value: Expression)] {
    /// The same in the order of these columns, which all rows of an INSERT set.
    fileprivate func inOrder(of columns: [Int], _ number: Int, _ table: TableReference) throws -> Self {
        // The commonest case.
        if map(\.column) == columns { return self }
        for (place, item) in enumerated() where self[..<place].contains(where: { $0.column == item.column }) {
            throw CormorantError(
                .misuse, "\(table.model).\(table.columns[item.column].property) is set twice in row \(number)",
                hint: "set each property once", table: table.name, columns: [table.columns[item.column].name])
        }
        return try columns.map { column in
            guard let found = first(where: { $0.column == column }), count == columns.count else {
                throw otherColumns(columns, number, table)
            }
            return found
        }
    }

    private func otherColumns(_ columns: [Int], _ number: Int, _ table: TableReference) -> CormorantError {
        func list(_ columns: [Int]) -> String {
            columns.isEmpty ? "nothing" : columns.map { table.columns[$0].property }.joined(separator: ", ")
        }
        return CormorantError(
            .misuse, "row \(number) of an INSERT sets \(list(map(\.column))), the first one \(list(columns))",
            hint: "set the same properties in each row, with NULL where one has none", table: table.name)
    }
}

extension Change {
    /// What is prepared to know whether a view has a trigger for the change.
    var viewProbe: String? {
        guard table.isView, let column = table.columns.first?.quoted else { return nil }
        return switch kind {
        case .update: "UPDATE \(table.quoted) SET \(column) = \(column)"
        case .delete: "DELETE FROM \(table.quoted)"
        case .insertValues, .insertSelect: "INSERT INTO \(table.quoted) (\(column)) VALUES (NULL)"
        }
    }
}

extension Select {
    /// With a WHERE before what follows it: ON would read as that of a join (https://www.sqlite.org/lang_upsert.html).
    fileprivate var endingInWhere: Select {
        var select = self
        if !compounds.isEmpty { select = Select(from: Source(.select(self), alias: "source")) }
        if select.conditions.isEmpty { select.conditions = [Expression(.raw("1", []))] }
        return select
    }
}

extension Dialect {
    /// Ends the call that checks the value of a column.
    fileprivate func stored(of reference: ColumnReference) -> String {
        let column = reference.column
        return stored(as: column.scale.map { "decimal(\($0))" } ?? column.typeName, of: reference.titled)
    }
}

extension ColumnReference {
    /// In messages.
    var titled: String { "\(table.model).\(column.property)" }
}

extension TableReference.Column {
    var typeName: String { textSize > 0 ? "char[\(textSize)]" : type.name(isUnsigned: isUnsigned, bits: bits) }

    /// Whether every value of this column is one of the other, too.
    fileprivate func holdsOnly(_ other: TableReference.Column) -> Bool {
        if type.isInteger, other.type.isInteger {
            return integers.lowerBound >= other.integers.lowerBound && integers.upperBound <= other.integers.upperBound
        }
        // Of a column that only the program keeps short.
        if other.textSize > 0 { return false }
        return switch (type, other.type) {
        case (.varchar, .text), (.varchar, .varchar), (.text, .varchar), (.bool, .int64), (.bool, .int32),
            (.float, .double), (.int32, .double):
            true
        case (let mine, let its): mine == its
        }
    }

    /// Whether each value that compares with it is one of it.
    fileprivate var takesAllOfItsKind: Bool {
        switch type {
        case .int64, .int32, .bool, .double, .float: false
        default: textSize == 0
        }
    }
}

extension Value {
    /// Whether a value that compares with a column is one of it.
    func fits(_ column: TableReference.Column) -> Bool {
        switch (column.type, self) {
        case (_, .null), (.double, .real): true
        case (.float, .real(let number)): Float(rounding: number) != nil
        case (.int64, .integer(let number)), (.int32, .integer(let number)): column.integers.contains(number)
        case (.bool, .integer(let number)): number == 0 || number == 1
        case (_, .text(let text)) where column.textSize > 0:
            text.utf8.count < column.textSize && !text.utf8.contains(0)
        default: column.takesAllOfItsKind
        }
    }
}

extension StatementCompiler.Scope {
    fileprivate init(of change: Change) {
        let table = change.table
        let written = change.isInsert ? table.nameInTheWay : table.name
        self.init(
            tables: [.init(name: table.name, table: table, written: written, identity: change.identity)],
            only: table, qualifies: false, canJoin: false)
    }
}

extension Expression {
    /// Whether it is given with the statement, as NULL or as what may be that when it runs.
    fileprivate var mayBeGivenNull: Bool {
        switch node {
        case .value(.null, _), .parameter: true
        default: false
        }
    }
}
