import CormorantBase

/// What the words of raw SQL say, where it need not be compiled to tell.
package enum StatementRouting {
    package enum Kind {
        /// It reads, and may ask for what only the writer knows.
        case query
        /// Read on, it may be a query.
        case unknown
        /// It writes, or is about the connection.
        case other
    }

    /// What its first word tells.
    package static func kind(of sql: String) -> Kind {
        var sql = sql
        return sql.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            guard let first = lexer.next() else { return .other }
            if lexer.isWord(first, "select") || lexer.isWord(first, "values") { return .query }
            if lexer.isWord(first, "pragma") { return tellsOfFile(&lexer) ? .unknown : .other }
            return lexer.isWord(first, "with") || lexer.isWord(first, "explain") ? .unknown : .other
        }
    }

    /// What a statement is to those who begin transactions for the SQL of others.
    package enum Verb {
        case insert
        case change
        /// It ends or begins a transaction itself, or does not belong into one.
        case apart
        case other
    }

    package static func verb(of sql: String) -> Verb {
        var sql = sql
        return sql.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            guard let first = lexer.next() else { return .other }
            if insertingWords.contains(where: { lexer.isWord(first, $0) }) { return .insert }
            if changingWords.contains(where: { lexer.isWord(first, $0) }) { return .change }
            return wordsApart.contains { lexer.isWord(first, $0) } ? .apart : .other
        }
    }

    private static let insertingWords: [StaticString] = ["insert", "replace"]
    private static let changingWords: [StaticString] = ["update", "delete", "with"]
    /// SAVEPOINT is none of them: without a transaction around it, RELEASE would commit.
    private static let wordsApart: [StaticString] = [
        "begin", "commit", "end", "rollback", "pragma", "vacuum", "attach", "detach",
    ]

    /// Whether a statement that gives rows and changes nothing is there for its rows: all but PRAGMA.
    static func isQuery(_ sql: String) -> Bool {
        var sql = sql
        return sql.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            return lexer.next().map { !lexer.isWord($0, "pragma") } ?? true
        }
    }

    /// Whether one of the statements may leave the connection with what others do not have: a temporary table, an attached
    /// file, a setting that reads depend on.
    static func changesConnection(_ sql: String) -> Bool {
        var sql = sql
        return sql.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            while let first = lexer.next() {
                if case .semicolon = first.kind { continue }
                if lexer.isWord(first, "attach") { return true }
                if lexer.isWord(first, "pragma"), !isHarmlessPragma(&lexer) { return true }
                let isCreate = lexer.isWord(first, "create")
                // Most often there is no other statement.
                if !isCreate, !bytes[lexer.position...].contains(UInt8(ascii: ";")) { return false }
                // Elsewhere it is a column's name.
                var mayBeTemporary = isCreate
                var isTemp = false
                while let token = lexer.next() {
                    if case .semicolon = token.kind { break }
                    if case .dot = token.kind, isTemp { return true }
                    isTemp = isCreate && lexer.isWord(token, "temp")
                    if mayBeTemporary, isTemp || lexer.isWord(token, "temporary") { return !isDroppedAtCommit(&lexer) }
                    mayBeTemporary = mayBeTemporary && wordsBeforeTemporary.contains { lexer.isWord(token, $0) }
                }
            }
            return false
        }
    }

    private static let wordsBeforeTemporary: [StaticString] = ["or", "replace", "global", "local"]

    /// Of a temporary table of PostgreSQL's, whether it is gone with its transaction.
    private static func isDroppedAtCommit(_ lexer: inout SQLLexer) -> Bool {
        var isCommit = false
        while let token = lexer.next() {
            if case .semicolon = token.kind { break }
            if isCommit, lexer.isWord(token, "drop") { return true }
            isCommit = lexer.isWord(token, "commit")
        }
        return false
    }

    private static func pragmaName(_ lexer: inout SQLLexer) -> SQLLexer.Token? {
        guard let name = lexer.next() else { return nil }
        if lexer.isWord(name, "main"), let dot = lexer.next(), case .dot = dot.kind { return lexer.next() ?? name }
        return name
    }

    private static func isHarmlessPragma(_ lexer: inout SQLLexer) -> Bool {
        guard let name = pragmaName(&lexer) else { return true }
        return (tellingPragmas + filePragmas + harmlessPragmas).contains { lexer.isWord(name, $0) }
    }

    /// Whether a PRAGMA tells what is in the file, which any connection can.
    private static func tellsOfFile(_ lexer: inout SQLLexer) -> Bool {
        guard let name = pragmaName(&lexer) else { return false }
        if tellingPragmas.contains(where: { lexer.isWord(name, $0) }) { return true }
        // With a value they set it.
        guard filePragmas.contains(where: { lexer.isWord(name, $0) }) else { return false }
        return lexer.next().map { if case .semicolon = $0.kind { true } else { false } } ?? true
    }

    private static let tellingPragmas: [StaticString] = [
        "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo", "integrity_check",
        "quick_check", "table_info", "table_list", "table_xinfo",
    ]
    private static let filePragmas: [StaticString] = [
        "application_id", "encoding", "freelist_count", "page_count", "page_size", "user_version",
    ]
    /// Others that tell something, or are about writing alone.
    private static let harmlessPragmas: [StaticString] = [
        "busy_timeout", "collation_list", "compile_options", "data_version", "database_list", "defer_foreign_keys",
        "foreign_keys", "function_list", "incremental_vacuum", "journal_size_limit", "max_page_count", "module_list",
        "optimize", "pragma_list", "secure_delete", "synchronous", "wal_autocheckpoint", "wal_checkpoint",
    ]
}
