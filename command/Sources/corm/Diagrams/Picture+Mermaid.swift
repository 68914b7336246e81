import CormorantBase
import CormorantQuery

extension Picture {
    /// Source: https://mermaid.js.org/syntax/entityRelationshipDiagram.html, and the grammar of its parser for what a name
    /// may hold: a table's may be quoted, and a column's must be a word.
    var mermaid: String {
        let names = distinct(tables.map { quotable($0.name) })
        var text = "erDiagram\n"
        for (place, table) in tables.enumerated() {
            text += "    \"\(names[place])\""
            guard !table.columns.isEmpty else {
                text += "\n"
                continue
            }
            text += " {\n"
            for column in table.columns { text += "        \(line(column))\n" }
            text += "    }\n"
        }
        for edge in edges {
            let parent = edge.isOptional ? "|o" : "||"
            let child = edge.isUnique ? "o|" : "o{"
            text +=
                "    \"\(names[edge.parent])\" \(parent)--\(child) \"\(names[edge.child])\" : \"\(quotable(edge.label))\"\n"
        }
        return text
    }

    private func line(_ column: ColumnMetadata) -> String {
        var keys: [String] = []
        if column.keyPosition > 0 { keys.append("PK") }
        if column.isForeignKey { keys.append("FK") }
        if column.isUnique, column.keyPosition == 0 { keys.append("UK") }
        let name = word(column.name)
        // What the word does not tell stands beside it.
        let comment = name == column.name ? "" : " \"\(quotable(column.name))\""
        let type = column.declaredType.isEmpty ? "any" : word(column.declaredType)
        return "\(type) \(name)\(keys.isEmpty ? "" : " " + keys.joined(separator: ", "))\(comment)"
    }
}

/// Text that may stand between double quotes.
private func quotable(_ text: String) -> String {
    let text = String(
        visible(text).map { character in
            switch character {
            case "\"": "'"
            case "%", "\\": "_"
            default: character
            }
        })
    return text.isEmpty ? "_" : text
}

private func word(_ text: String) -> String {
    var word = String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_", "(", ")": scalar
                case "\u{C0}"... where scalar.isVisible: scalar
                default: "_"
                }
            }))
    let first = word.unicodeScalars.first
    if first.map({ $0 == "(" || $0 == ")" || ("0"..."9").contains($0) }) ?? true { word = "_" + word }
    // The names of its keys, in any case, which end at what is no ASCII letter, digit or underscore.
    if ["pk", "fk", "uk"].contains(word.prefix(2).lowercased()) {
        let next = word.dropFirst(2).first
        if !(next.map { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) } ?? false) { word = "_" + word }
    }
    return word
}

/// The names, each with a number behind it that another already has.
private func distinct(_ names: [String]) -> [String] {
    var seen = Set<[UInt8]>()
    return names.map { name in
        var candidate = name
        var number = 2
        while !seen.insert(Array(candidate.utf8)).inserted {
            candidate = "\(name) (\(number))"
            number += 1
        }
        return candidate
    }
}
