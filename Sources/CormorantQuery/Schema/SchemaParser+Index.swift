import CormorantBase

extension SchemaParser {
    mutating func indexDefinition() throws(CormorantError) -> IndexDefinition {
        page = "lang_createindex.html"
        let isUnique = accept(.unique)
        try expect(.index, "INDEX")
        let name = try objectName()
        try expect(.on, "ON")
        let table = try self.name("a table")
        let terms = try terms(try group())
        var condition: SQLFragment?
        if accept(.where) { condition = fragment(try rest("a condition")) }
        return IndexDefinition(
            name: name, table: table, terms: terms, isUnique: isUnique, condition: condition, sql: sql)
    }

    /// The terms of an index, a PRIMARY KEY or a UNIQUE, between commas that stand in no parentheses.
    mutating func terms(_ range: Range<Int>) throws(CormorantError) -> [IndexTerm] {
        var terms: [IndexTerm] = []
        for part in split(range) { terms.append(try term(part)) }
        return terms
    }

    /// The parts of a list that has commas between them.
    func split(_ range: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        var position = start
        while position < range.upperBound {
            if tokens[position].kind == .comma {
                parts.append(start..<position)
                start = position + 1
            }
            position = (closings[position] ?? position) + 1
        }
        parts.append(start..<range.upperBound)
        return parts
    }

    private func term(_ range: Range<Int>) throws(CormorantError) -> IndexTerm {
        var range = range
        var descending = false
        if let direction = try direction(range) {
            descending = direction == .desc
            range = range.dropLast()
        }
        var collation: String?
        while true {
            if let inner = insideParentheses(range) {
                range = inner
            } else if let collated = try collated(range) {
                // The one that stands last is the one that counts.
                if collation == nil { collation = collated.collation }
                range = collated.expression
            } else {
                break
            }
        }
        guard !range.isEmpty else { throw unexpected("a column or an expression", at: range) }
        let column = column(range)
        return IndexTerm(
            expression: column.map { SQLFragment(text: text(range), canonical: canonicalIdentifier($0)) }
                ?? fragment(range), column: column, collation: collation, descending: descending)
    }

    /// The ASC or DESC at the end of a term, unless that is the name of a column there.
    private func direction(_ range: Range<Int>) throws(CormorantError) -> SQLKeyword? {
        guard range.count > 1, let last = tokens[range].last?.keyword else { return nil }
        let before = tokens[range.upperBound - 2]
        if last == .first || last == .last, before.keyword == .nulls {
            throw unexpected("a term without NULLS FIRST and NULLS LAST, which SQLite has no index for,", at: range)
        }
        guard last == .asc || last == .desc else { return nil }
        switch before.kind {
        case .operator, .dot: return nil
        case .keyword:
            switch before.keyword {
            case .null, .isnull, .notnull: return last
            case .like where range.count > 2, .glob where range.count > 2, .regexp where range.count > 2,
                .match where range.count > 2:
                throw unexpected("a term in parentheses, to tell its operator from its direction,", at: range)
            default: return before.keyword?.canBeName == true ? last : nil
            }
        default: return last
        }
    }

    /// What is in the parentheses, where they are around all of it.
    func insideParentheses(_ range: Range<Int>) -> Range<Int>? {
        guard range.count > 2, tokens[range.lowerBound].kind == .leftParenthesis,
            closings[range.lowerBound] == range.upperBound - 1
        else { return nil }
        let inner = range.lowerBound + 1..<range.upperBound - 1
        // Of rows of values and of SELECTs they are a part.
        let isSelect = [.select, .values, .with].contains(tokens[inner.lowerBound].keyword)
        return isSelect || split(inner).count > 1 ? nil : inner
    }

    /// A term that ends in COLLATE, where that is about all of it and not about its last operand: a name, a literal, a
    /// group in parentheses or a call of a function. Of several the last one counts.
    private func collated(_ range: Range<Int>) throws(CormorantError) -> (expression: Range<Int>, collation: String)? {
        guard range.count > 2, tokens[range.upperBound - 2].keyword == .collate else { return nil }
        let first = tokens[range.lowerBound]
        var operand = range.lowerBound
        if first.kind != .leftParenthesis {
            guard first.keyword?.canBeName != false else { return nil }
            operand += 1
        }
        // What follows a call or a group may only be COLLATEs.
        if tokens[operand].kind == .leftParenthesis {
            guard let close = closings[operand], close < range.upperBound else { return nil }
            operand = close + 1
        }
        var end = operand
        while end + 1 < range.upperBound, tokens[end].keyword == .collate { end += 2 }
        guard operand < end, end == range.upperBound else { return nil }
        for name in stride(from: operand + 1, to: end, by: 2) {
            switch tokens[name].kind {
            case .identifier, .quotedIdentifier, .text: break
            case .keyword where tokens[name].keyword?.canBeWord == true: break
            default: throw unexpected("a collation", at: name..<name + 1)
            }
        }
        return (range.lowerBound..<operand, unquoted(tokens[end - 1]))
    }

    /// The column that a single token names.
    private func column(_ range: Range<Int>) -> String? {
        guard range.count == 1, let token = tokens[range].first else { return nil }
        switch token.kind {
        case .identifier, .quotedIdentifier, .text: return unquoted(token)
        case .keyword:
            let isTime = [.currentDate, .currentTime, .currentTimestamp].contains(token.keyword)
            return token.keyword?.canBeName == true && !isTime ? unquoted(token) : nil
        default: return nil
        }
    }

    private func unexpected(_ what: String, at range: Range<Int>) -> CormorantError {
        var place = self
        place.index = range.lowerBound
        return place.unexpected(what)
    }
}
