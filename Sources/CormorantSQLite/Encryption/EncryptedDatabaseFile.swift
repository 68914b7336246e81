import CSQLite
import CormorantBase

/// A database file whose pages pass through a codec.
final class EncryptedDatabaseFile: VFSFile {
    let codec: any PageCodec
    let pageSize: Int
    let path: String
    let faults: CodecFaults
    /// Whether a page of the file was authentic under the codec's key, or was written with it.
    private(set) var isProven = false
    private let scratch: PageBuffer
    private let recent: RecentPages
    private var isAttached = false
    private var attachError: CormorantError?
    /// The image that a checkpoint took from the WAL last, to write it here next.
    private let taken: PageBuffer
    private var hasTaken = false
    /// Whether the connection holds the lock of checkpoints, under which it only copies pages from the WAL: as they are.
    private(set) var isCheckpointing = false
    /// What the connection's transaction has written to the file itself, not to a log.
    private(set) var written = PageSet()
    private var hasWritten = false
    /// What was unused before, of which snapshot of the log.
    var unused: (pages: UnusedPages, snapshot: LogIndex.Snapshot?)?
    /// Whether it has the file alone: SQLITE_LOCK_EXCLUSIVE.
    private(set) var isAlone = false
    let index: LogIndex
    let turns: WriteTurns
    /// Where a copy to another page size needs `PRAGMA page_size`.
    var takesPageSize = false

    init(_ real: UnsafeMutablePointer<sqlite3_file>, _ codec: any PageCodec, _ faults: CodecFaults, _ path: String) {
        self.codec = codec
        self.faults = faults
        self.path = path
        pageSize = codec.pageSize
        scratch = PageBuffer(pageSize)
        recent = RecentPages(pageSize: pageSize)
        taken = PageBuffer(pageSize)
        index = LogIndex(pageSize: pageSize)
        turns = WriteTurns(real, real.pointee.pMethods ?? emptyMethods)
        super.init(real)
    }

    /// The page that SQLite's locks lie in, which is never written.
    var lockPage: UInt32 { UInt32(truncatingIfNeeded: 0x4000_0000 / pageSize &+ 1) }

    override func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        if offset == 0, count == 100 { return readHeader(buffer) }
        let start = Int(truncatingIfNeeded: offset) % pageSize
        let index = Int(truncatingIfNeeded: offset) / pageSize
        guard start &+ count <= pageSize, index < Int(UInt32.max) else { return SQLITE_IOERR_READ }
        let number = UInt32(truncatingIfNeeded: index &+ 1)
        if count == pageSize { return readPage(number, buffer) }
        let status = readPage(number, scratch.bytes)
        buffer.copyMemory(from: scratch.bytes + start, byteCount: count)
        return status
    }

    /// SQLite looks at the header when it opens a file, before it takes a lock: the page may be half written, or a
    /// journal be there that has the good one. So this never fails; the first statement does.
    private func readHeader(_ buffer: UnsafeMutableRawPointer) -> Int32 {
        var size: Int64 = 0
        guard fileSize(&size) == SQLITE_OK else { return SQLITE_IOERR_READ }
        guard size > 0 else {
            buffer.initializeMemory(as: UInt8.self, repeating: 0, count: 100)
            return SQLITE_IOERR_SHORT_READ
        }
        if readPage(1, scratch.bytes) == SQLITE_OK {
            buffer.copyMemory(from: scratch.bytes, byteCount: 100)
        } else {
            // The first statement meets it again, unless a journal mends it.
            faults.clear()
            writePlainHeader(buffer)
        }
        return SQLITE_OK
    }

    /// What the beginning of a good file would say.
    private func writePlainHeader(_ buffer: UnsafeMutableRawPointer) {
        buffer.initializeMemory(as: UInt8.self, repeating: 0, count: 100)
        copyMagic(to: buffer)
        buffer.storeBytes(of: UInt8(truncatingIfNeeded: pageSize >> 8), toByteOffset: 16, as: UInt8.self)
        buffer.storeBytes(of: UInt8(truncatingIfNeeded: pageSize >> 16), toByteOffset: 17, as: UInt8.self)
        // Versions of the format, the reserved bytes, and three numbers that never change.
        let numbers = (UInt8(1), UInt8(1), UInt8(truncatingIfNeeded: codec.reserve), UInt8(64), UInt8(32), UInt8(32))
        withUnsafeBytes(of: numbers) {
            (buffer + 18).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(buffer), byteCount: 6)
        }
    }

    /// Reads and decrypts a page; beyond the file's end it is zeros and a short read, as SQLite expects.
    private func readPage(_ number: UInt32, _ buffer: UnsafeMutableRawPointer) -> Int32 {
        let offset = Int64(number &- 1) &* Int64(pageSize)
        let status = readRaw(buffer, pageSize, offset)
        if status == SQLITE_IOERR_SHORT_READ {
            var size: Int64 = 0
            guard fileSize(&size) == SQLITE_OK else { return SQLITE_IOERR_READ }
            if size <= offset {
                // SQLite takes what it cannot read for zeros, as it does behind the end of what is committed.
                guard number > 1, isProven, !isUnused(number) else { return status }
                return fail(.truncated, SQLITE_CORRUPT)
            }
            // Half a page: what a file is left with that was cut, or that has smaller pages.
            if number == 1, beginsPlain(buffer), !codec.hasPlainHeader { return fail(.plainFile, SQLITE_NOTADB) }
            return fail(isProven ? .truncated : wrongKey, number == 1 ? SQLITE_NOTADB : SQLITE_CORRUPT)
        }
        guard status == SQLITE_OK else { return status }
        if number == 1 { return openFirst(buffer, isOfFile: true) }
        let opened = open(number, buffer)
        guard opened == SQLITE_CORRUPT, isProven, isUnused(number) else { return opened }
        // Read by a backup, which copies all pages.
        faults.clear()
        buffer.initializeMemory(as: UInt8.self, repeating: 0, count: pageSize)
        return SQLITE_OK
    }

    /// - Parameter isOfFile: whether the file has it there, not its journal or log.
    private func openFirst(_ buffer: UnsafeMutableRawPointer, isOfFile: Bool) -> Int32 {
        if let known = recent.page(1, as: buffer) {
            buffer.copyMemory(from: known, byteCount: pageSize)
            return SQLITE_OK
        }
        if beginsPlain(buffer), !codec.hasPlainHeader { return fail(.plainFile, SQLITE_NOTADB) }
        if let attachError { return fail(.error(attachError), SQLITE_IOERR_READ) }
        let wasAttached = isAttached
        let status = attach(buffer)
        guard status == SQLITE_OK else {
            // Where a record of a journal was not written, another page of an earlier transaction may stand.
            return wasAttached && !isOfFile ? fail(isProven ? .altered(page: 1) : wrongKey, SQLITE_NOTADB) : status
        }
        recent.prepare(1, buffer)
        switch codec.decrypt(1, buffer) {
        case .authentic: break
        case .mismatch: return fail(isProven ? .altered(page: 1) : wrongKey, SQLITE_NOTADB)
        case .failed: return fail(.failed(codec.failure), SQLITE_IOERR_READ)
        }
        // Of a plain header no one knows whether it was altered.
        guard hasRightLayout(buffer) else { return fail(.altered(page: 1), SQLITE_NOTADB) }
        recent.remember(1, buffer)
        isProven = true
        return SQLITE_OK
    }

    /// Another process may have made the file first, with bytes of its own at the beginning.
    private func attach(_ first: UnsafeRawPointer?) -> Int32 {
        do {
            if let first, hasNoSalt(first) {
                // The log or the journal may have the page.
                try firstPageBeside(path).map { try $0.withUnsafeBytes { try codec.attach($0.baseAddress) } }
                    ?? codec.attach(nil)
            } else {
                try codec.attach(first)
            }
            isAttached = true
            return SQLITE_OK
        } catch {
            let error = error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)")
            // With its keys at hand, a handle looks again: a file that was replaced may be put back.
            if !isAttached { attachError = error }
            return fail(.error(error), SQLITE_IOERR_READ)
        }
    }

    /// Decrypts the image of a page, in place, wherever it was read from.
    func open(_ number: UInt32, _ image: UnsafeMutableRawPointer) -> Int32 {
        if number == 1 { return openFirst(image, isOfFile: false) }
        if !isAttached {
            let status = attachToFile()
            guard status == SQLITE_OK else { return status }
        }
        if let known = recent.page(number, as: image) {
            image.copyMemory(from: known, byteCount: pageSize)
            if !codec.keepsLogIndex { blind(image) }
            return SQLITE_OK
        }
        recent.prepare(number, image)
        switch codec.decrypt(number, image) {
        case .authentic:
            isProven = true
            recent.remember(number, image)
            if !codec.keepsLogIndex { blind(image) }
            return SQLITE_OK
        case .mismatch: return fail(isProven ? .altered(page: number) : wrongKey, SQLITE_CORRUPT)
        case .failed: return fail(.failed(codec.failure), SQLITE_IOERR_READ)
        }
    }

    private var wrongKey: CodecFaults.Fault { .wrongKey(looksRandom: !codec.hasPlainHeader) }

    /// Without the wal-index's correction SQLite leaves a checksum of plain pages in it, which tells something of them.
    private func blind(_ page: UnsafeMutableRawPointer) {
        guard codec.reserve >= 8 else { return }
        page.storeBytes(of: UInt64.random(in: 0...UInt64.max), toByteOffset: pageSize &- 8, as: UInt64.self)
    }

    /// Readies the keys now, so that whatever stands in the way of a new file shows when it is opened.
    func readyKeys() -> Int32 { isAttached ? SQLITE_OK : attachToFile() }

    /// A journal or WAL is read before the file where it has changes that the file lacks.
    private func attachToFile() -> Int32 {
        if let attachError { return fail(.error(attachError), SQLITE_IOERR_READ) }
        return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { first in
            guard let start = first.baseAddress else { return SQLITE_NOMEM }
            let status = readRaw(start, 16, 0)
            guard status == SQLITE_OK || status == SQLITE_IOERR_SHORT_READ else { return status }
            return attach(status == SQLITE_OK ? start : nil)
        }
    }

    override func write(_ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        let index = Int(truncatingIfNeeded: offset) / pageSize
        guard count == pageSize, Int(truncatingIfNeeded: offset) % pageSize == 0, index < Int(UInt32.max) else {
            return refuseWrite()
        }
        let number = UInt32(truncatingIfNeeded: index &+ 1)
        if hasTaken, sameBytes(buffer, taken.bytes, pageSize) { return writeRaw(buffer, pageSize, offset) }
        if !hasWritten {
            hasWritten = true
            // Nothing is read behind the first page, which a commit writes first. Nor is it by who copies a log.
            if number != 1, isAlone { _ = isUnused(number) }
        }
        written.insert(number)
        var status = seal(number, buffer, to: scratch.bytes)
        guard status == SQLITE_OK else { return status }
        status = writeRaw(scratch.bytes, pageSize, offset)
        // A new file stays empty, of which there is nothing to cut off.
        var size: Int64 = 0
        if status != SQLITE_OK, number == 1, fileSize(&size) == SQLITE_OK, size == 0 { recent.forget(1) }
        return status
    }

    /// Reads the image of a page for a checkpoint, which writes what it read to the file without looking at it.
    func takeImage(_ buffer: UnsafeMutableRawPointer, _ read: (UnsafeMutableRawPointer) -> Int32) -> Int32 {
        let status = read(buffer)
        hasTaken = status == SQLITE_OK
        taken.bytes.copyMemory(from: buffer, byteCount: pageSize)
        return status
    }

    /// A journal's header says how long a file was, and anyone can have written it: before a page has shown that the key is
    /// right, nothing is cut off.
    override func truncate(_ size: Int64) -> Int32 {
        guard isProven || hasAuthenticPage() else { return fail(wrongKey, SQLITE_NOTADB) }
        // What a transaction had written there is gone when it is rolled back; another one may follow under the same lock.
        written.remove(behind: UInt32(clamping: size / Int64(pageSize)))
        if size == 0 { recent.forget(1) }
        return super.truncate(size)
    }

    /// Looks at some pages: one may be half written, or all of a file's only one.
    private func hasAuthenticPage() -> Bool {
        var size: Int64 = 0
        guard fileSize(&size) == SQLITE_OK else { return false }
        let count = size / Int64(pageSize)
        guard count > 1 else { return true }
        guard isAttached || attachToFile() == SQLITE_OK else { return false }
        isProven = (1...min(count, 16)).contains { isAuthentic(UInt32(truncatingIfNeeded: $0)) == true }
        return isProven
    }

    func refuseLog(_ error: CormorantError) -> Int32 { fail(isProven ? .error(error) : wrongKey, SQLITE_CORRUPT) }

    func refuseWrite() -> Int32 { fail(.unknownWrite, SQLITE_IOERR_WRITE) }

    /// Writes the image of a page, wherever it is going to.
    func seal(_ number: UInt32, _ page: UnsafeRawPointer, to image: UnsafeMutableRawPointer) -> Int32 {
        if !isAttached {
            let status = attachToFile()
            guard status == SQLITE_OK else { return status }
        }
        if number == 1, !hasRightLayout(page) { return fail(.layout, SQLITE_IOERR_WRITE) }
        guard codec.encrypt(number, page, to: image) else { return fail(.failed(codec.failure), SQLITE_IOERR_WRITE) }
        isProven = true
        recent.prepare(number, image)
        recent.remember(number, page)
        return SQLITE_OK
    }

    /// Its locks are given back, or its journal is of no use any more, in a file that the connection keeps for itself.
    func transactionHasEnded() {
        if hasWritten { (hasWritten, written) = (false, PageSet()) }
        unused = nil
    }

    /// A copy from a file with another layout would otherwise write over what the codec needs. More room than that is
    /// kept in files of older formats that a newer SQLCipher made.
    private func hasRightLayout(_ page: UnsafeRawPointer) -> Bool {
        let high = Int(page.load(fromByteOffset: 16, as: UInt8.self))
        let low = Int(page.load(fromByteOffset: 17, as: UInt8.self))
        let size = high << 8 | low << 16
        return size == pageSize && Int(page.load(fromByteOffset: 20, as: UInt8.self)) >= codec.reserve
    }

    /// How many pages there are as the first one says that SQLite has; 0 where that cannot be told, as where others wrote last.
    var pageCount: UInt32 {
        recent.page(1).map { bigEndian32($0, 24) == bigEndian32($0, 92) ? bigEndian32($0, 28) : 0 } ?? 0
    }

    /// Whether the file has fewer pages than its header says.
    var isShort: Bool {
        var size: Int64 = 0
        guard fileSize(&size) == SQLITE_OK else { return false }
        return size / Int64(pageSize) < Int64(pageCount)
    }

    /// Whether there was a first page, which no rollback has cut off since.
    var hasSeenFirst: Bool { recent.page(1) != nil }

    /// Whether that is the first page that SQLite has: another one says nothing of the pages that it reads.
    func isFirst(_ page: UnsafeRawPointer) -> Bool {
        recent.page(1).map { sameBytes($0, page, pageSize &- codec.reserve) } ?? false
    }

    /// Whether a page, as it stands in the file, is authentic.
    func isAuthentic(_ number: UInt32) -> Bool? {
        guard readRaw(scratch.bytes, pageSize, Int64(number &- 1) &* Int64(pageSize)) == SQLITE_OK else { return nil }
        switch codec.decrypt(number, scratch.bytes) {
        case .authentic: return true
        case .mismatch: return false
        case .failed: return nil
        }
    }

    /// Whether the file has an authentic page there.
    func holdsAuthentic(_ number: UInt32) throws -> Bool {
        if let found = isAuthentic(number) { return found }
        var size: Int64 = 0
        guard fileSize(&size) == SQLITE_OK, size < Int64(number) &* Int64(pageSize) else {
            throw CormorantError(.io, "page \(number) of \"\(path)\" cannot be read")
        }
        return false
    }

    func fail(_ fault: CodecFaults.Fault, _ status: Int32) -> Int32 {
        if case .wrongKey = fault { faults.note(fault, path, codec) } else { faults.note(fault, path) }
        return status
    }

    override func lock(_ level: Int32) -> Int32 {
        let status = super.lock(level)
        if status == SQLITE_OK, level == 4 {
            isAlone = true
            index.didBecomeAlone { putBarrier() }
        }
        return status
    }

    override func unlock(_ level: Int32) -> Int32 {
        transactionHasEnded()
        // Others see what was written without locks on the index: `PRAGMA locking_mode = EXCLUSIVE` is left.
        if isAlone { index.correct(keepsLogIndex: codec.keepsLogIndex) { putBarrier() } }
        isAlone = false
        return super.unlock(level)
    }

    override func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        switch operation {
        case SQLITE_FCNTL_PRAGMA:
            guard let texts = argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self),
                let name = texts[1], let value = texts[2], !takesPageSize,
                sameIdentifier(String(cString: name), "page_size"), String(cString: value) != String(pageSize)
            else { return super.control(operation, argument) }
            // Taken and dropped: a VACUUM to another size could not be written.
            return SQLITE_OK
        case SQLITE_FCNTL_COMMIT_PHASETWO:
            transactionHasEnded()
            return super.control(operation, argument)
        case SQLITE_FCNTL_BEGIN_ATOMIC_WRITE, SQLITE_FCNTL_COMMIT_ATOMIC_WRITE, SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE:
            return SQLITE_NOTFOUND
        default: return super.control(operation, argument)
        }
    }

    // The wal-index -------------------------------------------------------------------------------------------------

    override func mapShared(
        _ region: Int32, _ size: Int32, _ extend: Int32, _ out: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 {
        let status = super.mapShared(region, size, extend, out)
        // Memory that may only be read comes with another status.
        index.didMap(Int(region), status == SQLITE_OK || status == SQLITE_READONLY ? out?.pointee : nil)
        if region == 0 { turns.didMap(status == SQLITE_OK ? index.memory : nil) }
        return status
    }

    /// The frames of what is committed now.
    var newestFrames: [UInt32: Int64]? { frames(of: index.newest) }

    /// The newest frames of pages in a snapshot of the log, none where there is no log; nil where that cannot be told.
    func frames(of snapshot: LogIndex.Snapshot?) -> [UInt32: Int64]? {
        if index.log == nil { return [:] }
        guard let snapshot else { return nil }
        // SQLite has mapped what it has looked for.
        for region in 0..<index.regionCount where !index.isMapped(region) {
            var memory: UnsafeMutableRawPointer?
            _ = mapShared(Int32(region), 32768, 0, &memory)
        }
        return index.frames(of: snapshot)
    }

    override func unmapShared(_ delete: Int32) -> Int32 {
        index.willUnmap()
        turns.willUnmap()
        return super.unmapShared(delete)
    }

    private func putBarrier() { methods.pointee.xShmBarrier?(real) }

    override func lockShared(_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
        let isWriteLock = flags & SQLITE_SHM_EXCLUSIVE != 0 && offset == 0
        if isWriteLock, flags & SQLITE_SHM_UNLOCK != 0 {
            index.willEndWriting(keepsLogIndex: codec.keepsLogIndex) { putBarrier() }
        }
        let status = turns.lock(offset, count, flags) { super.lockShared(offset, count, flags) }
        if flags & SQLITE_SHM_EXCLUSIVE != 0, offset <= 1, offset &+ count > 1 {
            isCheckpointing = status == SQLITE_OK && flags & SQLITE_SHM_LOCK != 0 && isProven
            hasTaken = false
        }
        guard status == SQLITE_OK, flags & SQLITE_SHM_LOCK != 0 else { return status }
        if isWriteLock {
            index.didBeginWriting { putBarrier() }
        } else if flags & SQLITE_SHM_SHARED != 0 {
            // Under the first of the locks for readers SQLite reads the file alone: WAL_READ_LOCK(0).
            if index.didBeginReading(isAllInFile: offset == 3) { recent.willReadAgain() }
        }
        return status
    }
}

private let magic: StaticString = "SQLite format 3\0"

package func copyMagic(to bytes: UnsafeMutableRawPointer) {
    bytes.copyMemory(from: magic.utf8Start, byteCount: 16)
}

func beginsPlain(_ bytes: UnsafeRawPointer) -> Bool { sameBytes(bytes, UnsafeRawPointer(magic.utf8Start), 16) }

/// Whether a page that was lost begins where the salt is.
func hasNoSalt(_ first: UnsafeRawPointer) -> Bool {
    (first.loadUnaligned(as: UInt64.self), first.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) == (0, 0)
}
