import CSQLite
import CormorantPlatform
import CormorantThreads

/// What lets the child of a fork open files anew, whatever other threads of its parent were doing then.
enum Forks {
    /// Called once, before the first file is opened.
    static func watch(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) {
        if vfs.pointee.iVersion >= 3, let get = vfs.pointee.xGetSystemCall, let byFile = get(vfs, "fstat"),
            let byPath = get(vfs, "stat")
        {
            base = vfs
            fstat = unsafeBitCast(byFile, to: FileStatus.self)
            stat = unsafeBitCast(byPath, to: PathStatus.self)
        }
        // SQLite's own for the whole process: MAIN, MEM, OPEN, PRNG, LRU, PMEM, VFS1. The others are the program's.
        // https://www.sqlite.org/c3ref/c_mutex_fast.html
        let locks = [2, 3, 4, 5, 6, 7, 11].compactMap { sqlite3_mutex_alloc($0) }
        ForkGuard.add(
            locks.map { lock in
                nonisolated(unsafe) let lock = lock
                return ForkGuard.Lock(
                    take: { sqlite3_mutex_try(lock) == SQLITE_OK }, giveBack: { sqlite3_mutex_leave(lock) })
            },
            inChild: { forgetLocks() })
    }

    private typealias Status = UnsafeMutablePointer<CormorantPlatform.stat>?
    private typealias FileStatus = @convention(c) (Int32, Status) -> Int32
    private typealias PathStatus = @convention(c) (UnsafePointer<CChar>?, Status) -> Int32

    nonisolated(unsafe) private static var base: UnsafeMutablePointer<sqlite3_vfs>?
    nonisolated(unsafe) private static var fstat: FileStatus?
    nonisolated(unsafe) private static var stat: PathStatus?
    nonisolated(unsafe) private static var generation: dev_t = 0

    /// SQLite keeps a list of the files that the process has open, by device and number, with the locks that it has on each:
    /// it asks the system for those that it lacks alone. The child has a copy of the list, but none of the locks. Files that it
    /// opens itself come from other devices than any in the list, as far as SQLite can tell, and get entries of their own.
    private static func forgetLocks() {
        guard let base, let set = base.pointee.xSetSystemCall else { return }
        generation &+= 1
        let byFile: FileStatus = { file, status in Forks.marked(Forks.fstat?(file, status) ?? -1, status) }
        let byPath: PathStatus = { path, status in Forks.marked(Forks.stat?(path, status) ?? -1, status) }
        _ = set(base, "fstat", unsafeBitCast(byFile, to: sqlite3_syscall_ptr.self))
        _ = set(base, "stat", unsafeBitCast(byPath, to: sqlite3_syscall_ptr.self))
    }

    private static func marked(_ result: Int32, _ status: Status) -> Int32 {
        if result == 0, let status { status.pointee.st_dev ^= generation << 24 }
        return result
    }
}
