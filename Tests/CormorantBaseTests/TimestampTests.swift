import CormorantBase
import Testing

struct TimestampTests {
    private func parse(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { Timestamp(parsing: $0)?.microseconds }
    }

    /// The form of a datetime column.
    private func stored(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { Timestamp(stored: $0)?.microseconds }
    }

    @Test(
        arguments: [
            (0, "1970-01-01 00:00:00"), (-1, "1969-12-31 23:59:59.999999"),
            (1_700_000_000_123_456, "2023-11-14 22:13:20.123456"), (951_782_400_000_000, "2000-02-29 00:00:00"),
            (-2_203_891_200_000_000, "1900-03-01 00:00:00"),
            (Timestamp.range.lowerBound, "0001-01-01 00:00:00"),
            (Timestamp.range.upperBound, "9999-12-31 23:59:59.999999"),
        ] as [(Int64, String)])
    func textFormAndBack(_ microseconds: Int64, _ text: String) {
        #expect(Timestamp(microseconds: microseconds).description == text)
        #expect(parse(text) == microseconds)
        #expect(stored(text) == microseconds)
    }

    @Test func tenThousandYearsComeBackInOrder() {
        // Every day would take long in a debug build; steps of 29 days and a bit meet every day of the month too.
        let step = 29 * 86_400_000_000 + 1_234_567
        var previous = ""
        var wrong: [String] = []
        for microseconds in stride(from: Timestamp.range.lowerBound, through: Timestamp.range.upperBound, by: step) {
            let text = Timestamp(microseconds: microseconds).description
            if parse(text) != microseconds || stored(text) != microseconds || text <= previous { wrong.append(text) }
            previous = text
        }
        #expect(wrong == [])
    }

    @Test func wholeSecondsStandBeforeTheirFractions() {
        let times: [Int64] = [-1, 0, 1, 500_000, 999_999, 1_000_000, 1_000_001, 60_000_000]
        let texts = times.map { Timestamp(microseconds: $0).description }
        #expect(texts == texts.sorted())
    }

    @Test(
        arguments: [
            ("1970-01-02", 86_400_000_000), ("1970-01-01T00:01", 60_000_000), ("1970-01-01 00:00:01", 1_000_000),
            ("1970-01-01 00:00:00.5", 500_000), ("1970-01-01T00:00:00Z", 0), ("1970-01-01 01:00:00+01:00", 0),
            ("1969-12-31 22:30:00.000001-01:30", 1), ("1970-01-01 00:00:00.1234560000", 123_456),
            ("1970-01-01T00:00:00,5Z", 500_000), ("1970-01-01 00:00:01+00", 1_000_000),
            ("1970-01-01t01:30:00z", 5_400_000_000),
            ("19700102", 86_400_000_000), ("19700101T0001", 60_000_000), ("19700101T000001Z", 1_000_000),
            ("19700101T010000.25+0100", 250_000), ("1970-01-01T00:00:00-0130", 5_400_000_000),
            ("19700101T010000+01:00", 0),
        ] as [(String, Int64)])
    func shorterAndForeignForms(_ text: String, _ microseconds: Int64) {
        #expect(parse(text) == microseconds)
        #expect(stored(text) == (text == "1970-01-01 00:00:01" ? microseconds : nil))
    }

    /// finding python.md B3: two texts of one time would be two values to SQLite.
    @Test(
        arguments: [
            "1970-01-01 00:00:00.000000", "1970-01-01 00:00:00.500", "1970-01-01 00:00:00.5000000",
            "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-01-01 00:00:00+00:00", "0000-12-31 23:59:59",
            "1970-01-01 00:00:60", "1970-02-30 00:00:00", "1970-01-01 24:00:00", "1970-01-01 00:00:00 ",
        ])
    func aDatetimeColumnHasOneForm(_ text: String) {
        #expect(stored(text) == nil)
    }

    @Test(
        arguments: [
            "", "1970", "1970-1-1", "1970-13-01", "1970-00-01", "1970-01-00", "1970-04-31", "1900-02-29", "2001-02-29",
            "1970-01-01 24:00", "1970-01-01 00:60", "1970-01-01 00:00:60", "1970-01-01 00", "1970-01-01 00:00:00.",
            "1970-01-01 00:00:00.1234567", "1970-01-01 00:00:00 ", "1970-01-01 00:00:00+1", "1970-01-01 00:00:00+24:00",
            "1970-0101", "197001-01", "1970-01-01T0000", "19700101T00:00", "19700101T", "1970001", "1970-001",
            "1970-W01-1",
            "1970-01-01T00:00:00,", "1970-01-01 00:00:00+01:", "1970-01-01 00:00:00+01:6", "1970-01-01 00:00:00+010",
            "1970-01-01x", " 1970-01-01", "now", "1970-01-01 00:00:00ZZ", "１９７０-01-01",
        ])
    func otherTextIsRefused(_ text: String) {
        #expect(parse(text) == nil)
        #expect(stored(text) == nil)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00.1234567Z", "a time finer than microseconds"),
        ("19700101T000000,123456789", "a time finer than microseconds"),
        ("1970-01-01T00:00:60.1234567Z", "no time"), ("now", "no time"),
    ])
    func whatIsWrongIsTold(_ text: String, _ fault: String) {
        var text = text
        #expect(parse(text) == nil)
        #expect(text.withUTF8(Timestamp.fault) == fault)
    }

    @Test func timesAreOrdered() {
        #expect(Timestamp(microseconds: -1) < Timestamp(microseconds: 0))
        #expect(Timestamp(microseconds: .max).description.contains("microseconds since 1970"))
    }
}
