import CSQLite
import CormorantThreads

/// SQLITE_LOCKED_SHAREDCACHE, https://www.sqlite.org/rescode.html: what others have locked of memory that is opened by a name
/// (`file:NAME?mode=memory&cache=shared`).
let lockedInSharedMemory: Int32 = 6 | 1 << 8

extension Connection {
    /// What `body` gives, tried again while others have what it needs, up to the busy timeout: SQLite's busy handler is not
    /// asked there.
    func waitingForSharedMemory(_ body: () -> Int32) -> Int32 {
        var status = body()
        guard status == lockedInSharedMemory else { return status }
        let end = time(after: Int(busyTimeout))
        while status == lockedInSharedMemory, monotonicTime() < end, !Threads.isCancelled {
            sleepMilliseconds(1)
            status = body()
        }
        return status
    }
}
