import Cormorant
import CormorantFoundation
import Foundation
import Testing

@Model
private struct Visit: Codable, Equatable {
    @Key var id: Int64?
    var day: LocalDate
    var opens: LocalTime
    var made: Timestamp
    var begins: OffsetTimestamp?
    var price: DecimalText
    var guest: UUIDBytes
    var left: Timestamp?
}

/// A record of the library's own types in a document, as a route takes and gives it.
struct CodableTests {
    private let visit = Visit(
        id: 1, day: LocalDate("2026-01-31")!, opens: LocalTime("09:30:00.5")!, made: Timestamp("2026-01-31T12:00:00Z")!,
        begins: OffsetTimestamp("2026-01-31T12:00:00+01:30")!, price: "12.50",
        guest: UUIDBytes("00000000-0000-0000-0000-0000000000ab")!, left: nil)

    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func visit(_ members: String) throws -> Visit {
        let others = #""day": "2026-01-31", "opens": "09:30", "made": "2026-01-31", "price": "1""#
        // Of members that are there twice the first counts.
        let document = #"{\#(members), \#(others), "guest": "\#(visit.guest)"}"#
        return try JSONDecoder().decode(Visit.self, from: Data(document.utf8))
    }

    @Test func documentsAreThoseOfTheLibrary() throws {
        let written = try text(visit)
        #expect(
            written == #"{"begins":"2026-01-31T12:00:00.000000+01:30","day":"2026-01-31","#
                + #""guest":"00000000-0000-0000-0000-0000000000ab","id":1,"made":"2026-01-31T12:00:00.000000Z","#
                + #""opens":"09:30:00.500000","price":"12.50"}"#)
        #expect(try JSONDecoder().decode(Visit.self, from: Data(written.utf8)) == visit)
        #expect(try Visit.readJSON("[\(written)]") == [visit])
        let own = try JSONDecoder().decode([Visit].self, from: Data(try [visit].writeJSON().utf8))
        #expect(own == [visit])
    }

    @Test func otherFormsAreRead() throws {
        #expect(try visit(#""price": 12"#).price == "12")
        #expect(try visit(#""made": "2026-01-31T13:00:00.5+01:00""#).made == Timestamp("2026-01-31T12:00:00.5Z"))
    }

    @Test func whatNoColumnHoldsIsRefused() throws {
        for member in [
            #""day": "2026-02-30""#, #""day": 20260131"#, #""opens": "25:00""#, #""made": "soon""#, #""price": "x""#,
            #""price": 1.5"#, #""guest": "ab""#, #""begins": "2026-01-31T12:00:00""#,
        ] {
            #expect(throws: DecodingError.self, "\(member)") { try visit(member) }
        }
        #expect(throws: EncodingError.self) { try text([LocalDate(days: .max)]) }
        #expect(throws: EncodingError.self) { try text([LocalTime(microseconds: -1)]) }
        #expect(throws: EncodingError.self) { try text([Timestamp(microseconds: .max)]) }
        #expect(throws: EncodingError.self) { try text([DecimalText("x")]) }
    }
}
