import CormorantBase
import Testing

struct UUIDBytesTests {
    private func parse(_ text: String) -> UUIDBytes? {
        var text = text
        return text.withUTF8 { UUIDBytes(parsing: $0) }
    }

    private let counting = UUIDBytes(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

    @Test func textFormAndBack() {
        #expect(counting.description == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(UUIDBytes(high: 0, low: 0).description == "00000000-0000-0000-0000-000000000000")
        #expect(parse("00112233-4455-6677-8899-aabbccddeeff") == counting)
        #expect(parse("00112233-4455-6677-8899-AABBCCDDEEFF") == counting)
        #expect(parse("00112233445566778899aAbBcCdDeEfF") == counting)
        #expect(parse("ffffffff-ffff-ffff-ffff-ffffffffffff") == UUIDBytes(high: .max, low: .max))
    }

    @Test(
        arguments: [
            "", "0011", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
            "0011223-34455-6677-8899-aabbccddeeff", "g0112233-4455-6677-8899-aabbccddeeff",
            "00112233-4455-6677-8899-aabbccddeef ",
            "{00112233445566778899aabbccddeeff", "00112233445566778899aabbccddeeé",
        ])
    func otherTextIsRefused(_ text: String) {
        #expect(parse(text) == nil)
    }

    @Test(arguments: [
        "0", "-0.10", "+5", ".5", "5.", "1e10", "1E-3", "-1.5e+30", "99999999999999999999999999999999.99",
    ])
    func decimalNumbers(_ text: String) {
        var text = text
        #expect(text.withUTF8 { isDecimalText($0) })
    }

    @Test(arguments: ["", "-", ".", "1,5", "1e", "e5", "1e+", "--1", "1.2.3", " 1", "1 ", "0x10", "NaN", "inf", "١"])
    func otherTextIsNoDecimalNumber(_ text: String) {
        var text = text
        #expect(text.withUTF8 { isDecimalText($0) } == false)
    }
}
