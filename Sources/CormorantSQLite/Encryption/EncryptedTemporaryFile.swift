import CSQLite

/// A file that SQLite spills to, in pieces of any size: encrypted by sectors under a key of its own, which goes with it.
final class EncryptedTemporaryFile: VFSFile {
    private let cipher: any SectorCipher
    private var size: Int64 = 0
    private let plain: PageBuffer
    private let image: PageBuffer

    private static let sectorSize: Int64 = 512
    private static let mostSectors: Int64 = 16

    init(_ real: UnsafeMutablePointer<sqlite3_file>, _ cipher: any SectorCipher) {
        self.cipher = cipher
        plain = PageBuffer(Int(EncryptedTemporaryFile.sectorSize &* EncryptedTemporaryFile.mostSectors))
        image = PageBuffer(Int(EncryptedTemporaryFile.sectorSize &* EncryptedTemporaryFile.mostSectors))
        super.init(real)
    }

    override func fileSize(_ size: inout Int64) -> Int32 {
        size = self.size
        return SQLITE_OK
    }

    override func truncate(_ size: Int64) -> Int32 {
        guard size >= 0 else { return SQLITE_IOERR_TRUNCATE }
        self.size = min(self.size, size)
        let sectors = (self.size &+ EncryptedTemporaryFile.sectorSize &- 1) / EncryptedTemporaryFile.sectorSize
        return super.truncate(sectors &* EncryptedTemporaryFile.sectorSize)
    }

    override func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        let there = max(0, min(Int64(count), size &- offset))
        let status = eachPiece(offset, Int(there)) { piece, done in
            let status = load(piece)
            guard status == SQLITE_OK else { return status }
            (buffer + done).copyMemory(from: plain.bytes + piece.skip, byteCount: piece.count)
            return SQLITE_OK
        }
        guard status == SQLITE_OK, there < Int64(count) else { return status }
        (buffer + Int(there)).initializeMemory(as: UInt8.self, repeating: 0, count: count &- Int(there))
        return SQLITE_IOERR_SHORT_READ
    }

    override func write(_ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        // What lies between the end and the offset would decrypt to anything: SQLite leaves no such gap beyond a page
        // that it has not read; it is filled all the same.
        if offset > size {
            let status = fill(upTo: offset)
            guard status == SQLITE_OK else { return status }
        }
        let status = eachPiece(offset, count) { piece, done in
            if piece.skip > 0 || piece.count < piece.bytes {
                let status = load(piece)
                guard status == SQLITE_OK else { return status }
            }
            (plain.bytes + piece.skip).copyMemory(from: buffer + done, byteCount: piece.count)
            return store(piece)
        }
        if status == SQLITE_OK { size = max(size, offset &+ Int64(count)) }
        return status
    }

    private func fill(upTo end: Int64) -> Int32 {
        while size < end {
            let begin = size
            let count = min(Int64(plain.count), end &- begin)
            let status = eachPiece(begin, Int(count)) { piece, _ in
                if piece.skip > 0 {
                    let status = load(piece)
                    guard status == SQLITE_OK else { return status }
                }
                (plain.bytes + piece.skip).initializeMemory(
                    as: UInt8.self, repeating: 0, count: piece.bytes &- piece.skip)
                return store(piece)
            }
            guard status == SQLITE_OK else { return status }
            size = begin &+ count
        }
        return SQLITE_OK
    }

    /// Whole sectors of the file, and the part of them that is meant.
    private struct Piece {
        let sector: Int64
        let bytes: Int
        let skip: Int
        let count: Int
    }

    private func eachPiece(_ offset: Int64, _ count: Int, _ body: (Piece, _ done: Int) -> Int32) -> Int32 {
        let sectorSize = EncryptedTemporaryFile.sectorSize
        var done = 0
        while done < count {
            let at = offset &+ Int64(done)
            let skip = Int(at % sectorSize)
            let most = Int(sectorSize &* EncryptedTemporaryFile.mostSectors)
            let part = min(count &- done, most &- skip)
            let sectors = (Int64(skip &+ part) &+ sectorSize &- 1) / sectorSize
            let status = body(
                Piece(sector: at / sectorSize, bytes: Int(sectors &* sectorSize), skip: skip, count: part), done)
            guard status == SQLITE_OK else { return status }
            done = done &+ part
        }
        return SQLITE_OK
    }

    /// Reads and decrypts the sectors of a piece into `plain`; those beyond the end are zeros.
    private func load(_ piece: Piece) -> Int32 {
        let start = piece.sector &* EncryptedTemporaryFile.sectorSize
        let sectors = (size &+ EncryptedTemporaryFile.sectorSize &- 1) / EncryptedTemporaryFile.sectorSize
        let there = Int(max(0, min(Int64(piece.bytes), sectors &* EncryptedTemporaryFile.sectorSize &- start)))
        if there > 0 {
            let status = readRaw(image.bytes, there, start)
            guard status == SQLITE_OK else { return status }
            guard cipher.decrypt(piece.sector, image.bytes, to: plain.bytes, count: there) else {
                return SQLITE_IOERR_READ
            }
        }
        if there < piece.bytes {
            (plain.bytes + there).initializeMemory(as: UInt8.self, repeating: 0, count: piece.bytes &- there)
        }
        return SQLITE_OK
    }

    private func store(_ piece: Piece) -> Int32 {
        guard cipher.encrypt(piece.sector, plain.bytes, to: image.bytes, count: piece.bytes) else {
            return SQLITE_IOERR_WRITE
        }
        return writeRaw(image.bytes, piece.bytes, piece.sector &* EncryptedTemporaryFile.sectorSize)
    }
}
