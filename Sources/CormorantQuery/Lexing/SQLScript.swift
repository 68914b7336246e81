import CormorantBase

/// SQL with any number of statements.
package struct SQLScript {
    package struct Statement: Sendable {
        /// Without the semicolon behind it.
        package let sql: String
        /// Its first byte in the script.
        package let offset: Int
        /// Its first word in upper case; empty where it begins with something else.
        package let keyword: String
    }

    /// The statements of a script, in order; a trigger is one with all that is between its BEGIN and END. A text that
    /// SQLite cannot cut into tokens is an error.
    package static func statements(_ sql: String) throws(CormorantError) -> [Statement] {
        let script = try SQLScript(sql)
        var parser = script.parser
        return script.ranges.map { range in
            parser.statement = range
            let first = parser.tokens[range.lowerBound]
            let isWord = first.kind == .keyword || first.kind == .identifier
            return Statement(
                sql: parser.sql, offset: first.range.lowerBound, keyword: isWord ? parser.text(first).uppercased() : "")
        }
    }

    /// The first words of a statement, names without their quotes.
    package static func words(_ sql: String, _ count: Int) -> [String] {
        guard let script = try? SQLScript(sql) else { return [] }
        return script.parser.tokens.prefix(count).map(script.parser.unquoted)
    }

    let parser: SchemaParser
    /// The tokens of each statement.
    private(set) var ranges: [Range<Int>] = []

    init(_ sql: String) throws(CormorantError) {
        var source = SQLTokenizer(sql)
        let tokens = try source.all()
        parser = SchemaParser(source, tokens)
        var start = 0
        while start < tokens.count {
            if tokens[start].kind == .semicolon {
                start += 1
                continue
            }
            let end = Self.end(of: start, tokens)
            ranges.append(start..<end)
            start = end
        }
    }

    /// The semicolon that ends a statement: of a trigger the one behind its END, which no statement begins with.
    private static func end(of start: Int, _ tokens: [SQLToken]) -> Int {
        let isTrigger = isTrigger(tokens[start...])
        for position in start..<tokens.count where tokens[position].kind == .semicolon {
            if !isTrigger { return position }
            if position >= start + 2, tokens[position - 1].keyword == .end, tokens[position - 2].kind == .semicolon {
                return position
            }
        }
        return tokens.count
    }

    private static func isTrigger(_ tokens: ArraySlice<SQLToken>) -> Bool {
        var words = tokens.prefix(6).map(\.keyword)[...]
        if words.first == .explain {
            words = words.dropFirst()
            if words.first == .query { words = words.dropFirst(2) }
        }
        guard words.first == .create else { return false }
        words = words.dropFirst()
        if words.first == .temp || words.first == .temporary { words = words.dropFirst() }
        return words.first == .trigger
    }
}
