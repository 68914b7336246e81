public import Foundation

extension OffsetTimestamp {
    /// A moment with the offset that a time zone has then; nil beyond the years 1 to 9999.
    public init?(_ date: Date, in timeZone: TimeZone) {
        guard let timestamp = Timestamp(date) else { return nil }
        self.init(timestamp, offsetSeconds: timeZone.secondsFromGMT(for: date))
        if fault != nil { return nil }
    }

    /// The nearest date, without the offset.
    public var date: Date { Date(timestamp) }

    /// The zone of this offset, by which a formatter or calendar shows what the clock showed; nil beyond 18 hours.
    public var timeZone: TimeZone? { TimeZone(secondsFromGMT: offsetSeconds) }
}
