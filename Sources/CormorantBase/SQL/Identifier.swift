/// The only place where a name becomes part of SQL text: in double quotes, with quotes inside doubled.
/// Source: https://www.sqlite.org/lang_keywords.html
package func quoteIdentifier(_ name: String) -> String { enclosed(name, in: "\"") }

/// A text as SQL has it: in single quotes, with quotes inside doubled.
package func textLiteral(_ text: String) -> String { enclosed(text, in: "'") }

/// By Unicode scalars: a quote with a combining mark behind it is another character, but the same byte to SQL.
private func enclosed(_ text: String, in quote: Unicode.Scalar) -> String {
    let mark = String(Character(quote))
    guard text.unicodeScalars.contains(quote) else { return mark + text + mark }
    var quoted = mark
    for scalar in text.unicodeScalars {
        if scalar == quote { quoted.unicodeScalars.append(quote) }
        quoted.unicodeScalars.append(scalar)
    }
    quoted.unicodeScalars.append(quote)
    return quoted
}

package func quotedNames(_ names: some Sequence<String>) -> String {
    names.map(quoteIdentifier).joined(separator: ", ")
}

/// The column or table name of a property or type: camelCase becomes snake_case, and a run of capitals stays one word
/// ("createdAt" -> "created_at", "homeURL" -> "home_url", "URLTable" -> "url_table").
package func snakeCase(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 && foldASCII($0) == $0 }) { return name }
    let scalars = Array(name.unicodeScalars)
    var result = ""
    for (index, scalar) in scalars.enumerated() {
        if scalar.properties.isUppercase {
            let previous = index > 0 ? scalars[index - 1] : nil
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            let afterWord = previous.map { $0 != "_" && !$0.properties.isUppercase } ?? false
            let endsCapitals =
                (previous?.properties.isUppercase ?? false) && (next?.properties.isLowercase ?? false)
            if afterWord || endsCapitals { result += "_" }
            result += scalar.properties.lowercaseMapping
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Whether two identifiers name the same thing to SQLite, which ignores the case of ASCII letters only.
package func sameIdentifier(_ left: String, _ right: String) -> Bool {
    let (left, right) = (left.utf8, right.utf8)
    return left.count == right.count && zip(left, right).allSatisfy { foldASCII($0) == foldASCII($1) }
}

/// The identifier with ASCII letters in lower case.
package func foldIdentifier(_ name: String) -> String {
    name.utf8.allSatisfy { foldASCII($0) == $0 } ? name : String(decoding: name.utf8.map(foldASCII), as: UTF8.self)
}

/// An ASCII letter in lower case; any other byte as it is.
package func foldASCII(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
}

/// What the names of the tables end with, behind a `_`, in which virtual tables of a module keep their rows; nil: the module is
/// not known.
package func shadowParts(of module: String) -> [String]? {
    switch foldIdentifier(module) {
    case "fts5": ["data", "idx", "content", "docsize", "config"]
    case "fts3", "fts4": ["content", "segments", "segdir", "docsize", "stat"]
    case "rtree", "rtree_i32", "geopoly": ["node", "parent", "rowid"]
    default: nil
    }
}
