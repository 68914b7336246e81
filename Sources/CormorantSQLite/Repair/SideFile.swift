import CSQLite
import CormorantBase
import CormorantPlatform

/// A log or a journal, on which SQLite has no locks. What is no file counts as none.
final class SideFile {
    private let descriptor: Int32

    init?(_ path: String) {
        // Without waiting for who writes to a pipe.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { return nil }
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
    }

    deinit { close(descriptor) }

    /// The file that a transaction of several files is committed by the deletion of, as the end of each journal names it.
    /// https://www.sqlite.org/atomiccommit.html#_multi_file_commit
    var superJournal: String? {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        guard let bytes = read(size &- 16, 16) else { return nil }
        let end = DamagedPage(number: 2, bytes: bytes, usable: 16)
        let length = end.number32(0)
        guard end.number32(8) == 0xD9D5_05F9, end.number32(12) == 0x20A1_63D7, length > 0, length <= 4096,
            let name = read(size &- 16 &- Int64(length), Int(length)),
            name.reduce(0, { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }) == end.number32(4)
        else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// nil where there are not so many.
    func read(_ offset: Int64, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard offset >= 0 else { return nil }
        return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
    }
}

/// The first page as a file's log has it, or its hot journal, which SQLite reads before the file.
func firstPageBeside(_ path: String) -> [UInt8]? {
    let path = canonicalPath(path)
    return DamagedLog(path + "-wal")?.pages[1] ?? DamagedJournal(path + "-journal")?.pages[1]
}

/// Whether a log or journal may have pages of a file that had some.
func hasPages(_ path: String) -> Bool {
    guard let file = SideFile(path), let bytes = file.read(0, 28) else { return false }
    let head = DamagedPage(number: 2, bytes: bytes, usable: 28)
    if isLog(head) { return file.read(32 + 24, 512) != nil }
    return isJournal(head) && head.number32(16) > 0
}
