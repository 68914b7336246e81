import CormorantBase

extension SchemaParser {
    /// The text from one token to another, both included.
    func text(_ range: Range<Int>) -> String {
        guard let first = range.first, let last = range.last else { return "" }
        return String(
            decoding: source.bytes[tokens[first].range.lowerBound..<tokens[last].range.upperBound], as: UTF8.self)
    }

    func text(_ token: SQLToken) -> String { String(decoding: source.bytes[token.range], as: UTF8.self) }

    func fragment(_ range: Range<Int>) -> SQLFragment {
        var canonical = ""
        for token in tokens[range] {
            if !canonical.isEmpty { canonical += " " }
            switch token.kind {
            case .identifier, .keyword: canonical += foldIdentifier(text(token))
            case .quotedIdentifier: canonical += canonicalIdentifier(unquoted(token))
            default: canonical += text(token)
            }
        }
        return SQLFragment(text: text(range), canonical: canonical)
    }

    func unquoted(_ token: SQLToken) -> String { source.unquoted(token) }
}

extension SQLFragment {
    /// A name by itself.
    package init(name: String) {
        self.init(text: quoteIdentifier(name), canonical: canonicalIdentifier(name))
    }

    /// A literal.
    init(token: String) { self.init(text: token, canonical: token) }
}

/// A name as it stands in canonical SQL: in lower case, and in quotes where it would be read as something else.
func canonicalIdentifier(_ name: String) -> String {
    let folded = foldIdentifier(name)
    let bytes = Array(folded.utf8)
    let isWord = bytes.first.map(isSQLNameStart) ?? false
    if isWord, bytes.allSatisfy(isSQLNamePart), SQLKeyword.find(bytes[...]) == nil, folded != "true", folded != "false"
    {
        return folded
    }
    return quoteIdentifier(folded)
}

/// A text as SQL has it.
package func quoteText(_ text: String) -> String {
    var quoted = "'"
    for character in text.unicodeScalars {
        if character == "'" { quoted.unicodeScalars.append("'") }
        quoted.unicodeScalars.append(character)
    }
    return quoted + "'"
}
