import CSQLite

/// The rollback journal of an encrypted database (https://www.sqlite.org/fileformat2.html#the_rollback_journal).
///
/// A record is a page number, a page and a checksum of the page, which SQLite computes over the plain page and programs
/// with an encrypting SQLite over the image. It is translated on the way, so that each can roll back what the other left.
/// Records lie 4 bytes behind a multiple of 8, headers on one; that tells them apart.
final class EncryptedJournalFile: VFSFile {
    private let database: EncryptedDatabaseFile
    private let pageSize: Int
    private let image: PageBuffer
    /// The 4 bytes that were read or written last, and where.
    private var number: UInt32 = 0
    private var numberOffset: Int64 = -8
    /// What the checksum at this offset differs by between image and page.
    private var sumOffset: Int64 = -8
    private var sumDifference: UInt32 = 0
    /// What to give for that checksum, whatever stands there.
    private var givenSum: UInt32?
    /// The newest header that was seen, and what its checksums begin with.
    private var headerOffset: Int64 = -8
    private var nonce: UInt32?
    private var wroteRecords = false
    /// Of a journal that is written: where the last whole record behind its newest header ends.
    private var writtenEnd: Int64 = 0
    /// Of a journal that is written: what its newest header is, whether its records are counted but not yet on the disk, and
    /// whether it has a mark.
    private let header = PageBuffer(JournalMark.headerSize)
    private var isCounted = false
    private var isMarked = false
    /// Of a journal that is read: the mark of the newest header, and the pages that it has.
    private var mark: JournalMark?
    private var pagesRead: Set<UInt32> = []

    init(_ real: UnsafeMutablePointer<sqlite3_file>, _ database: EncryptedDatabaseFile) {
        self.database = database
        pageSize = database.pageSize
        image = PageBuffer(pageSize)
        super.init(real)
    }

    override func write(_ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        if count == 4 { return writeNumber(bigEndian32(buffer), offset) }
        let isBehindNumber = numberOffset == offset &- 4 && offset & 7 == 4
        defer { numberOffset = -8 }
        // The end of a super-journal's name, which may stand where a page would.
        if count == 8, startsAsHeader(buffer) { return writeRaw(buffer, count, offset) }
        if isBehindNumber, number != database.lockPage {
            return count == pageSize ? writePage(buffer, offset) : database.refuseWrite()
        }
        // The name of a super-journal.
        if isBehindNumber { return writeRaw(buffer, count, offset) }
        if offset & 7 == 0, count >= 12, isHeader(buffer, count) { return writeHeader(buffer, count, offset) }
        // The zero that ends a header's records.
        if count == 1, isZero(buffer, 1) { return writeRaw(buffer, count, offset) }
        return database.refuseWrite()
    }

    private func writeHeader(_ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        // The mark is of the header as it was.
        if isMarked, count == 12, offset == headerOffset {
            let status = JournalMark.erase(in: self, at: offset)
            guard status == SQLITE_OK else { return status }
        }
        headerOffset = offset
        isMarked = false
        if count >= 16 { nonce = bigEndian32(buffer, 12) }
        header.bytes.copyMemory(from: buffer, byteCount: min(count, JournalMark.headerSize))
        let records = bigEndian32(header.bytes, 8)
        isCounted = startsAsHeader(buffer) && records > 0 && records < .max
        let status = writeRaw(buffer, count, offset)
        if status == SQLITE_OK, offset == 0, isZero(header.bytes, 12) { database.transactionHasEnded() }
        // Not where its records are counted later on, by 12 bytes.
        if status == SQLITE_OK, count > 12 { writtenEnd = offset &+ Int64(count) }
        return status
    }

    /// The records that a header counts are on the disk from here on, and it is marked as such.
    override func sync(_ flags: Int32) -> Int32 {
        let status = super.sync(flags)
        guard status == SQLITE_OK, isCounted else { return status }
        isCounted = false
        isMarked = true
        return JournalMark.write(header.bytes, in: self, at: headerOffset)
    }

    override func truncate(_ size: Int64) -> Int32 {
        let status = super.truncate(size)
        if status == SQLITE_OK, size == 0 { database.transactionHasEnded() }
        return status
    }

    private func writeNumber(_ value: UInt32, _ offset: Int64) -> Int32 {
        var written = value
        let isSum = offset == sumOffset
        if isSum {
            written = value &+ sumDifference
            sumOffset = -8
        }
        number = value
        numberOffset = offset
        var bytes = written.bigEndian
        let status = writeRaw(&bytes, 4, offset)
        if isSum, status == SQLITE_OK { writtenEnd = max(writtenEnd, offset &+ 4) }
        return status
    }

    private func writePage(_ page: UnsafeRawPointer, _ offset: Int64) -> Int32 {
        let status = database.seal(number, page, to: image.bytes)
        guard status == SQLITE_OK else { return status }
        sumOffset = offset &+ Int64(pageSize)
        sumDifference = checksum(image.bytes) &- checksum(page)
        wroteRecords = true
        return writeRaw(image.bytes, pageSize, offset)
    }

    /// A header, or the zeros that SQLite puts before and after it is valid.
    private func isHeader(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
        guard startsAsHeader(bytes) || isZero(bytes, 12) else { return false }
        return count <= 28 || isZero(bytes + 28, count &- 28)
    }

    private func startsAsHeader(_ bytes: UnsafeRawPointer) -> Bool {
        bytes.loadUnaligned(as: UInt64.self).bigEndian == 0xD9D5_05F9_20A1_63D7
    }

    override func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        let isPage = count == pageSize && offset & 7 == 4 && numberOffset == offset &- 4 && number != database.lockPage
        numberOffset = -8
        if isPage, number > 0 { return readPage(buffer, offset) }
        let status = readRaw(buffer, count, offset)
        if isPage, status == SQLITE_OK, lostItsNumber(buffer, offset) { return failed() }
        if count == pageSize || status != SQLITE_OK, isOnDisk(offset) { return failed() }
        guard status == SQLITE_OK else { return status }
        if count == 8, offset & 7 == 0 {
            let isHeader = startsAsHeader(buffer)
            if !wroteRecords {
                mark = JournalMark(self, at: offset)
                // A zero is how SQLite puts an end to the records before an old header.
                if let mark, !mark.fits, isHeader || buffer.load(as: UInt8.self) != 0 { return failed() }
            }
            if isHeader {
                if offset == 0 { pagesRead = [] }
                headerOffset = offset
                nonce = nil
            }
        }
        guard count == 4 else { return status }
        var value = bigEndian32(buffer)
        if offset == headerOffset &+ 12 { nonce = value }
        if offset == sumOffset {
            value = givenSum ?? value &- sumDifference
            putBigEndian32(value, buffer)
            sumOffset = -8
        }
        number = value
        numberOffset = offset
        return status
    }

    private func readPage(_ buffer: UnsafeMutableRawPointer, _ offset: Int64) -> Int32 {
        let status = readRaw(image.bytes, pageSize, offset)
        guard status == SQLITE_OK else {
            if isOnDisk(offset) { return failed() }
            buffer.initializeMemory(as: UInt8.self, repeating: 0, count: pageSize)
            return status
        }
        let page = number
        buffer.copyMemory(from: image.bytes, byteCount: pageSize)
        let opened = database.open(page, buffer)
        sumOffset = offset &+ Int64(pageSize)
        givenSum = nil
        if isOnDisk(offset) {
            guard opened == SQLITE_OK else { return opened }
            guard storedSum == nonce.map({ $0 &+ checksum(image.bytes) }) else { return failed() }
            // It has each page once: another record was put in the place of one.
            guard pagesRead.insert(page).inserted else { return failed() }
        }
        guard opened != SQLITE_OK else {
            // An authentic record whose checksum does not fit the header is one of an earlier transaction, where SQLite stops.
            sumDifference = checksum(image.bytes) &- checksum(buffer)
            return SQLITE_OK
        }
        guard opened & 0xFF != SQLITE_IOERR, !wroteRecords || offset >= writtenEnd, let nonce else { return opened }
        // The image is whole if its checksum fits: then the key is wrong, or the record was altered, and the journal must
        // stay as it is. If not, the record was half written when a process ended, or writing it failed, and SQLite is to stop there.
        guard storedSum != nonce &+ checksum(image.bytes) else { return opened }
        database.faults.clear()
        buffer.copyMemory(from: image.bytes, byteCount: pageSize)
        givenSum = ~(nonce &+ checksum(buffer))
        return SQLITE_OK
    }

    /// Whether a page behind the number 0, at which SQLite ends the rollback, is whole: then the number was altered.
    private func lostItsNumber(_ image: UnsafeRawPointer, _ offset: Int64) -> Bool {
        guard !wroteRecords, let nonce, !isZero(image, pageSize) else { return false }
        sumOffset = offset &+ Int64(pageSize)
        defer { sumOffset = -8 }
        return storedSum == nonce &+ checksum(image)
    }

    /// The checksum behind the page that was read last, as it stands there.
    private var storedSum: UInt32? {
        withUnsafeTemporaryAllocation(byteCount: 4, alignment: 4) { bytes in
            bytes.baseAddress.flatMap { readRaw($0, 4, sumOffset) == SQLITE_OK ? bigEndian32($0) : nil }
        }
    }

    /// Whether what is at the offset belongs to a record that was on the disk: other than it should be, it was altered.
    private func isOnDisk(_ offset: Int64) -> Bool {
        guard let mark, !wroteRecords, offset >= mark.firstRecord else { return false }
        return (offset &- mark.firstRecord) / Int64(pageSize &+ 8) < Int64(mark.records)
    }

    private func failed() -> Int32 { database.fail(.journal, SQLITE_IOERR_READ) }

    /// SQLite's pager_cksum without the header's nonce.
    private func checksum(_ page: UnsafeRawPointer) -> UInt32 {
        var sum: UInt32 = 0
        var index = pageSize &- 200
        while index > 0 {
            sum = sum &+ UInt32(page.load(fromByteOffset: index, as: UInt8.self))
            index = index &- 200
        }
        return sum
    }
}
