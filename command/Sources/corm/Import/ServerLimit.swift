import CormorantBase

/// What a server's type would round or cut without a word: https://www.postgresql.org/docs/current/datatype.html
enum ServerLimit {
    case decimals(Int)
    case characters(Int)
    /// Digits of a second.
    case fraction(Int)
    case real

    /// - Parameter declared: as `format_type` gives it: `numeric(4,1)`, `timestamp(0) without time zone`.
    init?(_ declared: String) {
        if declared == "real" {
            self = .real
            return
        }
        guard let open = declared.firstIndex(of: "("), let close = declared[open...].firstIndex(of: ")") else {
            return nil
        }
        let numbers = declared[declared.index(after: open)..<close].split(separator: ",").compactMap { Int($0) }
        guard let first = numbers.first, !declared.hasSuffix("]") else { return nil }
        switch declared[..<open] {
        case "numeric": self = .decimals(numbers.count > 1 ? numbers[1] : 0)
        case "character varying", "character": self = .characters(first)
        case "timestamp", "time": self = .fraction(first)
        default: return nil
        }
    }

    /// - Parameters:
    ///   - text: without spaces around it.
    ///   - whole: with them.
    func holds(_ text: UnsafeBufferPointer<UInt8>, whole: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .decimals(let greatest): return decimals(of: String(decoding: text, as: UTF8.self)) <= greatest
        case .characters(let greatest): return whole.count { $0 & 0xC0 != 0x80 } <= greatest
        case .fraction(let greatest):
            guard let point = text.lastIndex(of: UInt8(ascii: ".")) else { return true }
            let digits = text[(point + 1)...].prefix { 0x30...0x39 ~= $0 }
            return (digits.lastIndex { $0 != 0x30 } ?? point) - point <= greatest
        case .real:
            guard let value = Double(String(decoding: text, as: UTF8.self)) else { return true }
            // As the server shows it.
            return value.isNaN || Double("\(Float(value))") == value
        }
    }

    /// How many digits other than trailing zeros a number has behind the point; fewer than none in front of it.
    private func decimals(of number: String) -> Int {
        let parts = number.lowercased().split(separator: "e", maxSplits: 1)
        guard let mantissa = parts.first else { return 0 }
        // Of more no server has a number.
        let exponent = min(max(parts.count > 1 ? Int(parts[1]) ?? 0 : 0, -1_000_000), 1_000_000)
        let sides = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = sides.count > 1 ? sides[1] : ""
        if let last = fraction.lastIndex(where: { $0 != "0" }) {
            return fraction.distance(from: fraction.startIndex, to: last) + 1 - exponent
        }
        let zeros = sides[0].reversed().prefix { $0 == "0" }.count
        return zeros == sides[0].count { $0.isNumber } ? .min : -zeros - exponent
    }
}
