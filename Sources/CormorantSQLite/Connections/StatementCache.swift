/// Prepared statements by their SQL, the least recently used dropped first.
struct StatementCache {
    private let capacity: Int
    private var entries: [String: (statement: Statement, used: UInt64)] = [:]
    private var clock: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Takes a statement out, so that no second cursor can step it.
    mutating func take(_ sql: String) -> Statement? {
        entries.removeValue(forKey: sql)?.statement
    }

    mutating func put(_ statement: Statement) {
        clock += 1
        if let old = entries.updateValue((statement, clock), forKey: statement.sql) { old.statement.finalize() }
        if entries.count > capacity, let oldest = entries.min(by: { $0.value.used < $1.value.used }) {
            entries.removeValue(forKey: oldest.key)
            oldest.value.statement.finalize()
        }
    }

    mutating func removeAll() {
        for entry in entries.values { entry.statement.finalize() }
        entries = [:]
    }
}
