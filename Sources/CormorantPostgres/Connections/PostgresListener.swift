import CormorantBase
import CormorantEngine
import CormorantThreads

/// A connection of its own that the server notifies, which a pooler in between does not.
final class PostgresListener: EngineListener {
    private let pq: LibPQ
    private var handle: OpaquePointer?
    private let fork = ForkMark()

    init(_ pq: LibPQ, _ url: ServerURL, _ channel: String) throws {
        self.pq = pq
        // A standby notifies nobody.
        handle = try OpenedServer(pq, url, [], url.readsStandbys ? "read-write" : nil).handle
        guard pq.sendQuery(handle, "LISTEN \(quoteIdentifier(channel))") == 1 else { throw lost() }
        var failure: ServerFailure?
        while let result = pq.getResult(handle) {
            if pq.resultStatus(result) != ResultStatus.command { failure = failure ?? ServerFailure(result, pq) }
            pq.clear(result)
        }
        if let failure { throw failure.error(sql: nil, offset: nil) }
    }

    deinit { close() }

    var descriptor: Int32 { pq.socket(handle) }

    func take() throws -> Bool {
        guard pq.consumeInput(handle) == 1, pq.status(handle) == 0 else { throw lost() }
        var hasCome = false
        while let notification = pq.notifies(handle) {
            hasCome = true
            pq.freeMemory(notification)
        }
        return hasCome
    }

    func close() {
        // In a child of the process that has opened it the server would be told that it goes.
        if !fork.isForked { pq.close(handle) }
        handle = nil
    }

    private func lost() -> CormorantError {
        CormorantError(
            .connection, "the connection that is notified is lost",
            hint: "it is opened anew, and others' commits are looked for")
    }
}
