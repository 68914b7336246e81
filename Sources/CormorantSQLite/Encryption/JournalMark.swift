import CSQLite

/// What stands behind a header of a rollback journal, in the room that SQLite leaves zero, once the records that the header
/// counts are on the disk: "cormsync", and the 28 bytes of the header again. With it, what does not fit was altered; without
/// it, as in the journals of others, it may as well not have come to the disk before the power failed.
struct JournalMark {
    static let headerSize = 28
    private static let name: UInt64 = 0x636F_726D_7379_6E63

    /// Whether the header is the one that was marked.
    let fits: Bool
    let records: UInt32
    let firstRecord: Int64

    /// nil where there is none.
    init?(_ file: VFSFile, at offset: Int64) {
        let bytes = PageBuffer(2 * JournalMark.headerSize + 8)
        let header = bytes.bytes
        let copy = header + JournalMark.headerSize + 8
        guard file.readRaw(header, bytes.count, offset) == SQLITE_OK,
            UInt64(bigEndian: header.loadUnaligned(fromByteOffset: JournalMark.headerSize, as: UInt64.self))
                == JournalMark.name
        else { return nil }
        fits = sameBytes(header, copy, JournalMark.headerSize)
        records = bigEndian32(copy, 8)
        firstRecord = offset &+ Int64(bigEndian32(copy, 20))
    }

    /// Marks a header of which this is a copy.
    static func write(_ header: UnsafeRawPointer, in file: VFSFile, at offset: Int64) -> Int32 {
        let bytes = PageBuffer(headerSize + 8)
        bytes.bytes.storeBytes(of: name.bigEndian, as: UInt64.self)
        (bytes.bytes + 8).copyMemory(from: header, byteCount: headerSize)
        return file.writeRaw(bytes.bytes, bytes.count, offset &+ Int64(headerSize))
    }

    static func erase(in file: VFSFile, at offset: Int64) -> Int32 {
        let zeros = PageBuffer(headerSize + 8)
        return file.writeRaw(zeros.bytes, zeros.count, offset &+ Int64(headerSize))
    }
}
