import CormorantBase
import CormorantPlatform

/// Where a command writes to, and whether a person looks at it.
enum Terminal: Int32 {
    case output = 1
    case error = 2

    var isThere: Bool { isatty(rawValue) == 1 }

    /// Columns; nil where it is no terminal.
    var width: Int? {
        guard isThere else { return nil }
        var size = winsize()
        guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// https://no-color.org
    var hasColours: Bool {
        isThere && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
    }
}

func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// Marks up text on a terminal, and leaves it as it is elsewhere.
struct Style {
    /// What begins a mark, and what ends all of them.
    fileprivate static let codes = ["0", "1", "2", "1;31", "1;33", "32"]

    private let isOn: Bool

    init(of terminal: Terminal) { isOn = terminal.hasColours }

    func bold(_ text: String) -> String { marked(text, "1") }
    func dim(_ text: String) -> String { marked(text, "2") }
    func red(_ text: String) -> String { marked(text, "1;31") }
    func yellow(_ text: String) -> String { marked(text, "1;33") }
    func green(_ text: String) -> String { marked(text, "32") }

    private func marked(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

/// What may be written to a person: lines and tabs stay, on a terminal marks of `Style` do, and all else that would command it
/// is shown as an escape, wherever it comes from.
func printable(_ text: String, on terminal: Terminal) -> String {
    // What nearly all texts are.
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A }) { return text }
    let pieces = text.split(separator: "\u{1B}", omittingEmptySubsequences: false).map {
        visible(String($0), except: ["\n", "\t"])
    }
    let isMarked = terminal.hasColours
    return pieces.dropFirst().reduce(pieces[0]) { shown, piece in
        let isMark = isMarked && Style.codes.contains { piece.hasPrefix("[\($0)m") }
        return shown + (isMark ? "\u{1B}" : "\\u{1b}") + piece
    }
}

/// An argument as a shell takes it.
func shellQuoted(_ text: String) -> String {
    text.utf8.allSatisfy {
        $0 == 0x5F || $0 == 0x2E || $0 >= 0x30 && $0 <= 0x39 || $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A
    }
        ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
