import CormorantBase
import CormorantQuery

/// Why SQL text cannot stand as an expression inside a statement; nil where it can, as far as its tokens tell.
func expressionFault(_ sql: String) throws(CormorantError) -> String? {
    // With what follows it in the statement, which a comment would take in.
    var tokenizer = SQLTokenizer(sql + ")")
    let tokens: [SQLToken]
    do {
        tokens = try tokenizer.all()
    } catch {
        if error.code == .noMemory { throw error }
        return error.plainMessage
    }
    guard let last = tokens.last, last.kind == .rightParenthesis, last.range.upperBound == tokenizer.bytes.count else {
        return "it ends in a comment"
    }
    guard tokens.count > 1 else { return "it is empty" }
    var depth = 0
    for token in tokens.dropLast() {
        switch token.kind {
        case .leftParenthesis: depth += 1
        case .rightParenthesis where depth == 0: return "a parenthesis is closed that was not opened"
        case .rightParenthesis: depth -= 1
        case .comma where depth == 0: return "it is more than one expression"
        case .semicolon: return "it holds a semicolon"
        case .parameter: return "it holds a parameter, for which nothing could be bound"
        default: break
        }
    }
    return depth == 0 ? nil : "a parenthesis is not closed"
}

/// The collations that every database has.
package func isKnownCollation(_ name: String) -> Bool {
    ["BINARY", "NOCASE", "RTRIM", "corm_decimal", "corm_nocase", "corm_offset_datetime"].contains {
        sameIdentifier($0, name)
    }
}

extension ModelDescriptor {
    /// An error of a statement that makes the model's table, saying whose it is.
    func explain(_ error: any Error) -> any Error {
        guard let error = error as? CormorantError, error.code == .sql else { return error }
        let name = error.plainMessage.split(separator: ":").last.map { String($0).drop { $0 == " " } }.map(String.init)
        let culprits = columns.filter { column in
            [column.defaultSQL, column.checkSQL, column.computedSQL].contains { sql in
                sql.map { contains($0, name ?? "") && name?.isEmpty == false } ?? false
            }
        }
        let place = culprits.count == 1 ? "\(self.name).\(culprits[0].name)" : "model \(self.name)"
        return error.prefixed("\(place): ")
    }
}
