/// What keeps decimals from being calculated with. Each is an error of SQL functions, whose message it is known by.
package enum DecimalFault: String, Error, CaseIterable {
    case real = "a real stands among decimals, which are calculated with exactly"
    case text = "a text that is no decimal number stands among decimals"
    case blob = "a blob stands among decimals"
    case tooLong = "a decimal has more than 10,000 digits"

    package var hint: String {
        switch self {
        case .real: "make the real a decimal, or cast the decimals to doubles to calculate with doubles"
        case .text: "mend the value: a decimal has digits, with a sign, a point or an exponent"
        case .blob: "leave it out, or cast it to text"
        case .tooLong: "calculate with fewer digits, or in the program"
        }
    }

    package var code: ErrorCode { self == .tooLong ? .range : .type }
}

/// A decimal number with all its digits. Sums, differences and products have as many as they need; one with more than
/// 10,000 is refused. Digits after the point stay as they are written: 1.10 plus 2.20 is 3.30.
package struct ExactDecimal {
    /// Nine digits each, the lowest first, without zeros at the end; none for 0.
    private var limbs: [UInt32]
    private var isNegative: Bool
    /// How many digits stand after the point.
    private var scale: Int

    package static let zero = ExactDecimal(limbs: [], isNegative: false, scale: 0)
    private static let greatestLength = 10_000
    private static let base: UInt64 = 1_000_000_000

    private init(limbs: [UInt32], isNegative: Bool, scale: Int) {
        self.limbs = limbs
        while self.limbs.last == 0 { self.limbs.removeLast() }
        self.isNegative = isNegative && !self.limbs.isEmpty
        self.scale = scale
    }

    package init(_ integer: Int64) { self.init(integer, scale: 0) }

    init(_ coefficient: Int64, scale: Int) {
        var rest = coefficient.magnitude
        var limbs: [UInt32] = []
        while rest > 0 {
            limbs.append(UInt32(truncatingIfNeeded: rest % ExactDecimal.base))
            rest /= ExactDecimal.base
        }
        self.init(limbs: limbs, isNegative: coefficient < 0, scale: scale)
    }

    package init(parsing text: UnsafeBufferPointer<UInt8>) throws(DecimalFault) {
        guard isDecimalText(text) else { throw .text }
        var digits: [UInt8] = []
        var scale = 0
        var afterPoint = false
        var index = 0
        scan: while index < text.count {
            let byte = text[index]
            index += 1
            switch byte {
            case 0x30...0x39:
                digits.append(byte &- 0x30)
                if afterPoint { scale += 1 }
            case UInt8(ascii: "."): afterPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                scale -= ExactDecimal.exponent(text[index...])
                break scan
            default: break
            }
        }
        digits = Array(digits.drop { $0 == 0 })
        if digits.isEmpty { scale = min(max(0, scale), ExactDecimal.greatestLength) }
        guard digits.count <= ExactDecimal.greatestLength, abs(scale) <= ExactDecimal.greatestLength else {
            throw .tooLong
        }
        if scale < 0 {
            digits += [UInt8](repeating: 0, count: -scale)
            scale = 0
        }
        self.init(limbs: ExactDecimal.limbs(digits), isNegative: text.first == UInt8(ascii: "-"), scale: scale)
        try checkLength()
    }

    /// Held within what is far beyond the greatest length.
    private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var value = 0
        for byte in text where (0x30...0x39).contains(byte) { value = min(value * 10 + Int(byte &- 0x30), 1 << 30) }
        return text.first == UInt8(ascii: "-") ? -value : value
    }

    private static func limbs(_ digits: [UInt8]) -> [UInt32] {
        stride(from: digits.count, to: 0, by: -9).map { end in
            digits[max(0, end - 9)..<end].reduce(0) { $0 &* 10 &+ UInt32($1) }
        }
    }

    private func checkLength() throws(DecimalFault) {
        let digits = limbs.last.map { (limbs.count - 1) * 9 + String($0).utf8.count } ?? 0
        if digits > ExactDecimal.greatestLength || scale > ExactDecimal.greatestLength { throw .tooLong }
    }

    package static prefix func - (value: ExactDecimal) -> ExactDecimal {
        ExactDecimal(limbs: value.limbs, isNegative: !value.isNegative, scale: value.scale)
    }

    package var magnitude: ExactDecimal { ExactDecimal(limbs: limbs, isNegative: false, scale: scale) }

    package static func + (left: ExactDecimal, right: ExactDecimal) throws(DecimalFault) -> ExactDecimal {
        let scale = max(left.scale, right.scale)
        let (one, two) = (left.limbs(at: scale), right.limbs(at: scale))
        let sum: ExactDecimal
        if left.isNegative == right.isNegative {
            sum = ExactDecimal(limbs: added(one, two), isNegative: left.isNegative, scale: scale)
        } else if isLess(one, two) {
            sum = ExactDecimal(limbs: subtracted(two, one), isNegative: right.isNegative, scale: scale)
        } else {
            sum = ExactDecimal(limbs: subtracted(one, two), isNegative: left.isNegative, scale: scale)
        }
        try sum.checkLength()
        return sum
    }

    package static func * (left: ExactDecimal, right: ExactDecimal) throws(DecimalFault) -> ExactDecimal {
        var limbs = [UInt32](repeating: 0, count: left.limbs.count + right.limbs.count)
        for (place, digit) in left.limbs.enumerated() {
            var carry: UInt64 = 0
            for (other, factor) in right.limbs.enumerated() {
                let value = UInt64(digit) &* UInt64(factor) &+ UInt64(limbs[place + other]) &+ carry
                limbs[place + other] = UInt32(truncatingIfNeeded: value % base)
                carry = value / base
            }
            limbs[place + right.limbs.count] = UInt32(truncatingIfNeeded: carry)
        }
        let product = ExactDecimal(
            limbs: limbs, isNegative: left.isNegative != right.isNegative, scale: left.scale + right.scale)
        try product.checkLength()
        return product
    }

    /// The digits where so many stand after the point, which are no fewer than now.
    private func limbs(at wanted: Int) -> [UInt32] {
        let (whole, rest) = (wanted - scale).quotientAndRemainder(dividingBy: 9)
        if limbs.isEmpty || wanted == scale { return limbs }
        let factor = (0..<rest).reduce(1 as UInt64) { power, _ in power &* 10 }
        var raised = [UInt32](repeating: 0, count: whole)
        var carry: UInt64 = 0
        for limb in limbs {
            let value = UInt64(limb) &* factor &+ carry
            raised.append(UInt32(truncatingIfNeeded: value % ExactDecimal.base))
            carry = value / ExactDecimal.base
        }
        if carry > 0 { raised.append(UInt32(truncatingIfNeeded: carry)) }
        return raised
    }

    private static func added(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
        var sum: [UInt32] = []
        sum.reserveCapacity(max(left.count, right.count) + 1)
        var carry: UInt64 = 0
        for place in 0..<max(left.count, right.count) {
            let one = place < left.count ? UInt64(left[place]) : 0
            let two = place < right.count ? UInt64(right[place]) : 0
            let value = one &+ two &+ carry
            sum.append(UInt32(truncatingIfNeeded: value % base))
            carry = value / base
        }
        if carry > 0 { sum.append(UInt32(truncatingIfNeeded: carry)) }
        return sum
    }

    /// - Parameter right: not more than the left.
    private static func subtracted(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
        var rest = left
        var borrow: Int64 = 0
        for place in rest.indices {
            var value = Int64(rest[place]) &- borrow &- (place < right.count ? Int64(right[place]) : 0)
            borrow = value < 0 ? 1 : 0
            if value < 0 { value &+= Int64(base) }
            rest[place] = UInt32(truncatingIfNeeded: value)
        }
        return rest
    }

    private static func isLess(_ left: [UInt32], _ right: [UInt32]) -> Bool {
        let one = left.count - left.reversed().prefix { $0 == 0 }.count
        let two = right.count - right.reversed().prefix { $0 == 0 }.count
        if one != two { return one < two }
        for place in (0..<one).reversed() where left[place] != right[place] { return left[place] < right[place] }
        return false
    }

    /// Digits with a point, without an exponent.
    /// The number with so many digits after the point; nil where it has others than zeros behind them.
    package func rescaled(_ wanted: Int) -> ExactDecimal? {
        if wanted >= scale { return ExactDecimal(limbs: limbs(at: wanted), isNegative: isNegative, scale: wanted) }
        // Of 0.00 there is nothing to take away.
        if limbs.isEmpty { return ExactDecimal(limbs: [], isNegative: false, scale: wanted) }
        let digits = text.utf8
        guard digits.suffix(scale - wanted).allSatisfy({ $0 == 0x30 }) else { return nil }
        let kept = Array(digits.dropLast(scale - wanted + (wanted == 0 ? 1 : 0)))
        return kept.withUnsafeBufferPointer { try? ExactDecimal(parsing: $0) }
    }

    package var text: String {
        var digits: [UInt8] = []
        for (place, limb) in limbs.reversed().enumerated() {
            let part = Array(String(limb).utf8)
            if place > 0 { digits += [UInt8](repeating: 0x30, count: 9 - part.count) }
            digits += part
        }
        if digits.count <= scale { digits = [UInt8](repeating: 0x30, count: scale + 1 - digits.count) + digits }
        if scale > 0 { digits.insert(UInt8(ascii: "."), at: digits.count - scale) }
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self)
    }
}

/// Adds many decimals up. Those of few digits are added as integers as long as the sum fits.
package final class DecimalSum {
    private var sum = ExactDecimal.zero
    /// What is not in `sum` yet, and how many of its digits stand after the point.
    private var part: (coefficient: Int64, scale: Int) = (0, 0)
    /// How many there are.
    private var count = 0

    package init() {}

    /// - Parameter isLeaving: takes one away that was added before.
    package func add(_ text: UnsafeBufferPointer<UInt8>, isLeaving: Bool) throws(DecimalFault) {
        if let small = smallDecimal(text) {
            try add(isLeaving ? -small.coefficient : small.coefficient, small.scale)
        } else {
            let value = try ExactDecimal(parsing: text)
            sum = try sum + (isLeaving ? -value : value)
        }
        count += isLeaving ? -1 : 1
    }

    package func add(_ integer: Int64, isLeaving: Bool) throws(DecimalFault) {
        if integer == .min || isLeaving {
            sum = try sum + (isLeaving ? -ExactDecimal(integer) : ExactDecimal(integer))
        } else {
            try add(integer, 0)
        }
        count += isLeaving ? -1 : 1
    }

    private func add(_ coefficient: Int64, _ scale: Int) throws(DecimalFault) {
        let (total, overflow) = part.coefficient.addingReportingOverflow(coefficient)
        if scale == part.scale, !overflow {
            part.coefficient = total
        } else {
            sum = try sum + ExactDecimal(part.coefficient, scale: part.scale)
            part = (coefficient, scale)
        }
    }

    /// nil of none.
    package func value() throws(DecimalFault) -> ExactDecimal? {
        count == 0 ? nil : try sum + ExactDecimal(part.coefficient, scale: part.scale)
    }
}

/// A decimal of up to 18 digits without an exponent, as an integer and how many of its digits stand after the point.
private func smallDecimal(_ text: UnsafeBufferPointer<UInt8>) -> (coefficient: Int64, scale: Int)? {
    guard text.count <= 19 else { return nil }
    var index = 0
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative || text.first == UInt8(ascii: "+") { index = 1 }
    var value: Int64 = 0
    var (digits, scale) = (0, -1)
    while index < text.count {
        let byte = text[index]
        index += 1
        if byte == UInt8(ascii: "."), scale < 0 {
            scale = 0
            continue
        }
        guard byte &- 0x30 <= 9, digits < 18 else { return nil }
        value = value * 10 + Int64(byte &- 0x30)
        digits += 1
        if scale >= 0 { scale += 1 }
    }
    return digits == 0 ? nil : (isNegative ? -value : value, max(0, scale))
}

/// The text of a decimal without zeros at its ends, so that equal numbers are equal texts; what is no decimal as it is.
package func shortestDecimal(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard let number = try? ExactDecimal(parsing: text) else { return Array(text) }
    var digits = Array(number.text.utf8)
    guard digits.contains(UInt8(ascii: ".")) else { return digits }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits.last == UInt8(ascii: ".") { digits.removeLast() }
    return digits
}
