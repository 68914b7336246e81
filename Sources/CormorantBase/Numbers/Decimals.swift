/// Compares two decimal texts as numbers, so that "10.5" is more than "9" and equal to "10.50". A text that is no decimal
/// number comes after all that are, in byte order.
/// - Returns: below, at or above zero, as the left is less than, equal to or greater than the right.
package func compareDecimals(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    switch (DecimalParts(left), DecimalParts(right)) {
    case (let left?, let right?): return left.compare(right)
    case (.some, nil): return -1
    case (nil, .some): return 1
    case (nil, nil):
        let difference = zip(left, right).first { $0 != $1 }.map { Int($0) - Int($1) }
        return difference ?? left.count - right.count
    }
}

/// A decimal number as its significant digits and where their point is.
private struct DecimalParts {
    private var isNegative = false
    /// Without zeros before and after; empty for zero.
    private var digits: [UInt8] = []
    /// The number is 0.digits times ten to this power.
    private var power = 0

    init?(_ text: UnsafeBufferPointer<UInt8>) {
        guard isDecimalText(text) else { return nil }
        var afterPoint = false
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): afterPoint = true
            case 0x30...0x39:
                if byte == 0x30, digits.isEmpty {
                    if afterPoint { power -= 1 }
                } else {
                    digits.append(byte)
                    if !afterPoint { power += 1 }
                }
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                power = power.addingReportingOverflow(DecimalParts.exponent(text[index...])).partialValue
                index = text.count
            default: break
            }
        }
        while digits.last == 0x30 { digits.removeLast() }
    }

    /// Held within what no two exponents of real numbers differ by.
    private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var value = 0
        for byte in text where (0x30...0x39).contains(byte) { value = min(value * 10 + Int(byte - 0x30), 1 << 40) }
        return text.first == UInt8(ascii: "-") ? -value : value
    }

    func compare(_ other: DecimalParts) -> Int {
        if digits.isEmpty || other.digits.isEmpty { return sign - other.sign }
        if isNegative != other.isNegative { return sign - other.sign }
        let larger = power == other.power ? compareDigits(other) : power < other.power ? -1 : 1
        return isNegative ? -larger : larger
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    private func compareDigits(_ other: DecimalParts) -> Int {
        if let (one, two) = zip(digits, other.digits).first(where: { $0 != $1 }) { return one < two ? -1 : 1 }
        return digits.count - other.digits.count
    }
}
