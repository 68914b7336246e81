import CormorantBase

extension TableDefinition {
    /// A CREATE TABLE of the columns and constraints as they are now, each in its own words.
    package func rendered(name: String? = nil) -> String {
        let lines = columns.map(\.sql) + constraints.map(\.sql)
        var options: [String] = []
        if withoutRowID { options.append("WITHOUT ROWID") }
        if strict { options.append("STRICT") }
        let end = options.isEmpty ? "" : " " + options.joined(separator: ", ")
        return "CREATE TABLE \(quoteIdentifier(name ?? self.name)) (\n  " + lines.joined(separator: ",\n  ") + "\n)"
            + end
    }

    /// The statement it was made by, for a table with another name in the main database; all behind the name stays byte
    /// for byte.
    package func sql(named name: String) -> String {
        var source = SQLTokenizer(sql)
        var nameEnd: Int?
        // The name is what stands before the first parenthesis.
        while let token = try? source.next(), token.kind != .leftParenthesis { nameEnd = token.range.upperBound }
        guard let nameEnd else { return rendered(name: name) }
        let rest = String(decoding: source.bytes[nameEnd...], as: UTF8.self)
        return "CREATE TABLE " + quoteIdentifier(name) + rest
    }
}
