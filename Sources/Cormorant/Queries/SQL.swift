import CormorantBase

/// SQL of one's own. A value that is interpolated is bound, never pasted into the text, so that no data becomes SQL.
///
/// ```swift
/// let rows = try db.query("SELECT * FROM \(Person.self) WHERE age >= \(age) AND city IN \(list: cities)")
/// ```
///
/// Text that is known only when the program runs is `SQL(text: text)`. Where nothing is interpolated, values can be given beside
/// it: `db.query(SQL(text: text), [age, city])`.
public struct SQL: Sendable {
    let text: String
    private let values: [Value]
    /// Why a value cannot be bound; thrown when the statement is run.
    private let problem: CormorantError?

    /// Text as it is: whatever stands in it is run.
    public init(text: String) { self.init(text, [], nil) }

    private init(_ text: String, _ values: [Value], _ problem: CormorantError?) {
        (self.text, self.values, self.problem) = (text, values, problem)
    }

    /// The interpolated values, or else those given beside it.
    private func bindings(_ others: Bindings) throws -> Bindings {
        if let problem { throw problem }
        guard !values.isEmpty else { return others }
        guard case .positional(let others) = others, others.isEmpty else {
            throw CormorantError(
                .binding, "values are both interpolated and given beside the statement",
                hint: "interpolate all of them, or none", sql: text)
        }
        return .positional(values)
    }

    func bind(_ others: Bindings, to statement: Statement) throws {
        let bindings = try bindings(others)
        guard values.isEmpty || statement.parameterCount == values.count else {
            throw CormorantError(
                .binding,
                """
                \(countedWere(values.count, "value")) interpolated, the statement has \
                \(counted(statement.parameterCount, "parameter"))
                """,
                hint: "write no quotes around an interpolated value, and no parameters beside it", sql: text)
        }
        try statement.bind(bindings)
    }

    func expression(_ others: [(any BindableValue)?]) -> Expression {
        do {
            let others = Bindings.positional(try inOrder(others))
            guard case .positional(let values) = try bindings(others) else { return Expression(.raw(text, [])) }
            return Expression(.raw(text, values))
        } catch {
            return .wrong(error)
        }
    }

    /// The text where no values belong to it.
    func script() throws -> String {
        guard problem == nil, values.isEmpty else {
            throw CormorantError(
                .misuse, "a script has no parameters to bind values to", hint: "run its statements one by one",
                sql: text)
        }
        return text
    }
}

extension Query {
    /// The records of a SELECT of one's own, whose columns are matched to the model by name.
    public init(sql: SQL, _ bindings: Bindings = .none) {
        self.init(text: sql.text) { try sql.bind(bindings, to: $0) }
    }
}

extension SQL: ExpressibleByStringInterpolation {
    /// SQL without values.
    public init(stringLiteral text: String) { self.init(text: text) }

    /// SQL with the values that stand in it.
    public init(stringInterpolation: Interpolation) {
        self.init(stringInterpolation.text, stringInterpolation.values, stringInterpolation.problem)
    }

    /// What can stand in `\( )` within SQL.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values: [Value] = []
        fileprivate var problem: CormorantError?
        /// How many bytes stood before the list that was written last, in a parenthesis of the SQL's own, and behind it.
        private var enclosed: (before: Int, behind: Int)?

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount)
            values.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) {
            // "?1" would be the parameter 1.
            if text.utf8.last == 0x3F, let first = literal.utf8.first, 0x30...0x39 ~= first { text += " " }
            if let list = enclosed, list.behind == text.utf8.count, literal.utf8.first(where: { $0 != 0x20 }) == 0x29 {
                // In two pairs of parentheses several values are a row, and none are NULL.
                text.remove(at: text.utf8.index(before: text.endIndex))
                text.remove(at: text.utf8.index(text.startIndex, offsetBy: list.before))
            }
            text += literal
        }

        /// A value, which is bound. nil is NULL, which `=` equals with nothing: write `IS`.
        public mutating func appendInterpolation<Bound: ColumnValue>(_ value: Bound?) {
            appendLiteral("?")
            do {
                values.append(try value?.columnValue ?? .null)
            } catch {
                values.append(.null)
                note(CormorantError(notConverted: error).prefixed("interpolated value \(values.count): "))
            }
        }

        /// A value as SQLite holds it, which is bound.
        public mutating func appendInterpolation(_ value: Value) {
            appendLiteral("?")
            values.append(value)
        }

        /// The values of an IN, each bound, in parentheses of their own or of the SQL's: `id IN \(list: ids)`. There may be none.
        public mutating func appendInterpolation<List: Sequence>(list: List) where List.Element: ColumnValue {
            let before = text.utf8.count
            let isEnclosed = text.utf8.last { $0 != 0x20 } == 0x28
            appendLiteral("(")
            let start = values.count
            for value in list {
                if values.count > start { appendLiteral(", ") }
                appendInterpolation(value)
            }
            appendLiteral(")")
            if isEnclosed { enclosed = (before, text.utf8.count) }
        }

        /// A model's table, by its quoted name.
        public mutating func appendInterpolation<R: Record>(_ type: R.Type) { appendInterpolation(name: R.model.table) }

        /// The name of a table, a column or what else has one, quoted.
        public mutating func appendInterpolation(name: String) { appendLiteral(quoteIdentifier(name)) }

        /// SQL with the values that stand in it.
        public mutating func appendInterpolation(_ sql: SQL) {
            appendLiteral(sql.text)
            values += sql.values
            if let problem = sql.problem { note(problem) }
        }

        /// For what can be no value, so that the compiler says what to do.
        @available(
            *, unavailable,
            message: """
                no column type: import CormorantFoundation for Date, UUID, Data and Decimal, write \\(list:) for the values of \
                an IN, \\(name:) for a name, and \\(SQL(text: ...)) for text that is SQL
                """
        )
        @_disfavoredOverload
        public mutating func appendInterpolation<Other>(_ value: Other) {}

        private mutating func note(_ error: any Error) {
            if problem == nil { problem = CormorantError(notConverted: error) }
        }
    }
}
