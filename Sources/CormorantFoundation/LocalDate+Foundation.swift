public import Foundation

extension LocalDate {
    /// The day that a moment is on in a time zone; nil where that is not in the years 1 to 9999. Days before 1582-10-15 are
    /// those of the Gregorian calendar, too, unlike Foundation's.
    public init?(_ date: Date, in timeZone: TimeZone) {
        guard let (days, _) = clock(date, timeZone), years.contains(days) else { return nil }
        self.init(days: days)
    }

    /// Year, month and day, such as a date picker gives; nil where one is missing or there is no such day.
    public init?(_ components: DateComponents) {
        guard let year = components.year, let month = components.month, let day = components.day else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Year, month and day.
    public var dateComponents: DateComponents { DateComponents(year: year, month: month, day: day) }
}

extension LocalTime {
    /// What a clock shows at a moment in a time zone, to the second.
    public init?(_ date: Date, in timeZone: TimeZone) {
        guard let (_, seconds) = clock(date, timeZone) else { return nil }
        self.init(hour: seconds / 3600, minute: seconds / 60 % 60, second: seconds % 60)
    }

    /// Hour, minute and second, which may be missing; nil where no clock shows it.
    public init?(_ components: DateComponents) {
        guard let hour = components.hour, let minute = components.minute else { return nil }
        self.init(hour: hour, minute: minute, second: components.second ?? 0)
    }

    /// Hour, minute and second; what is less than a second is left out.
    public var dateComponents: DateComponents { DateComponents(hour: hour, minute: minute, second: second) }
}

private let years = -719_162...2_932_896

/// What a clock and a calendar show: days since 1970-01-01, and seconds since midnight.
private func clock(_ date: Date, _ timeZone: TimeZone) -> (days: Int, seconds: Int)? {
    let moment = date.timeIntervalSince1970.rounded(.down)
    guard moment.magnitude < 1e12 else { return nil }
    let seconds = Int(moment) + timeZone.secondsFromGMT(for: date)
    let days = Int((Double(seconds) / 86400).rounded(.down))
    return (days, seconds - days * 86400)
}
