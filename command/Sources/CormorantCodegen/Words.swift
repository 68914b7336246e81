import CormorantBase
import Foundation

/// A name of a file taken apart, so that each language can write it in its own way.
struct Words {
    /// In lower case: letters of any script, and digits.
    var parts: [String]
    /// Whether characters other than letters, digits and underscores went.
    var lostCharacters: Bool

    /// Longer names are cut: 255 bytes are the most that a file's name can have.
    private static let longest = 60

    init(_ name: String) {
        parts = []
        lostCharacters = false
        var word = ""
        // In the form in which Python compares identifiers; ligatures and full-width letters become plain ones.
        let scalars = Array(name.precomposedStringWithCompatibilityMapping.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            guard scalar.isPartOfIdentifier else {
                if scalar != "_" { lostCharacters = true }
                if !word.isEmpty { parts.append(word) }
                word = ""
                continue
            }
            if scalar.properties.isUppercase, !word.isEmpty {
                let previous = scalars[index - 1].properties
                let next = index + 1 < scalars.count ? scalars[index + 1].properties : nil
                if !previous.isUppercase || next?.isLowercase == true {
                    parts.append(word)
                    word = ""
                }
            }
            for lower in scalar.properties.lowercaseMapping.unicodeScalars where lower.isPartOfIdentifier {
                word.unicodeScalars.append(lower)
            }
        }
        if !word.isEmpty { parts.append(word) }
        cut()
    }

    init(parts: [String]) {
        self.parts = parts
        lostCharacters = false
    }

    private mutating func cut() {
        var length = 0
        for (index, part) in parts.enumerated() {
            length += part.unicodeScalars.count
            guard length > Self.longest else { continue }
            let kept = part.unicodeScalars.prefix(part.unicodeScalars.count - (length - Self.longest))
            parts = parts[..<index] + (kept.isEmpty ? [] : [String(kept)])
            lostCharacters = true
            return
        }
    }

    var isEmpty: Bool { parts.isEmpty }

    /// Whether no language takes it as it is.
    var startsWithDigit: Bool { parts.first?.utf8.first.map { $0 >= 0x30 && $0 <= 0x39 } ?? false }

    static func + (left: Words, right: Words) -> Words { Words(parts: left.parts + right.parts) }

    var snake: String { parts.joined(separator: "_") }

    /// `artistID`
    var lowerCamel: String { (parts.first ?? "") + parts.dropFirst().map(\.capitalizedWord).joined() }

    /// `ArtistID`
    var upperCamel: String { parts.map(\.capitalizedWord).joined() }
}

/// Words that Swift's habit has in capitals.
private let acronyms: Set = [
    "api", "css", "csv", "db", "dns", "gps", "html", "http", "https", "id", "ip", "isbn", "json", "pdf", "sql", "ui",
    "uri",
    "url", "utc", "uuid", "xml",
]

extension String {
    fileprivate var capitalizedWord: String {
        if acronyms.contains(self) { return uppercased() }
        guard let first = unicodeScalars.first else { return "" }
        // Not titlecase: of some letters it has no identifier's form.
        let capital = first.properties.uppercaseMapping
        return (capital.unicodeScalars.allSatisfy(\.isPartOfIdentifier) ? capital : String(first))
            + String(unicodeScalars.dropFirst())
    }
}

extension Unicode.Scalar {
    /// A letter of any script, or one of the ten digits: what Swift, C and Python all take.
    fileprivate var isPartOfIdentifier: Bool {
        if isASCII { return properties.isAlphabetic || properties.numericType == .decimal }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter:
            return properties.isXIDStart && properties.isXIDContinue && value <= 0xFFFF
        default: return false
        }
    }
}

// MARK: - One and many

/// Words that end as if they were several, and are not.
private let singulars: Set = [
    "address", "alias", "analysis", "atlas", "axis", "basis", "bias", "bus", "campus", "canvas", "census", "chess",
    "class", "corps", "gas", "lens", "means", "news", "pass", "process", "progress", "series", "species", "status",
    "virus",
]
private let irregular = [
    "people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "feet": "foot",
    "teeth": "tooth", "indices": "index", "matrices": "matrix", "vertices": "vertex", "analyses": "analysis",
    "statuses": "status", "aliases": "alias", "addresses": "address", "buses": "bus", "lenses": "lens",
    "movies": "movie",
    "cookies": "cookie", "leaves": "leaf", "shelves": "shelf", "wives": "wife", "lives": "life", "data": "data",
    "caches": "cache", "databases": "database", "houses": "house", "causes": "cause", "cases": "case",
    "phases": "phase",
    "purchases": "purchase", "releases": "release", "courses": "course", "expenses": "expense", "licenses": "license",
    "responses": "response", "uses": "use", "sizes": "size", "prizes": "prize",
]
private let irregularPlurals = Dictionary(irregular.map { ($1, $0) }) { first, _ in first }

extension Words {
    /// `albums` as `album`.
    var singular: Words { replacingLast(one) }

    /// `album` as `albums`; what is several already stays.
    var plural: Words { replacingLast { one($0) == $0 ? many($0) : $0 } }

    private func replacingLast(_ change: (String) -> String) -> Words {
        var words = self
        if let last = parts.last { words.parts[parts.count - 1] = change(last) }
        return words
    }
}

private func one(_ word: String) -> String {
    if let known = irregular[word] { return known }
    if singulars.contains(word) || word.count < 4 || !word.hasSuffix("s") { return word }
    for ending in ["ss", "us", "is"] where word.hasSuffix(ending) { return word }
    if word.hasSuffix("ies") { return word.count > 4 ? word.dropLast(3) + "y" : String(word.dropLast()) }
    for ending in ["sses", "shes", "ches", "xes", "zzes"] where word.hasSuffix(ending) {
        return String(word.dropLast(2))
    }
    return String(word.dropLast())
}

private func many(_ word: String) -> String {
    if let known = irregularPlurals[word] { return known }
    guard let last = word.last else { return word }
    for ending in ["s", "sh", "ch", "x", "z"] where word.hasSuffix(ending) { return word + "es" }
    if last == "y", let before = word.dropLast().last, !"aeiou".contains(before) { return word.dropLast() + "ies" }
    return word + "s"
}
