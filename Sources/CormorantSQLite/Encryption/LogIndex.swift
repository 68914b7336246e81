import CSQLite
import CormorantThreads

/// The header of a WAL's index in shared memory (https://www.sqlite.org/walformat.html#the_wal_index_file_format).
///
/// SQLite keeps the running checksum of the WAL there, over plain pages; a program with an encrypting SQLite that
/// appends next would continue from it, and what it writes would be lost after a crash. So the checksum as the file has
/// it is put there whenever a write ends. SQLite then sees a header that is not its own and drops its page cache.
final class LogIndex {
    var memory: UnsafeMutableRawPointer? { regions.first ?? nil }
    /// As far as SQLite has them in memory.
    private var regions: [UnsafeMutableRawPointer?] = []
    /// The WAL under the same database file.
    weak var log: EncryptedLogFile?
    private let pageSize: Int
    /// The header as SQLite last wrote it, which it still has in mind while a reader goes on, and as it was put instead.
    private let own = PageBuffer(LogIndexHeader.size)
    private let put = PageBuffer(LogIndexHeader.size)
    private var isInMind = false
    /// How often SQLite took its own write for another connection's, which its data_version counts.
    private(set) var mistaken: Int64 = 0

    /// What a transaction sees: until the next one is committed.
    struct Snapshot: Equatable {
        private let change: UInt32
        fileprivate let lastFrame: UInt32
        fileprivate let salt: UInt64

        init(_ header: UnsafeRawPointer) {
            change = header.load(fromByteOffset: 8, as: UInt32.self)
            lastFrame = LogIndexHeader.lastFrame(header)
            salt = header.load(fromByteOffset: 32, as: UInt64.self)
        }
    }

    /// Of the connection's transaction, where SQLite takes a lock for it; and what it was when the lock for writing was taken.
    private(set) var snapshot: Snapshot?
    /// Whether it reads nothing of the log, all of which was copied to the file. Nobody copies more as long as it lasts.
    private var isAllInFile = false
    private var atWriteLock: Snapshot?

    /// What is committed now.
    var newest: Snapshot? { memory.map { Snapshot($0) } }

    /// The header that was last seen before it was corrected, and since when.
    private var uncorrected: [UInt8] = []
    private var uncorrectedSince: Int64 = 0

    /// After so long nobody is about to correct a header: its writer was killed, or does not do so. In nanoseconds.
    private static let patience: Int64 = 20_000_000

    init(pageSize: Int) { self.pageSize = pageSize }

    func didMap(_ region: Int, _ memory: UnsafeMutableRawPointer?) {
        if region >= regions.count { regions += repeatElement(nil, count: region &+ 1 &- regions.count) }
        regions[region] = memory
    }

    func willUnmap() { regions = [] }

    /// The page that a frame, from 1, is of, by which SQLite finds it; nil where its place is not in memory.
    /// https://www.sqlite.org/walformat.html#wal_index_page_mapping: 4096 numbers in each region, less the header's room in the first.
    func page(ofFrame number: Int64) -> UInt32? {
        let place = Int(number) &- 1 &+ 34
        let (region, index) = (place / 4096, place % 4096)
        guard number > 0, region < regions.count, let memory = regions[region] else { return nil }
        return memory.load(fromByteOffset: index &* 4, as: UInt32.self)
    }

    /// While the write lock is still held.
    func willEndWriting(keepsLogIndex: Bool, barrier: () -> Void) {
        defer {
            log?.endWriting()
            // Nobody else has committed meanwhile.
            if newest != atWriteLock { (snapshot, isAllInFile) = (newest, false) }
        }
        correct(keepsLogIndex: keepsLogIndex, barrier: barrier)
    }

    /// While nobody else can write.
    func correct(keepsLogIndex: Bool, barrier: () -> Void) {
        guard keepsLogIndex, let memory, let log, LogIndexHeader.isWhole(memory) else { return }
        let header = own.bytes
        header.copyMemory(from: memory, byteCount: LogIndexHeader.size)
        let frame = LogIndexHeader.lastFrame(header)
        guard header.load(fromByteOffset: 0, as: UInt32.self) == 3_007_000, frame > 0,
            let sums = log.storedChecksum(frame)
        else { return }
        put.bytes.copyMemory(from: header, byteCount: LogIndexHeader.size)
        LogIndexHeader.putChecksum(sums, put.bytes)
        guard !sameBytes(put.bytes, header, LogIndexHeader.size) else { return }
        LogIndexHeader.write(put.bytes, memory, barrier)
        isInMind = true
    }

    /// A statement that goes on reading over its connection's own write still has the old header in mind, and would
    /// take the new one for another connection's write.
    func didBeginWriting(barrier: () -> Void) {
        log?.beginWriting()
        atWriteLock = newest
        restore(barrier: barrier)
    }

    /// The connection has the file alone. Where it keeps it, SQLite writes without locks on the index from here on, and
    /// compares the header nonetheless.
    func didBecomeAlone(barrier: () -> Void) {
        restore(barrier: barrier)
        isInMind = false
    }

    private func restore(barrier: () -> Void) {
        guard isInMind, let memory, sameBytes(memory, put.bytes, LogIndexHeader.size) else { return }
        LogIndexHeader.write(own.bytes, memory, barrier)
    }

    /// SQLite has read the header anew, which it compares once more with the lock in its hands.
    /// - Returns: whether it took its own write for another connection's, and has dropped its pages.
    func didBeginReading(isAllInFile: Bool) -> Bool {
        defer { isInMind = false }
        (snapshot, self.isAllInFile) = (newest, isAllInFile)
        guard isInMind, let memory, sameBytes(memory, put.bytes, LogIndexHeader.size) else { return false }
        mistaken &+= 1
        return true
    }

    /// Whether the log was begun anew since: it has, or will have, other frames in the places of those of the snapshot.
    func isBegunAnew(since snapshot: Snapshot) -> Bool { newest?.salt != snapshot.salt }

    /// The newest frames of pages in a snapshot, also of those that are copied to the file: how many are can be altered
    /// by anyone. nil where they are not in memory.
    func frames(of snapshot: Snapshot) -> [UInt32: Int64]? {
        if isBegunAnew(since: snapshot) { return isAllInFile && snapshot == self.snapshot ? [:] : nil }
        var frames: [UInt32: Int64] = [:]
        for number in 0..<Int64(snapshot.lastFrame) {
            guard let page = page(ofFrame: number &+ 1) else { return nil }
            frames[page] = number &+ 1
        }
        return frames
    }

    /// Up to which frame a checkpoint has copied the log to the file, but for those of pages that have changed again.
    /// https://www.sqlite.org/walformat.html: nBackfill, after the two copies of the header.
    var copied: Int64 { memory.map { Int64($0.load(fromByteOffset: 2 * LogIndexHeader.size, as: UInt32.self)) } ?? 0 }

    /// How many regions of the index the committed frames need.
    var regionCount: Int { memory.map { (Int(LogIndexHeader.lastFrame($0)) &+ 33) / 4096 &+ 1 } ?? 0 }

    func isMapped(_ region: Int) -> Bool { region < regions.count && regions[region] != nil }

    /// The header as it stays until the next commit; nil while its writer has it to correct still, or is at it.
    func settledHeader() -> [UInt8]? {
        guard let memory, let log else { return [] }
        let header = [UInt8](UnsafeRawBufferPointer(start: memory, count: LogIndexHeader.size))
        let isWhole = header.withUnsafeBytes { bytes in
            bytes.baseAddress.map { sameBytes($0, memory + LogIndexHeader.size, LogIndexHeader.size) } ?? false
        }
        guard isWhole else { return nil }
        let (frame, sum): (UInt32, (UInt32, UInt32)) = header.withUnsafeBytes { bytes in
            bytes.baseAddress.map { (LogIndexHeader.lastFrame($0), LogIndexHeader.checksum($0)) } ?? (0, (0, 0))
        }
        guard frame > 0, let stored = log.readChecksum(Int64(frame)), stored != sum else { return header }
        if header != uncorrected {
            uncorrected = header
            uncorrectedSince = monotonicTime()
        }
        return monotonicTime() &- uncorrectedSince > LogIndex.patience ? header : nil
    }
}

let isBigEndianMachine = UInt16(1).bigEndian == 1

/// https://www.sqlite.org/fileformat2.html#checksum_algorithm
/// - Parameter count: a multiple of 8.
func logChecksum(
    _ bytes: UnsafeRawPointer, _ count: Int, _ start: (UInt32, UInt32), isBigEndian: Bool
) -> (UInt32, UInt32) {
    var (first, second) = start
    var offset = 0
    if isBigEndian == isBigEndianMachine {
        while offset < count {
            first = first &+ bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self) &+ second
            second = second &+ bytes.loadUnaligned(fromByteOffset: offset &+ 4, as: UInt32.self) &+ first
            offset = offset &+ 8
        }
    } else {
        while offset < count {
            first = first &+ bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).byteSwapped &+ second
            second = second &+ bytes.loadUnaligned(fromByteOffset: offset &+ 4, as: UInt32.self).byteSwapped &+ first
            offset = offset &+ 8
        }
    }
    return (first, second)
}
