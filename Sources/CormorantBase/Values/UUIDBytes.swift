/// A UUID as its 16 bytes, most significant first; the file holds its 36 lower-case characters.
public struct UUIDBytes: Sendable, Hashable {
    /// The upper and the lower eight bytes, most significant first.
    public var high: UInt64
    /// The lower eight bytes.
    public var low: UInt64

    /// A UUID of its upper and its lower eight bytes, most significant first.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// How many bytes the text form has.
    package static let textSize = 36

    /// Writes the text form.
    package func write(to bytes: UnsafeMutablePointer<UInt8>) {
        var position = 0
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                bytes[position] = 0x2D
                position &+= 1
            }
            let half = index < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 &- 4 &* (index & 15))) & 15
            bytes[position] = nibble < 10 ? 0x30 &+ nibble : 0x57 &+ nibble
            position &+= 1
        }
    }

    /// Reads 32 hexadecimal digits in either case, with or without the four dashes; nil for any other text.
    /// - Parameter capitals: whether these may be digits.
    package init?(parsing text: UnsafeBufferPointer<UInt8>, capitals: Bool = true) {
        guard text.count == 36 || text.count == 32 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var count = 0
        for (index, byte) in text.enumerated() {
            if text.count == 36 && (index == 8 || index == 13 || index == 18 || index == 23) {
                guard byte == 0x2D else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte &- 0x30
            case 0x61...0x66: digit = byte &- 0x57
            case 0x41...0x46 where capitals: digit = byte &- 0x37
            default: return nil
            }
            if count < 16 { halves.0 = halves.0 << 4 | UInt64(digit) } else { halves.1 = halves.1 << 4 | UInt64(digit) }
            count &+= 1
        }
        (high, low) = halves
    }
}

extension UUIDBytes {
    /// Reads the text form that `write` makes and no other, so that equal UUIDs are equal texts: in comparisons, in indexes, in
    /// UNIQUE and in keys. nil for any other text.
    package init?(stored text: UnsafeBufferPointer<UInt8>) {
        guard text.count == UUIDBytes.textSize else { return nil }
        self.init(parsing: text, capitals: false)
    }

    /// What is told of a value in a UUID column that has not the form of one, behind the column's name.
    package static let otherForm = "holds no UUID in the form of its column, which is 36 lower-case characters"

    /// What to do about it in a column of a table.
    package static func hint(_ table: String, _ column: String) -> String {
        let (table, column) = (quoteIdentifier(table), quoteIdentifier(column))
        return
            "bring the column to that form, as with UPDATE \(table) SET \(column) = lower(\(column)), or make the property a text"
    }
}

extension UUIDBytes: CustomStringConvertible {
    public var description: String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUIDBytes.textSize) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            write(to: base)
            return String(decoding: buffer, as: UTF8.self)
        }
    }
}

/// Whether the text is a decimal number: sign, digits, point, exponent; at least one digit.
package func isDecimalText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 0
    func isDigit(_ at: Int) -> Bool { at < text.count && text[at] &- 0x30 <= 9 }
    func skipDigits() -> Int {
        let start = index
        while isDigit(index) { index += 1 }
        return index - start
    }
    if index < text.count, text[index] == 0x2B || text[index] == 0x2D { index += 1 }
    var count = skipDigits()
    if index < text.count, text[index] == 0x2E {
        index += 1
        count += skipDigits()
    }
    guard count > 0 else { return false }
    if index < text.count, text[index] | 0x20 == 0x65 {
        index += 1
        if index < text.count, text[index] == 0x2B || text[index] == 0x2D { index += 1 }
        guard skipDigits() > 0 else { return false }
    }
    return index == text.count
}
