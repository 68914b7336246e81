import CormorantBase

extension StatementCompiler {
    /// A fragment of raw SQL must be whole in itself, so that it cannot swallow what follows it, and its parameters must be
    /// plain `?`, because those of the statement around it are counted in order.
    func checkRaw(_ text: String, _ valueCount: Int) throws {
        var utf8 = text
        let found = try utf8.withUTF8 { try countParameters($0, text) }
        guard found == valueCount else {
            throw CormorantError(
                .binding, "the raw SQL has \(counted(found, "parameter")), \(countedWere(valueCount, "value")) given",
                hint: "give one value for each ?", sql: text)
        }
        try utf8.withUTF8 { try refuseRowID($0, text) }
    }

    /// Of a model with a scope a subquery is read, whose rows have no rowid: SQLite 3.40 takes it for NULL.
    private func refuseRowID(_ bytes: UnsafeBufferPointer<UInt8>, _ text: String) throws {
        guard let scope = scopes.last, scope.select != nil, scope.tables.contains(where: { $0.table?.scope != nil })
        else { return }
        var lexer = SQLLexer(bytes)
        var name: String?
        var qualifier: String?
        while let token = lexer.next() {
            guard token.kind == .identifier || token.kind == .quotedIdentifier else {
                qualifier = token.kind == .dot ? name : nil
                name = nil
                continue
            }
            let found = lexer.unquoted(token)
            name = found
            defer { qualifier = nil }
            guard ["rowid", "_rowid_", "oid"].contains(foldIdentifier(found)) else { continue }
            let meant = scope.tables.filter { table in
                qualifier.map { sameIdentifier($0, table.name) } ?? (scope.tables.count == 1)
            }
            guard let table = meant.first?.table, table.scope != nil,
                !table.columns.contains(where: { sameIdentifier($0.name, found) })
            else { continue }
            throw CormorantError(
                .misuse, "the rows of model \(table.model), which has a scope, have no \(found)",
                hint: "declare the key as a property, or ask the unscoped model", sql: text,
                offset: token.range.lowerBound, table: table.name)
        }
    }
}

/// The parameters in a fragment of SQL: https://www.sqlite.org/lang_expr.html#varparam
private func countParameters(_ bytes: UnsafeBufferPointer<UInt8>, _ text: String) throws -> Int {
    func refused(_ what: String, _ hint: String, _ offset: Int) -> CormorantError {
        CormorantError(.sql, "the raw SQL \(what)", hint: hint, sql: text, offset: offset)
    }
    func leavesOpen(_ what: String, _ hint: String = "close it") -> CormorantError {
        refused("leaves a \(what) open", hint, bytes.count - 1)
    }

    var lexer = SQLLexer(bytes)
    var depth = 0
    var parameters = 0
    while let token = lexer.scan() {
        let start = token.range.lowerBound
        let first = bytes[start]
        switch token.kind {
        case .leftParenthesis: depth += 1
        case .rightParenthesis:
            depth -= 1
            if depth < 0 { throw refused("closes a parenthesis that it did not open", "balance them", start) }
        case .semicolon: throw refused("has a semicolon", "give one expression", start)
        case .comment where first == UInt8(ascii: "-"):
            throw refused("has a -- comment", "write /* */ instead", start)
        case .openComment: throw leavesOpen("comment")
        // At the end of a text no comment, but one that takes in what follows here.
        case .operator where bytes[start...].starts(with: "/*".utf8): throw leavesOpen("comment")
        case .parameter where first == UInt8(ascii: "?"):
            if token.range.count > 1 { throw refused("numbers its parameters", "write plain ?", start) }
            parameters += 1
        case .parameter: throw refused("names its parameters", "write ? and give the values in order", start)
        case .illegal:
            switch first {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): throw leavesOpen("quote")
            case UInt8(ascii: "["): throw leavesOpen("bracket")
            case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
                throw refused("names its parameters", "write ? and give the values in order", start)
            // A blob whose quote is not closed takes in what follows; anything else SQLite refuses, and says where.
            case UInt8(ascii: "x"), UInt8(ascii: "X"):
                if bytes[token.range.upperBound - 1] != UInt8(ascii: "'") || token.range.count == 2 {
                    throw leavesOpen("quote")
                }
            default: break
            }
        default: break
        }
    }
    if lexer.position < bytes.count { throw refused("has a NUL", "bind values with ?", lexer.position) }
    if depth > 0 { throw leavesOpen("parenthesis", "balance them") }
    return parameters
}
