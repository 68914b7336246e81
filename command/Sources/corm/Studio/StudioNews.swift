import CormorantBase
import CormorantThreads

/// Commits that the files' observers have told of, for those who listen.
final class StudioNews: @unchecked Sendable {  // `monitor` guards `counts`
    private let monitor = Monitor(.binding)
    private var counts: [Int]

    init(files: Int) { counts = Array(repeating: 0, count: files) }

    func add(_ file: Int) {
        monitor.locked {
            counts[file] += 1
            monitor.changed()
        }
    }

    /// The counts once they differ, or after half a second.
    private func next(after known: [Int]) -> [Int] {
        monitor.locked {
            if counts == known { monitor.wait(500_000_000) }
            return counts
        }
    }

    /// Writes events as they come: `{"file": place, "commits": how many more}`.
    /// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
    func tell(_ connection: HTTPConnection) throws {
        try connection.begin(HTTPResponse(type: "text/event-stream", bytes: []))
        try connection.chunk(Array("retry: 1000\n: \n\n".utf8))
        var known = monitor.locked { counts }
        var toldAt = monotonicTime()
        while !connection.isGone, !Interruption.isRequested {
            let now = next(after: known)
            for (file, count) in now.enumerated() where count != known[file] {
                try connection.chunk(Array("data: {\"file\":\(file),\"commits\":\(count - known[file])}\n\n".utf8))
                toldAt = monotonicTime()
            }
            // A browser that is gone without a word shows when it is written to.
            if monotonicTime() - toldAt > 15_000_000_000 {
                try connection.chunk(Array(": \n\n".utf8))
                toldAt = monotonicTime()
            }
            // A busy writer is told of in lumps.
            if now != known { sleepMilliseconds(50) }
            known = now
        }
    }
}
