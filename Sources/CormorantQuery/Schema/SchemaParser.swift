import CormorantBase

/// Reads SQLite's CREATE statements (its grammar: the CREATE rules of parse.y). Expressions and SELECTs are kept as
/// they are written; everything around them is understood to the last token, or refused with its place.
///
/// No rule calls itself, so that no nesting is too deep for the stack.
package struct SchemaParser {
    let source: SQLTokenizer
    let tokens: [SQLToken]
    /// Where each parenthesis that opens is closed, by its place in `tokens`; what nothing closes is not there. So that
    /// no group is looked through once for each group around it.
    let closings: [Int: Int]
    /// The tokens of the statement that is read.
    var statement: Range<Int>
    /// The next token.
    var index: Int
    /// What is read, for the hint of an error: the page of SQLite's documentation.
    var page = "lang.html"
    var isTemporary = false

    init(_ source: SQLTokenizer, _ tokens: [SQLToken]) {
        self.source = source
        self.tokens = tokens
        closings = Self.closings(tokens)
        statement = tokens.indices
        index = 0
    }

    private static func closings(_ tokens: [SQLToken]) -> [Int: Int] {
        var closings: [Int: Int] = [:]
        var open: [Int] = []
        for (position, token) in tokens.enumerated() {
            if token.kind == .leftParenthesis { open.append(position) }
            if token.kind == .rightParenthesis, let start = open.popLast() { closings[start] = position }
        }
        return closings
    }

    /// The object that one CREATE statement makes, with semicolons around it or without.
    package static func object(_ sql: String) throws(CormorantError) -> SchemaObject {
        var source = SQLTokenizer(sql)
        let tokens = try source.all()
        var parser = SchemaParser(source, tokens)
        let start = tokens.firstIndex { $0.kind != .semicolon } ?? tokens.count
        var end = tokens.count
        while end > start, tokens[end - 1].kind == .semicolon { end -= 1 }
        return try parser.object(start..<end)
    }

    /// The object of the statement that some of the tokens make.
    mutating func object(_ range: Range<Int>) throws(CormorantError) -> SchemaObject {
        statement = range
        index = range.lowerBound
        page = "lang.html"
        guard accept(.create) else {
            let hint = "a script has CREATE statements alone; of a dump make a file first: sqlite3 FILE < DUMP"
            throw unexpected("CREATE", hint: hint)
        }
        isTemporary = accept(.temp) || accept(.temporary)
        let object: SchemaObject
        switch next?.keyword {
        case .table:
            object = .table(try table())
        case .view:
            object = .view(try view())
        case .trigger:
            object = .trigger(try trigger())
        case .index where !isTemporary, .unique where !isTemporary:
            object = .index(try indexDefinition())
        case .virtual where !isTemporary:
            object = .virtualTable(try virtualTable())
        default:
            throw unexpected("TABLE, INDEX, VIEW, TRIGGER or VIRTUAL TABLE")
        }
        guard next == nil else { throw unexpected("the end of the statement") }
        return object
    }

    /// The statement's text, up to the semicolon.
    var sql: String {
        guard !statement.isEmpty else { return "" }
        let start = tokens[statement.lowerBound].range.lowerBound
        // The comments behind a view or a trigger are part of what SQLite keeps.
        let end =
            statement.upperBound < tokens.count ? tokens[statement.upperBound].range.lowerBound : source.bytes.count
        func trimmed(_ end: Int) -> ArraySlice<UInt8> {
            let text = source.bytes[start..<end]
            return text[..<(text.lastIndex { $0 > 0x20 } ?? start - 1).advanced(by: 1)]
        }
        var text = trimmed(end)
        // An open comment of spaces: without them it were two operators.
        if let comment = source.openComment, text.endIndex == comment + 2 { text = trimmed(comment) }
        return String(decoding: text, as: UTF8.self)
    }
}

// What every rule is made of.
extension SchemaParser {
    var next: SQLToken? { peek(0) }

    func peek(_ distance: Int) -> SQLToken? {
        index + distance < statement.upperBound ? tokens[index + distance] : nil
    }

    mutating func accept(_ keyword: SQLKeyword) -> Bool {
        guard next?.keyword == keyword else { return false }
        index += 1
        return true
    }

    mutating func accept(_ kind: SQLToken.Kind) -> Bool {
        guard next?.kind == kind else { return false }
        index += 1
        return true
    }

    mutating func expect(_ keyword: SQLKeyword, _ what: String) throws(CormorantError) {
        guard accept(keyword) else { throw unexpected(what) }
    }

    mutating func expect(_ kind: SQLToken.Kind, _ what: String) throws(CormorantError) {
        guard accept(kind) else { throw unexpected(what) }
    }

    /// A name, without its quotes. SQLite takes one in single quotes too.
    mutating func name(_ what: String) throws(CormorantError) -> String {
        guard let token = next else { throw unexpected(what) }
        switch token.kind {
        case .identifier, .quotedIdentifier, .text: break
        case .keyword where token.keyword?.canBeName == true: break
        default: throw unexpected(what)
        }
        index += 1
        return unquoted(token)
    }

    /// The name of what is created, which may stand behind the name of its database.
    mutating func objectName() throws(CormorantError) -> String {
        if accept(.if) {
            try expect(.not, "NOT EXISTS")
            try expect(.exists, "EXISTS")
        }
        return try qualifiedName()
    }

    mutating func qualifiedName() throws(CormorantError) -> String {
        let first = try name("a name")
        return accept(.dot) ? try name("a name") : first
    }

    /// Names in parentheses.
    mutating func names() throws(CormorantError) -> [String] {
        try expect(.leftParenthesis, "\"(\"")
        var names = [try name("a column")]
        while accept(.comma) { names.append(try name("a column")) }
        try expect(.rightParenthesis, "\")\"")
        return names
    }

    /// Passes a group in parentheses that holds something.
    /// - Returns: the tokens between the parentheses.
    mutating func group() throws(CormorantError) -> Range<Int> {
        try expect(.leftParenthesis, "\"(\"")
        let start = index
        var depth = 1
        while let token = next {
            if token.kind == .leftParenthesis { depth += 1 }
            if token.kind == .rightParenthesis { depth -= 1 }
            if token.kind == .semicolon { break }
            if depth == 0 {
                guard index > start else { throw unexpected("an expression") }
                index += 1
                return start..<index - 1
            }
            index += 1
        }
        throw unexpected("\")\"")
    }

    /// Passes what is left of the statement, whose parentheses must match.
    /// - Returns: its tokens.
    mutating func rest(_ what: String, semicolons: Bool = false) throws(CormorantError) -> Range<Int> {
        let start = index
        guard next != nil else { throw unexpected(what) }
        var depth = 0
        while let token = next {
            if token.kind == .leftParenthesis { depth += 1 }
            if token.kind == .rightParenthesis { depth -= 1 }
            if depth < 0 || (token.kind == .semicolon && (!semicolons || depth > 0)) { throw unexpected(what) }
            index += 1
        }
        guard depth == 0 else { throw unexpected("\")\"") }
        return start..<index
    }

    /// What SQLite does not expect is an error that says where it stands.
    func unexpected(_ what: String, hint: String? = nil) -> CormorantError {
        let offset = next?.range.lowerBound ?? endOffset
        let near = next.map { "\"\(source.excerpt($0.range))\"" } ?? "the end"
        return CormorantError(
            .schema, "\(what) was expected at byte \(offset): near \(near)",
            hint: hint ?? "write it as https://www.sqlite.org/\(page) says", sql: source.sql, offset: offset)
    }

    private var endOffset: Int {
        statement.isEmpty ? source.bytes.count : tokens[statement.upperBound - 1].range.upperBound
    }
}
