import CormorantBase

/// Prepared statements by their SQL, the least recently used dropped first. One that is out stays known, and is given to
/// nobody else.
struct StatementCache {
    private let capacity: Int
    private var statements: [ExactText: Statement] = [:]
    private var clock: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Takes a statement out, so that no second cursor can step it.
    mutating func take(_ sql: String) -> Statement? {
        guard let statement = statements[ExactText(sql)], !statement.isOut else { return nil }
        statement.isOut = true
        return statement
    }

    mutating func put(_ statement: Statement) {
        clock += 1
        statement.lastUse = clock
        if statement.isCached {
            statement.isOut = false
            return
        }
        // Another of the same SQL was back sooner, or is out still.
        guard statements[ExactText(statement.sql)] == nil else { return statement.finalize() }
        statement.isCached = true
        statements[ExactText(statement.sql)] = statement
        guard statements.count > capacity else { return }
        let idle = statements.values.lazy.filter { !$0.isOut }
        guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return }
        statements[ExactText(oldest.sql)] = nil
        oldest.isCached = false
        oldest.finalize()
    }

    /// Those that are out are finalised by who has them.
    mutating func removeAll() {
        for statement in statements.values where !statement.isOut { statement.finalize() }
        statements = [:]
    }
}
