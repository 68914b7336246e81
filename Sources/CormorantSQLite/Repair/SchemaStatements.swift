import CSQLite
import CormorantBase

/// The entries of a schema that CREATE statements make, which may be anyone's: what is no CREATE statement is not run.
/// - Parameter skipsOthers: whether what makes nothing is left out, instead of being an error.
/// - Returns: the entries, and whether something was left out.
func schemaEntries(
    _ statements: [String], _ monitor: ProgressMonitor, skipsOthers: Bool
) throws -> (entries: [SchemaEntry], isPartial: Bool) {
    var isPartial = false
    let memory = try Connection(path: ":memory:", options: OpenOptions())
    let authorizer = SchemaAuthorizer()
    defer { withExtendedLifetime((monitor, authorizer)) { memory.close() } }
    memory.acceptForeignSchemas()
    memory.setMonitor(monitor)
    // Virtual tables first, which make tables of their own: these stand in a schema, too.
    let virtual = statements.filter(isVirtual)
    for sql in virtual + statements.filter({ !isVirtual($0) }) {
        authorizer.watch(memory)
        do {
            try memory.foreignScript(sql)
        } catch let error as CormorantError where error.code != .interrupted {
            let isMade = error.plainMessage.hasSuffix("already exists")
            // Those that SQLite makes itself, such as sqlite_sequence.
            let isOwn = error.plainMessage.hasPrefix("object name reserved for internal use")
            if isMade || isOwn { continue }
            if skipsOthers {
                isPartial = true
                continue
            }
            guard error.sqliteCode & 0xFF == SQLITE_AUTH else { throw error }
            throw CormorantError(
                .misuse, "the schema has a statement that does more than CREATE does: \(sql.prefix(100))",
                hint: "give it CREATE statements alone")
        }
    }
    memory.restoreAuthorizer()
    let statement = try Statement(memory, "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    defer { statement.finalize() }
    var entries: [SchemaEntry] = []
    while try statement.step() {
        let row = Row(statement)
        func text(_ column: Int32) -> String { row.cell(column).string ?? "" }
        entries.append(SchemaEntry(type: text(0), name: text(1), table: text(2), root: 0, sql: text(3)))
    }
    return (entries, isPartial)
}

/// The statements of a script, each with its semicolon; a trigger is one with all that is between its BEGIN and END, as
/// `sqlite3_complete` has it.
func statements(_ script: String) -> [String] {
    var script = script
    return script.withUTF8 { bytes in
        var lexer = SQLLexer(bytes)
        var all: [String] = []
        var start = 0
        var words: [SQLLexer.Token] = []
        /// The last two tokens, behind which a semicolon may end a trigger.
        var last: (before: SQLLexer.Token?, token: SQLLexer.Token?) = (nil, nil)
        while let token = lexer.next() {
            if words.count < 6 { words.append(token) }
            let isEnd =
                !isTrigger(words, lexer)
                || last.before?.kind == .semicolon && last.token.map { lexer.isWord($0, "end") } ?? false
            if token.kind == .semicolon, isEnd {
                all.append(String(decoding: bytes[start..<token.range.upperBound], as: UTF8.self))
                (start, words, last) = (token.range.upperBound, [], (nil, nil))
            } else {
                last = (last.token, token)
            }
        }
        return all + [String(decoding: bytes[start...], as: UTF8.self)]
    }
}

private func isVirtual(_ sql: String) -> Bool {
    var sql = sql
    return sql.withUTF8 { bytes in
        var lexer = SQLLexer(bytes)
        guard let first = lexer.next(), let second = lexer.next() else { return false }
        return lexer.isWord(first, "create") && lexer.isWord(second, "virtual")
    }
}

private func isTrigger(_ words: [SQLLexer.Token], _ lexer: SQLLexer) -> Bool {
    func says(_ position: Int, _ word: StaticString) -> Bool {
        position < words.count && lexer.isWord(words[position], word)
    }
    let first = says(0, "explain") ? says(1, "query") ? 3 : 1 : 0
    guard says(first, "create") else { return false }
    return says(says(first + 1, "temp") || says(first + 1, "temporary") ? first + 2 : first + 1, "trigger")
}
