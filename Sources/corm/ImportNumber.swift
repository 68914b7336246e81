/// How a text reads as a number.
enum NumberForm {
    /// Digits and perhaps a sign; within 64 bits.
    case integer(Int64)
    /// Anything else that SQLite reads as a number.
    case real

    /// nil: it is none. Spaces around it do not matter.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var (at, end) = (0, bytes.count)
        while at < end, bytes[at] == 0x20 { at += 1 }
        while at < end, bytes[end - 1] == 0x20 { end -= 1 }
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

/// Whether a number is as SQLite writes it, so that it comes out as it went in: without zeros before it, a plus, spaces, or
/// more digits than a double holds.
func isPlainNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, let last = bytes.last, first != 0x20, last != 0x20, first != UInt8(ascii: "+") else {
        return false
    }
    let digits = first == UInt8(ascii: "-") ? 1 : 0
    if bytes.count > digits + 1, bytes[digits] == 0x30, bytes[digits + 1] &- 0x30 <= 9 { return false }
    guard bytes.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) else { return true }
    return bytes.count { $0 &- 0x30 <= 9 } <= 15
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
    switch (count % 4, padding) {
    case (0, 0): return bytes
    case (2, 2): return bytes + [UInt8(bits >> 4 & 255)]
    case (3, 1): return bytes + [UInt8(bits >> 10 & 255), UInt8(bits >> 2 & 255)]
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
