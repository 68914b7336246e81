import CormorantBase
import Testing

struct UTF8BytesTests {
    private func isValid(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { isValidUTF8($0.baseAddress!, count: $0.count) }
    }

    @Test(
        arguments: [
            "", "a", "12345678", "123456789", "naïve 日本 🦤 e\u{301}", "\0",
            "1234567\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}", String(repeating: "x", count: 1000) + "é",
        ])
    func textIsValid(_ text: String) {
        // One byte more, so that there is an address for empty text.
        let bytes = Array(text.utf8) + [0]
        #expect(bytes.withUnsafeBytes { isValidUTF8($0.baseAddress!, count: $0.count - 1) })
    }

    /// Every one- and two-byte sequence, and many longer ones, behind enough ASCII to meet both loops.
    @Test(arguments: [0, 7, 8, 13])
    func agreesWithTheStandardLibrary(_ padding: Int) {
        let before = [UInt8](repeating: 0x61, count: padding)
        let edges: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        var disagreements: [[UInt8]] = []
        func compare(_ bytes: [UInt8]) {
            let expected = String(validating: before + bytes, as: UTF8.self) != nil
            if isValid(before + bytes) != expected { disagreements.append(bytes) }
        }
        for first in UInt8.min...UInt8.max {
            compare([first])
            for second in UInt8.min...UInt8.max { compare([first, second]) }
            guard first >= 0xC0 else { continue }
            for second in edges {
                for third in edges {
                    compare([first, second, third])
                    for fourth in edges { compare([first, second, third, fourth, 0x61]) }
                }
            }
        }
        #expect(disagreements == [])
    }
}
