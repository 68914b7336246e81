import CSQLite

/// The frames of a write-ahead log that SQLite writes without salts and checksums, and may forget.
///
/// A transaction that outgrows the cache writes a page that changes again over its own frame. The frames that follow get zeros, and
/// SQLite comes back for all from that one on as it commits. Where a savepoint, or a statement that fails, is rolled back to a point before
/// that frame, it forgets those between (seen in 3.40.1): once committed they end the log for whoever reads it after a crash, and all
/// later commits are lost with them. So they get theirs before the lock for writing is given back.
/// Source: https://www.sqlite.org/fileformat2.html#walformat, https://www.sqlite.org/walformat.html
struct MissingChecksums {
    /// Where the first of them is, since the lock was taken; 0: there is none.
    private(set) var first: Int64 = 0

    private static let headerSize: Int64 = 32
    private static let frameHeaderSize: Int64 = 24

    /// - Parameter bytes: what is written to the log.
    @inline(__always)
    mutating func willWrite(_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) {
        if count == MissingChecksums.frameHeaderSize, offset > 0, isZero(bytes + 8, 16) {
            first = first == 0 ? offset : min(first, offset)
        }
    }

    /// Gives those that are committed what they lack, and all behind them.
    /// - Parameters:
    ///   - index: the header of the log's index, as the commit has left it.
    ///   - log: the file as it stands on the disk.
    /// - Returns: the checksum at the log's end; nil where there was nothing to do.
    mutating func complete(
        _ index: UnsafeRawPointer, _ log: UnsafeMutablePointer<sqlite3_file>,
        _ methods: UnsafePointer<sqlite3_io_methods>
    ) -> (UInt32, UInt32)? {
        let start = first
        first = 0
        guard start > 0, let read = methods.pointee.xRead, let write = methods.pointee.xWrite else { return nil }
        let header = PageBuffer(Int(MissingChecksums.headerSize))
        guard read(log, header.bytes, Int32(MissingChecksums.headerSize), 0) == SQLITE_OK else { return nil }
        let isBigEndian = header.bytes.load(fromByteOffset: 3, as: UInt8.self) & 1 == 1
        let pageSize = Int64(bigEndian32(header.bytes, 8))
        let frameSize = pageSize &+ MissingChecksums.frameHeaderSize
        let number = (start &- MissingChecksums.headerSize) / frameSize &+ 1
        let last = Int64(index.load(fromByteOffset: 16, as: UInt32.self))
        guard pageSize >= 512, pageSize <= 65_536, number <= last else { return nil }
        let frame = PageBuffer(Int(frameSize))
        guard read(log, frame.bytes, Int32(MissingChecksums.frameHeaderSize), start) == SQLITE_OK,
            isZero(frame.bytes + 8, 16)
        else { return nil }
        var sum = (bigEndian32(header.bytes, 24), bigEndian32(header.bytes, 28))
        if number > 1 {
            guard read(log, frame.bytes, 8, start &- frameSize &+ 16) == SQLITE_OK else { return nil }
            sum = (bigEndian32(frame.bytes), bigEndian32(frame.bytes, 4))
        }
        var offset = start
        for _ in number...last {
            guard read(log, frame.bytes, Int32(frameSize), offset) == SQLITE_OK else { return nil }
            (frame.bytes + 8).copyMemory(from: header.bytes + 16, byteCount: 8)
            sum = logChecksum(frame.bytes, 8, sum, isBigEndian: isBigEndian)
            let image = frame.bytes + Int(MissingChecksums.frameHeaderSize)
            sum = logChecksum(image, Int(pageSize), sum, isBigEndian: isBigEndian)
            putBigEndian32(sum.0, frame.bytes, 16)
            putBigEndian32(sum.1, frame.bytes, 20)
            guard write(log, frame.bytes, Int32(MissingChecksums.frameHeaderSize), offset) == SQLITE_OK else {
                return nil
            }
            offset = offset &+ frameSize
        }
        // SQLite has synchronized the log, if it was to, before this.
        return methods.pointee.xSync?(log, SQLITE_SYNC_NORMAL) == SQLITE_OK ? sum : nil
    }
}

/// Puts the checksum at the end of the log into a header of its index.
/// - Parameter header: 48 bytes, as they stand in the index.
func putLogChecksum(_ sum: (UInt32, UInt32), _ header: UnsafeMutableRawPointer) {
    header.storeBytes(of: sum.0, toByteOffset: 24, as: UInt32.self)
    header.storeBytes(of: sum.1, toByteOffset: 28, as: UInt32.self)
    let own = logChecksum(header, 40, (0, 0), isBigEndian: isBigEndianMachine)
    header.storeBytes(of: own.0, toByteOffset: 40, as: UInt32.self)
    header.storeBytes(of: own.1, toByteOffset: 44, as: UInt32.self)
}
