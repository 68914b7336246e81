public import Foundation

/// A `Date` in a datetime column, to the microsecond: what is finer is rounded when it is written.
extension Date: ColumnValue {
    public static var columnType: ColumnType { .datetime }

    public init(from reader: RecordReader, at column: Int) throws {
        let time = try reader.timestamp(at: column)
        self.init(time)
        // Centuries away from 2001 a Date is coarser than a microsecond.
        guard Timestamp(self) == time else {
            throw reader.error(
                column, .range, "is a time that Date cannot hold to the microsecond", "make the property a Timestamp")
        }
    }

    public func write(to writer: inout RecordWriter, at column: Int) throws {
        guard writer.uses(column) else { return }
        guard let time = Timestamp(self) else {
            throw writer.wrong(column, .range, "is a date beyond the years 1 to 9999", "give a date within them")
        }
        try writer.write(time, at: column)
    }

    public var columnValue: Value {
        get throws {
            guard let time = Timestamp(self) else {
                throw CormorantError(.range, "a date is beyond the years 1 to 9999", hint: "give a date within them")
            }
            return try time.columnValue
        }
    }
}

extension Date {
    /// The nearest date: exact within some 140 years of 2001.
    public init(_ timestamp: Timestamp) {
        // Seconds and microseconds apart, because their sum in microseconds is more than a Double can hold.
        let (seconds, rest) = timestamp.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        self.init(timeIntervalSinceReferenceDate: Double(seconds - secondsTo2001) + Double(rest) / 1_000_000)
    }
}

extension Timestamp {
    /// The date to the nearest microsecond; nil beyond the years 1 to 9999.
    public init?(_ date: Date) {
        let interval = date.timeIntervalSinceReferenceDate
        let seconds = interval.rounded(.down)
        guard let whole = Int64(exactly: seconds), abs(seconds) < 1e12 else { return nil }
        let rest = Int64(((interval - seconds) * 1_000_000).rounded())
        self.init(microseconds: (whole + secondsTo2001) * 1_000_000 + rest)
        if !Timestamp.range.contains(microseconds) { return nil }
    }
}

/// From 1970 to 2001, where Foundation's reference date lies.
private let secondsTo2001 = Int64(Date.timeIntervalBetween1970AndReferenceDate)
