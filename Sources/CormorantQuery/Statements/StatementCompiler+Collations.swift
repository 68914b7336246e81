import CormorantBase

/// By which collation texts are compared. One that is written counts before that of a column, and the left side before the right
/// one: https://www.sqlite.org/datatype3.html#assigning_collating_sequences_from_sql
extension StatementCompiler {
    /// nil: nothing says.
    func collation(of expression: Expression) -> String? {
        (writtenCollation(in: expression) ?? columnCollation(of: expression)).flatMap { $0 }
    }

    /// - Parameter inner: where the right side stands; nil: beside the left one.
    func collation(of left: Expression, _ right: Expression, in inner: StatementCompiler? = nil) -> String? {
        let inner = inner ?? self
        return
            (writtenCollation(in: left) ?? inner.writtenCollation(in: right) ?? columnCollation(of: left)
            ?? inner.columnCollation(of: right)).flatMap { $0 }
    }

    /// It goes on to what is made of the expression that it is written for.
    private func writtenCollation(in expression: Expression) -> String?? {
        func first(_ parts: some Sequence<Expression>) -> String?? {
            parts.lazy.compactMap { self.writtenCollation(in: $0) }.first
        }
        switch expression.node {
        case .collate(let inner, let collation):
            // Numbers have none there.
            return .some(dialect == .postgres && postgresType(of: inner) == .numeric ? nil : collation)
        case .labelled(let inner, _), .ordered(let inner, _), .cast(let inner, _), .unary(_, let inner):
            return writtenCollation(in: inner)
        case .binary(_, let left, let right): return first([left, right])
        case .call(let call): return first(call.arguments)
        case .cases(let base, let cases, let otherwise):
            return first(
                [base].compactMap { $0 } + cases.flatMap { [$0.when, $0.then] } + [otherwise].compactMap { $0 })
        default: return nil
        }
    }

    /// nil: it is no column.
    private func columnCollation(of expression: Expression) -> String?? {
        switch expression.node {
        case .column(let reference): .some(reference.column.collation)
        case .labelled(let inner, _), .ordered(let inner, _), .cast(let inner, _): columnCollation(of: inner)
        case .name(let source, let name):
            switch meaning(of: name, in: source) {
            case .column(let column): .some(column.collation)
            case .result(let place, let select, let inner):
                inner.writtenCollation(in: select.columns[place]) ?? inner.columnCollation(of: select.columns[place])
            case .own(let own, let inner): inner.writtenCollation(in: own) ?? inner.columnCollation(of: own)
            case .hiddenKey, .value, nil: nil
            }
        default: nil
        }
    }
}
