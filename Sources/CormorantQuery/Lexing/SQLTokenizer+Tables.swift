import CormorantBase

extension SQLTokenizer {
    /// The names, folded, that stand where SQL reads from a table, without its schema: behind FROM, JOIN and IN, and behind a comma
    /// of a FROM, also those of a WITH of its own.
    static func tablesRead(in sql: String) throws(CormorantError) -> Set<ExactText> {
        var tokenizer = SQLTokenizer(sql)
        let tokens = try tokenizer.all()
        var read: Set<ExactText> = []
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
            // SQLite takes a text for a name where it expects one.
            case (.identifier, _), (.quotedIdentifier, _), (.text, _), (.keyword, _):
                let isTable = isExpected && next?.kind != .dot && next?.kind != .leftParenthesis
                if isTable { read.insert(nameKey(tokenizer.unquoted(token))) }
                isExpected = false
            default: isExpected = false
            }
        }
        return read
    }
}
