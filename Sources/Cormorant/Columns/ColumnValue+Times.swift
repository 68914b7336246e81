/// A day of the calendar, without a time and a place: a birthday, a due date. The file holds `YYYY-MM-DD`, which sorts as the days
/// do. The calendar is the Gregorian one, also before it was invented; the years are 1 to 9999.
public struct LocalDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Since 1970-01-01.
    public var days: Int

    /// The day that is so many days after 1970-01-01, or before it.
    public init(days: Int) { self.days = days }

    /// nil where there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard let date = dateInYears(year, month, day) else { return nil }
        days = date
    }

    /// From 1 to 9999.
    public var year: Int { Int(parts.year) }
    /// From 1 to 12.
    public var month: Int { Int(parts.month) }
    /// Of the month, from 1.
    public var day: Int { Int(parts.day) }
    // Of what is no date, any.
    private var parts: (year: Int64, month: Int64, day: Int64) {
        civil(fromDays: min(max(Int64(days), -4_000_000), 4_000_000))
    }

    public static func < (left: LocalDate, right: LocalDate) -> Bool { left.days < right.days }

    /// As the file has it; a day beyond the years 1 to 9999 by its number.
    public var description: String { (try? TimeForm.date.text(of: Int64(days), "")) ?? "\(days) days since 1970" }
}

private func dateInYears(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    guard 1...9999 ~= year, 1...12 ~= month, day >= 1, day <= daysIn(month: Int64(month), year: Int64(year)) else {
        return nil
    }
    return Int(days(year: Int64(year), month: Int64(month), day: Int64(day)))
}

extension LocalDate: LosslessStringConvertible {
    /// Reads `2026-01-31`; nil for any other text.
    public init?(_ description: String) {
        var text = description
        guard let days = text.withUTF8(TimeForm.date.value(parsing:)) else { return nil }
        self.days = Int(days)
    }
}

extension LocalDate: ColumnValue {
    public static var columnType: ColumnType { .date }

    public init(from reader: RecordReader, at column: Int) throws { days = Int(try reader.time(.date, at: column)) }

    public func write(to writer: inout RecordWriter, at column: Int) throws {
        try writer.write(.date, Int64(days), at: column)
    }

    public var columnValue: Value {
        get throws { .text(try TimeForm.date.text(of: Int64(days), "a date")) }
    }
}

/// A time of day, without a day and a place: when a shop opens. The file holds `HH:MM:SS`, and `.ffffff` behind it where it is
/// not a whole second, which sorts as the times do.
public struct LocalTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Since midnight.
    public var microseconds: Int64

    /// The time that is so long after midnight.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// nil where no clock shows it.
    public init?(hour: Int, minute: Int, second: Int = 0, microsecond: Int = 0) {
        guard 0..<24 ~= hour, 0..<60 ~= minute, 0..<60 ~= second, 0..<1_000_000 ~= microsecond else { return nil }
        microseconds = Int64((hour * 60 + minute) * 60 + second) * 1_000_000 + Int64(microsecond)
    }

    /// From 0 to 23.
    public var hour: Int { Int(microseconds / 3_600_000_000) }
    /// From 0 to 59.
    public var minute: Int { Int(microseconds / 60_000_000 % 60) }
    /// From 0 to 59.
    public var second: Int { Int(microseconds / 1_000_000 % 60) }
    /// Of the second, from 0 to 999,999.
    public var microsecond: Int { Int(microseconds % 1_000_000) }

    public static func < (left: LocalTime, right: LocalTime) -> Bool { left.microseconds < right.microseconds }

    /// As the file has it; what is not within one day by its number.
    public var description: String {
        (try? TimeForm.time.text(of: microseconds, "")) ?? "\(microseconds) microseconds since midnight"
    }
}

extension LocalTime: LosslessStringConvertible {
    /// Reads `12:00` or `12:00:00.5`; nil for any other text.
    public init?(_ description: String) {
        var text = description
        guard let time = text.withUTF8(TimeForm.time.value(parsing:)) else { return nil }
        microseconds = time
    }
}

extension LocalTime: ColumnValue {
    public static var columnType: ColumnType { .time }

    public init(from reader: RecordReader, at column: Int) throws {
        microseconds = try reader.time(.time, at: column)
    }

    public func write(to writer: inout RecordWriter, at column: Int) throws {
        try writer.write(.time, microseconds, at: column)
    }

    public var columnValue: Value {
        get throws { .text(try TimeForm.time.text(of: microseconds, "a time of day")) }
    }
}

/// A duration of whole microseconds, which the file holds as that integer. A finer one, and one of more than 292,000 years, is
/// refused when it is written.
extension Duration: ColumnValue {
    public static var columnType: ColumnType { .duration }

    public init(from reader: RecordReader, at column: Int) throws {
        self = .microseconds(try reader.int64(at: column))
    }

    public func write(to writer: inout RecordWriter, at column: Int) throws {
        guard writer.uses(column) else { return }
        guard let microseconds else {
            throw writer.wrong(
                column, .range, "is a duration that is no 64-bit number of microseconds",
                "round it to microseconds, and give less than 292,000 years")
        }
        writer.write(microseconds, at: column)
    }

    public var columnValue: Value {
        get throws {
            guard let microseconds else {
                throw CormorantError(
                    .range, "a duration is no 64-bit number of microseconds",
                    hint: "round it to microseconds, and give less than 292,000 years")
            }
            return .integer(microseconds)
        }
    }

    /// nil where it is finer, or beyond 64 bits.
    private var microseconds: Int64? {
        let (seconds, attoseconds) = components
        let (rest, finer) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, isBeyond) = whole.addingReportingOverflow(rest)
        return finer != 0 || overflows || isBeyond ? nil : sum
    }
}
