import CormorantBase
import CormorantSQLite

/// Who is told how the writes of a queue end. It ends when it is cancelled, or with its queue.
package final class QueueListener: @unchecked Sendable {  // `lock` guards what stands below `callback`
    /// nil: of all writes.
    private let tag: String?
    private weak var queue: WriteQueue?
    /// Called with each; nil: they wait to be taken.
    private let callback: ((WriteCompletion) -> Void)?
    private let lock = RecursiveLock()
    private var waiting: [WriteCompletion] = []
    private var isEnded = false
    private var signal: EventSignal?
    private var whenReady: (() -> Void)?

    package init(_ queue: WriteQueue, tag: String? = nil, callback: ((WriteCompletion) -> Void)? = nil) throws {
        self.tag = tag
        self.queue = queue
        self.callback = callback
        try queue.add(self)
    }

    /// Ends it: nothing is told from here on, but a callback that runs on another thread runs to its end. A second call
    /// does nothing. May be called from the callback.
    package func cancel() {
        queue?.remove(self)
        lock.lock()
        waiting = []
        lock.unlock()
        end()
    }

    /// Nothing more comes; what waits can still be taken.
    func end() {
        lock.lock()
        isEnded = true
        signal?.set()
        let ready = whenReady
        whenReady = nil
        lock.unlock()
        ready?()
    }

    func tell(_ completion: WriteCompletion) {
        guard tag == nil || tag == completion.tag else { return }
        lock.lock()
        guard !isEnded else { return lock.unlock() }
        if callback == nil {
            waiting.append(completion)
            signal?.set()
        }
        let ready = whenReady
        lock.unlock()
        callback?(completion)
        ready?()
    }

    /// The next one; nil when none waits.
    package func next() -> WriteCompletion? {
        lock.lock()
        defer { lock.unlock() }
        let completion = waiting.isEmpty ? nil : waiting.removeFirst()
        if waiting.isEmpty, !isEnded { signal?.clear() }
        return completion
    }

    /// Whether nothing more will come, or wait.
    package var isOver: Bool {
        lock.lock()
        defer { lock.unlock() }
        return isEnded && waiting.isEmpty
    }

    /// A file descriptor that can be read while completions wait, and at the end. It belongs to the listener.
    package func descriptor() throws -> Int32 {
        guard callback == nil else {
            throw CormorantError(
                .misuse, "the listener has a callback, which takes what comes", hint: "listen without a callback")
        }
        lock.lock()
        defer { lock.unlock() }
        if let signal { return signal.descriptor }
        let made = try EventSignal()
        signal = made
        if isEnded || !waiting.isEmpty { made.set() }
        return made.descriptor
    }

    /// Has `ready` called when completions begin to wait, and at the end.
    package func onReady(_ ready: @escaping () -> Void) {
        lock.lock()
        if !isEnded { whenReady = ready }
        let isReady = isEnded || !waiting.isEmpty
        lock.unlock()
        if isReady { ready() }
    }
}
