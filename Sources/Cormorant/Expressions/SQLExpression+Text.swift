/// Text. Case is that of ASCII letters.
extension SQLExpression where Content.Unwrapped == String {
    /// Texts put together; with NULL the result is NULL.
    public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
        SQLExpression(node: .binary(.concat, left.node, right.node))
    }

    /// The text with another behind it.
    public static func + (left: SQLExpression, right: String) -> SQLExpression {
        SQLExpression(node: .binary(.concat, left.node, .bound(right)))
    }

    /// The text with another before it.
    public static func + (left: String, right: SQLExpression) -> SQLExpression {
        SQLExpression(node: .binary(.concat, .bound(left), right.node))
    }

    /// Begins with a text, whatever case its letters have. `%` and `_` in it mean themselves.
    public func hasPrefix(_ text: String) -> SQLExpression<Bool> { matching(.hasPrefix, .bound(text)) }

    /// Begins with the text of an expression, in which no character is a wildcard.
    public func hasPrefix(_ text: SQLExpression) -> SQLExpression<Bool> { matching(.hasPrefix, text.node) }

    /// Ends with a text, as `hasPrefix` compares.
    public func hasSuffix(_ text: String) -> SQLExpression<Bool> { matching(.hasSuffix, .bound(text)) }

    /// Ends with the text of an expression, in which no character is a wildcard.
    public func hasSuffix(_ text: SQLExpression) -> SQLExpression<Bool> { matching(.hasSuffix, text.node) }

    /// Has a text in it, as `hasPrefix` compares.
    public func contains(_ text: String) -> SQLExpression<Bool> { matching(.contains, .bound(text)) }

    /// Holds the text of an expression, in which no character is a wildcard.
    public func contains(_ text: SQLExpression) -> SQLExpression<Bool> { matching(.contains, text.node) }

    /// LIKE: `%` stands for any text, `_` for one character; case is ignored.
    public func like(_ pattern: String) -> SQLExpression<Bool> { matching(.like, .bound(pattern)) }

    /// LIKE a pattern that is an expression.
    public func like(_ pattern: SQLExpression) -> SQLExpression<Bool> { matching(.like, pattern.node) }

    /// NOT LIKE: the pattern does not fit.
    public func notLike(_ pattern: String) -> SQLExpression<Bool> { matching(.notLike, .bound(pattern)) }

    /// GLOB: `*`, `?` and `[...]` as in a shell; case counts.
    public func glob(_ pattern: String) -> SQLExpression<Bool> { matching(.glob, .bound(pattern)) }

    /// GLOB with a pattern that is an expression.
    public func glob(_ pattern: SQLExpression) -> SQLExpression<Bool> { matching(.glob, pattern.node) }

    /// NOT GLOB: the pattern does not fit.
    public func notGlob(_ pattern: String) -> SQLExpression<Bool> { matching(.notGlob, .bound(pattern)) }

    /// A regular expression fits somewhere in the text: `. * + ? {n,m} [...] (...) | ^ $` and `\b \d \s \w` with their
    /// opposites, of characters; at its beginning `(?i)` ignores the case of ASCII letters. `text REGEXP pattern` in SQL is the
    /// same, but not in a file's schema; a function `regexp` of the program's takes its place.
    public func regexp(_ pattern: String) -> SQLExpression<Bool> { matching(.regexp, .bound(pattern)) }

    /// A regular expression that is an expression.
    public func regexp(_ pattern: SQLExpression) -> SQLExpression<Bool> { matching(.regexp, pattern.node) }

    /// Full-text search in one column of an FTS5 table.
    public func match(_ query: String) -> SQLExpression<Bool> { matching(.match, .bound(query)) }

    /// Full-text search with a query that is an expression.
    public func match(_ query: SQLExpression) -> SQLExpression<Bool> { matching(.match, query.node) }

    /// With the ASCII letters in lower case.
    public func lowercased() -> SQLExpression { SQLExpression(node: .call("lower", [node])) }

    /// With the ASCII letters in upper case.
    public func uppercased() -> SQLExpression { SQLExpression(node: .call("upper", [node])) }

    /// Without spaces at both ends.
    public func trimmed() -> SQLExpression { SQLExpression(node: .call("trim", [node])) }

    private func matching(_ op: BinaryOperator, _ pattern: Expression) -> SQLExpression<Bool> {
        SQLExpression<Bool>(node: .binary(op, node, pattern))
    }
}

/// Values in a JSON document.
extension SQLExpression {
    /// `->>`: the value at a path such as `$.items[3].price`, as a value of SQL; NULL where there is none.
    /// One word is a key; else what does not begin with `$` is an error of code `sql` when the statement is made.
    public func jsonValue<Other>(at path: String, as type: Other.Type = Other.self) -> SQLExpression<Other?> {
        SQLExpression<Other?>(node: .binary(.jsonValueAt, node, .bound(path)))
    }

    /// `->`: the element at a path, as JSON text; NULL where there is none.
    public func json(at path: String) -> SQLExpression<JSONText?> {
        SQLExpression<JSONText?>(node: .binary(.jsonAt, node, .bound(path)))
    }
}
