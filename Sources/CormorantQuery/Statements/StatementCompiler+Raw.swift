import CormorantBase

extension StatementCompiler {
    /// A fragment of raw SQL must be whole in itself, so that it cannot swallow what follows it, and its parameters must be
    /// plain `?`, because those of the statement around it are counted in order.
    func checkRaw(_ text: String, _ valueCount: Int) throws {
        var scanner = RawScanner(text)
        let found = try scanner.scan()
        guard found == valueCount else {
            throw CormorantError(
                .binding, "the raw SQL has \(counted(found, "parameter")), \(countedWere(valueCount, "value")) given",
                hint: "give one value for each ?", sql: text)
        }
    }
}

/// Finds the parameters in a fragment of SQL: https://www.sqlite.org/lang_expr.html#varparam
private struct RawScanner {
    private let text: String
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private var parameters = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    mutating func scan() throws -> Int {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): try skip(past: byte, "quote")
            case UInt8(ascii: "["): try skip(past: UInt8(ascii: "]"), "bracket")
            case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
                throw refused("has a -- comment", "write /* */ instead")
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"): try skipComment()
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth < 0 { throw refused("closes a parenthesis that it did not open", "balance them") }
            case UInt8(ascii: ";"): throw refused("has a semicolon", "give one expression")
            case 0: throw refused("has a NUL", "bind values with ?")
            case UInt8(ascii: "?"):
                if let next, (0x30...0x39).contains(next) { throw refused("numbers its parameters", "write plain ?") }
                parameters += 1
            case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"):
                throw refused("names its parameters", "write ? and give the values in order")
            // The rest of a word, which may have a $ in it.
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), 0x80...0xFF:
                while let next, isWord(next) { position += 1 }
            default: break
            }
        }
        if depth > 0 { throw refused("leaves a parenthesis open", "balance them") }
        return parameters
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF: true
        default: false
        }
    }

    private mutating func skip(past end: UInt8, _ what: String) throws {
        while let byte = next {
            position += 1
            if byte == end { return }
        }
        throw refused("leaves a \(what) open", "close it")
    }

    private mutating func skipComment() throws {
        position += 1
        while let byte = next {
            position += 1
            if byte == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
                position += 1
                return
            }
        }
        throw refused("leaves a comment open", "close it")
    }

    private func refused(_ what: String, _ hint: String) -> CormorantError {
        CormorantError(.sql, "the raw SQL \(what)", hint: hint, sql: text, offset: max(0, position - 1))
    }
}
