import Cormorant
import CormorantFoundation
import Foundation
import Testing

@Model
private struct Shift: Equatable {
    @Key var id: Int64?
    var day: LocalDate
    var begins: LocalTime
    var takes: Duration
    var paid: LocalDate?
    var pause: LocalTime?
    var extra: Duration?
}

struct DateTests {
    private let database: Database
    private let day = LocalDate(year: 2026, month: 1, day: 31)!
    private let begins = LocalTime(hour: 22, minute: 30, microsecond: 250_000)!
    private let takes = Duration.seconds(28_800) + .microseconds(1)

    init() throws { database = try memoryDatabase(Shift.self) }

    @Test func recordsHoldWhatWasWritten() throws {
        let shift = try database.inserted(Shift(day: day, begins: begins, takes: takes, pause: LocalTime("12:00")))
        #expect(try database.find(Shift.self, key: shift.id) == shift)
        let row = try database.query("SELECT day, begins, takes, pause FROM shift")[0]
        let values = try (0..<4).map { try row[$0] }
        #expect(values == ["2026-01-31", "22:30:00.250000", 28_800_000_001, "12:00:00"])
    }

    @Test func conditionsAndSelectedValuesAreOfTheTypes() throws {
        _ = try database.inserted(Shift(day: day, begins: begins, takes: takes))
        _ = try database.inserted(Shift(day: LocalDate(days: 0), begins: begins, takes: .zero))
        let found = Shift.where { $0.day >= day && $0.begins == begins && $0.takes > .seconds(1) }
        #expect(try found.sql.bindings == ["2026-01-31", "22:30:00.250000", 1_000_000])
        #expect(try database.fetchAll(found.select { $0.day }) == [day])
        #expect(try database.fetchAll(found.select { $0.takes }) == [takes])
    }

    @Test func whatIsNoSuchValueIsRefused() throws {
        #expect(LocalDate(year: 2026, month: 2, day: 29) == nil && LocalDate("2026-02-29") == nil)
        #expect(LocalTime(hour: 25, minute: 0) == nil && LocalTime("25:00") == nil && LocalTime("12") == nil)
        let cases = [
            Shift(day: LocalDate(days: 2_932_897), begins: begins, takes: takes),
            Shift(day: LocalDate(days: .min), begins: begins, takes: takes),
            Shift(day: day, begins: LocalTime(microseconds: -1), takes: takes),
            Shift(day: day, begins: begins, takes: .nanoseconds(1)),
            Shift(day: day, begins: begins, takes: .seconds(Int64.max)),
        ]
        for shift in cases {
            let error = #expect(throws: CormorantError.self) { try database.inserted(shift) }
            #expect(error?.code == .range)
        }
        #expect(try database.fetchCount(Shift.self) == 0)
    }

    @Test func foundationKnowsThem() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let moment = Date(timeIntervalSince1970: 1_769_812_200)  // 2026-01-30 22:30 UTC
        #expect(
            LocalDate(moment, in: berlin) == LocalDate("2026-01-30")
                && LocalTime(moment, in: berlin) == LocalTime("23:30"))
        // Before 1582, and before 1970, as columns of moments have them.
        let utc = try #require(TimeZone(identifier: "UTC"))
        let first = Date(timeIntervalSince1970: -62_135_596_800)
        #expect(LocalDate(Date(timeIntervalSince1970: -14_831_769_600), in: utc) == LocalDate("1500-01-01"))
        #expect(LocalDate(first, in: utc) == LocalDate("0001-01-01") && LocalDate(first - 1, in: utc) == nil)
        #expect(LocalTime(Date(timeIntervalSince1970: -0.5), in: utc) == LocalTime("23:59:59"))
        #expect(LocalDate(Date(timeIntervalSince1970: .infinity), in: utc) == nil)
        #expect(LocalDate(day.dateComponents) == day && day.description == "2026-01-31")
        #expect(LocalDate(days: -719_162).description == "0001-01-01" && LocalDate(days: -719_162).year == 1)
    }
}

private enum Side: String, ColumnValue, CaseIterable { case port, starboard }
private enum Rank: Int, ColumnValue, CaseIterable { case low = 1, high }

@Model
private struct Berth {
    @Key var id: Int64?
    @Column(checksCases: true) var side: Side
    @Column("order", check: "\"order\" > 0", checksCases: true) var rank: Rank?
}

struct CaseTests {
    @Test func aCheckOfTheCasesIsMadeOnWish() throws {
        let database = try memoryDatabase(Berth.self)
        _ = try database.inserted(Berth(side: .port, rank: .high))
        _ = try database.inserted(Berth(side: .starboard))
        for values in ["'gone', 1", "'port', 3", "'port', -1"] {
            let error = #expect(throws: CormorantError.self) {
                try database.execute(SQL(text: "INSERT INTO berth (side, \"order\") VALUES (\(values))"))
            }
            #expect(error?.code == .check)
        }
        #expect(try database.fetchCount(Berth.self) == 2)
    }
}
