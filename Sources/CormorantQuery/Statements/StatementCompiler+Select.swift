import CormorantBase

extension StatementCompiler {
    func write(_ select: Select) throws {
        // Those of a subquery can be read from in it alone.
        let (visible, withs) = (commonTables.count, ends.count)
        defer {
            commonTables.removeSubrange(visible...)
            ends.removeSubrange(withs...)
        }
        guard select.compounds.isEmpty else { return try write(compound: select) }
        try write(select.commonTables)
        try write(core: select)
    }

    func write(subquery select: Select) throws {
        subqueries += 1
        defer { subqueries -= 1 }
        sql += "("
        try write(select)
        sql += ")"
    }

    /// A member that orders, limits or combines rows of its own becomes a table of its own.
    private func write(compound select: Select) throws {
        if let ambiguity = select.ambiguity { throw ambiguity }
        try write(select.commonTables)
        if dialect == .postgres { return try write(postgresCompound: select) }
        var first = select
        first.commonTables = []
        first.compounds = []
        first.order = []
        first.limit = nil
        first.offset = nil
        let isDistinct = select.compounds.contains { $0.operation != .unionAll }
        try write(core: first, isDistinct: isDistinct)
        for compound in select.compounds {
            let member = compound.select
            sql += compound.operation.keyword
            let isCore =
                member.compounds.isEmpty && member.order.isEmpty && member.limit == nil
                && member.offset == nil && member.commonTables.isEmpty
            if isCore {
                try write(core: member, isDistinct: isDistinct)
            } else {
                sql += "SELECT * FROM "
                try write(subquery: member)
            }
        }
        let inner = within(first)
        try writeOrder(
            select.order.map { term in
                let named = term.namingResult
                return inner.comparesAsDecimal(term.orderParts.operand)
                    ? named.compared(by: dialect.decimalCollation) : named
            })
        try writeLimit(select)
    }

    /// All but WITH and the members of a compound.
    func write(core select: Select, isDistinct: Bool = false) throws {
        scopes.append(try scope(of: select))
        let shared = sharesParameters
        if dialect == .postgres, !select.groupBy.isEmpty || select.isDistinct { sharesParameters = true }
        defer {
            scopes.removeLast()
            sharesParameters = shared
        }
        sql += select.isDistinct ? "SELECT DISTINCT " : "SELECT "
        try write(columnsOf: select, isDistinct: isDistinct || select.isDistinct)
        var endOfSources = sql.count
        if let source = select.source {
            sql += " FROM "
            try write(source, at: 0)
            for (index, join) in select.joins.enumerated() {
                sql += dialect == .postgres ? join.postgresKeyword : join.kind.keyword
                try write(join.source, at: index + 1)
                guard let condition = join.condition else {
                    try requireCross(join)
                    continue
                }
                sql += " ON "
                try write(truth: condition)
            }
            endOfSources = sql.count
        } else if !select.joins.isEmpty {
            throw CormorantError(.misuse, "a SELECT joins tables but reads from none", hint: "give it a source first")
        }
        scopes[scopes.count - 1].seesLabels = true
        try writeWhere(select.conditions)
        if !select.groupBy.isEmpty {
            let terms = try select.groupBy.map { try $0.asTerm("GROUP BY", dialect) }
            if dialect == .postgres {
                try write(groups: terms, of: select)
            } else {
                sql += " GROUP BY "
                try write(separated: terms.map { select.position(ofLabel: $0) ?? $0 }, compared: true)
            }
        }
        if !select.having.isEmpty {
            sql += " HAVING "
            try write(truth: .all(select.having))
        }
        if dialect == .postgres, !select.order.isEmpty {
            sql += " ORDER BY "
            try write(order: select.order.map { try $0.asTerm("ORDER BY", dialect) }, of: select)
        } else {
            try writeOrder(select.order.flatMap(select.distinguished).map { try $0.asTerm("ORDER BY", dialect) })
        }
        try writeLimit(select)
        insertPaths(at: endOfSources)
    }

    /// Every row with every row is what nobody means who forgets a condition. Functions have theirs in their arguments.
    private func requireCross(_ join: Join) throws {
        if join.kind == .cross { return }
        if case .function = join.source.kind { return }
        throw CormorantError(
            .misuse, "\(join.source.name) is joined on no condition",
            hint:
                "give the join one, join along a relation, or say that it is a cross join, of every row with every row")
    }

    /// What has the label that a bare name is, where SQLite would look for a column of the name first.
    func hiddenLabel(_ name: String) -> Expression? {
        guard let scope = scopes.last, scope.seesLabels, let column = scope.select?.labelled(name) else { return nil }
        let isHidden = scope.tables.contains { source in
            source.table?.columns.contains { sameIdentifier($0.name, name) } ?? true
        }
        return isHidden ? column.expression : nil
    }

    /// - Parameter isDistinct: equal values are one, so that decimals among them are compared as numbers.
    private func write(columnsOf select: Select, isDistinct: Bool) throws {
        guard select.columns.isEmpty else {
            if dialect == .postgres { return try write(postgresColumnsOf: select, isDistinct: isDistinct) }
            for (index, column) in select.columns.enumerated() {
                if index > 0 { sql += ", " }
                if isDistinct { try write(compared: column, at: .any) } else { try write(column, at: .any) }
                if case .labelled(_, let name) = column.node {
                    sql += " AS " + quoteIdentifier(name)
                } else if isDistinct, case .column(let reference) = column.node, comparesAsDecimal(column) {
                    sql += " AS " + reference.column.quoted
                }
            }
            return
        }
        switch select.source?.kind {
        case .table(let table):
            noteForms(of: table)
            guard scopes[scopes.count - 1].qualifies else { return sql += table.columnList }
            let prefix = quoteIdentifier(scopes[scopes.count - 1].tables[0].written) + "."
            for (index, column) in table.columns.enumerated() {
                if index > 0 { sql += ", " }
                sql += prefix + column.quoted
            }
        case .problem(let error): throw error
        case .select, .name, .common, .function: sql += "*"
        case nil: throw CormorantError(.misuse, "a SELECT has no columns", hint: "give it columns or a source")
        }
    }

    func scope(of select: Select) throws -> Scope {
        let qualifies = namesAll || !select.joins.isEmpty || !scopes.isEmpty || select.hidesColumns
        var scope = Scope(qualifies: qualifies)
        scope.select = select
        if scopes.isEmpty, select.joins.isEmpty, let source = select.source, case .table(let table) = source.kind {
            let name = source.alias ?? table.name
            scope.tables = [.init(name: name, table: table, written: name, identity: source.identity)]
            if source.alias == nil { scope.only = table }
            return scope
        }
        for source in [select.source].compactMap({ $0 }) + select.joins.map(\.source) {
            let name = source.name
            if name.isEmpty {
                if case .problem(let error) = source.kind { throw error }
                if select.joins.isEmpty {
                    scope.tables.append(.init(name: "", table: nil, source: source.kind, written: ""))
                    continue
                }
                throw CormorantError(
                    .misuse, "a subquery is joined without a name", hint: "give it an alias")
            }
            if scope.tables.contains(where: { sameIdentifier($0.name, name) }) {
                throw CormorantError(
                    .misuse, "two tables of a query are called \"\(name)\"", hint: "give one of them an alias")
            }
            var table: TableReference?
            if case .table(let reference) = source.kind { table = reference }
            scope.tables.append(
                .init(
                    name: name, table: table, source: source.kind, written: unusedName(name),
                    identity: source.identity))
        }
        return scope
    }

    /// A name that no SELECT around this one uses.
    func unusedName(_ name: String) -> String {
        func isUsed(_ wanted: String) -> Bool {
            scopes.contains { $0.tables.contains { sameIdentifier($0.written, wanted) } }
        }
        var wanted = name
        var number = 2
        while isUsed(wanted) {
            wanted = "\(name)_\(number)"
            number += 1
        }
        return wanted
    }

    func write(_ source: Source, at position: Int) throws {
        switch source.kind {
        case .table(let table):
            try refuseCommonTable(calledAs: table, isImplied: source.isImplied)
            let written = scopes[scopes.count - 1].tables[position].written
            // Of an outer join, too, only the rows of the scope are joined.
            let isPlain = written == table.name && table.scope == nil
            try checkNames(of: table)
            sql += try isPlain ? table.source : "\(try rows(of: table)) AS \(given(written))"
        case .select(let select):
            // What it reads from does not see the tables beside it.
            let beside = scopes.removeLast()
            defer { scopes.append(beside) }
            try write(subquery: select)
            if let alias = source.alias ?? (dialect == .postgres ? "source" : nil) {
                sql += " AS " + (try given(alias))
            }
        case .name(let name): try write(named: name, at: position)
        case .common(let table):
            try bring(table)
            try write(named: table.name, at: position)
        case .function(let call):
            guard isFunctionName(call.name) else { throw notAFunction(call.name) }
            if dialect == .postgres { return try write(rowsOf: call, at: position) }
            sql += call.name + "("
            try write(separated: call.arguments)
            sql += ")"
            sql += " AS " + quoteIdentifier(scopes[scopes.count - 1].tables[position].written)
        case .problem(let error): throw error
        }
    }

    private func write(named name: String, at position: Int) throws {
        sql += quoteIdentifier(name)
        let written = scopes[scopes.count - 1].tables[position].written
        if written != name { sql += " AS " + (try given(written)) }
    }

    func writeWhere(_ conditions: [Expression]) throws {
        guard !conditions.isEmpty else { return }
        sql += " WHERE "
        try write(truth: conditions.count == 1 ? conditions[0] : .all(conditions))
    }

    /// Writes a condition that stands alone.
    func write(truth condition: Expression) throws {
        let condition = condition.asCondition
        if dialect == .postgres { try write(condition: condition, at: .any) } else { try write(condition, at: .any) }
    }

    func writeOrder(_ order: [Expression]) throws {
        guard !order.isEmpty else { return }
        sql += " ORDER BY "
        try write(separated: order, compared: true)
    }

    func writeLimit(_ select: Select) throws {
        guard select.limit != nil || select.offset != nil else { return }
        if dialect == .postgres { return try writePostgresLimit(select) }
        sql += " LIMIT "
        if let limit = select.limit {
            try write(count: limit, "limit")
        } else {
            try write(.value(dialect.noLimit), at: .any)
        }
        guard let offset = select.offset else { return }
        sql += " OFFSET "
        try write(count: offset, "offset")
    }

    /// - Parameter name: what it is, for errors.
    func write(count: Expression, _ name: String) throws {
        switch count.node {
        case .value(.integer(let integer), _) where integer < 0: throw noCount(name, "\(integer)")
        case .parameter(let parameter) where dialect == .postgres:
            bind(.parameter(parameter, .count(name)), as: .bigint)
        case .parameter(let parameter): bindParameter(parameter, .count(name))
        case _ where dialect == .postgres: try write(count, as: .bigint)
        default: try write(count, at: .any)
        }
    }
}

/// Of a limit or an offset below 0, which SQLite would take for none.
package func noCount(_ name: String, _ value: String) -> CormorantError {
    CormorantError(.misuse, "the \(name) is \(value)", hint: "give 0 or more, or none for all")
}

extension Select {
    /// Whether a common table expression of that name is read from, as in recursion.
    func reads(from name: String) -> Bool {
        let sources = [source].compactMap { $0 } + joins.map(\.source)
        let readsHere = sources.contains { source in
            switch source.kind {
            case .name(let other): sameIdentifier(other, name)
            case .table(let table): sameIdentifier(table.name, name)
            case .select(let select): select.reads(from: name)
            case .common, .function, .problem: false
            }
        }
        return readsHere || compounds.contains { $0.select.reads(from: name) }
    }
}

extension Expression {
    /// As rows are grouped or ordered by it. A condition without values is a constant to an engine, and a number there is that of
    /// a result column.
    fileprivate func asTerm(_ clause: String, _ dialect: Dialect) throws -> Expression {
        if case .ordered(let inner, let direction) = node {
            return try inner.asTerm(clause, dialect).ordered(direction)
        }
        if case .value = node {
            throw CormorantError(
                .misuse, "\(clause) has a value, by which all rows are the same",
                hint: "give an expression over columns, or the name of a result column")
        }
        return isConstant(dialect) ? .cast(self, .int64) : self
    }

    private func isConstant(_ dialect: Dialect) -> Bool {
        switch node {
        // To SQLite one that is never true makes a constant of them all.
        case .list(_, let parts):
            parts.isEmpty
                || (parts.count == 1 || dialect == .sqlite) && parts.contains(where: { $0.isConstant(dialect) })
        case .inValues(_, let values): values.isEmpty
        case .inRows(_, let rows): rows.isEmpty
        case .unary(.negate, let inner), .collate(let inner, _), .labelled(let inner, _): inner.isConstant(dialect)
        default: false
        }
    }

    /// The order term of a decimal, which has no collation yet.
    fileprivate func compared(by collation: String) -> Expression {
        if case .ordered(let inner, let direction) = node {
            return Expression.collate(inner, collation).ordered(direction)
        }
        return .collate(self, collation)
    }

    /// The order term of a compound SELECT, which can name result columns only.
    var namingResult: Expression {
        switch node {
        case .column(let reference): Expression(.name(source: nil, reference.column.name))
        case .ordered(let inner, let direction): inner.namingResult.ordered(direction)
        case .collate(let inner, let collation): .collate(inner.namingResult, collation)
        case .labelled(_, let name): Expression(.name(source: nil, name))
        default: self
        }
    }
}

extension JoinKind {
    var keyword: String {
        switch self {
        case .inner: " JOIN "
        case .left: " LEFT JOIN "
        case .cross: " CROSS JOIN "
        case .right: " RIGHT JOIN "
        case .full: " FULL JOIN "
        }
    }
}

extension CompoundOperator {
    var keyword: String {
        switch self {
        case .union: " UNION "
        case .unionAll: " UNION ALL "
        case .intersect: " INTERSECT "
        case .except: " EXCEPT "
        }
    }
}

extension Select {
    /// Whether a column of the table has the name of a result column, which ORDER BY would take it for.
    fileprivate var hidesColumns: Bool {
        guard case .table(let table)? = source?.kind else { return false }
        return columns.contains { column in
            guard case .labelled(_, let label) = column.node else { return false }
            return table.columns.contains { sameIdentifier($0.name, label) }
        }
    }

    /// The number of the result column whose label a term of GROUP BY is: SQLite would look for a column of the name first.
    func position(ofLabel term: Expression) -> Expression? {
        guard case .name(nil, let name) = term.node, let column = labelled(name) else { return nil }
        return Expression(.raw("\(column.position + 1)", []))
    }

    func labelled(_ name: String) -> (position: Int, expression: Expression)? {
        for (position, column) in columns.enumerated() {
            if case .labelled(let inner, let label) = column.node, sameIdentifier(label, name) {
                return (position, inner)
            }
        }
        return nil
    }
}
