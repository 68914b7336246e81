/// A word of Swift.
struct Token {
    enum Kind {
        /// A name, in backticks or not, and every keyword.
        case word
        case integer
        case float
        /// With all that is interpolated into it.
        case string
        case regex
        /// `#if`, `#available`, `#stringify`.
        case pound
        case prefixOperator
        case infixOperator
        case postfixOperator
        /// Brackets and separators, `.`, `=`, `->`, `@`, `\`, `::`.
        case punctuation
        /// Behind the last.
        case end
        /// What is no word of Swift, such as text without its closing quote.
        case unknown
    }

    let kind: Kind
    /// Empty for literals.
    let text: String
    /// In bytes of the source.
    let range: Range<Int>
    /// Whether a line ends between it and the one before it.
    let startsLine: Bool

    var isLiteral: Bool {
        switch kind {
        case .integer, .float, .string, .regex: true
        case .word: ["nil", "true", "false"].contains(text)
        default: false
        }
    }

    /// Whether it is this word, operator or punctuation.
    func `is`(_ text: String) -> Bool { self.text == text && kind != .end && kind != .unknown }
}

extension Token {
    /// Whether it is a word that names nothing unless it stands in backticks.
    var isReserved: Bool { reserved.contains(text) }
}

/// Source: The Swift Programming Language, Lexical Structure, Keywords and Punctuation.
private let reserved: Set = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
    "internal", "let", "operator", "precedencegroup", "private", "protocol", "public", "rethrows", "static", "struct",
    "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do", "else",
    "fallthrough", "for", "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while", "Any", "as",
    "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "_",
]
