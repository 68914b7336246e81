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
    /// Of the file and its log, before they were read.
    private let versions: [FileVersion?]

    enum TextEncoding { case utf8, utf16LittleEndian, utf16BigEndian }

    init(_ path: String, _ codecs: (any PageCodecSource)?) throws {
        self.path = path
        versions = FileVersion.all(of: path)
        let codec = try codecs?.makeCodec(path: path)
        // What is left of a file that became empty is its log.
        if fileSize(path) > 0 { try refuseLeftoverLogs(of: path, codec, isRepaired: true) }
        self.codec = codec
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX
        let status = sqlite3_open_v2(path, &handle, flags, VFS.name)
        guard status == SQLITE_OK else {
            guard status != SQLITE_NOMEM else {
                throw CormorantError(.noMemory, "SQLite has no memory to open \"\(path)\"", sqliteCode: status)
            }
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

    /// Refuses what was read of a file that was written meanwhile. A lock keeps nobody from that where it has a write-ahead log.
    func refuseChanges() throws {
        guard FileVersion.all(of: path) != versions else { return }
        throw CormorantError(.busy, "\"\(path)\" was written meanwhile", hint: "close it everywhere and try again")
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
            takeCount(journal.pageCount ?? page(1)?.databasePageCount ?? 0)
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

    /// Of the database, as its first page says, if more than there are: the file was cut off.
    var lastPage: UInt32 { max(pageCount, header?.databasePageCount ?? 0) }

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

/// What changes where a file is written.
private struct FileVersion: Equatable {
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// nil: it is not there, or empty.
    private init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0, info.st_size > 0 else { return nil }
        size = Int(info.st_size)
        (seconds, nanoseconds) = (info.written.tv_sec, info.written.tv_nsec)
    }

    static func all(of path: String) -> [FileVersion?] { ["", "-wal"].map { FileVersion(path + $0) } }
}
