import CormorantBase
import CormorantSQLite
import CormorantThreads

/// What a request may take: it ends with its time, with the browser that waits for it, and with the server.
final class StudioJob {
    private let connection: HTTPConnection
    private let seconds: Int
    private let end: Int64

    init(_ connection: HTTPConnection, seconds: Int) {
        self.connection = connection
        self.seconds = seconds
        end = time(after: seconds * 1000)
    }

    private var isOverdue: Bool { monotonicTime() > end }

    var goesOn: Bool { !isOverdue && !connection.isGone && !Interruption.isRequested }

    /// Runs `body`, whose statements end when the job does.
    func run<T>(on connection: Connection, _ body: (Connection) throws -> T) throws -> T {
        let monitor = ProgressMonitor { [self] _ in goesOn }
        connection.setMonitor(monitor)
        defer { connection.setMonitor(nil) }
        return try withExtendedLifetime(monitor) {
            do {
                return try body(connection)
            } catch let error as CormorantError where error.code == .interrupted && isOverdue {
                throw CormorantError(
                    .interrupted, "stopped after \(seconds) \(seconds == 1 ? "second" : "seconds")",
                    hint: "an index on the columns that it looks for or sorts by makes it fast", sql: error.sql)
            }
        }
    }
}
