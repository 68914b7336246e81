import Cormorant
import CormorantFoundation
import Foundation
import Testing

@Model
private struct Mail: Equatable {
    @Key var id: Int64?
    var sent: OffsetTimestamp
    var seen: OffsetTimestamp?
    var made: Timestamp?
}

struct OffsetTimestampTests {
    private let database: Database
    private let noon = Timestamp("2026-01-31T12:00:00Z")!

    init() throws { database = try memoryDatabase(Mail.self) }

    private func at(_ hours: Double) -> OffsetTimestamp { OffsetTimestamp(noon, offsetSeconds: Int(hours * 3600)) }

    @Test func recordsHoldWhatWasWritten() throws {
        let mail = try database.inserted(Mail(sent: at(9), seen: at(-5.5), made: noon))
        #expect(try database.find(Mail.self, key: mail.id) == mail)
        #expect(try database.query("SELECT sent FROM mail")[0][0] == "2026-01-31 12:00:00.000000Z[+09:00]")
        #expect(try database.inserted(Mail(sent: at(0))).seen == nil)
    }

    @Test func conditionsCompareMomentsAndSelectedValuesHaveTheirOffsets() throws {
        _ = try database.inserted(Mail(sent: at(9), made: noon))
        _ = try database.inserted(
            Mail(sent: OffsetTimestamp(Timestamp(microseconds: noon.microseconds + 1), offsetSeconds: 0)))
        #expect(try database.fetchAll(Mail.where { $0.sent == at(0) }.select { $0.sent }) == [at(9)])
        #expect(try database.fetchAll(Mail.where { $0.sent > at(-12) }.select { $0.id }) == [2])
        #expect(try database.fetchAll(Mail.order { $0.sent.desc() }.select { $0.id }) == [2, 1])
        #expect(try database.fetchAll(Mail.self, Query(["sent": Value(at(1))])).map(\.id) == [1])
    }

    @Test func textsAndOrder() {
        #expect(
            OffsetTimestamp("2026-01-31T21:00:00+09:00") == at(9) && at(9).description == "2026-01-31T21:00:00+09:00")
        #expect(OffsetTimestamp("2026-01-31 12:00:00.000000Z[+09:00]") == at(9))
        #expect(OffsetTimestamp("20260131T120000,25Z")?.description == "2026-01-31T12:00:00.250000+00:00")
        #expect(OffsetTimestamp("1883-11-18T12:03:57-04:56:02")?.offsetSeconds == -17762)
        for text in [
            "2026-01-31T12:00:00", "2026-01-31", "", "2026-01-31T12:00:00+24:00", "0001-01-01T00:00:00+00:01",
            "2026-01-31T12:00:00.1234567Z", "2026-01-31 12:00:00.000000Z[+25:00]", "2026-01-31 12:00:00.000000Z[]",
        ] { #expect(OffsetTimestamp(text) == nil, "\(text)") }
        #expect(
            at(0) < at(1)
                && at(1) < OffsetTimestamp(Timestamp(microseconds: noon.microseconds + 1), offsetSeconds: -3600))
        #expect(at(0) != at(1) && at(0).timestamp == at(1).timestamp)
    }

    @Test func whatCannotBeWrittenIsRefused() throws {
        for time in [
            OffsetTimestamp(noon, offsetSeconds: 86_400), OffsetTimestamp(noon, offsetSeconds: .min),
            OffsetTimestamp(Timestamp(microseconds: .max), offsetSeconds: 1),
            OffsetTimestamp(Timestamp("9999-12-31T23:59:59Z")!, offsetSeconds: 1),
        ] {
            let error = #expect(throws: CormorantError.self) { try database.inserted(Mail(sent: time)) }
            #expect(error?.code == .range)
            #expect(throws: CormorantError.self) { try database.fetchAll(Mail.where { $0.sent == time }) }
        }
        #expect(try database.fetchCount(Mail.self) == 0)
    }

    @Test func foundationKnowsThem() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let summer = Date(timeIntervalSince1970: 1_785_499_200)  // 2026-07-31 12:00 UTC
        #expect(OffsetTimestamp(summer, in: berlin)?.description == "2026-07-31T14:00:00+02:00")
        #expect(at(1).date == Date(noon) && at(1).timeZone == TimeZone(secondsFromGMT: 3600))
        #expect(OffsetTimestamp(.distantFuture + 1e12, in: berlin) == nil)
    }

    @Test func aColumnTableHasTheMoments() throws {
        _ = try database.inserted(Mail(sent: at(9)))
        let table = try database.fetchColumns("SELECT sent FROM mail")
        #expect(try table.column("sent", as: Timestamp.self) == [noon])
    }
}
