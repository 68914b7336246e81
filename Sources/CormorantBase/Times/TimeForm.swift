/// What calendars and clocks tell, and the text that the file holds of it: one for each value, so that equal values are equal
/// texts and earlier ones are lesser, in comparisons, in indexes, in UNIQUE and GROUP BY. SQLite's date functions read them.
package enum TimeForm: Sendable {
    /// Microseconds since 1970-01-01 00:00:00 UTC, as `Timestamp` writes them.
    case datetime
    /// Days since 1970-01-01: `YYYY-MM-DD`.
    case date
    /// Microseconds since midnight: `HH:MM:SS`, and `.ffffff` behind it where it is not a whole second.
    case time
    /// Microseconds as of a datetime; the text has an offset, too: `OffsetTimestamp`.
    case offsetDatetime

    package static let microsecondsOfDay: Int64 = 86_400_000_000

    /// The integers that stand for its values.
    package var range: ClosedRange<Int64> {
        switch self {
        case .datetime, .offsetDatetime: Timestamp.range
        case .date: -719_162...2_932_896
        case .time: 0...TimeForm.microsecondsOfDay - 1
        }
    }

    package var name: String {
        switch self {
        case .datetime: "datetime"
        case .date: "date"
        case .time: "time"
        case .offsetDatetime: "offset_datetime"
        }
    }

    /// The name as messages say it.
    package var title: String { self == .offsetDatetime ? "an offset datetime" : "a \(name)" }

    /// How many bytes a text has at most.
    package var textSize: Int { self == .offsetDatetime ? OffsetTimestamp.textSize : Timestamp.textSize }

    /// Reads the text that the file has of a value and no other.
    package func value(stored text: UnsafeBufferPointer<UInt8>) -> Int64? {
        switch self {
        case .datetime: return Timestamp(stored: text)?.microseconds
        case .offsetDatetime: return OffsetTimestamp(stored: text)?.timestamp.microseconds
        case .date: return text.count == 10 && text[4] == 0x2D ? value(parsing: text) : nil
        case .time:
            guard text.count == 8 || text.count == 15 && text[8] == 0x2E, text[2] == 0x3A, text[5] == 0x3A,
                let time = value(parsing: text), text.count == 8 || time % 1_000_000 != 0
            else { return nil }
            return time
        }
    }

    /// Reads what ISO 8601 writes of it. nil for any other text, and for a value that is not in `range`.
    package func value(parsing text: UnsafeBufferPointer<UInt8>) -> Int64? {
        let value: Int64?
        switch self {
        case .datetime: value = Timestamp(parsing: text)?.microseconds
        // The time of day, which may stand behind it, is no part of a date.
        case .date where text.count > 10: value = nil
        case .date:
            value = Timestamp(parsing: text).map { time in
                let (days, rest) = time.microseconds.quotientAndRemainder(dividingBy: TimeForm.microsecondsOfDay)
                return rest < 0 ? days - 1 : days
            }
        case .time: value = timeOfDay(parsing: text)
        case .offsetDatetime:
            let time = OffsetTimestamp(parsing: text)
            value = time?.fault == nil ? time?.timestamp.microseconds : nil
        }
        return value.flatMap { range.contains($0) ? $0 : nil }
    }

    /// The text that the file has of what ISO 8601 writes; nil where `value(parsing:)` is.
    package func stored(parsing text: UnsafeBufferPointer<UInt8>) -> String? {
        if self == .offsetDatetime {
            return OffsetTimestamp(parsing: text).flatMap { try? $0.stored("it") }
        }
        return value(parsing: text).flatMap { try? self.text(of: $0, "it") }
    }

    /// Writes the text of a value in `range`, for which there is room for `textSize` bytes.
    package func write(_ value: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        switch self {
        case .datetime: return Timestamp(microseconds: value).write(to: bytes)
        case .offsetDatetime:
            return OffsetTimestamp(Timestamp(microseconds: value), offsetSeconds: 0).write(to: bytes)
        case .date:
            _ = Timestamp(microseconds: value &* TimeForm.microsecondsOfDay).write(to: bytes)
            return 10
        case .time:
            let count = Timestamp(microseconds: value).write(to: bytes) - 11
            bytes.update(from: bytes + 11, count: count)
            return count
        }
    }

    /// The text of a value; an error for one that is not in `range`.
    /// - Parameter what: the value, in the error.
    package func text(of value: Int64, _ what: String) throws -> String {
        guard range.contains(value) else { throw beyondRange(what) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: textSize) { buffer in
            guard let base = buffer.baseAddress else { return "" }
            return String(decoding: buffer[..<write(value, to: base)], as: UTF8.self)
        }
    }

    package func beyondRange(_ what: String) -> CormorantError {
        CormorantError(.range, "\(what) is \(beyond)", hint: rangeHint)
    }

    /// What is said of a value that is not in `range`, and what to do.
    package var beyond: String { self == .time ? "not within one day" : "beyond the years 1 to 9999" }
    package var rangeHint: String {
        self == .time
            ? "give a time from 00:00:00 to 23:59:59.999999" : "give a \(self == .date ? name : "time") within them"
    }

    package var formHint: String {
        switch self {
        case .datetime: "write it as 2026-01-31T12:00:00Z, with up to six digits of a second"
        case .date: "write it as 2026-01-31"
        case .time: "write it as 12:00:00, with up to six digits of a second"
        case .offsetDatetime: "write it as 2026-01-31T12:00:00+01:00, with up to six digits of a second"
        }
    }

    /// What is wrong with a text that `value(parsing:)` does not take.
    package func fault(of text: UnsafeBufferPointer<UInt8>) -> String {
        switch self {
        case .datetime: Timestamp.fault(of: text)
        case .offsetDatetime:
            if let time = OffsetTimestamp(parsing: text) {
                "a time " + (time.fault ?? "of another form")
            } else if OffsetTimestamp(parsing: text, cutting: true) != nil {
                "a time finer than microseconds"
            } else {
                Timestamp(parsing: text, cutting: true) == nil ? "no time" : "a time without an offset from UTC"
            }
        case .date: "no date"
        case .time: timeOfDay(parsing: text, cutting: true) == nil ? "no time of day" : "a time finer than microseconds"
        }
    }
}

extension Timestamp {
    /// Since midnight, in UTC.
    package var microsecondsOfDay: Int64 {
        let rest = microseconds % TimeForm.microsecondsOfDay
        return rest < 0 ? rest + TimeForm.microsecondsOfDay : rest
    }
}
