/// How many columns of a terminal a text takes: two for what East Asian scripts and emoji are written with, none for marks
/// over other characters. Source: https://www.unicode.org/reports/tr11/
func displayWidth(_ text: String) -> Int {
    // What nearly all texts are.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + displayWidth($1) }
}

private func displayWidth(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
        // The selector that makes an emoji of what is else a text, as in ❤️.
        if scalar.value == 0xFE0F, width > 0 { return 2 }
        width = max(width, displayWidth(scalar))
    }
    return width
}

private func displayWidth(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x17000...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
        return 2
    default: return 1
    }
}

/// The text cut to a width, its end then marked.
func cut(_ text: String, to width: Int) -> String {
    guard displayWidth(text) > width else { return text }
    var kept = ""
    var used = 1
    for character in text {
        used += displayWidth(character)
        if used > width { break }
        kept.append(character)
    }
    return kept + "…"
}
