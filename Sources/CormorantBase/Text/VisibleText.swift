/// A text as one line that a person reads: what would move the cursor, command the terminal or turn the direction of the text
/// is written as an escape. For names and messages; data that a program reads is left as it is.
/// - Parameter kept: what is left as it is all the same.
package func visible(_ text: String, except kept: Set<Unicode.Scalar> = []) -> String {
    // Most is ASCII, which is told without looking at characters.
    if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) || text.unicodeScalars.allSatisfy(\.isVisible) { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case _ where kept.contains(scalar): shown.unicodeScalars.append(scalar)
        case "\n": shown += "\\n"
        case "\r": shown += "\\r"
        case "\t": shown += "\\t"
        case _ where scalar.isVisible: shown.unicodeScalars.append(scalar)
        default: shown += "\\u{\(String(scalar.value, radix: 16))}"
        }
    }
    return shown
}

/// What a message may take; of a longer one the middle is left out.
private let greatestMessage = 2000

/// A message as one visible line of bounded length.
func messageLine(_ text: String) -> String {
    let scalars = text.unicodeScalars
    // Bytes are counted at once, and are no fewer.
    guard text.utf8.count > greatestMessage, scalars.count > greatestMessage else { return visible(text) }
    let end = scalars.suffix(greatestMessage / 8)
    return visible(String(scalars.prefix(greatestMessage / 4 * 3))) + " ... " + visible(String(end))
}

extension Unicode.Scalar {
    /// Whether it can be shown as it is.
    package var isVisible: Bool {
        switch value {
        case 0x20...0x7E: true
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }
}

/// "1 value", "1,204 values".
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
}

/// A number with its thousands apart.
package func grouped(_ count: some BinaryInteger) -> String {
    var digits = String(count)
    var place = digits.count - 3
    while place > (count < 0 ? 1 : 0) {
        digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
        place -= 3
    }
    return digits
}

/// "a value", "an attribute".
package func withArticle(_ noun: String) -> String {
    (noun.first.map { "aeioAEIO".contains($0) } ?? false ? "an " : "a ") + noun
}

/// "1 value was", "2 values were".
package func countedWere(_ count: Int, _ noun: String) -> String {
    counted(count, noun) + (count == 1 ? " was" : " were")
}
