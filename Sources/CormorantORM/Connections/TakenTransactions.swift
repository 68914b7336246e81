import CormorantBase
import CormorantSQLite
import CormorantThreads

/// Transactions of a database that were rolled back because another thread left one that was open with them. Until each is
/// closed, their thread, or their task where it has one, is refused all else: it would work outside of them.
final class TakenTransactions: @unchecked Sendable {  // `lock` guards `entries`
    private let lock = RecursiveLock(.takenTransactions)
    private var entries: [Entry] = []

    private struct Entry {
        let number: Int64
        let thread: Int64
        let task: Int64

        /// Whether the caller is to close it.
        func isOf(_ thread: Int64, _ task: Int64) -> Bool {
            self.task == 0 || task == 0 ? self.thread == thread : self.task == task
        }
    }

    deinit { removeAll() }

    func append(_ number: Int64, _ thread: Int64, _ task: Int64) {
        change { $0.append(Entry(number: number, thread: thread, task: task)) }
    }

    /// The innermost one that the caller is to close.
    var newest: Int64? {
        guard Threads.anyIsRefused else { return nil }
        let (thread, task) = (currentThread().pointee.id, Threads.task)
        return change { entries in
            entries.removeAll { Threads.hasEnded($0.thread) }
            return entries.last { $0.isOf(thread, task) }?.number
        }
    }

    /// How many the caller is to close.
    var count: Int {
        guard Threads.anyIsRefused else { return 0 }
        let (thread, task) = (currentThread().pointee.id, Threads.task)
        return change { entries in entries.reduce(0) { $0 + ($1.isOf(thread, task) ? 1 : 0) } }
    }

    /// - Returns: false where it is none of these.
    func remove(_ number: Int64) -> Bool {
        change { entries in
            let count = entries.count
            entries.removeAll { $0.number == number }
            return entries.count < count
        }
    }

    func removeAll() { change { $0 = [] } }

    func refuse() throws {
        if newest == nil { return }
        throw leftOnOtherThread(
            hint: "roll back what is still open on this thread; begin, use and end each transaction on one thread")
    }

    private func change<T>(_ body: (inout [Entry]) -> T) -> T {
        lock.lock()
        defer { lock.unlock() }
        let before = entries.count
        defer { if entries.count != before { Threads.refuse(entries.count - before) } }
        return body(&entries)
    }
}
