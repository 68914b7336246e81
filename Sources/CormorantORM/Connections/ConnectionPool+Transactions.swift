import CormorantSQLite
import CormorantThreads

extension ConnectionPool {
    /// Begins a transaction that reads, or one inside it.
    /// - Parameter isWriting: whether the thread has a writer.
    /// - Returns: its number; nil where it must be one of the writer.
    func begin(isWriting: Bool, _ owner: TransactionOwner?) throws -> Int64? {
        if let pooled = held(), pooled.readDepth > 0 {
            try pooled.refuseOtherTask()
            guard pooled.lock.lock(0) == .taken else { throw leftOnOtherThread() }
            pooled.readDepth += 1
            return pooled.began(owner)
        }
        if isWriting { return nil }
        guard let pooled = try acquireFree(currentThread(), waits: true)?.takeUnretainedValue() else { return nil }
        do {
            try pooled.connected().begin(.read)
        } catch {
            release(pooled)
            throw error
        }
        pooled.readDepth = 1
        currentThread().beginTransaction()
        return pooled.began(owner)
    }

    /// Ends the innermost transaction that reads, or the one with this number.
    /// - Returns: false where the thread has none.
    func end(_ number: Int64? = nil) throws -> Bool {
        guard let pooled = held(), pooled.readDepth > 0 else { return false }
        guard pooled.lock.lock(0) == .taken else { throw leftOnOtherThread() }
        pooled.readDepth -= 1
        pooled.ended(number)
        guard pooled.readDepth == 0 else {
            pooled.lock.unlock()
            return true
        }
        currentThread().endTransaction()
        defer { release(pooled) }
        try pooled.connected().rollback()
        return true
    }
}
