extension Timestamp {
    /// Reads the text form that `write` makes and no other, so that equal times are equal texts and earlier times are
    /// lesser ones: in comparisons, in indexes, in UNIQUE and GROUP BY. nil for any other text.
    @usableFromInline
    package init?(stored text: UnsafeBufferPointer<UInt8>) {
        guard text.count == Timestamp.wholeTextSize || text.count == Timestamp.textSize else { return nil }
        func pair(_ at: Int) -> Int64? {
            let (tens, ones) = (text[at] &- 0x30, text[at &+ 1] &- 0x30)
            return tens <= 9 && ones <= 9 ? Int64(tens) &* 10 &+ Int64(ones) : nil
        }
        guard let century = pair(0), let year = pair(2), text[4] == 0x2D, let month = pair(5), text[7] == 0x2D,
            let day = pair(8), text[10] == 0x20, let hour = pair(11), text[13] == 0x3A, let minute = pair(14),
            text[16] == 0x3A, let second = pair(17), hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction: Int64 = 0
        if text.count == Timestamp.textSize {
            guard text[19] == 0x2E, let high = pair(20), let middle = pair(22), let low = pair(24) else { return nil }
            fraction = (high &* 100 &+ middle) &* 100 &+ low
            if fraction == 0 { return nil }
        }
        self.init(
            year: century &* 100 &+ year, month: month, day: day,
            second: (hour &* 60 &+ minute) &* 60 &+ second, microsecond: fraction)
        guard Timestamp.range.contains(microseconds) else { return nil }
    }

    /// What is wrong with a text that `init(parsing:)` does not take.
    package static func fault(of text: UnsafeBufferPointer<UInt8>) -> String {
        Timestamp(parsing: text, cutting: true) == nil ? "no time" : "a time finer than microseconds"
    }
}

/// What is told of a value in a column of times that has not the form of one.
package struct TimeFormError {
    private let form: TimeForm
    /// Said behind the column's name.
    package let what: String
    package let code: ErrorCode
    /// Whether it is such a value in another form.
    package let isTime: Bool

    /// - Parameters:
    ///   - text: the value; nil for one that is no text.
    ///   - storage: what the value is, for one that is no text.
    package init(_ text: UnsafeBufferPointer<UInt8>?, storage: String, of form: TimeForm) {
        self.form = form
        guard let text else {
            what = "holds \(storage), which is not the form of \(form.title) column"
            (code, isTime) = (.type, false)
            return
        }
        // Dates and times of day may be parts of a time. A time that says no offset has none that could be made up.
        let time =
            form == .offsetDatetime
            ? form.value(parsing: text)
            : Timestamp(parsing: text)?.microseconds ?? OffsetTimestamp(stored: text)?.timestamp.microseconds
                ?? form.value(parsing: text)
        guard let time else {
            // What is no time may be anything, which messages do not show.
            what = "holds text that is \(form.fault(of: text))"
            (code, isTime) = (.type, false)
            return
        }
        let shown = String(decoding: text.prefix(40), as: UTF8.self)
        isTime = Timestamp.range.contains(time)
        let fault = isTime ? "not the form" : "beyond the years 1 to 9999"
        what = "holds \"\(shown)\", which is \(fault) of \(form.title) column"
        code = isTime ? .type : .range
    }

    /// What to do about it in a column of a table.
    package func hint(_ table: String, _ column: String) -> String {
        guard isTime else {
            let remedy = form == .offsetDatetime ? "mend the value, such as by its offset behind it" : "mend the value"
            return "\(remedy), or make the property a text"
        }
        return "bring the column to the form that compares as time, \(rewrite(table, column)), "
            + "or make the property a text"
    }

    /// The same where no table is known.
    package var hint: String {
        isTime ? "select \(function)(...) of it, or read it as a text" : "mend the value, or read it as a text"
    }

    /// The statement that brings a column to the form, with a function that every connection of the library has.
    package func rewrite(_ table: String, _ column: String) -> String {
        let (table, column) = (quoteIdentifier(table), quoteIdentifier(column))
        return "UPDATE \(table) SET \(column) = \(function)(\(column))"
    }

    /// SQLite's own makes whole seconds of a time of day.
    private var function: String { form == .date ? "date" : "corm_\(form.name)" }
}
