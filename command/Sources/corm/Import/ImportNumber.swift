import CormorantPlatform

/// How a text reads as a number.
enum NumberForm {
    /// Digits and perhaps a sign; within 64 bits.
    case integer(Int64)
    /// Anything else that SQLite reads as a number.
    case real

    /// nil: it is none. White space around it does not matter.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        let bytes = withoutSpace(text)
        var at = 0
        let end = bytes.count
        let isNegative = at < end && bytes[at] == UInt8(ascii: "-")
        if isNegative || (at < end && bytes[at] == UInt8(ascii: "+")) { at += 1 }
        let digits = at
        var value: UInt64 = 0
        var isLong = false
        while at < end, bytes[at] &- 0x30 <= 9 {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(UInt64(bytes[at] &- 0x30))
            isLong = isLong || overflow || carry
            value = sum
            at += 1
        }
        var count = at - digits
        guard at < end else {
            guard count > 0 else { return nil }
            if !isLong, value <= UInt64(Int64.max) {
                self = .integer(isNegative ? -Int64(value) : Int64(value))
            } else if !isLong, isNegative, value == UInt64(Int64.max) + 1 {
                self = .integer(.min)
            } else {
                self = .real
            }
            return
        }
        if bytes[at] == UInt8(ascii: ".") {
            at += 1
            while at < end, bytes[at] &- 0x30 <= 9 { (at, count) = (at + 1, count + 1) }
        }
        guard count > 0 else { return nil }
        if at < end, bytes[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            if at < end, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") { at += 1 }
            let exponent = at
            while at < end, bytes[at] &- 0x30 <= 9 { at += 1 }
            guard at > exponent else { return nil }
        }
        guard at == end else { return nil }
        self = .real
    }
}

/// Whether a number comes out as it went in: one of 64 bits without zeros before it, a plus or spaces.
func isPlainNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: "+"), let form = NumberForm(bytes),
        withoutSpace(bytes).count == bytes.count
    else { return false }
    let digits = first == UInt8(ascii: "-") ? 1 : 0
    if bytes.count > digits + 1, bytes[digits] == 0x30, bytes[digits + 1] &- 0x30 <= 9 { return false }
    if case .integer = form { return true }
    return exactDouble(bytes) != nil
}

/// The double of a number whose digits are those that the double has, be they as many as one likes; nil for one that would
/// be rounded, or is beyond the range. An infinity is `9e999`, as everywhere. The text is a number, without spaces.
func exactDouble(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    let digits = Significand(bytes)
    let isNegative = bytes.first == UInt8(ascii: "-")
    if digits.count == 0 { return isNegative ? -0.0 : 0 }
    if !digits.hasExponent, digits.count <= 15, -22...22 ~= digits.power {
        // One rounding of numbers that are exact.
        let (value, factor) = (Double(digits.value), powersOfTen[abs(digits.power)])
        let number = digits.power < 0 ? value / factor : value * factor
        return isNegative ? -number : number
    }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), !value.isZero else { return nil }
    if value.isInfinite { return bytes.drop { $0 == UInt8(ascii: "-") }.elementsEqual("9e999".utf8) ? value : nil }
    // No double has more digits.
    guard digits.count <= 800 else { return nil }
    if !digits.hasPoint, !digits.hasExponent {
        return Significand(formatted("%.0f", 0, value.magnitude)) == digits ? value : nil
    }
    if Significand("\(value.magnitude)") == digits { return value }
    // As %.17g writes it, or exactly.
    return Significand(formatted("%.*e", Int32(digits.count - 1), value.magnitude)) == digits ? value : nil
}

/// The digits of a number without the zeros at both ends.
private struct Significand: Equatable {
    private(set) var count = 0
    private var zeros = 0
    /// Of up to 19 digits.
    private(set) var value: UInt64 = 0
    private var rest: [UInt8] = []
    private(set) var hasPoint = false
    private(set) var hasExponent = false
    /// Times ten to this power, but for the exponent.
    private(set) var power = 0

    init(_ text: some Collection<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): hasExponent = true
            case 0x30...0x39 where hasExponent: continue
            case 0x30:
                if hasPoint { power -= 1 }
                if count > 0 { zeros += 1 }
            case 0x31...0x39:
                if hasPoint { power -= 1 }
                while zeros > 0 {
                    append(0)
                    zeros -= 1
                }
                append(byte &- 0x30)
            default: break
            }
        }
        power += zeros
    }

    init(_ text: String) { self.init(text.utf8) }

    private mutating func append(_ digit: UInt8) {
        if count < 19 { value = value &* 10 &+ UInt64(digit) } else if count < 1000 { rest.append(digit) }
        count += 1
    }

    static func == (left: Significand, right: Significand) -> Bool {
        left.count == right.count && left.value == right.value && left.rest == right.rest
    }
}

/// Source: IEEE 754: the powers of ten that a double holds.
private let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
]

private func formatted(_ format: String, _ precision: Int32, _ value: Double) -> String {
    var text = [CChar](repeating: 0, count: 1200)
    let arguments: [any CVarArg] = format == "%.0f" ? [value] : [precision, value]
    withVaList(arguments) { _ = vsnprintf(&text, text.count, format, $0) }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

func withoutSpace(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 0x09 && byte <= 0x0D }
    var (start, end) = (0, bytes.count)
    while start < end, isSpace(bytes[start]) { start += 1 }
    while start < end, isSpace(bytes[end - 1]) { end -= 1 }
    return end - start == bytes.count ? bytes : UnsafeBufferPointer(rebasing: bytes[start..<end])
}

/// The bytes that base64 stands for; nil where it is none.
func bytes(base64 text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count, padding): (UInt32, Int, Int) = (0, 0, 0)
    for byte in text {
        let value: UInt32
        switch byte {
        case 0x41...0x5A: value = UInt32(byte - 0x41)
        case 0x61...0x7A: value = UInt32(byte - 0x61 + 26)
        case 0x30...0x39: value = UInt32(byte - 0x30 + 52)
        case UInt8(ascii: "+"): value = 62
        case UInt8(ascii: "/"): value = 63
        case UInt8(ascii: "="):
            padding += 1
            continue
        default: return nil
        }
        guard padding == 0 else { return nil }
        bits = bits << 6 | value
        count += 1
        if count % 4 == 0 {
            bytes += [UInt8(bits >> 16 & 255), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
            bits = 0
        }
    }
    // Bits that stand for nothing are zero.
    switch (count % 4, padding) {
    case (0, 0): return bytes
    case (2, 2) where bits & 15 == 0: return bytes + [UInt8(bits >> 4 & 255)]
    case (3, 1) where bits & 3 == 0: return bytes + [UInt8(bits >> 10 & 255), UInt8(bits >> 2 & 255)]
    default: return nil
    }
}

/// The bytes of a blob as SQL has it, such as `x'00ff'`; nil for another text.
func bytes(blobLiteral text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard text.count >= 3, text.count % 2 == 1, text[0] | 0x20 == UInt8(ascii: "x"), text[1] == 0x27,
        text[text.count - 1] == 0x27
    else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    for index in stride(from: 2, to: text.count - 1, by: 2) {
        guard let high = hexDigit(text[index]), let low = hexDigit(text[index + 1]) else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
}
