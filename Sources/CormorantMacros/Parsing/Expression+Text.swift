extension Expression {
    /// The text of a string literal; nil for one with interpolation and for any other expression.
    var literalText: String? {
        guard case .string = kind else { return nil }
        var bytes = range.source.bytes[range.bytes]
        let pounds = bytes.prefix { $0 == .pound }.count
        bytes = bytes.dropFirst(pounds).dropLast(pounds)
        let isMultiline = bytes.count >= 6 && bytes.starts(with: [.quote, .quote, .quote])
        bytes = isMultiline ? bytes.dropFirst(3).dropLast(3) : bytes.dropFirst().dropLast()
        return unescaped(isMultiline ? withoutIndentation(bytes) : Array(bytes), pounds: pounds)
    }

    /// The lines between the quotes, without what stands before the closing ones.
    private func withoutIndentation(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var lines = normalized(text).split(separator: .newline, omittingEmptySubsequences: false).dropFirst()
        let indentation = lines.popLast()?.count ?? 0
        return Array(lines.map { $0.dropFirst(indentation) }.joined(separator: [.newline]))
    }

    /// With line feeds alone between lines.
    private func normalized(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        for (index, byte) in zip(text.indices, text) {
            if byte == .newline && index > text.startIndex && text[index - 1] == .carriageReturn { continue }
            result.append(byte == .carriageReturn ? .newline : byte)
        }
        return result
    }

    private func unescaped(_ text: [UInt8], pounds: Int) -> String? {
        var result: [UInt8] = []
        var rest = text[...]
        let escape = [UInt8.backslash] + Array(repeating: .pound, count: pounds)
        while let byte = rest.first {
            guard rest.starts(with: escape) else {
                result.append(byte)
                rest.removeFirst()
                continue
            }
            rest = rest.dropFirst(escape.count)
            guard let character = escaped(&rest) else { return nil }
            result += character
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Takes what comes behind a backslash.
    ///
    /// - Returns: what it stands for; nil for interpolation and for what stands for nothing.
    private func escaped(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let byte = rest.popFirst() else { return nil }
        switch byte {
        case UInt8(ascii: "n"): return [.newline]
        case UInt8(ascii: "r"): return [.carriageReturn]
        case UInt8(ascii: "t"): return [.tab]
        case UInt8(ascii: "0"): return [0]
        case .backslash, .quote, UInt8(ascii: "'"): return [byte]
        case UInt8(ascii: "u"):
            let digits = rest.dropFirst().prefix { $0 != .closeBrace }
            rest = rest.dropFirst(digits.count + 2)
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
            return number.flatMap(Unicode.Scalar.init).map { Array(String($0).utf8) }
        // The line goes on in the next.
        case .newline: return []
        case .space, .tab:
            let behind = rest.drop { $0 == .space || $0 == .tab }
            rest = behind.dropFirst()
            return behind.first == .newline ? [] : nil
        default: return nil
        }
    }
}
