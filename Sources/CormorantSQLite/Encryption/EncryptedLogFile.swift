import CSQLite

/// The write-ahead log of an encrypted database (https://www.sqlite.org/fileformat2.html#walformat).
///
/// Its checksums run over the frames as they stand in the file. SQLite computes them over plain pages, so they are made
/// anew on the way to the file, and on recovery checked here and made anew on the way back.
final class EncryptedLogFile: VFSFile {
    private let database: EncryptedDatabaseFile
    private let pageSize: Int
    private let frameSize: Int
    private let frame: PageBuffer
    /// Header and image of the frame that SQLite read in full just before, to give it a new checksum.
    private var wholeFrame: Int64 = -1
    /// Whether it has come back to frames for that: it reads the checksum before the first of them, which it does for nothing else.
    private var comesBack = false
    /// A frame's header that SQLite wrote and whose page it writes next.
    private let held = PageBuffer(EncryptedLogFile.frameHeaderSize)
    private var heldFrame: Int64 = -1
    /// The WAL's header as it stands in the file; nil until it is needed.
    private var header: Header?
    /// The checksum at the end of a frame, as it stands in the file. Other processes write too: forgotten with the lock.
    private var lastSum: (frame: Int64, sum: (UInt32, UInt32))?
    /// Recovery: the frame handed out last, with its checksum in the file and as SQLite computes it.
    private var recovered: (frame: Int64, stored: (UInt32, UInt32), plain: (UInt32, UInt32))?

    private var missing = MissingChecksums()

    /// Of which page each frame is, as the connection wrote or recovered it: where SQLite has the index in memory of its own.
    private var pages: [UInt32] = []

    /// Of the last frame that ends a transaction, as it was recovered, the checksum that SQLite has of it: where nobody keeps the index
    /// it goes on from there, to see whether others have committed more.
    private var committed: (frame: Int64, plain: (UInt32, UInt32))?

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    private struct Header {
        let isBigEndian: Bool
        let salt: UInt64
        let sum: (UInt32, UInt32)

        init(_ bytes: UnsafeRawPointer) {
            isBigEndian = bytes.load(fromByteOffset: 3, as: UInt8.self) & 1 == 1
            salt = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
            sum = (bigEndian32(bytes, 24), bigEndian32(bytes, 28))
        }
    }

    init(_ real: UnsafeMutablePointer<sqlite3_file>, _ database: EncryptedDatabaseFile) {
        self.database = database
        pageSize = database.pageSize
        frameSize = pageSize &+ EncryptedLogFile.frameHeaderSize
        frame = PageBuffer(frameSize)
        super.init(real)
        database.index.log = self
    }

    /// The frame, from 1, that begins at the offset; 0 for none.
    private func frameNumber(_ offset: Int64) -> Int64 {
        let behind = offset &- Int64(EncryptedLogFile.headerSize)
        return behind >= 0 && behind % Int64(frameSize) == 0 ? behind / Int64(frameSize) &+ 1 : 0
    }

    private func frameOffset(_ number: Int64) -> Int64 {
        Int64(EncryptedLogFile.headerSize) &+ (number &- 1) &* Int64(frameSize)
    }

    /// Whether the page in a frame is authentic, which is put into `page`.
    func readAuthentic(_ number: UInt32, inFrame frame: Int64, _ page: PageBuffer) -> Bool {
        let offset = frameOffset(frame) &+ Int64(EncryptedLogFile.frameHeaderSize)
        return readRaw(page.bytes, pageSize, offset) == SQLITE_OK
            && database.codec.decrypt(number, page.bytes) == .authentic
    }

    private func note(_ page: UInt32, ofFrame number: Int64) {
        guard database.index.memory == nil else { return }
        let place = Int(number) &- 1
        if place >= pages.count { pages += repeatElement(0, count: place &+ 1 &- pages.count) }
        pages[place] = page
    }

    /// The page that SQLite has found in a frame, whose header anyone can write.
    private func page(ofFrame number: Int64) -> UInt32? {
        if database.index.memory != nil { return database.index.page(ofFrame: number) }
        return number <= pages.count ? pages[Int(number) &- 1] : nil
    }

    func beginWriting() { forget() }

    func endWriting() {
        _ = flush()
        forget()
    }

    private func forget() {
        header = nil
        lastSum = nil
        recovered = nil
        missing.forget()
    }

    // Writing -------------------------------------------------------------------------------------------------------

    override func write(_ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        let whole = wholeFrame
        wholeFrame = -1
        if whole < 0 { comesBack = false }
        if count == EncryptedLogFile.headerSize, offset == 0 {
            let status = flush()
            guard status == SQLITE_OK else { return status }
            forget()
            header = Header(buffer)
            return writeRaw(buffer, count, offset)
        }
        let headerStart = frameNumber(offset)
        if count == EncryptedLogFile.frameHeaderSize, headerStart > 0 {
            let status = flush()
            guard status == SQLITE_OK else { return status }
            if headerStart == whole { return rewriteHeader(buffer, headerStart) }
            held.bytes.copyMemory(from: buffer, byteCount: count)
            heldFrame = headerStart
            return SQLITE_OK
        }
        let pageStart = frameNumber(offset &- Int64(EncryptedLogFile.frameHeaderSize))
        guard count == pageSize, pageStart > 0 else { return database.refuseWrite() }
        if pageStart == heldFrame { return writeFrame(buffer, pageStart) }
        let status = flush()
        return status == SQLITE_OK ? overwritePage(buffer, pageStart) : status
    }

    /// A frame's header and page in one piece.
    private func writeFrame(_ page: UnsafeRawPointer, _ number: Int64) -> Int32 {
        heldFrame = -1
        let image = frame.bytes + EncryptedLogFile.frameHeaderSize
        frame.bytes.copyMemory(from: held.bytes, byteCount: EncryptedLogFile.frameHeaderSize)
        var status = database.seal(bigEndian32(held.bytes), page, to: image)
        guard status == SQLITE_OK else { return status }
        note(bigEndian32(held.bytes), ofFrame: number)
        // Zeros stand where SQLite will come back for the checksum.
        if !isZero(held.bytes + 8, 16) {
            status = putChecksum(number)
            guard status == SQLITE_OK else { return status }
        } else {
            lastSum = nil
        }
        let offset = frameOffset(number)
        missing.willWriteHeader(held.bytes, offset)
        missing.willWritePage(ofFrame: offset)
        return writeRaw(frame.bytes, frameSize, offset)
    }

    /// SQLite gives the frame that it has just read its checksum.
    private func rewriteHeader(_ given: UnsafeRawPointer, _ number: Int64) -> Int32 {
        frame.bytes.copyMemory(from: given, byteCount: EncryptedLogFile.frameHeaderSize)
        let status = putChecksum(number)
        guard status == SQLITE_OK else { return status }
        return writeRaw(frame.bytes, EncryptedLogFile.frameHeaderSize, frameOffset(number))
    }

    /// A page that SQLite writes again in the same transaction; it comes back for the checksums.
    private func overwritePage(_ page: UnsafeRawPointer, _ number: Int64) -> Int32 {
        lastSum = nil
        let offset = frameOffset(number)
        var status = readRaw(frame.bytes, EncryptedLogFile.frameHeaderSize, offset)
        guard status == SQLITE_OK else { return status }
        let known = self.page(ofFrame: number) ?? 0
        guard known == bigEndian32(frame.bytes) else { return database.fail(.altered(page: known), SQLITE_IOERR_WRITE) }
        let image = frame.bytes + EncryptedLogFile.frameHeaderSize
        status = database.seal(known, page, to: image)
        guard status == SQLITE_OK else { return status }
        missing.willWritePage(ofFrame: offset)
        return writeRaw(image, pageSize, offset &+ Int64(EncryptedLogFile.frameHeaderSize))
    }

    /// Puts into `frame` the checksum over it and all frames before.
    private func putChecksum(_ number: Int64) -> Int32 {
        guard let header = loadHeader(), let before = sum(before: number, header) else { return SQLITE_IOERR_WRITE }
        let sum = frameChecksum(before, header)
        putBigEndian32(sum.0, frame.bytes, 16)
        putBigEndian32(sum.1, frame.bytes, 20)
        lastSum = (number, sum)
        return SQLITE_OK
    }

    private func frameChecksum(_ before: (UInt32, UInt32), _ header: Header) -> (UInt32, UInt32) {
        let start = logChecksum(frame.bytes, 8, before, isBigEndian: header.isBigEndian)
        return logChecksum(
            frame.bytes + EncryptedLogFile.frameHeaderSize, pageSize, start, isBigEndian: header.isBigEndian)
    }

    private func loadHeader() -> Header? {
        if let header { return header }
        return withUnsafeTemporaryAllocation(byteCount: EncryptedLogFile.headerSize, alignment: 8) { bytes in
            guard let start = bytes.baseAddress, readRaw(start, EncryptedLogFile.headerSize, 0) == SQLITE_OK else {
                return nil
            }
            header = Header(start)
            return header
        }
    }

    private func sum(before number: Int64, _ header: Header) -> (UInt32, UInt32)? {
        guard number > 1 else { return header.sum }
        if let lastSum, lastSum.frame == number &- 1 { return lastSum.sum }
        return readChecksum(number &- 1)
    }

    /// As it stands in the file.
    func readChecksum(_ number: Int64) -> (UInt32, UInt32)? {
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { bytes in
            guard let start = bytes.baseAddress, readRaw(start, 8, frameOffset(number) &+ 16) == SQLITE_OK else {
                return nil
            }
            return (bigEndian32(start), bigEndian32(start, 4))
        }
    }

    /// The checksum at the end of a frame as it stands in the file, for the wal-index.
    func storedChecksum(_ number: UInt32) -> (UInt32, UInt32)? {
        guard flush() == SQLITE_OK else { return nil }
        if let lastSum, lastSum.frame == Int64(number) { return lastSum.sum }
        return readChecksum(Int64(number))
    }

    /// Writes a header whose page did not come. It belongs to no transaction, and says nothing of the page.
    private func flush() -> Int32 {
        guard heldFrame > 0 else { return SQLITE_OK }
        let offset = frameOffset(heldFrame)
        heldFrame = -1
        (held.bytes + 16).initializeMemory(as: UInt8.self, repeating: 0, count: 8)
        return writeRaw(held.bytes, EncryptedLogFile.frameHeaderSize, offset)
    }

    override func truncate(_ size: Int64) -> Int32 { flushed { super.truncate(size) } }
    override func sync(_ flags: Int32) -> Int32 { flushed { super.sync(flags) } }
    override func fileSize(_ size: inout Int64) -> Int32 {
        let status = flush()
        return status == SQLITE_OK ? super.fileSize(&size) : status
    }

    override func close() -> Int32 {
        _ = flush()
        return super.close()
    }

    private func flushed(_ body: () -> Int32) -> Int32 {
        wholeFrame = -1
        let status = flush()
        return status == SQLITE_OK ? body() : status
    }

    // Reading -------------------------------------------------------------------------------------------------------

    override func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        wholeFrame = -1
        let status = flush()
        guard status == SQLITE_OK else { return status }
        if count == frameSize, frameNumber(offset) > 0 { return readFrame(buffer, frameNumber(offset)) }
        let pageStart = frameNumber(offset &- Int64(EncryptedLogFile.frameHeaderSize))
        if pageStart > 0, count > 8, count <= pageSize {
            if count == pageSize, database.isCheckpointing {
                return database.takeImage(buffer) { readRaw($0, count, offset) }
            }
            return readPage(buffer, count, pageStart)
        }
        // What it goes on from does not matter: checksums run over the frames as they stand in the file.
        comesBack = count == MissingChecksums.checksumSize
        if comesBack, let status = missing.comeBack(buffer, real, methods) { return status }
        let isChecksum = comesBack && (offset == 24 || frameNumber(offset &- 16) > 0)
        if isChecksum { return readRaw(buffer, count, offset) }
        // Nothing else is handed out as it stands there, which anyone can write.
        guard offset == 0, count == EncryptedLogFile.headerSize else {
            return database.fail(.altered(page: 0), SQLITE_CORRUPT)
        }
        let done = readRaw(buffer, count, offset)
        guard done == SQLITE_OK else { return done }
        if let error = errorOfOtherPages(database.path, buffer, UInt32(pageSize)) {
            return database.refuseLog(error)
        }
        forget()
        header = Header(buffer)
        return done
    }

    private func readPage(_ buffer: UnsafeMutableRawPointer, _ count: Int, _ number: Int64) -> Int32 {
        let status = readRaw(frame.bytes, frameSize, frameOffset(number))
        if status == SQLITE_IOERR_SHORT_READ { return database.fail(.truncated, SQLITE_CORRUPT) }
        guard status == SQLITE_OK else { return status }
        let image = frame.bytes + EncryptedLogFile.frameHeaderSize
        guard let page = page(ofFrame: number), page > 0 else {
            return database.fail(.altered(page: 0), SQLITE_CORRUPT)
        }
        if count == pageSize {
            buffer.copyMemory(from: image, byteCount: pageSize)
            return database.open(page, buffer)
        }
        let opened = database.open(page, image)
        if opened == SQLITE_OK { buffer.copyMemory(from: image, byteCount: count) }
        return opened
    }

    /// SQLite reads whole frames to recover the WAL after a crash, where a checksum that does not fit ends it, and to give
    /// frames that it wrote over new checksums.
    private func readFrame(_ buffer: UnsafeMutableRawPointer, _ number: Int64) -> Int32 {
        let status = readRaw(frame.bytes, frameSize, frameOffset(number))
        guard status == SQLITE_OK else { return status }
        // Where it recovers the log, what it writes next is another frame.
        wholeFrame = comesBack ? number : -1
        buffer.copyMemory(from: frame.bytes, byteCount: frameSize)
        guard let header = loadHeader() else { return SQLITE_IOERR_READ }
        let before = recovered.flatMap { $0.frame == number &- 1 ? $0 : nil }
        let storedBefore = before?.stored ?? (number == 1 ? header.sum : readChecksum(number &- 1))
        let plainBefore = before?.plain ?? committed.flatMap { $0.frame == number &- 1 ? $0.plain : nil } ?? header.sum
        let stored = (bigEndian32(frame.bytes, 16), bigEndian32(frame.bytes, 20))
        let page = bigEndian32(frame.bytes)
        guard page > 0, frame.bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self) == header.salt,
            let storedBefore, frameChecksum(storedBefore, header) == stored
        else {
            recovered = nil
            let sum = plainChecksum(buffer, plainBefore, header)
            putBigEndian32(~sum.0, buffer, 16)
            putBigEndian32(~sum.1, buffer, 20)
            return SQLITE_OK
        }
        // A frame whose checksum fits is whole: were it dropped for a wrong key, its transaction would be lost.
        let opened = database.open(page, buffer + EncryptedLogFile.frameHeaderSize)
        guard opened == SQLITE_OK else { return opened }
        let sum = plainChecksum(buffer, plainBefore, header)
        putBigEndian32(sum.0, buffer, 16)
        putBigEndian32(sum.1, buffer, 20)
        // Another one that it reads whole it wrote.
        if !comesBack { note(page, ofFrame: number) }
        recovered = (number, stored, sum)
        if bigEndian32(frame.bytes, 4) > 0 { committed = (number, sum) }
        return SQLITE_OK
    }

    private func plainChecksum(
        _ frame: UnsafeRawPointer, _ before: (UInt32, UInt32), _ header: Header
    ) -> (UInt32, UInt32) {
        let start = logChecksum(frame, 8, before, isBigEndian: header.isBigEndian)
        return logChecksum(
            frame + EncryptedLogFile.frameHeaderSize, pageSize, start, isBigEndian: header.isBigEndian)
    }
}
