import CormorantBase
import CormorantQuery

extension ModelDescriptor {
    /// Refuses conditions in SQL that compare a decimal with something: a file of SQLite has it as a text, and of texts '60' is more
    /// than '500'. Arithmetic makes a number of it, and so does the collation `corm_decimal` in a comparison.
    package func refuseComparedDecimals() throws {
        let decimals = columns.filter { $0.type == .decimal && $0.collation.map(foldIdentifier) != "corm_decimal" }
        guard !decimals.isEmpty else { return }
        let names = Set(decimals.map { foldIdentifier($0.column) })
        let conditions =
            schema.checks.map(\.condition) + schema.indexes.compactMap(\.whereSQL) + [scope].compactMap { $0 }
        for condition in conditions {
            guard let column = try comparedName(in: condition, names) else { continue }
            throw CormorantError(
                .model,
                "model \(name): the condition \(condition) compares \(column), a decimal, as the text that the file has",
                hint: "compare a number: \(column) + 0 instead of \(column)", table: table, columns: [column])
        }
    }
}

/// The first of the names that an operator compares in SQL.
private func comparedName(in sql: String, _ names: Set<String>) throws -> String? {
    var tokenizer = SQLTokenizer(sql)
    let tokens = try tokenizer.all()
    if tokens.contains(where: { $0.keyword == .collate }) { return nil }
    func isComparison(_ index: Int) -> Bool {
        guard tokens.indices.contains(index) else { return false }
        let token = tokens[index]
        if let keyword = token.keyword { return keyword == .between || keyword == .in }
        guard token.kind == .operator else { return false }
        return ["<", "<=", ">", ">=", "=", "==", "<>", "!="].contains(tokenizer.unquoted(token))
    }
    func kind(_ index: Int) -> SQLToken.Kind? { tokens.indices.contains(index) ? tokens[index].kind : nil }
    for (index, token) in tokens.enumerated() where token.kind == .identifier || token.kind == .quotedIdentifier {
        let name = tokenizer.unquoted(token)
        guard names.contains(foldIdentifier(name)) else { continue }
        var (first, last) = (index, index)
        while kind(first - 1) == .dot { first -= 2 }
        // In parentheses that are not those of a call.
        while kind(first - 1) == .leftParenthesis, kind(last + 1) == .rightParenthesis,
            kind(first - 2) != .identifier, kind(first - 2) != .quotedIdentifier
        {
            (first, last) = (first - 1, last + 1)
        }
        let isNegated = tokens.indices.contains(last + 1) && tokens[last + 1].keyword == .not
        if isComparison(first - 1) || isComparison(last + (isNegated ? 2 : 1)) { return name }
    }
    return nil
}
