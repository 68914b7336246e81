import CSQLite
import CormorantBase
import CormorantPlatform

/// The pages of a database file of which nothing is certain, as its write-ahead log or rollback journal has them: read one by
/// one, past SQLite, and decrypted. https://www.sqlite.org/fileformat2.html
final class DamagedFile {
    let path: String
    private(set) var pageSize = 4096
    private(set) var pageCount: UInt32 = 0
    /// Bytes of a page that SQLite uses.
    private(set) var usable = 4096
    private(set) var encoding = TextEncoding.utf8
    /// Page 1, where its beginning is that of a database.
    private(set) var header: DamagedPage?

    private var handle: OpaquePointer?
    private let codec: (any PageCodec)?
    private var size: Int64 = 0
    /// What stands in a log or journal in the place of a page of the file.
    private var newer: [UInt32: [UInt8]] = [:]

    enum TextEncoding { case utf8, utf16LittleEndian, utf16BigEndian }

    init(_ path: String, _ codecs: (any PageCodecSource)?) throws {
        self.path = path
        let codec = try codecs?.makeCodec(path: path)
        // What is left of a file that became empty is its log.
        if fileSize(path) > 0 { try refuseLeftoverLogs(of: path, codec) }
        self.codec = codec
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, VFS.name) == SQLITE_OK else {
            let number = sqlite3_system_errno(handle)
            throw CormorantError(
                .cannotOpen, "\"\(path)\" cannot be opened: \(pathProblem(path, number))",
                hint: openingHint(number) ?? "check the path, its folder and their permissions")
        }
        guard let file, file.pointee.pMethods?.pointee.xFileSize?(file, &size) == SQLITE_OK else {
            throw CormorantError(.io, "\"\(path)\" cannot be read", hint: "check its disk")
        }
        // Nobody writes to it meanwhile, as long as its programs ask for locks.
        guard file.pointee.pMethods?.pointee.xLock?(file, SQLITE_LOCK_SHARED) == SQLITE_OK else {
            throw CormorantError(.busy, "\"\(path)\" is in use by another connection", hint: "close the others first")
        }
        try begin()
    }

    deinit {
        if let file { _ = file.pointee.pMethods?.pointee.xUnlock?(file, SQLITE_LOCK_NONE) }
        sqlite3_close_v2(handle)
    }

    private var file: UnsafeMutablePointer<sqlite3_file>? { VFS.plainPointer(handle, "main") }

    private func begin() throws {
        let log = DamagedLog(path + "-wal")
        let journal = DamagedJournal(path + "-journal")
        var first = read(0, 65_536)
        if let codec {
            pageSize = codec.pageSize
            usable = pageSize - codec.reserve
            let isLost = first.withUnsafeBytes { $0.count < 16 || $0.baseAddress.map(hasNoSalt) ?? true }
            first = log?.pages[1] ?? (isLost ? journal?.pages[1] : nil) ?? first
            try first.withUnsafeBytes { if let start = $0.baseAddress, $0.count >= 16 { try codec.attach(start) } }
        } else {
            // A VACUUM that was cut short had given the file another one.
            let before = log == nil ? journal?.pageSize : nil
            pageSize = before ?? Self.pageSize(first) ?? log?.pageSize ?? guessPageSize()
            usable = pageSize
        }
        countPages()
        if let log, log.pageSize == pageSize {
            newer = log.pages
            takeCount(log.pageCount)
        } else if let journal, journal.pageSize == pageSize {
            newer = journal.pages
            takeCount(journal.pageCount)
        }
        guard pageCount > 0 else {
            throw CormorantError(.notADatabase, "\"\(path)\" is empty", hint: "restore a backup")
        }
        if let page = page(1), page.isDatabaseHeader {
            header = page
            usable = pageSize - page.byte(20)
            switch page.number32(56) {
            case 2: encoding = .utf16LittleEndian
            case 3: encoding = .utf16BigEndian
            default: break
            }
        } else if let codec {
            try refuseWrongKey(codec)
        }
    }

    /// What a log or journal says of the file's length, as far as there are pages.
    private func takeCount(_ count: UInt32) {
        if count > 0 { pageCount = min(count, max(pageCount, newer.keys.max() ?? 0)) }
    }

    private func countPages() {
        pageCount = UInt32(clamping: (size &+ Int64(pageSize) &- 1) / Int64(pageSize))
    }

    /// One page that the key opens shows that it is the key.
    private func refuseWrongKey(_ codec: any PageCodec) throws {
        var number: UInt32 = 1
        while number <= pageCount {
            if page(number) != nil { return }
            number &+= 1
        }
        throw CormorantError(
            .wrongKey, "the key opens no page of \"\(path)\"",
            hint:
                "check the key and the settings; the salt stands in the first 16 bytes: give a raw key with it if they are lost"
        )
    }

    /// https://www.sqlite.org/fileformat2.html#page_size
    static func pageSize(_ first: [UInt8]) -> Int? {
        guard first.count >= 100, Array(first[..<15]) == Array("SQLite format 3".utf8) else { return nil }
        let size = Int(first[16]) << 8 | Int(first[17])
        if size == 1 { return 65_536 }
        return size >= 512 && size & (size - 1) == 0 ? size : nil
    }

    /// At which most pages begin as those of trees do. Of a greater size the pages begin so, too; half a page does not.
    private func guessPageSize() -> Int {
        let shares = (9...16).map { power -> (size: Int, share: Double) in
            let size = 1 << power
            let all = min(Int(self.size / Int64(size)), 2000)
            let good = (1..<max(2, all)).count { index in
                let page = DamagedPage(number: 2, bytes: read(Int64(index) * Int64(size), size), usable: size)
                return page.isPlausible
            }
            return (size, all > 1 ? Double(good) / Double(all - 1) : 0)
        }
        let best = shares.map(\.share).max() ?? 0
        return shares.first { best > 0 && $0.share >= best * 0.8 }?.size ?? 4096
    }

    /// Bytes of the file; fewer at its end.
    private func read(_ offset: Int64, _ count: Int) -> [UInt8] {
        let count = Int(clamping: min(Int64(count), max(0, size &- offset)))
        guard count > 0, let file, let call = file.pointee.pMethods?.pointee.xRead else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard let start = buffer.baseAddress else { return }
            start.initialize(repeating: 0, count: count)
            initialized = count
            // A sector that cannot be read stays zeros.
            _ = call(file, start, Int32(truncatingIfNeeded: count), offset)
        }
    }

    /// nil for one that is not there, or is not what was encrypted.
    func page(_ number: UInt32) -> DamagedPage? {
        guard number > 0, number <= pageCount else { return nil }
        var bytes = newer[number] ?? read(Int64(number &- 1) &* Int64(pageSize), pageSize)
        if let codec {
            guard bytes.count == pageSize else { return nil }
            let isAuthentic = bytes.withUnsafeMutableBytes { bytes -> Bool in
                guard let start = bytes.baseAddress, case .authentic = codec.decrypt(number, start) else {
                    return false
                }
                if number == 1 { copyMagic(to: start) }
                return true
            }
            guard isAuthentic else { return nil }
        }
        let present = bytes.count
        if present < pageSize { bytes += [UInt8](repeating: 0, count: pageSize - present) }
        return DamagedPage(number: number, bytes: bytes, usable: usable, present: present)
    }

    /// A page that may be one of a tree; nil for another one.
    func treePage(_ number: UInt32, isTable: Bool, isRoot: Bool) -> DamagedPage? {
        guard let page = page(number), page.kind?.isTable == isTable,
            page.isPlausible || isRoot && page.cellCount == 0
        else { return nil }
        return page
    }

    /// Bytes that a row can have at most.
    var greatestCell: Int { min(Int(pageCount) &* pageSize, 1 << 31) }

    /// Whether a page says what leads to others: https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages
    func isPointerMap(_ number: UInt32) -> Bool {
        guard header.map({ $0.number32(52) != 0 }) ?? false, number >= 2 else { return false }
        let distance = UInt32(usable / 5 + 1)
        let first = (number - 2) / distance * distance + 2
        return number == (first == lockPage ? first + 1 : first)
    }

    /// The page that SQLite's locks lie in, which is never written.
    var lockPage: UInt32 { UInt32(truncatingIfNeeded: 0x4000_0000 / pageSize &+ 1) }

    /// The pages that are free; nil where the list of them is damaged. https://www.sqlite.org/fileformat2.html#the_freelist
    func freePages() -> Set<UInt32>? {
        guard let header else { return nil }
        var free: Set<UInt32> = []
        var next = header.number32(32)
        while next != 0 {
            guard free.insert(next).inserted, let trunk = page(next) else { return nil }
            let count = Int(trunk.number32(4))
            guard count <= usable / 4 - 2 else { return nil }
            for index in 0..<count {
                let leaf = trunk.number32(8 + index * 4)
                guard leaf > 1, leaf <= pageCount, free.insert(leaf).inserted else { return nil }
            }
            next = trunk.number32(0)
        }
        return free
    }
}

/// The pages of a write-ahead log, of the last transaction that it has whole: https://www.sqlite.org/fileformat2.html#walformat
private struct DamagedLog {
    let pageSize: Int
    private(set) var pages: [UInt32: [UInt8]] = [:]
    /// Of the database after that transaction; 0: there is none.
    private(set) var pageCount: UInt32 = 0

    init?(_ path: String) {
        guard let file = SideFile(path), let header = file.read(0, 32) else { return nil }
        let page = DamagedPage(number: 2, bytes: header, usable: 32)
        let magic = page.number32(0)
        pageSize = Int(page.number32(8))
        guard isLog(page), pageSize >= 512, pageSize <= 65_536 else { return nil }
        let isBigEndian = magic & 1 == 1
        func sum(_ bytes: [UInt8], _ count: Int, _ start: (UInt32, UInt32)) -> (UInt32, UInt32) {
            bytes.withUnsafeBytes {
                $0.baseAddress.map { logChecksum($0, count, start, isBigEndian: isBigEndian) } ?? start
            }
        }
        var sums = sum(header, 24, (0, 0))
        guard sums == (page.number32(24), page.number32(28)) else { return nil }
        var offset: Int64 = 32
        var open: [UInt32: [UInt8]] = [:]
        while let head = file.read(offset, 24), let image = file.read(offset &+ 24, pageSize) {
            let frame = DamagedPage(number: 2, bytes: head, usable: 24)
            guard Array(head[8..<16]) == Array(header[16..<24]), frame.number32(0) > 0 else { break }
            sums = sum(image, pageSize, sum(head, 8, sums))
            guard sums == (frame.number32(16), frame.number32(20)) else { break }
            open[frame.number32(0)] = image
            if frame.number32(4) > 0 {
                pages.merge(open) { $1 }
                open = [:]
                pageCount = frame.number32(4)
            }
            offset += 24 + Int64(pageSize)
        }
    }
}

/// The first page as a file's log has it, or its hot journal, which SQLite reads before the file.
func firstPageBeside(_ path: String) -> [UInt8]? {
    let path = canonicalPath(path)
    return DamagedLog(path + "-wal")?.pages[1] ?? DamagedJournal(path + "-journal")?.pages[1]
}

/// Whether a log or journal may have pages of a file that had some.
func hasPages(_ path: String) -> Bool {
    guard let file = SideFile(path), let bytes = file.read(0, 28) else { return false }
    let head = DamagedPage(number: 2, bytes: bytes, usable: 28)
    if isLog(head) { return file.read(32 + 24, 512) != nil }
    return isJournal(head) && head.number32(16) > 0
}

private func isLog(_ head: DamagedPage) -> Bool {
    head.number32(0) & ~1 == 0x377F_0682 && head.number32(4) == 3_007_000
}

private func isJournal(_ head: DamagedPage) -> Bool {
    head.number32(0) == 0xD9D5_05F9 && head.number32(4) == 0x20A1_63D7
}

/// The pages as they were before a transaction that a crash cut short.
private struct DamagedJournal {
    let pageSize: Int
    let pageCount: UInt32
    private(set) var pages: [UInt32: [UInt8]] = [:]

    init?(_ path: String) {
        guard let journal = HotJournal(path) else { return nil }
        (pageSize, pageCount) = (journal.pageSize, journal.pageCount)
        var pages: [UInt32: [UInt8]] = [:]
        journal.records { number, offset, nonce in
            guard let page = journal.page(at: offset, nonce) else { return false }
            // The first one of a page is the oldest.
            if pages[number] == nil { pages[number] = page }
            return true
        }
        if pages.isEmpty { return nil }
        self.pages = pages
    }
}

/// A rollback journal that is to be rolled back: https://www.sqlite.org/fileformat2.html#rollbackjournal
struct HotJournal {
    let pageSize: Int
    /// Of the file before the transaction.
    let pageCount: UInt32
    private let file: SideFile

    /// nil where there is none.
    init?(_ path: String) {
        guard let file = SideFile(path), let head = file.read(0, 28).flatMap(JournalHead.init) else { return nil }
        (self.file, pageSize, pageCount) = (file, head.pageSize, head.pageCount)
        if file.superJournal.map({ !fileExists($0) }) ?? false { return nil }
    }

    /// Calls `visit` with the number and the place of each page, until it returns false.
    /// - Returns: whether all were there.
    @discardableResult func records(_ visit: (_ page: UInt32, _ offset: Int64, _ nonce: UInt32) -> Bool) -> Bool {
        let start = file.read(0, 28)
        var offset: Int64 = 0
        while let head = file.read(offset, 28).flatMap(JournalHead.init), head.pageSize == pageSize {
            offset += head.sectorSize
            var index: UInt32 = 0
            while index < head.recordCount, let bytes = file.read(offset, 4) {
                guard visit(DamagedPage(number: 2, bytes: bytes, usable: 4).number32(0), offset, head.nonce) else {
                    return false
                }
                offset += Int64(pageSize) + 8
                index &+= 1
            }
            guard index == head.recordCount || head.recordCount == .max else { return false }
            offset = (offset + head.sectorSize - 1) / head.sectorSize * head.sectorSize
        }
        // Whoever commits meanwhile takes it away.
        return file.read(0, 28) == start
    }

    /// nil where the page of a record is not whole.
    func page(at offset: Int64, _ nonce: UInt32) -> [UInt8]? {
        guard let bytes = file.read(offset &+ 4, pageSize &+ 4) else { return nil }
        let page = DamagedPage(number: 2, bytes: bytes, usable: bytes.count)
        var sum = nonce
        for place in stride(from: pageSize - 200, to: 0, by: -200) { sum &+= UInt32(page.byte(place)) }
        return sum == page.number32(pageSize) ? Array(bytes[..<pageSize]) : nil
    }

    /// What it says of the file that it is of. That one's first page must not change meanwhile.
    func origin(_ codec: (any PageCodec)?) -> JournalOrigin {
        var origin = JournalOrigin(pageSize: pageSize, pageCount: pageCount, isEncrypted: codec != nil)
        var count = 0
        origin.hasNoFirstPage = records { number, offset, nonce in
            count += 1
            guard number == 1 || codec != nil else { return count < 100_000 }
            guard var page = page(at: offset, nonce) else { return false }
            if let codec {
                let found = page.withUnsafeMutableBytes { page in
                    page.baseAddress.map { codec.decrypt(number, $0) }
                }
                if case .authentic? = found { origin.isAuthentic = true } else { origin.others += 1 }
                return !origin.isAuthentic && origin.others < 100
            }
            origin.counter = DamagedPage(number: 1, bytes: page, usable: pageSize).number32(24)
            return false
        }
        return origin
    }
}

struct JournalOrigin {
    fileprivate let pageSize: Int
    fileprivate let pageCount: UInt32
    fileprivate let isEncrypted: Bool
    /// The change counter of the first page, where the journal has that.
    fileprivate var counter: UInt32?
    fileprivate var hasNoFirstPage = false
    fileprivate var isAuthentic = false
    fileprivate var others = 0

    /// Whether the file cannot have this first page. A transaction counts once (in the 4 bytes from 24), and writes that page last of
    /// all, once the journal has it; before, the file is as long as it was, or longer, and the page says how long (in the 4 bytes
    /// from 28, if those from 92 are the count). https://www.sqlite.org/fileformat2.html#the_database_header
    func isStray(beside first: DamagedPage, size: Int64) -> Bool {
        // A file that had no page has none in the journal.
        guard pageCount > 0 else { return false }
        // Of the file's own one record may have been altered, which shows when it is rolled back. Its header is anyone's, and SQLCipher's
        // counter is one of chance.
        if isEncrypted { return !isAuthentic && others > 1 }
        if let counter { return first.number32(24) &- counter > 1 }
        guard hasNoFirstPage, DamagedFile.pageSize(first.bytes) == pageSize else { return false }
        return Int64(pageCount) > (size &+ Int64(pageSize) &- 1) / Int64(pageSize)
            || first.number32(24) == first.number32(92) && first.number32(28) > pageCount
    }
}

private struct JournalHead {
    let recordCount: UInt32
    let nonce: UInt32
    let pageCount: UInt32
    let sectorSize: Int64
    let pageSize: Int

    init?(_ bytes: [UInt8]) {
        let head = DamagedPage(number: 2, bytes: bytes, usable: 28)
        recordCount = head.number32(8)
        nonce = head.number32(12)
        pageCount = head.number32(16)
        sectorSize = Int64(head.number32(20))
        pageSize = Int(head.number32(24))
        guard isJournal(head), sectorSize >= 28, sectorSize <= 65_536, pageSize >= 512, pageSize <= 65_536 else {
            return nil
        }
    }
}

/// A log or a journal, on which SQLite has no locks.
private final class SideFile {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// The file that a transaction of several files is committed by the deletion of, as the end of each journal names it.
    /// https://www.sqlite.org/atomiccommit.html#_multi_file_commit
    var superJournal: String? {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        guard let bytes = read(size &- 16, 16) else { return nil }
        let end = DamagedPage(number: 2, bytes: bytes, usable: 16)
        let length = end.number32(0)
        guard end.number32(8) == 0xD9D5_05F9, end.number32(12) == 0x20A1_63D7, length > 0, length <= 4096,
            let name = read(size &- 16 &- Int64(length), Int(length)),
            name.reduce(0, { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }) == end.number32(4)
        else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// nil where there are not so many.
    func read(_ offset: Int64, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard offset >= 0 else { return nil }
        return pread(descriptor, &bytes, count, off_t(offset)) == count ? bytes : nil
    }
}
