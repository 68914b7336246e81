import CSQLite

/// The frames of a write-ahead log that SQLite writes without salts and checksums, and may forget.
///
/// A transaction that outgrows the cache writes a page that changes again over its own frame. The frames that follow get zeros, and
/// SQLite comes back for all from that one on as it commits: it reads the checksum of the frame before, and writes headers. Where a
/// savepoint, or a statement that fails, is rolled back to a point before that frame, it still comes back for those from it on alone (seen
/// in 3.40.1): the others, once committed, end the log for whoever reads it after a crash, and all later commits are lost with them. So they
/// get theirs as it comes back, whose failure is the commit's, and it goes on from the last one's.
/// Source: https://www.sqlite.org/fileformat2.html#walformat
struct MissingChecksums {
    /// Where the first frame without is; 0: there is none.
    private var first: Int64 = 0
    /// Where the first frame is whose page was written over: SQLite comes back for all from there on.
    private var rewritten = Int64.max
    /// Where the frame is whose header was written last, and whether its page was, too.
    private var last: Int64 = 0
    private var isWhole = false

    private static let headerSize: Int64 = 32
    private static let frameHeaderSize: Int64 = 24
    /// Of a checksum, which SQLite reads alone as it comes back, and never else.
    static let checksumSize: Int32 = 8

    /// Whether SQLite has nothing to come back for.
    private var isEmpty: Bool { first == 0 && rewritten == Int64.max }

    /// The transaction has ended.
    mutating func forget() {
        guard !isEmpty else { return }
        (first, rewritten) = (0, Int64.max)
    }

    /// - Parameter bytes: what is written to the log.
    @inline(__always)
    mutating func willWrite(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) {
        if count == MissingChecksums.frameHeaderSize {
            willWriteHeader(bytes, offset)
        } else if offset != 0 {
            willWritePage(ofFrame: offset &- MissingChecksums.frameHeaderSize)
        }
    }

    /// The header of a frame is written.
    @inline(__always)
    mutating func willWriteHeader(_ header: UnsafeRawPointer, _ offset: Int64) {
        (last, isWhole) = (offset, false)
        guard isZero(header + 8, 16) else { return forget() }
        first = first == 0 ? offset : min(first, offset)
    }

    /// The page of a frame is written, or a part of it.
    @inline(__always)
    mutating func willWritePage(ofFrame offset: Int64) {
        if offset < last || isWhole && offset == last {
            rewritten = min(rewritten, offset)
        } else {
            isWhole = true
        }
    }

    /// SQLite comes back, and reads the checksum from which it goes on. The frames for which it does not get theirs now.
    /// - Parameter bytes: for the checksum.
    /// - Returns: the status; nil where the checksum stands in the log, to be read there.
    mutating func comeBack(
        _ bytes: UnsafeMutableRawPointer, _ log: UnsafeMutablePointer<sqlite3_file>,
        _ methods: UnsafePointer<sqlite3_io_methods>
    ) -> Int32? {
        defer { forget() }
        guard first > 0, first < rewritten else { return nil }
        var end: (UInt32, UInt32)?
        let status = complete(log, methods, &end)
        guard status == SQLITE_OK else { return status }
        // Else it comes back for one behind those.
        guard rewritten > last, let end else { return nil }
        putBigEndian32(end.0, bytes)
        putBigEndian32(end.1, bytes, 4)
        return SQLITE_OK
    }

    /// - Parameter end: the checksum of the last of them.
    private func complete(
        _ log: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>,
        _ end: inout (UInt32, UInt32)?
    ) -> Int32 {
        guard let read = methods.pointee.xRead, let write = methods.pointee.xWrite else { return SQLITE_IOERR }
        let header = PageBuffer(Int(MissingChecksums.headerSize))
        var status = read(log, header.bytes, Int32(MissingChecksums.headerSize), 0)
        guard status == SQLITE_OK else { return status }
        let isBigEndian = header.bytes.load(fromByteOffset: 3, as: UInt8.self) & 1 == 1
        let pageSize = Int64(bigEndian32(header.bytes, 8))
        let frameSize = pageSize &+ MissingChecksums.frameHeaderSize
        func isFrame(_ offset: Int64) -> Bool { (offset &- MissingChecksums.headerSize) % frameSize == 0 }
        // What SQLite writes in parts was taken for what it is not.
        guard isFrame(first), isFrame(last) else { return SQLITE_OK }
        let frame = PageBuffer(Int(frameSize))
        var sum = (bigEndian32(header.bytes, 24), bigEndian32(header.bytes, 28))
        if first > MissingChecksums.headerSize {
            status = read(log, frame.bytes, 8, first &- frameSize &+ 16)
            guard status == SQLITE_OK else { return status }
            sum = (bigEndian32(frame.bytes), bigEndian32(frame.bytes, 4))
        }
        var offset = first
        while offset <= last, offset < rewritten {
            status = read(log, frame.bytes, Int32(frameSize), offset)
            guard status == SQLITE_OK else { return status }
            (frame.bytes + 8).copyMemory(from: header.bytes + 16, byteCount: 8)
            sum = logChecksum(frame.bytes, 8, sum, isBigEndian: isBigEndian)
            let image = frame.bytes + Int(MissingChecksums.frameHeaderSize)
            sum = logChecksum(image, Int(pageSize), sum, isBigEndian: isBigEndian)
            putBigEndian32(sum.0, frame.bytes, 16)
            putBigEndian32(sum.1, frame.bytes, 20)
            status = write(log, frame.bytes, Int32(MissingChecksums.frameHeaderSize), offset)
            guard status == SQLITE_OK else { return status }
            offset = offset &+ frameSize
        }
        end = sum
        return SQLITE_OK
    }
}
