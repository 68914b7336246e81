import CormorantBase
import CormorantSQLite
import CormorantThreads

/// Which task began a transaction, where several run on one thread, one after another.
package struct TransactionOwner {
    /// Not 0.
    let task: Int64
    /// The task that runs on the calling thread now; 0: none.
    let current: () -> Int64

    /// nil where no task runs.
    package init?(_ current: @escaping () -> Int64) {
        task = current()
        self.current = current
        if task == 0 { return nil }
    }

    var isCalling: Bool { current() == task }
}

/// The transactions and savepoints that are open on a connection, the outermost first.
final class OpenTransactions: @unchecked Sendable {  // `lock` guards `entries`
    private let lock = RecursiveLock(.openTransactions)
    private var entries: [Entry] = []

    private struct Entry {
        let number: Int64
        let task: Int64
    }

    enum Place { case innermost, outer, nowhere }

    func append(_ number: Int64, task: Int64) { lock.locked { entries.append(Entry(number: number, task: task)) } }

    func removeLast() { lock.locked { _ = entries.popLast() } }

    func remove(_ number: Int64) { lock.locked { entries.removeAll { $0.number == number } } }

    /// - Returns: those that there were.
    func removeAll() -> [Int64] {
        lock.locked {
            defer { entries = [] }
            return entries.map(\.number)
        }
    }

    var count: Int { lock.locked { entries.count } }

    func place(of number: Int64) -> Place {
        lock.locked {
            if entries.last?.number == number { return .innermost }
            return entries.contains { $0.number == number } ? .outer : .nowhere
        }
    }

    /// The innermost one that a task began.
    func newest(of task: Int64) -> Int64? { lock.locked { entries.last { $0.task == task }?.number } }

    /// Takes the lock of the connection away from a thread that is between two calls, where this one is still open. The
    /// others that are open are `taken` from here on.
    func takeAway(_ number: Int64, _ connection: FairLock, _ taken: TakenTransactions) -> Bool {
        lock.locked {
            guard entries.contains(where: { $0.number == number }), let thread = connection.takeAway() else {
                return false
            }
            for entry in entries where entry.number != number { taken.append(entry.number, thread, entry.task) }
            entries = []
            return true
        }
    }
}

func otherTask() -> CormorantError {
    CormorantError(
        .transaction, "another task has a transaction open on this thread",
        hint: "run each task's transaction as one body, with `perform`, and await nothing within one")
}

func leftByOtherTask() -> CormorantError {
    CormorantError(
        .transaction, "the transaction was left by another task than began it, and has been rolled back",
        hint: "end it in the task that began it, or run it as one body, with `perform`")
}

func leftOnOtherThread(
    hint: String = "begin, use and end it in one function on one thread, or run it as one body, with `perform`"
) -> CormorantError {
    CormorantError(
        .transaction, "the transaction was left on another thread than it was begun on, and has been rolled back",
        hint: hint)
}

func leftOutOfTurn() -> CormorantError {
    CormorantError(
        .transaction, "the transaction was left before the one inside it, and all of it has been rolled back",
        hint: "end the inner one first, and hold none open where other code takes turns, as in generators")
}

/// For those that were open inside one that was left out of turn.
func brokenUp() -> CormorantError {
    CormorantError(
        .transaction, "the transaction around this one was left before it, and all of it has been rolled back",
        hint: "roll back and begin again; end the inner one first")
}
