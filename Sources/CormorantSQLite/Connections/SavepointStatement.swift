import CSQLite
import CormorantBase

/// SAVEPOINT, RELEASE or ROLLBACK TO with the savepoint's name in lower case.
struct SavepointStatement {
    enum Verb {
        case savepoint
        case release
        case rollback
    }

    let verb: Verb
    let name: String
}

/// What the first words of a statement say of it.
enum StatementStart {
    case savepoint(SavepointStatement)
    /// It may change the schema.
    case schema
    case pragma
    case other

    /// The word with which a statement begins that begins or ends a transaction or savepoint; else nil.
    static func transactionWord(_ sql: UnsafePointer<CChar>) -> String? {
        var lexer = SQLLexer(sql)
        guard let first = lexer.first() else { return nil }
        let words: [StaticString] = ["begin", "commit", "end", "rollback", "savepoint", "release"]
        return words.first { lexer.isWord(first, $0) }.map { $0.description.uppercased() }
    }

    init(_ sql: UnsafePointer<CChar>) {
        self = .other
        var lexer = SQLLexer(sql)
        guard let first = lexer.first() else { return }
        if lexer.isWord(first, "savepoint") {
            if let name = lexer.name(lexer.next()) { self = .savepoint(.init(verb: .savepoint, name: name)) }
        } else if lexer.isWord(first, "release") {
            if let name = lexer.nameOfSavepoint() { self = .savepoint(.init(verb: .release, name: name)) }
        } else if lexer.isWord(first, "rollback") {
            var word = lexer.next()
            if let transaction = word, lexer.isWord(transaction, "transaction") { word = lexer.next() }
            guard let to = word, lexer.isWord(to, "to") else { return }
            if let name = lexer.nameOfSavepoint() { self = .savepoint(.init(verb: .rollback, name: name)) }
        } else if lexer.isWord(first, "create") || lexer.isWord(first, "drop") || lexer.isWord(first, "alter") {
            self = .schema
        } else if lexer.isWord(first, "pragma") {
            self = .pragma
        }
    }
}

extension SQLLexer {
    /// The first token of a statement, which semicolons may stand before.
    fileprivate mutating func first() -> Token? {
        var token = next()
        while token?.kind == .semicolon { token = next() }
        return token
    }

    /// The name behind RELEASE or TO, with the word SAVEPOINT before it or without.
    fileprivate mutating func nameOfSavepoint() -> String? {
        guard let token = next() else { return nil }
        return isWord(token, "savepoint") ? name(next()) ?? name(token) : name(token)
    }

    fileprivate func name(_ token: Token?) -> String? {
        switch token?.kind {
        case .identifier, .quotedIdentifier, .text: token.map { foldIdentifier(unquoted($0)) }
        default: nil
        }
    }
}

/// Whether a statement may change the schema.
func changesSchema(_ statement: OpaquePointer?) -> Bool {
    guard statement != nil, sqlite3_stmt_readonly(statement) == 0, let sql = sqlite3_sql(statement) else {
        return false
    }
    if case .schema = StatementStart(sql) { return true }
    return false
}
