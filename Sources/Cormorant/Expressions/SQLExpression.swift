/// An SQL expression whose values are of a Swift type: a column, a value, or what operators and functions make of these.
///
/// ```swift
/// Person.where { $0.age > 35 && $0.name.hasPrefix("B") }
/// ```
///
/// Values in it are bound, never pasted into SQL. Making one never fails: what is wrong with it, such as a value that its
/// type cannot store, is the error of the first call that uses it.
public struct SQLExpression<Content: ColumnValue>: SQLStatement {
    package let node: Expression

    package init(node: Expression) { self.node = node }

    /// A value.
    public init(_ value: Content) { node = .bound(value) }

    /// The expression alone: its columns stand without their table's name.
    public var sql: SQLText {
        get throws { SQLText(try StatementCompiler.compile(node, .sqlite)) }
    }
}

extension SQLExpression {
    /// The same expression where it may also be NULL, as to set an optional property.
    public var optional: SQLExpression<Content.Unwrapped?> { read(as: Content.Unwrapped?.self) }

    /// The same expression with its values read as another type. The SQL does not change; `cast(to:)` converts.
    public func read<Other>(as type: Other.Type) -> SQLExpression<Other> { SQLExpression<Other>(node: node) }

    /// CAST to the storage class of a type.
    public func cast<Other>(to type: Other.Type) -> SQLExpression<Other> {
        SQLExpression<Other>(node: .cast(node, Other.columnType))
    }

    /// Compares and sorts by a collation: BINARY, NOCASE, RTRIM, one of your own, or corm_nocase, which minds the case of no letter
    /// of Unicode; `like`, `hasPrefix`, `hasSuffix` and `contains` of that mind none either.
    public func collate(_ name: String) -> SQLExpression { SQLExpression(node: .collate(node, name)) }

    /// The name of a result column.
    public func named(_ name: String) -> SQLExpression { SQLExpression(node: node.labelled(name)) }
}

/// A value that is given when the query runs, by its name.
///
/// ```swift
/// let older = Person.where { $0.age > parameter("age") }
/// try database.fetchAll(older, ["age": 35])
/// ```
public func parameter<Content>(_ name: String, _ type: Content.Type = Content.self) -> SQLExpression<Content> {
    SQLExpression(node: Expression(.parameter(name)))
}

/// SQL as it is, with interpolated values bound, or else those given to its `?` in order.
///
/// It must be whole in itself: no open quote or parenthesis, no `--`, no semicolon, no other parameters.
public func raw<Content>(
    _ sql: SQL, _ values: [(any BindableValue)?] = [], as type: Content.Type = Content.self
) -> SQLExpression<Content> {
    SQLExpression(node: sql.expression(values))
}

/// What has SQL text: queries, statements that write, expressions.
public protocol SQLStatement: Sendable {
    /// Its SQL, as SQLite takes it, and the values bound to it. Throws what is wrong with it. A trace shows what the engine of a
    /// database is sent.
    var sql: SQLText { get throws }
}

extension SQLStatement {
    /// As the engine of a database takes it.
    func compiled(_ dialect: Dialect) throws -> CompiledStatement {
        if let query = self as? any RowQuery { return try compile(query, dialect) }
        if let statement = self as? any WritingStatement { return try compile(statement, dialect) }
        return try sql.statement
    }
}

private func compile(_ query: some RowQuery, _ dialect: Dialect) throws -> CompiledStatement {
    try query.query.compiled(dialect)
}

private func compile(_ statement: some WritingStatement, _ dialect: Dialect) throws -> CompiledStatement {
    try statement.writing.compiled(dialect)
}

/// SQL text and what is bound to its `?`, in order.
public struct SQLText: Sendable, CustomStringConvertible {
    package let statement: CompiledStatement

    package init(_ statement: CompiledStatement) { self.statement = statement }

    /// The SQL, with `?` for each value.
    public var text: String { statement.sql }

    public var description: String { text }

    /// The values bound, in order. A parameter is NULL here; a long list of IN is one `?` and all its values.
    public var bindings: [Value] {
        statement.bindings.flatMap { $0.values ?? [.null] }
    }

    /// The names of the parameters that must be given, in order.
    public var parameters: [String] { statement.parameterNames }
}

extension Expression {
    /// A value bound as its type stores it.
    static func bound<Content: ColumnValue>(_ value: Content) -> Expression {
        do {
            return .value(try value.columnValue, as: Content.columnType)
        } catch {
            return .wrong(error)
        }
    }

    /// An error that the first use throws.
    static func wrong(_ error: any Error) -> Expression {
        .problem(CormorantError(notConverted: error))
    }
}
