import CormorantBase

/// The pages of a write-ahead log, of the last transaction that it has whole.
struct DamagedLog {
    let pageSize: Int
    private(set) var pages: [UInt32: [UInt8]] = [:]
    /// Of the database after that transaction; 0: there is none.
    private(set) var pageCount: UInt32 = 0

    init?(_ path: String) {
        guard var frames = LogFrames(path), frames.hasHeader else { return nil }
        pageSize = frames.pageSize
        var open: [UInt32: [UInt8]] = [:]
        while let frame = frames.next() {
            open[frame.page] = frame.image
            if frame.pageCount > 0 {
                pages.merge(open) { $1 }
                open = [:]
                pageCount = frame.pageCount
            }
        }
    }
}

/// The frames of a write-ahead log, up to the first that cannot be read: https://www.sqlite.org/fileformat2.html#walformat
struct LogFrames {
    let pageSize: Int
    /// Whether SQLite reads the log at all.
    let hasHeader: Bool
    private let file: SideFile
    private let header: [UInt8]
    /// What all frames of a log have alike, until it is written anew from its beginning.
    private let salts: ArraySlice<UInt8>
    private var sums: (UInt32, UInt32)
    private var offset: Int64 = 32

    /// nil where there is none.
    init?(_ path: String) {
        guard let file = SideFile(path), let header = file.read(0, 32) else { return nil }
        let page = DamagedPage(number: 2, bytes: header, usable: 32)
        pageSize = Int(page.number32(8))
        guard pageSize >= 512, pageSize <= 65_536, pageSize & (pageSize - 1) == 0 else { return nil }
        sums = Self.sum(header, 24, (0, 0), header)
        hasHeader = isLog(page) && sums == (page.number32(24), page.number32(28))
        salts = hasHeader ? header[16..<24] : file.read(32, 24)?[8..<16] ?? []
        (self.file, self.header) = (file, header)
    }

    /// - Returns: a page, and of how many pages the database is after the transaction that ends with it, 0 for others.
    mutating func next() -> (page: UInt32, image: [UInt8], pageCount: UInt32)? {
        guard hasHeader, let frame = head(at: offset), let image = file.read(offset &+ 24, pageSize) else { return nil }
        let found = Self.sum(image, pageSize, Self.sum(frame.bytes, 8, sums, header), header)
        guard found == (frame.number32(16), frame.number32(20)) else { return nil }
        sums = found
        offset += 24 + Int64(pageSize)
        return (frame.number32(0), image, frame.number32(4))
    }

    /// Once `next` has ended: how many transactions end behind what cannot be read, which SQLite leaves out. Damage leaves such, and so
    /// does a power cut where `synchronous` is NORMAL.
    var commitsBehind: Int {
        let broken = file.read(offset, 24 + pageSize)
        var count = 0
        var place = hasHeader ? offset + 24 + Int64(pageSize) : offset
        while let bytes = file.read(place, 24), file.read(place &+ 23 &+ Int64(pageSize), 1) != nil {
            // SQLite may have forgotten to give some their salts (`MissingChecksums`).
            guard let frame = head(bytes) else {
                guard bytes[8..<24].allSatisfy({ $0 == 0 }), bytes[0..<4].contains(where: { $0 != 0 }) else { break }
                place += 24 + Int64(pageSize)
                continue
            }
            if frame.number32(4) > 0 { count += 1 }
            place += 24 + Int64(pageSize)
        }
        // Whoever writes meanwhile was not done.
        return file.read(0, 32) == header && file.read(offset, 24 + pageSize) == broken ? count : 0
    }

    private func head(at offset: Int64) -> DamagedPage? { file.read(offset, 24).flatMap(head) }

    private func head(_ bytes: [UInt8]) -> DamagedPage? {
        let frame = DamagedPage(number: 2, bytes: bytes, usable: 24)
        return bytes[8..<16] == salts && frame.number32(0) > 0 ? frame : nil
    }

    private static func sum(
        _ bytes: [UInt8], _ count: Int, _ start: (UInt32, UInt32), _ header: [UInt8]
    ) -> (UInt32, UInt32) {
        bytes.withUnsafeBytes {
            $0.baseAddress.map { logChecksum($0, count, start, isBigEndian: header[3] & 1 == 1) } ?? start
        }
    }
}

/// How many transactions the log beside a file has behind what cannot be read of it: SQLite leaves them out.
package func commitsBehindDamage(ofLogBeside path: String) -> Int {
    guard var frames = LogFrames(canonicalPath(path) + "-wal") else { return 0 }
    while frames.next() != nil {}
    return frames.commitsBehind
}

func isLog(_ head: DamagedPage) -> Bool {
    head.number32(0) & ~1 == 0x377F_0682 && head.number32(4) == 3_007_000
}
