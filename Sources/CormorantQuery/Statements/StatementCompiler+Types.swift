import CormorantBase

/// What the values of an expression are.
package struct ExpressionType: Sendable {
    package let type: ColumnType
    /// The column whose values they are, or are made of.
    package let column: ColumnReference?

    init(_ type: ColumnType, _ column: ColumnReference? = nil) {
        self.type = type
        self.column = column
    }

    init(_ column: ColumnReference) { self.init(column.column.type, column) }

    /// What is made of a value beside one of it.
    var form: ParameterForm { column.map { .comparedWith($0) } ?? .stored(type) }

    var isReal: Bool { type == .double || type == .float }

    /// The type of what is calculated with it; nil where it is no number.
    var asNumber: ExpressionType? {
        switch type {
        case .decimal, .double, .float, .duration: self
        case .int64, .int32, .bool: ExpressionType(.int64)
        default: nil
        }
    }
}

/// The one place that says of which type an expression is, as far as models tell: of columns, of what keeps their type, and of
/// columns of subqueries and common table expressions.
extension StatementCompiler {
    func type(of expression: Expression) -> ExpressionType? {
        switch expression.node {
        case .column(let reference): return ExpressionType(reference)
        case .name(let source, let name): return type(named: name, of: source)
        case .value(_, let type): return type.map { ExpressionType($0) }
        case .unary(.negate, let operand): return type(of: operand)?.asNumber
        case .binary(let op, let left, let right) where op.isArithmetic: return strongest([left, right])?.asNumber
        case .cases(_, let cases, let otherwise): return strongest(cases.map(\.then) + (otherwise.map { [$0] } ?? []))
        case .cast(_, let type): return ExpressionType(type)
        case .collate(let inner, _), .ordered(let inner, _), .labelled(let inner, _): return type(of: inner)
        case .call(let call): return type(of: call)
        case .scalar(let select):
            guard let first = select.columns.first else { return nil }
            return within(select).type(of: first)
        default: return nil
        }
    }

    /// The types of result columns: of columns themselves, and of times and decimals that are made of them.
    func types(of columns: [Expression]) -> [ExpressionType?] {
        columns.map { column in
            if let hint = column.typeHint { return ExpressionType(hint) }
            return type(of: column).flatMap {
                $0.type == .decimal || $0.type == .duration || $0.type.timeForm != nil ? $0 : nil
            }
        }
    }

    func isDecimal(_ expression: Expression) -> Bool { type(of: expression)?.type == .decimal }

    private func type(of call: Call) -> ExpressionType? {
        let arguments = call.arguments
        switch foldIdentifier(call.name) {
        case "min", "max", "coalesce", "ifnull", "first_value", "last_value", "nth_value", "nullif", "lag", "lead":
            return strongest(arguments)
        case "sum", "abs": return arguments.first.flatMap { type(of: $0)?.asNumber }
        case "iif", "if": return strongest(arguments.dropFirst())
        case "likely", "unlikely", "likelihood": return arguments.first.flatMap { type(of: $0) }
        case "avg", "total", "round": return ExpressionType(.double)
        default: return nil
        }
    }

    /// The type that values among these are written as; nil: as they are.
    func sharedType(of parts: [Expression]) -> ExpressionType? {
        guard let strongest = strongest(parts) else { return nil }
        if strongest.type == .decimal { return strongest }
        let found = self.strongest(parts.filter { !$0.isGivenValue }) ?? strongest
        guard found.type.hasTextForm,
            parts.allSatisfy({ type(of: $0).map { $0.type == found.type || $0.type.isWritten(as: found.type) } ?? true }
            )
        else { return nil }
        return found
    }

    /// Expressions one of which is chosen, and their type: what is given among them is of that, if it can be.
    func alike(_ parts: [Expression]) throws -> (parts: [Expression], kind: ExpressionType?) {
        guard parts.contains(where: { $0.isGiven }), let kind = sharedType(of: parts) else { return (parts, nil) }
        if kind.type == .decimal { return (parts, kind) }
        return (try parts.map { $0.isGiven ? try given($0, as: kind) : $0 }, kind)
    }

    /// The same of the arguments of a call among which it chooses.
    func alike(_ call: Call) throws -> (call: Call, kind: ExpressionType?) {
        let places = call.alike
        let (parts, kind) = try alike(places.map { call.arguments[$0] })
        var call = call
        if let kind, kind.type != .decimal { for (place, part) in zip(places, parts) { call.arguments[place] = part } }
        return (call, kind)
    }

    /// What is given, as a value of a type where it can be one. Parameters have no type: what they are bound as says that.
    private func given(_ expression: Expression, as kind: ExpressionType) throws -> Expression {
        switch expression.node {
        case .value(let value, let type):
            guard value != .null, type.map({ $0.isWritten(as: kind.type) }) ?? true,
                let stored = try value.stored(among: kind.type)
            else { return expression }
            return .value(stored, as: kind.type)
        case .cases(let base, let cases, let otherwise):
            return .cases(
                base: base, try cases.map { (when: $0.when, then: try given($0.then, as: kind)) },
                otherwise: try otherwise.map { try given($0, as: kind) })
        case .call(var call):
            for place in call.alike { call.arguments[place] = try given(call.arguments[place], as: kind) }
            return .call(call)
        default: return expression
        }
    }

    /// Writes one of several expressions that are alike.
    func write(_ expression: Expression, among kind: ExpressionType?) throws {
        guard let kind else { return try write(expression, at: .any) }
        if kind.type == .decimal { return try write(exact: expression) }
        if case .parameter(let name) = expression.node { return bindParameter(name, .among(kind)) }
        try write(expression, at: .any)
    }

    /// Among values of several types decimals are what the others are made, and reals what integers are.
    private func strongest(_ parts: some Sequence<Expression>) -> ExpressionType? {
        let types = parts.compactMap { type(of: $0) }
        return types.first { $0.type == .decimal } ?? types.first { $0.isReal } ?? types.first
    }

    private func type(named name: String, of source: String?) -> ExpressionType? {
        if let upserted, source == "excluded" { return upserted.type(named: name) }
        lookups.left -= 1
        guard lookups.left > 0 else { return nil }
        guard let source else {
            guard let scope = scopes.last, nesting < StatementCompiler.greatestNesting else { return nil }
            if let select = scope.select, let own = select.column(labelled: name) {
                return StatementCompiler(within: self).type(of: own)
            }
            return scope.tables.lazy.compactMap { self.type(named: name, in: $0) }.first
        }
        for scope in scopes.reversed() {
            if let table = scope.tables.first(where: { sameIdentifier($0.name, source) }) {
                return type(named: name, in: table)
            }
        }
        return nil
    }

    private func type(named name: String, in table: Scope.Table) -> ExpressionType? {
        if let model = table.table { return model.type(named: name) }
        switch table.source {
        case .select(let select): return type(named: name, in: select, [])
        case .name(let known):
            return common(named: known).flatMap { $1.type(named: name, in: $0.select, $0.columns) }
        case .common(let table): return type(named: name, in: table.select, table.columns)
        default: return nil
        }
    }

    /// - Parameter names: what its columns are called; none: by their own names.
    private func type(named name: String, in select: Select, _ names: [String]) -> ExpressionType? {
        if let place = names.firstIndex(where: { sameIdentifier($0, name) }) {
            return type(at: place, in: select)
        }
        if select.columns.isEmpty {
            let inner = within(select)
            return inner.scopes.last?.tables.first.flatMap { inner.type(named: name, in: $0) }
        }
        return select.column(labelled: name).flatMap { within(select).type(of: $0) }
    }

    private func type(at place: Int, in select: Select) -> ExpressionType? {
        guard nesting < StatementCompiler.greatestNesting else { return nil }
        guard select.columns.isEmpty else {
            return select.columns.indices.contains(place) ? within(select).type(of: select.columns[place]) : nil
        }
        let inner = within(select)
        switch select.source?.kind {
        case .table(let model):
            return model.columns.indices.contains(place) ? ExpressionType(ColumnReference(model, place)) : nil
        case .select(let source): return inner.type(at: place, in: source)
        case .common(let table): return inner.type(at: place, in: table.select)
        case .name(let known): return inner.common(named: known).flatMap { $1.type(at: place, in: $0.select) }
        case .function, .problem, nil: return nil
        }
    }

    /// A compiler whose tables are those of a SELECT inside this one.
    func within(_ select: Select) -> StatementCompiler {
        let inner = StatementCompiler(within: self)
        guard nesting < StatementCompiler.greatestNesting else {
            inner.scopes = []
            return inner
        }
        inner.commonTables += select.commonTables
        if !select.commonTables.isEmpty { inner.ends.append(inner.commonTables.count) }
        inner.scopes.append((try? inner.scope(of: select)) ?? Scope(qualifies: true))
        return inner
    }
}

extension StatementCompiler {
    /// A common table expression may stand in itself, and a result column be called as what it is made of.
    static let greatestNesting = 20

    /// How many names may yet be looked up: where each of a subquery's columns is made of many of the one within it, and so
    /// on, they would be without end.
    final class Lookups {
        var left = 100_000
    }
}

extension TableReference {
    /// The type of a column, by its name or its property's.
    fileprivate func type(named name: String) -> ExpressionType? {
        let place = columns.firstIndex { sameIdentifier($0.name, name) } ?? column(named: name)
        return place.map { ExpressionType(ColumnReference(self, $0)) }
    }
}

extension Select {
    /// The result column that is called so.
    fileprivate func column(labelled name: String) -> Expression? {
        columns.first { column in
            switch column.node {
            case .labelled(_, let label): sameIdentifier(label, name)
            case .column(let reference): sameIdentifier(reference.column.name, name)
            case .name(_, let own): sameIdentifier(own, name)
            default: false
            }
        }
    }
}

extension Call {
    /// The arguments among which it chooses what it gives, so that they are of one type.
    var alike: [Int] {
        let all = arguments.indices
        return switch foldIdentifier(name) {
        case "min", "max": all.count > 1 ? Array(all) : []
        case "coalesce", "ifnull", "nullif": Array(all)
        case "iif", "if": Array(all.dropFirst())
        case "lag", "lead": all.filter { $0 != 1 }
        default: []
        }
    }
}

extension Expression {
    /// Whether it is given with the statement, or is one of several such that a CASE or a function chooses.
    var isGiven: Bool {
        switch node {
        case .value, .parameter: true
        case .cases(_, let cases, let otherwise): cases.allSatisfy { $0.then.isGiven } && otherwise?.isGiven ?? true
        case .call(let call): !call.alike.isEmpty && call.alike.allSatisfy { call.arguments[$0].isGiven }
        default: false
        }
    }
}

extension ColumnType {
    /// Whether a value of it that is given is one of the other, too: a datetime by itself is in UTC.
    fileprivate func isWritten(as other: ColumnType) -> Bool { self == .datetime && other == .offsetDatetime }
}

extension Value {
    /// As the file holds it among values of that type; nil where it is none.
    func stored(among type: ColumnType) throws -> Value? {
        if let stored = try stored(as: type) { return stored }
        guard type == .offsetDatetime, case .text(var text) = self else { return nil }
        return try text.withUTF8 { Timestamp(stored: $0) }.map {
            .text(try OffsetTimestamp($0, offsetSeconds: 0).stored("a time"))
        }
    }
}

extension BinaryOperator {
    var isArithmetic: Bool {
        switch self {
        case .add, .subtract, .multiply, .divide, .remainder: true
        default: false
        }
    }

    /// Whether it calculates with numbers or their bits.
    var calculates: Bool {
        switch self {
        case .bitAnd, .bitOr, .shiftLeft, .shiftRight: true
        default: isArithmetic
        }
    }
}
