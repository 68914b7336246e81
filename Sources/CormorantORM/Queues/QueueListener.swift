import CormorantBase
import CormorantSQLite
import CormorantThreads

/// Who is told how the writes of a queue end. It ends when it is cancelled, or with its queue.
package final class QueueListener: Sendable {
    /// nil: of all writes.
    private let tag: String?
    private weak let queue: WriteQueue?
    /// What has ended.
    package let completions: Mailbox<WriteCompletion>

    /// - Parameter callback: called with each; nil: they wait to be taken.
    package init(_ queue: WriteQueue, tag: String? = nil, callback: ((WriteCompletion) -> Void)? = nil) throws {
        self.tag = tag
        self.queue = queue
        completions = Mailbox(callback: callback)
        try queue.add(self)
    }

    /// Ends it: nothing is told from here on, but a callback that runs on another thread runs to its end. A second call
    /// does nothing. May be called from the callback.
    package func cancel() {
        // The child of a fork is told nothing, and may have copied the lock of who was told.
        if let queue, queue.isForked { return }
        queue?.remove(self)
        completions.end(discarding: true)
    }

    func tell(_ completion: WriteCompletion) {
        if tag == nil || tag == completion.tag { completions.put(completion) }
    }
}
