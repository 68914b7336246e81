public import Foundation

extension LocalDate {
    /// The day that a moment is on in a time zone.
    public init?(_ date: Date, in timeZone: TimeZone) {
        let parts = gregorian(timeZone).dateComponents([.era, .year, .month, .day], from: date)
        guard parts.era == 1, let year = parts.year, let month = parts.month, let day = parts.day else { return nil }
        self.init(year: year, month: month, day: day)
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
        self.init(gregorian(timeZone).dateComponents([.hour, .minute, .second], from: date))
    }

    /// Hour, minute and second, which may be missing; nil where no clock shows it.
    public init?(_ components: DateComponents) {
        guard let hour = components.hour, let minute = components.minute else { return nil }
        self.init(hour: hour, minute: minute, second: components.second ?? 0)
    }

    /// Hour, minute and second; what is less than a second is left out.
    public var dateComponents: DateComponents { DateComponents(hour: hour, minute: minute, second: second) }
}

private func gregorian(_ timeZone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar
}
