import CormorantBase
import CormorantPlatform
import CormorantThreads

/// What is to become a database file, written under a name beside it until it is whole. Nobody else writes to it or removes it
/// meanwhile, in whatever process; what a killed one left goes.
struct UnfinishedFile {
    /// Of a file that is empty at first.
    let path: String
    private let lock: Int32

    private var lockPath: String { path + "-lock" }

    /// - Parameters:
    ///   - rights: less the process's umask; until it has those that it is to have, only its owner reads it.
    ///   - patience: how many milliseconds somebody else who writes one for the name is waited for, before it is `busy`.
    init(of name: String, rights: mode_t = 0o600, patience: Int = 0) throws {
        path = unfinishedPath(name)
        lock = try lockedFile(path + "-lock", patience) {
            CormorantError(
                .busy, "\"\(name)\" is being written by another copy or repair",
                hint: "wait until that one is done, or name another file")
        }
        do { try makeEmpty(path, rights) } catch {
            remove()
            throw error
        }
    }

    /// To be called once, whether or not the file has got its name.
    func remove() {
        removeDatabase(path)
        unlink(lockPath)
        close(lock)
    }
}

/// Makes a file that is locked until it is closed, or its process ends. It is one apart: who closes a descriptor of a database gives
/// up the locks that SQLite has on it (`FileOnDisk`).
private func lockedFile(_ path: String, _ patience: Int, busy: () -> CormorantError) throws -> Int32 {
    var waited = 0
    while true {
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw cannotMake(path, errno) }
        // Where the file system has no locks, none is as good as one.
        let isHeld = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
        var (own, named) = (stat(), stat())
        // One that was removed before it was locked is nobody's.
        if !isHeld, fstat(file, &own) == 0, lstat(path, &named) == 0, own.st_ino == named.st_ino { return file }
        close(file)
        guard isHeld else { continue }
        guard waited < patience else { throw busy() }
        sleepMilliseconds(10)
        waited += 10
    }
}

private func removeDatabase(_ path: String) {
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
}

private func makeEmpty(_ path: String, _ rights: mode_t) throws {
    removeDatabase(path)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights)
    guard file >= 0 else { throw cannotMake(path, errno) }
    close(file)
}

private func cannotMake(_ path: String, _ number: Int32) -> CormorantError {
    CormorantError(
        systemCode(number, else: .cannotOpen), "\"\(path)\" cannot be made: \(systemMessage(number))",
        hint: openingHint(number) ?? "check that its folder is there and can be written")
}
