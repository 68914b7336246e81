import CormorantBase

/// What PostgreSQL takes expressions for, whose operators and functions depend on it.
extension StatementCompiler {
    /// nil: NULL, a parameter, and what only the server knows.
    func postgresType(of expression: Expression) -> PostgresType? {
        switch expression.node {
        case .column(let reference): return PostgresType(reference.column)
        case .name(let source, let name): return postgresType(named: name, of: source)
        case .value(.null, _): return nil
        case .value(let value, let type): return type.map { PostgresType($0) } ?? PostgresType(value)
        case .unary(.negate, let operand): return postgresType(of: operand)?.calculated
        case .unary(.bitNot, _): return .bigint
        case .unary: return .boolean
        case .binary(let op, let left, let right): return postgresType(of: op, left, right)
        case .list, .between, .inValues, .inRows, .inParameter, .inSelect, .exists, .present: return .boolean
        case .cases(_, let cases, let otherwise):
            return try? unite(cases.map(\.then) + (otherwise.map { [$0] } ?? []))
        case .cast(_, let type): return PostgresType(castTo: type)
        case .collate(let inner, _), .ordered(let inner, _), .labelled(let inner, _): return postgresType(of: inner)
        case .call(let call): return postgresType(of: call)
        case .scalar(let select):
            let inner = within(select)
            if select.columns.isEmpty { return nil }
            return inner.postgresType(of: select.columns[0])
        case .raw(let text, let values): return portable(text, values).flatMap { postgresType(of: $0) }
        case .parameter, .row, .problem: return nil
        }
    }

    private func postgresType(of op: BinaryOperator, _ left: Expression, _ right: Expression) -> PostgresType? {
        switch op {
        case .concat: return .text
        case .jsonAt: return .jsonb
        case .jsonValueAt: return .element
        case .bitAnd, .bitOr, .shiftLeft, .shiftRight: return .bigint
        case .add, .subtract, .multiply, .divide, .remainder:
            let types = [postgresType(of: left)?.calculated, postgresType(of: right)?.calculated].compactMap { $0 }
            guard let first = types.first else { return nil }
            guard let last = types.last, last != first else { return first }
            return first.united(with: last)
        default: return .boolean
        }
    }

    /// The type that values of all of them are given; nil where none tells it.
    func unite(_ parts: [Expression]) throws -> PostgresType? {
        // A CASE of values alone is of the others' type, as these are.
        let isNested = parts.contains { $0.isGiven && !$0.isGivenValue }
        let parts = isNested ? try alike(parts).parts : parts
        var found: PostgresType?
        for part in parts where !part.isPlainValue {
            guard let type = postgresType(of: part) else { continue }
            guard let former = found else {
                found = type
                continue
            }
            guard let both = former.united(with: type) else { throw mixed(former, type) }
            found = both
        }
        // A value takes the type of the others, where it can.
        for part in parts where part.isPlainValue {
            guard case .value(let value, _) = part.node, let type = PostgresType(value) else { continue }
            guard let former = found else {
                found = type
                continue
            }
            if type == .text, former.isTime || former == .uuid || former == .jsonb || former == .numeric { continue }
            guard let both = former.united(with: type) else { throw mixed(former, type) }
            found = both
        }
        return found
    }

    func mixed(_ one: PostgresType, _ other: PostgresType) -> CormorantError {
        CormorantError(
            .unsupported, "PostgreSQL does not mix values of two types: \(one.title) and \(other.title)",
            hint: "cast one to the type of the other")
    }

    // Names -----------------------------------------------------------------------------------------------------------

    /// What a name stands for.
    enum Named {
        case column(TableReference.Column)
        case hiddenKey
        /// A result column of a SELECT, and the compiler within that.
        case result(Int, Select, StatementCompiler)
        /// A result column of this SELECT.
        case own(Expression, StatementCompiler)
        case value(PostgresType)
    }

    private func postgresType(named name: String, of source: String?) -> PostgresType? {
        switch meaning(of: name, in: source) {
        case .column(let column): PostgresType(column)
        case .hiddenKey: .bigint
        case .result(let place, let select, let inner): inner.postgresType(ofMember: place, in: select)
        case .own(let expression, let inner): inner.postgresType(of: expression)
        case .value(let type): type
        case nil: nil
        }
    }

    func meaning(of name: String, in source: String?) -> Named? {
        if let upserted, source == "excluded" { return upserted.meaning(of: name) }
        lookups.left -= 1
        guard lookups.left > 0 else { return nil }
        guard let source else {
            guard let scope = scopes.last else { return nil }
            if let select = scope.select, let own = select.resultColumn(named: name) {
                guard nesting < StatementCompiler.greatestNesting else { return nil }
                let inner = StatementCompiler(within: self)
                inner.scopes[inner.scopes.count - 1].select = nil
                return .own(own, inner)
            }
            return scope.tables.lazy.compactMap { self.meaning(of: name, in: $0) }.first
        }
        for scope in scopes.reversed() {
            if let table = scope.tables.first(where: { sameIdentifier($0.name, source) }) {
                return meaning(of: name, in: table)
            }
        }
        return nil
    }

    func meaning(of name: String, in table: Scope.Table) -> Named? {
        if let model = table.table { return model.meaning(of: name) }
        switch table.source {
        case .select(let select): return meaning(of: name, in: select, [])
        case .name(let known):
            return common(named: known).flatMap { $1.meaning(of: name, in: $0.select, $0.columns) }
        case .common(let table): return meaning(of: name, in: table.select, table.columns)
        case .function(let call): return postgresType(named: name, ofRowsOf: call).map { .value($0) }
        default: return nil
        }
    }

    private func meaning(of name: String, in select: Select, _ names: [String]) -> Named? {
        guard nesting < StatementCompiler.greatestNesting else { return nil }
        let inner = within(select)
        if let place = names.firstIndex(where: { sameIdentifier($0, name) }) { return meaning(at: place, in: select) }
        if select.columns.isEmpty {
            return inner.scopes.last?.tables.first.flatMap { inner.meaning(of: name, in: $0) }
        }
        return select.place(ofColumn: name).map { .result($0, select, inner) }
    }

    private func meaning(at place: Int, in select: Select) -> Named? {
        guard nesting < StatementCompiler.greatestNesting else { return nil }
        let inner = within(select)
        guard select.columns.isEmpty else {
            return select.columns.indices.contains(place) ? .result(place, select, inner) : nil
        }
        switch select.source?.kind {
        case .table(let model): return model.columns.indices.contains(place) ? .column(model.columns[place]) : nil
        case .select(let source): return inner.meaning(at: place, in: source)
        case .common(let table): return inner.meaning(at: place, in: table.select)
        case .name(let known): return inner.common(named: known).flatMap { $1.meaning(at: place, in: $0.select) }
        case .function, .problem, nil: return nil
        }
    }

    /// Of a column of a compound, as it is united.
    private func postgresType(ofMember place: Int, in select: Select) -> PostgresType? {
        let own = postgresType(of: select.columns[place])
        guard own == nil || own == .boolean || own?.isNumber == true, !select.compounds.isEmpty else { return own }
        return select.compounds.reduce(own) { found, compound in
            // A recursive member is of the type of the first.
            guard let member = compound.select.columns.indices.contains(place) ? compound.select.columns[place] : nil,
                !compound.select.readsFromCommon
            else { return found }
            let type = within(compound.select).postgresType(of: member)
            guard let type, let found else { return found ?? type }
            return found.united(with: type) ?? found
        }
    }
}

extension TableReference {
    /// A column, by its name or its property's.
    func meaning(of name: String) -> StatementCompiler.Named? {
        let place = columns.firstIndex { sameIdentifier($0.name, name) } ?? column(named: name)
        if let place { return .column(columns[place]) }
        return hiddenKey.map { sameIdentifier($0, name) } == true ? .hiddenKey : nil
    }
}

extension Expression {
    /// A value whose type nobody said.
    var isPlainValue: Bool {
        if case .value(let value, nil) = node { return value != .null }
        return false
    }
}

extension Select {
    func place(ofColumn name: String) -> Int? {
        columns.firstIndex { column in
            switch column.node {
            case .labelled(_, let label): sameIdentifier(label, name)
            case .column(let reference): sameIdentifier(reference.column.name, name)
            case .name(_, let own): sameIdentifier(own, name)
            default: false
            }
        }
    }

    func resultColumn(named name: String) -> Expression? { place(ofColumn: name).map { columns[$0] } }

    /// Whether it reads from a table that a WITH names.
    var readsFromCommon: Bool {
        ([source].compactMap { $0 } + joins.map(\.source)).contains { source in
            switch source.kind {
            case .name, .common: true
            default: false
            }
        }
    }
}
