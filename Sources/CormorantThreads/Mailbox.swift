import CormorantBase

/// What comes for one listener: handed to its callback, or kept until it is taken. Any thread.
package final class Mailbox<Element>: @unchecked Sendable {  // `lock` guards everything below it
    private let hasCallback: Bool
    private let lock = RecursiveLock(.mailbox)
    private var callback: ((Element) -> Void)?
    /// What waits: the oldest last in the first, the newest last in the second, so that taking moves nothing.
    private var oldest: [Element] = []
    private var newest: [Element] = []
    private var ended = false
    private var signal: EventSignal?
    private var whenReady: (() -> Void)?

    /// - Parameter callback: called with what comes; nil: it waits to be taken. Let go at the end, or when the call that
    ///   runs then returns.
    package init(callback: ((Element) -> Void)?) {
        self.callback = callback
        hasCallback = callback != nil
    }

    /// Nothing more comes.
    /// - Parameter discarding: whether what waits is gone, too.
    package func end(discarding: Bool) {
        lock.lock()
        // What is let go runs code of others, under no lock.
        let ready = whenReady
        let callback = callback
        self.callback = nil
        whenReady = nil
        ended = true
        if discarding {
            oldest = []
            newest = []
        }
        signal?.set()
        lock.unlock()
        _ = consume callback
        ready?()
    }

    package var isEnded: Bool { lock.locked { ended } }

    /// Whether nothing more will come, or waits.
    package var isOver: Bool { lock.locked { ended && isEmpty } }

    private var isEmpty: Bool { oldest.isEmpty && newest.isEmpty }

    /// Hands over an element, unless the end has come.
    /// - Parameter merged: given the newest that waits and how many do, what stands for it and the new one; nil: both do.
    package func put(_ element: Element, merged: (_ newest: Element, _ count: Int) -> Element? = { _, _ in nil }) {
        lock.lock()
        let callback = callback
        if !ended, !hasCallback {
            if let last = newest.last ?? oldest.first, let merged = merged(last, oldest.count + newest.count) {
                if newest.isEmpty { oldest[0] = merged } else { newest[newest.count - 1] = merged }
            } else {
                newest.append(element)
            }
            signal?.set()
        }
        let ready = whenReady
        lock.unlock()
        callback?(element)
        ready?()
    }

    /// The oldest that waits; nil when none does.
    package func next() -> Element? {
        lock.locked {
            if oldest.isEmpty {
                oldest = newest.reversed()
                newest = []
            }
            let element = oldest.popLast()
            if isEmpty, !ended { signal?.clear() }
            return element
        }
    }

    /// A file descriptor that can be read while something waits, and at the end. It belongs to the mailbox.
    package func descriptor() throws -> Int32 {
        guard !hasCallback else {
            throw CormorantError(
                .misuse, "a callback takes what comes, so that nothing can be waited for",
                hint: "leave the callback out")
        }
        return try lock.locked {
            if let signal { return signal.descriptor }
            let made = try EventSignal()
            signal = made
            if ended || !isEmpty { made.set() }
            return made.descriptor
        }
    }

    /// Has `ready` called when something begins to wait, and at the end.
    package func onReady(_ ready: @escaping () -> Void) {
        let isReady = lock.locked {
            if !ended { whenReady = ready }
            return ended || !isEmpty
        }
        if isReady { ready() }
    }
}
