import CormorantBase

/// SQL as PostgreSQL's catalogs show it, in words that SQLite has, too, where there are such: constants without the type that the
/// server writes behind them, a text's column without its own type, and `IN` for `= ANY (ARRAY[...])`.
package struct CatalogSQL {
    private struct Token {
        let kind: SQLLexer.Kind
        let text: String
        /// The spaces before it.
        var space: String
    }

    private var tokens: [Token] = []

    package init(_ sql: String) {
        var sql = sql
        sql.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            var space = ""
            while let token = lexer.scanPostgreSQL() {
                let text = String(decoding: bytes[token.range], as: UTF8.self)
                guard token.kind != .space else {
                    space = text
                    continue
                }
                tokens.append(Token(kind: token.kind, text: text, space: space))
                space = ""
            }
        }
        dropTypes()
        replaceArrays()
        joinAlternatives()
    }

    package var text: String {
        var text = ""
        for (place, token) in tokens.enumerated() { text += (place == 0 ? "" : token.space) + token.text }
        return text
    }

    /// Of a column's default: a constant without the type, which is the column's own, and the present time by its name.
    package var asDefault: String {
        func isType(_ place: Int) -> Bool {
            tokens.count > place && isSign(place, "::")
                && tokens[(place + 1)...].allSatisfy { $0.kind != .operator || ["[", "]"].contains($0.text) }
        }
        if tokens.first?.kind == .text, tokens[0].text.hasPrefix("'"), isType(1) { return tokens[0].text }
        if isType(3), tokens[1].kind == .number, isSign(0, "("), isSign(2, ")") { return tokens[1].text }
        return Self.presentTimes[text] ?? withoutParentheses
    }

    /// As `DEFAULT CURRENT_TIMESTAMP` and the like of a file are there.
    private static let presentTimes: [String: String] = {
        func now(_ form: String) -> String { "to_char((statement_timestamp() AT TIME ZONE 'UTC'), '\(form)')" }
        let moment = now("YYYY-MM-DD HH24:MI:SS")
        return [
            "now()": "CURRENT_TIMESTAMP", moment: "CURRENT_TIMESTAMP",
            "((\(moment))::timestamp without time zone AT TIME ZONE 'UTC')": "CURRENT_TIMESTAMP",
            "(\(now("YYYY-MM-DD")))::date": "CURRENT_DATE",
            "(\(now("HH24:MI:SS")))::time without time zone": "CURRENT_TIME",
        ]
    }()

    /// The number in `length(column) <= number`.
    /// - Parameter function: in lower case.
    package func limit(of function: String, of column: String) -> Int? {
        guard tokens.count == 6, tokens[0].text == function, tokens[1].kind == .leftParenthesis,
            isColumn(tokens[2], column), tokens[3].kind == .rightParenthesis, tokens[4].text == "<="
        else { return nil }
        return Int(tokens[5].text)
    }

    private func isColumn(_ token: Token, _ name: String) -> Bool {
        token.kind == .quotedIdentifier ? token.text == quoteIdentifier(name) : token.text == name
    }

    private func word(_ place: Int) -> String? {
        guard tokens.indices.contains(place), tokens[place].kind == .identifier else { return nil }
        return foldIdentifier(tokens[place].text)
    }

    private func isSign(_ place: Int, _ sign: String) -> Bool {
        tokens.indices.contains(place) && tokens[place].text == sign && tokens[place].kind != .text
    }

    /// `'a'::text` is `'a'`, `'-1'::integer` is `-1`, `name::text` is `name`.
    private mutating func dropTypes() {
        var kept: [Token] = []
        var place = 0
        while place < tokens.count {
            guard isSign(place, "::"), let (name, end) = type(behind: place), let last = kept.last else {
                kept.append(tokens[place])
                place += 1
                continue
            }
            if let plain = Self.plain(last, name) {
                kept[kept.count - 1] = plain
            } else if Self.texts.contains(name), let column = Self.bracketed(kept) {
                kept.replaceSubrange(kept.count - 3..<kept.count, with: [column])
            } else {
                kept.append(tokens[place])
                place += 1
                continue
            }
            place = end
        }
        tokens = kept
    }

    /// The name that stands last, alone in parentheses that are no function's.
    private static func bracketed(_ tokens: [Token]) -> Token? {
        guard tokens.count > 2 else { return nil }
        let last = tokens[(tokens.count - 3)...]
        guard last.first?.kind == .leftParenthesis, last.last?.kind == .rightParenthesis,
            var column = last.dropFirst().first,
            column.kind == .identifier || column.kind == .quotedIdentifier
        else { return nil }
        let before = tokens.dropLast(3).last
        if let before, before.kind == .quotedIdentifier || before.kind == .identifier && last.first?.space == "" {
            return nil
        }
        column.space = last.first?.space ?? ""
        return column
    }

    /// The type's name, and what stands behind it.
    private func type(behind place: Int) -> (name: String, end: Int)? {
        guard var name = word(place + 1) else { return nil }
        var end = place + 2
        while let next = word(end), ["varying", "precision", "with", "without", "time", "zone"].contains(next) {
            name += " " + next
            end += 1
        }
        if isSign(end, "(") {
            while end < tokens.count, !isSign(end, ")") { end += 1 }
            end += 1
            while let next = word(end), ["with", "without", "time", "zone"].contains(next) { end += 1 }
        }
        // Of an array.
        return isSign(end, "[") ? nil : (name, end)
    }

    private static let texts: Set = ["text", "character varying", "bpchar", "character"]
    private static let numbers: Set = ["integer", "bigint", "smallint", "numeric", "double precision", "real"]
    private static let others: Set = [
        "boolean", "date", "uuid", "bytea", "json", "jsonb", "time without time zone", "timestamp without time zone",
        "timestamp with time zone",
    ]

    private static func plain(_ token: Token, _ type: String) -> Token? {
        switch token.kind {
        case .text where numbers.contains(type):
            let inner = token.text.dropFirst().dropLast()
            guard inner.utf8.allSatisfy({ $0 >= 0x2B && $0 <= 0x39 && $0 != 0x2C && $0 != 0x2F }) else { return nil }
            return Token(kind: .number, text: String(inner), space: token.space)
        case .text where token.text.hasPrefix("'"): return texts.contains(type) || others.contains(type) ? token : nil
        case .number: return numbers.contains(type) ? token : nil
        case .identifier where foldIdentifier(token.text) == "null": return token
        case .identifier, .quotedIdentifier: return texts.contains(type) ? token : nil
        default: return nil
        }
    }

    /// `= ANY (ARRAY[a, b])` is `IN (a, b)`, and `<> ALL (ARRAY[a, b])` is `NOT IN (a, b)`.
    private mutating func replaceArrays() {
        var kept: [Token] = []
        var place = 0
        while place < tokens.count {
            guard let (words, items, end) = list(at: place) else {
                kept.append(tokens[place])
                place += 1
                continue
            }
            for word in words { kept.append(Token(kind: .identifier, text: word, space: " ")) }
            kept.append(Token(kind: .leftParenthesis, text: "(", space: " "))
            kept += tokens[items]
            kept.append(Token(kind: .rightParenthesis, text: ")", space: ""))
            place = end
        }
        tokens = kept
    }

    /// `a = 1 OR a = 2`, where that is all of it, is `a IN (1, 2)`.
    private mutating func joinAlternatives() {
        let parts = tokens.split { $0.kind == .identifier && foldIdentifier($0.text) == "or" }
        guard parts.count > 1, let name = parts.first?.first else { return }
        var items: [Token] = []
        for part in parts {
            let value = part.dropFirst(2)
            let isConstant = value.last.map { $0.kind == .text || $0.kind == .number } ?? false
            guard part.first?.text == name.text, part.dropFirst().first?.text == "=", isConstant,
                value.count == 1 || value.count == 2 && value.first?.text == "-"
            else { return }
            if !items.isEmpty { items.append(Token(kind: .comma, text: ",", space: "")) }
            for (place, token) in value.enumerated() {
                let space = place > 0 || items.isEmpty ? "" : " "
                items.append(Token(kind: token.kind, text: token.text, space: space))
            }
        }
        tokens =
            [
                name, Token(kind: .identifier, text: "IN", space: " "),
                Token(kind: .leftParenthesis, text: "(", space: " "),
            ] + items + [Token(kind: .rightParenthesis, text: ")", space: "")]
    }

    private func list(at place: Int) -> (words: [String], items: Range<Int>, end: Int)? {
        let words: [String]
        switch (isSign(place, "="), isSign(place, "<>"), word(place + 1)) {
        case (true, _, "any"): words = ["IN"]
        case (_, true, "all"): words = ["NOT", "IN"]
        default: return nil
        }
        guard isSign(place + 2, "(") else { return nil }
        // `(ARRAY[...])::text[]` stands in parentheses of its own.
        let isNested = isSign(place + 3, "(")
        let start = place + (isNested ? 4 : 3)
        guard word(start) == "array", isSign(start + 1, "[") else { return nil }
        var end = start + 2
        while end < tokens.count, !isSign(end, "]") {
            // What is no list of constants stays.
            if isSign(end, "[") || isSign(end, "(") { return nil }
            end += 1
        }
        let items = start + 2..<end
        var close = end + 1
        if isNested {
            guard isSign(close, ")") else { return nil }
            close += 1
        }
        if isSign(close, "::") {
            while close < tokens.count, !isSign(close, ")") { close += 1 }
        }
        guard !items.isEmpty, isSign(close, ")") else { return nil }
        return (words, items, close + 1)
    }
}

/// Whether SQL is a constant, or nothing that is worth brackets.
extension CatalogSQL {
    /// Without parentheses around all of it.
    package var withoutParentheses: String {
        var copy = self
        while copy.isEnclosed { copy.tokens = Array(copy.tokens.dropFirst().dropLast()) }
        return copy.text
    }

    private var isEnclosed: Bool {
        guard tokens.count > 2, tokens[0].kind == .leftParenthesis else { return false }
        var depth = 0
        for (place, token) in tokens.enumerated() {
            if token.kind == .leftParenthesis { depth += 1 }
            if token.kind == .rightParenthesis { depth -= 1 }
            if depth == 0 { return place == tokens.count - 1 }
        }
        return false
    }
}
