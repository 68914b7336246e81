import CormorantBase
import CormorantThreads

/// How far a long command is, on a line of standard error that is gone in the end; nothing where that is no terminal.
final class ProgressBar: @unchecked Sendable {  // `lock` is not needed: one thread at a time tells progress
    private let width: Int?
    private let style = Style(of: .error)
    private var shownAt = -1.0
    private let startedAt = ProgressBar.now
    private var isShown = false

    init() { width = Terminal.error.width }

    deinit { clear() }

    /// Shows the state, ten times in a second at most.
    /// - Parameters:
    ///   - label: what is being done.
    ///   - done: of `total`; a total of 0 is one that is not known.
    ///   - unit: what is counted, such as "rows".
    func show(_ label: String, _ done: Int64, of total: Int64, _ unit: String) {
        guard let width else { return }
        let now = Self.now
        // What is over in a moment needs no bar.
        guard now - startedAt > 0.2, now - shownAt > 0.1 else { return }
        shownAt = now
        let count = total > 0 ? "\(done) of \(total) \(unit)" : done > 0 ? "\(done) \(unit)" : ""
        var line = "\(visible(label))  \(count)"
        if total > 0 {
            let share = min(1, Double(done) / Double(total))
            let cells = 24
            let full = Int(share * Double(cells))
            let bar = String(repeating: "█", count: full) + String(repeating: "░", count: cells - full)
            line = "\(bar) \(Int(share * 100))%  \(line)"
        }
        Output.command("\r\u{1B}[2K\(cut(line, to: width - 1))")
        isShown = true
    }

    /// Takes the line away, before anything else is written.
    func clear() {
        if isShown { Output.command("\r\u{1B}[2K") }
        isShown = false
    }

    /// Seconds.
    private static var now: Double { Double(monotonicTime()) / 1e9 }
}
