#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
    private let isOn: Bool

    init(of terminal: Terminal) { isOn = terminal.hasColours }

    func bold(_ text: String) -> String { marked(text, "1") }
    func dim(_ text: String) -> String { marked(text, "2") }
    func red(_ text: String) -> String { marked(text, "1;31") }
    func yellow(_ text: String) -> String { marked(text, "1;33") }
    func green(_ text: String) -> String { marked(text, "32") }

    private func marked(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
