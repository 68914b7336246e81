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

    @Test func timesAreOrdered() {
        #expect(Timestamp(microseconds: -1) < Timestamp(microseconds: 0))
        #expect(Timestamp(microseconds: .max).description.contains("microseconds since 1970"))
    }
}
