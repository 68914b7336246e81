import CSQLite

/// The header of a write-ahead log's index in shared memory, which stands there twice
/// (https://www.sqlite.org/walformat.html#the_wal_index_file_format).
enum LogIndexHeader {
    static let size = 48

    /// Whether it was written at all, and nobody is at it.
    static func isWhole(_ index: UnsafeRawPointer) -> Bool {
        index.load(fromByteOffset: 12, as: UInt8.self) != 0 && sameBytes(index, index + size, size)
    }

    /// The last frame that is committed.
    static func lastFrame(_ header: UnsafeRawPointer) -> UInt32 { header.load(fromByteOffset: 16, as: UInt32.self) }

    /// That of the last frame.
    static func checksum(_ header: UnsafeRawPointer) -> (UInt32, UInt32) {
        (header.load(fromByteOffset: 24, as: UInt32.self), header.load(fromByteOffset: 28, as: UInt32.self))
    }

    static func putChecksum(_ sum: (UInt32, UInt32), _ header: UnsafeMutableRawPointer) {
        header.storeBytes(of: sum.0, toByteOffset: 24, as: UInt32.self)
        header.storeBytes(of: sum.1, toByteOffset: 28, as: UInt32.self)
        let own = logChecksum(header, 40, (0, 0), isBigEndian: isBigEndianMachine)
        header.storeBytes(of: own.0, toByteOffset: 40, as: UInt32.self)
        header.storeBytes(of: own.1, toByteOffset: 44, as: UInt32.self)
    }

    /// The second copy first, as SQLite does.
    static func write(_ header: UnsafeRawPointer, _ index: UnsafeMutableRawPointer, _ barrier: () -> Void) {
        (index + size).copyMemory(from: header, byteCount: size)
        barrier()
        index.copyMemory(from: header, byteCount: size)
    }
}
