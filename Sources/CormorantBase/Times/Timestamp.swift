/// A point in time: microseconds since 1970-01-01 00:00:00 UTC. In the file it is the text `YYYY-MM-DD HH:MM:SS` in UTC,
/// and `.ffffff` behind it where it is not a whole second: as CURRENT_TIMESTAMP has it, and SQLite's date functions, which
/// read it (https://www.sqlite.org/lang_datefunc.html). Such texts compare as the times do, which is why a datetime column
/// holds no other form. The years are 1 to 9999, as Python has them.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970-01-01 00:00:00 UTC.
    public var microseconds: Int64

    /// A point in time by its microseconds since 1970 UTC.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

    /// The first microsecond of year 1 and the last of year 9999.
    package static let range: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999

    /// How many bytes the text form has at most, and how many that of a whole second.
    package static let textSize = 26
    package static let wholeTextSize = 19

    /// Writes the text form, and returns how many bytes it has; the caller has checked `range`.
    package func write(to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        var days = microseconds / 86_400_000_000
        var rest = microseconds % 86_400_000_000
        if rest < 0 {
            rest += 86_400_000_000
            days -= 1
        }
        let date = civil(fromDays: days)
        digits(date.year, 4, bytes)
        bytes[4] = 0x2D
        digits(date.month, 2, bytes + 5)
        bytes[7] = 0x2D
        digits(date.day, 2, bytes + 8)
        bytes[10] = 0x20
        digits(rest / 3_600_000_000, 2, bytes + 11)
        bytes[13] = 0x3A
        digits(rest / 60_000_000 % 60, 2, bytes + 14)
        bytes[16] = 0x3A
        digits(rest / 1_000_000 % 60, 2, bytes + 17)
        let fraction = rest % 1_000_000
        guard fraction != 0 else { return Timestamp.wholeTextSize }
        bytes[19] = 0x2E
        digits(fraction, 6, bytes + 20)
        return Timestamp.textSize
    }

    /// Reads `YYYY-MM-DD`, then optionally `T` or a space and `HH:MM`, `:SS`, a fraction, and `Z` or `+HH:MM`, `+HHMM` or
    /// `+HH`, with seconds or not; or all of it without `-` and `:`. nil for any other text. Digits beyond microseconds are refused rather than
    /// dropped. The time may be beyond `range`.
    /// - Parameter cutting: drops them all the same.
    package init?(parsing text: UnsafeBufferPointer<UInt8>, cutting: Bool = false) {
        guard let (time, _) = Timestamp.parts(parsing: text, cutting: cutting) else { return nil }
        self = time
    }

    /// The same with the offset in seconds; nil where none is said.
    static func parts(
        parsing text: UnsafeBufferPointer<UInt8>, cutting: Bool
    ) -> (time: Timestamp, offset: Int64?)? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(4) else { return nil }
        let isBasic = !scanner.take(0x2D)
        guard let month = scanner.number(2), isBasic || scanner.take(0x2D), let day = scanner.number(2) else {
            return nil
        }
        var offset: Int64?
        var microseconds: Int64 = 0
        if !scanner.atEnd {
            guard scanner.take(0x20) || scanner.takeLetter(0x54),
                let time = scanner.timeOfDay(isBasic: isBasic, cutting: cutting)
            else { return nil }
            microseconds = time
            if scanner.takeLetter(0x5A) {
                offset = 0
            } else if let sign = scanner.sign() {
                guard let seconds = scanner.offset() else { return nil }
                offset = sign * seconds
            }
            guard scanner.atEnd else { return nil }
        }
        return Timestamp(year: year, month: month, day: day, second: -(offset ?? 0), microsecond: microseconds)
            .map { ($0, offset) }
    }

    /// nil where there is no such day. The seconds may lead to another day.
    init?(year: Int64, month: Int64, day: Int64, second: Int64, microsecond: Int64) {
        guard (1...12).contains(month), day >= 1, day <= daysIn(month: month, year: year) else { return nil }
        microseconds = (days(year: year, month: month, day: day) * 86_400 + second) * 1_000_000 + microsecond
    }
}

extension Timestamp: CustomStringConvertible {
    public var description: String {
        guard Timestamp.range.contains(microseconds) else { return "\(microseconds) microseconds since 1970" }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Timestamp.textSize) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            return String(decoding: buffer[..<write(to: base)], as: UTF8.self)
        }
    }
}

/// Reads `HH:MM`, `HH:MM:SS` and a fraction of a second, or all of it without `:`, as microseconds since midnight. nil for any
/// other text. Digits beyond microseconds are refused rather than dropped.
/// - Parameter cutting: drops them all the same.
package func timeOfDay(parsing text: UnsafeBufferPointer<UInt8>, cutting: Bool = false) -> Int64? {
    var scanner = DigitScanner(text)
    let isBasic = text.count < 3 || text[2] != 0x3A
    let time = scanner.timeOfDay(isBasic: isBasic, cutting: cutting)
    return scanner.atEnd ? time : nil
}

/// Reads `+HH:MM`, `+HHMM`, `+HH`, each with seconds behind it or not, as seconds. nil for any other text.
func secondsOfOffset(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    var scanner = DigitScanner(text)
    guard let sign = scanner.sign(), let seconds = scanner.offset(), scanner.atEnd else { return nil }
    return Int(sign * seconds)
}

private struct DigitScanner {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    var atEnd: Bool { position == text.count }

    var atDigit: Bool { position < text.count && text[position] &- 0x30 <= 9 }

    /// A letter in either case.
    mutating func takeLetter(_ byte: UInt8) -> Bool { take(byte) || take(byte | 0x20) }

    mutating func take(_ byte: UInt8) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func number(_ count: Int) -> Int64? {
        guard position + count <= text.count else { return nil }
        var value: Int64 = 0
        for index in position..<position + count {
            let digit = text[index] &- 0x30
            guard digit <= 9 else { return nil }
            value = value * 10 + Int64(digit)
        }
        position += count
        return value
    }

    /// Microseconds since midnight.
    mutating func timeOfDay(isBasic: Bool, cutting: Bool) -> Int64? {
        guard let hour = number(2), hour < 24, isBasic || take(0x3A), let minute = number(2), minute < 60 else {
            return nil
        }
        var microseconds = (hour * 3600 + minute * 60) * 1_000_000
        if isBasic ? atDigit : take(0x3A) {
            guard let second = number(2), second < 60 else { return nil }
            microseconds += second * 1_000_000
            if take(0x2E) || take(0x2C) {
                guard let rest = fraction(cutting: cutting) else { return nil }
                microseconds += rest
            }
        }
        return microseconds
    }

    mutating func fraction(cutting: Bool) -> Int64? {
        var value: Int64 = 0
        var count = 0
        while atDigit {
            let digit = Int64(text[position] &- 0x30)
            if count < 6 { value = value * 10 + digit } else if digit != 0, !cutting { return nil }
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        while count < 6 {
            value *= 10
            count += 1
        }
        return value
    }

    /// Behind its sign, in seconds. They are rare: places had them when each kept its own time.
    mutating func offset() -> Int64? {
        guard let hours = number(2), hours < 24 else { return nil }
        var seconds = hours * 3600
        for unit: Int64 in [60, 1] where take(0x3A) || atDigit {
            guard let number = number(2), number < 60 else { return nil }
            seconds += number * unit
        }
        return seconds
    }

    mutating func sign() -> Int64? {
        if take(0x2B) { return 1 }
        return take(0x2D) ? -1 : nil
    }
}

/// Days since 1970-01-01 of a date in the proleptic Gregorian calendar, and back.
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil and civil_from_days.
package func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
}

package func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

package func daysIn(month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

func digits(_ value: Int64, _ count: Int, _ bytes: UnsafeMutablePointer<UInt8>) {
    var rest = value
    var index = count
    while index > 0 {
        index -= 1
        bytes[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
    }
}
