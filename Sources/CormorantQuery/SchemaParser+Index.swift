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
        var depth = 0
        for position in range {
            switch tokens[position].kind {
            case .leftParenthesis: depth += 1
            case .rightParenthesis: depth -= 1
            case .comma where depth == 0:
                parts.append(start..<position)
                start = position + 1
            default: break
            }
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
            closing(range.lowerBound, in: range) == range.upperBound - 1
        else { return nil }
        let inner = range.lowerBound + 1..<range.upperBound - 1
        // Of rows of values and of SELECTs they are a part.
        let isSelect = [.select, .values, .with].contains(tokens[inner.lowerBound].keyword)
        return isSelect || split(inner).count > 1 ? nil : inner
    }

    private func closing(_ open: Int, in range: Range<Int>) -> Int? {
        var depth = 0
        for position in open..<range.upperBound {
            if tokens[position].kind == .leftParenthesis { depth += 1 }
            if tokens[position].kind == .rightParenthesis { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }

    /// A term that ends in COLLATE, where that is about all of it and not about its last operand: a name, a literal, a
    /// group in parentheses or a call of a function.
    private func collated(_ range: Range<Int>) throws(CormorantError) -> (expression: Range<Int>, collation: String)? {
        guard range.count > 2, tokens[range.upperBound - 2].keyword == .collate else { return nil }
        let expression = range.dropLast(2)
        let last = tokens[range.upperBound - 1]
        let first = tokens[expression.lowerBound]
        var operand = expression.lowerBound
        if first.kind != .leftParenthesis {
            guard first.keyword?.canBeName != false else { return nil }
            operand += 1
        }
        // What follows a call or a group may only be other COLLATEs.
        var end = operand
        if operand < expression.upperBound, tokens[operand].kind == .leftParenthesis {
            guard let close = closing(operand, in: expression) else { return nil }
            end = close + 1
        }
        while end + 1 < expression.upperBound, tokens[end].keyword == .collate { end += 2 }
        guard end == expression.upperBound else { return nil }
        switch last.kind {
        case .identifier, .quotedIdentifier, .text: break
        case .keyword where last.keyword?.canBeWord == true: break
        default: throw unexpected("a collation", at: range.upperBound - 1..<range.upperBound)
        }
        return (expression, unquoted(last))
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
