extension Reader {
    /// Runs `body` on one snapshot, beside which other threads read and write. It is given what reads, and nothing that
    /// writes. Inside `write` it sees what was written.
    @available(*, noasync)
    public func read<Result>(_ body: (Reader) throws -> Result) throws -> Result {
        try database.transaction(.read) { try body(self) }
    }
}

extension Database {
    /// Runs `body` in a transaction that may write: committed when it returns, rolled back when it throws. Inside another it
    /// is a savepoint.
    @available(*, noasync)
    @discardableResult
    public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try transaction(.immediate) { try body(self) }
    }
}
