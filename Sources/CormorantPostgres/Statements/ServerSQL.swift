import CormorantBase
import CormorantEngine

/// One statement as the server gets it: SQLite's parameters are `$1`, `$2`, ..., and `??` is `?`.
struct ServerSQL {
    let source: String
    let text: String
    let words: StatementWords
    /// By SQLite's numbering: the greatest number.
    let parameterCount: Int
    /// With their sigils, by number; those of numbers alone have none.
    let names: [Int: String]
    /// Which number each `$n` has, n counted from 1: a number that is not used has no `$n`, for which the server would find
    /// no type.
    let numbers: [Int]
    /// Behind each token that was written in another way: the offset in the text, and in the source.
    private let replacements: [(text: Int, source: Int)]

    /// Reads exactly one statement.
    init(_ source: String) throws {
        guard !source.utf8.contains(0) else { throw StatementFault.nul(source) }
        var copy = source
        self = try copy.withUTF8 { try ServerSQL(source, $0) }
    }

    private init(_ source: String, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        var lexer = SQLLexer(bytes)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + 16)
        var copied = 0
        var replacements: [(text: Int, source: Int)] = []
        var parameters = ParameterNumbers()
        func replace(_ range: Range<Int>, by replacement: [UInt8]) {
            text += bytes[copied..<range.lowerBound]
            text += replacement
            copied = range.upperBound
            replacements.append((text.count, copied))
        }
        var list = EmptyList()
        let words = try scanStatement(&lexer) { token in
            if token.kind == .parameter {
                replace(token.range, by: Array("$\(try parameters.add(bytes[token.range], source))".utf8))
            } else if token.kind == .operator, bytes[token.range].contains(UInt8(ascii: "?")) {
                replace(token.range, by: withoutEscapes(bytes[token.range]))
            }
            if let (range, isNot) = list.end(at: token, bytes[token.range]) {
                replace(range, by: Array((isNot ? "<> ALL ('{}')" : "= ANY ('{}')").utf8))
            }
        }
        guard !words.isEmpty else { throw StatementFault.none(source) }
        let end = lexer.position
        let hasMore = !scanStatement(&lexer) { _ in }.isEmpty
        guard !hasMore else { throw StatementFault.several(source) }
        text += bytes[copied..<end]
        self.source = source
        self.text = String(decoding: text, as: UTF8.self)
        self.words = words
        self.replacements = replacements
        parameterCount = parameters.greatest
        names = parameters.names
        numbers = parameters.numbers
    }

    /// Where in the source something stands that the server names by its place in the text: in characters, counted from 1.
    func offset(ofCharacter character: Int) -> Int {
        let offset = byteOffset(ofCharacter: character, in: text)
        guard let last = replacements.last(where: { $0.text <= offset }) else {
            // A token that was replaced begins where it did.
            return min(offset, source.utf8.count)
        }
        return min(last.source + offset - last.text, source.utf8.count)
    }
}

/// Finds `IN ()`, which SQLite has: https://www.sqlite.org/lang_expr.html#in_op
private struct EmptyList {
    private var not: Int?
    private var start: Int?
    private var isNot = false
    private var isOpen = false

    /// - Returns: what the token ends, with a NOT before it.
    mutating func end(
        at token: SQLLexer.Token, _ text: Slice<UnsafeBufferPointer<UInt8>>
    ) -> (range: Range<Int>, isNot: Bool)? {
        func isWord(_ word: StaticString) -> Bool {
            text.count == word.utf8CodeUnitCount && zip(text, 0...).allSatisfy { $0 | 0x20 == word.utf8Start[$1] }
        }
        if let start, isOpen, token.kind == .rightParenthesis {
            defer { self = EmptyList() }
            return (start..<token.range.upperBound, isNot)
        }
        isOpen = start != nil && !isOpen && token.kind == .leftParenthesis
        if isOpen { return nil }
        let before = not
        (not, start) = (nil, nil)
        guard token.kind == .identifier else { return nil }
        if isWord("not") {
            not = token.range.lowerBound
        } else if isWord("in") {
            (start, isNot) = (before ?? token.range.lowerBound, before != nil)
        }
        return nil
    }
}

/// The byte at which a character begins; counted from 1, as the server does.
func byteOffset(ofCharacter character: Int, in text: String) -> Int {
    var (offset, left) = (0, character - 1)
    for byte in text.utf8 {
        if byte & 0xC0 != 0x80 {
            if left == 0 { break }
            left -= 1
        }
        offset += 1
    }
    return offset
}

/// Goes beyond the next statement, and what ends it; each of its tokens is given to `body`. Semicolons and comments before it
/// are no statement.
func scanStatement(
    _ lexer: inout SQLLexer, _ body: (SQLLexer.Token) throws -> Void
) rethrows -> StatementWords {
    var words = StatementWords()
    while let token = lexer.scanPostgreSQL() {
        switch token.kind {
        case .space, .comment, .openComment: continue
        case .semicolon where words.isEmpty: continue
        case .semicolon where !words.isWithin:
            words.conclude()
            return words
        default:
            words.add(token, lexer)
            try body(token)
        }
    }
    words.conclude()
    return words
}

/// A name as SQL has it, without its quotes.
func unquoted(_ name: String) -> String {
    var name = name
    return name.withUTF8 { bytes in
        var lexer = SQLLexer(bytes)
        return lexer.scanPostgreSQL().map { lexer.unquoted($0) } ?? ""
    }
}

/// `??` is `?`.
func withoutEscapes(_ token: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8] {
    var result: [UInt8] = []
    var isSecond = false
    for byte in token {
        let isMark = byte == UInt8(ascii: "?")
        if !isMark || !isSecond { result.append(byte) }
        isSecond = isMark && !isSecond
    }
    return result
}

/// SQLite's numbers of parameters: https://www.sqlite.org/lang_expr.html#varparam. `$1` is `?1`, as it is to the server.
private struct ParameterNumbers {
    var greatest = 0
    var names: [Int: String] = [:]
    var numbers: [Int] = []
    private var byName: [ExactText: Int] = [:]
    private var byNumber: [Int: Int] = [:]

    /// What stands behind the server's `$`.
    mutating func add(_ token: Slice<UnsafeBufferPointer<UInt8>>, _ source: String) throws -> Int {
        let number = try number(token, source)
        guard number <= 65_535 else {
            throw CormorantError(
                .tooBig, "the SQL has more than 65535 parameters", hint: "write it in several statements", sql: source)
        }
        greatest = max(greatest, number)
        if let known = byNumber[number] { return known }
        numbers.append(number)
        byNumber[number] = numbers.count
        return numbers.count
    }

    private mutating func number(_ token: Slice<UnsafeBufferPointer<UInt8>>, _ source: String) throws -> Int {
        guard token.count > 1 else { return greatest + 1 }
        let text = String(decoding: token, as: UTF8.self)
        if token.dropFirst().allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            guard let number = Int(text.dropFirst()), number > 0 else {
                throw CormorantError(
                    .sql, "the number of the parameter \(text) is not one of 1 to 65535", sql: source,
                    offset: token.startIndex)
            }
            return number
        }
        if let known = byName[ExactText(text)] { return known }
        byName[ExactText(text)] = greatest + 1
        names[greatest + 1] = text
        return greatest + 1
    }
}
