extension Database {
    /// Runs `body` on one snapshot, beside which other threads read and write. Writing in it throws. Inside `write` it sees
    /// what was written.
    public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try transaction(.read) { try body(self) }
    }

    /// Runs `body` in a transaction that may write: committed when it returns, rolled back when it throws. Inside another it
    /// is a savepoint.
    @discardableResult
    public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try transaction(.immediate) { try body(self) }
    }
}
