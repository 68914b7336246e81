import CormorantBase

extension SQLTokenizer {
    /// The names, folded, that stand where SQL reads from a table, without its schema: behind FROM, JOIN and IN, and behind a comma
    /// of a FROM. Those of its own WITH are not among them.
    static func tablesRead(in sql: String) throws(CormorantError) -> Set<String> {
        var tokenizer = SQLTokenizer(sql)
        let tokens = try tokenizer.all()
        var read: Set<String> = []
        var own: Set<String> = []
        // Whether a FROM goes on, in each pair of parentheses.
        var isFrom = [false]
        var isExpected = false
        for (index, token) in tokens.enumerated() {
            let next = index + 1 < tokens.count ? tokens[index + 1] : nil
            switch (token.kind, token.keyword) {
            case (.leftParenthesis, _): isFrom.append(isExpected)
            case (.rightParenthesis, _):
                if isFrom.count > 1 { isFrom.removeLast() }
                isExpected = false
            case (.comma, _): isExpected = isFrom[isFrom.count - 1]
            case (_, .from?):
                // IS DISTINCT FROM is an operator.
                isExpected = index == 0 || tokens[index - 1].keyword != .distinct
                if isExpected { isFrom[isFrom.count - 1] = true }
            case (_, .join?): isExpected = true
            case (_, .in?): isExpected = next?.kind != .leftParenthesis
            case (_, .select?), (_, .values?), (_, .where?), (_, .group?), (_, .having?), (_, .order?), (_, .limit?),
                (_, .union?), (_, .intersect?), (_, .except?):
                isFrom[isFrom.count - 1] = false
                isExpected = false
            case (.identifier, _), (.quotedIdentifier, _), (.keyword, _):
                let name = foldIdentifier(tokenizer.unquoted(token))
                if isExpected, next?.kind != .dot, next?.kind != .leftParenthesis { read.insert(name) }
                isExpected = false
                if next?.keyword == .as, index + 2 < tokens.count, tokens[index + 2].kind != .identifier {
                    let isTable = [.not, .materialized].contains(tokens[index + 2].keyword)
                    if isTable || tokens[index + 2].kind == .leftParenthesis { own.insert(name) }
                }
            default: isExpected = false
            }
        }
        return read.subtracting(own)
    }
}
