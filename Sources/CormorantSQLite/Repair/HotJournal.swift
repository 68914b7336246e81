import CormorantBase

/// The pages as they were before a transaction that a crash cut short.
struct DamagedJournal {
    let pageSize: Int
    /// Of the file before the transaction; nil where the journal contradicts itself.
    let pageCount: UInt32?
    private(set) var pages: [UInt32: [UInt8]] = [:]

    init?(_ path: String) {
        guard let journal = HotJournal(path) else { return nil }
        pageSize = journal.pageSize
        var pages: [UInt32: [UInt8]] = [:]
        journal.records { number, offset, nonce in
            guard let page = journal.page(at: offset, nonce) else { return false }
            // The first one of a page is the oldest.
            if pages[number] == nil { pages[number] = page }
            return true
        }
        guard let greatest = pages.keys.max() else { return nil }
        self.pages = pages
        pageCount = greatest > journal.pageCount ? nil : journal.pageCount
    }
}

/// A rollback journal that is to be rolled back: https://www.sqlite.org/fileformat2.html#rollbackjournal
struct HotJournal {
    let pageSize: Int
    /// Of the file before the transaction.
    let pageCount: UInt32
    private let file: SideFile
    /// Its first bytes.
    private let start: [UInt8]

    /// nil where there is none.
    init?(_ path: String) {
        guard let file = SideFile(path), let start = file.read(0, 28), let head = JournalHead(start) else { return nil }
        (self.file, self.start, pageSize, pageCount) = (file, start, head.pageSize, head.pageCount)
        // An empty one is none to SQLite.
        if file.superJournal.map({ fileSize($0) <= 0 }) ?? false { return nil }
    }

    /// Calls `visit` with the number and the place of each page, until it returns false.
    /// - Returns: whether all were there.
    @discardableResult func records(_ visit: (_ page: UInt32, _ offset: Int64, _ nonce: UInt32) -> Bool) -> Bool {
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
        return isAsItWas
    }

    /// Whoever commits meanwhile takes it away.
    private var isAsItWas: Bool { file.read(0, 28) == start }

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
        let isComplete = records { number, offset, nonce in
            count += 1
            let isTold = origin.counter != nil || origin.isAuthentic
            guard number > pageCount || !isTold && (number == 1 || codec != nil) else { return count < 100_000 }
            guard var page = page(at: offset, nonce) else {
                origin.isBroken = number == 1
                return number > pageCount
            }
            if number > pageCount {
                origin.isContradictory = true
                return false
            }
            if let codec {
                let found = page.withUnsafeMutableBytes { page in
                    page.baseAddress.map { codec.decrypt(number, $0) }
                }
                if case .authentic? = found { origin.isAuthentic = true } else { origin.others += 1 }
                return origin.others < 100
            }
            let first = DamagedPage(number: 1, bytes: page, usable: pageSize)
            origin.counter = first.number32(24)
            origin.isContradictory = first.databasePageCount ?? 0 > pageCount
            return !origin.isContradictory
        }
        origin.hasNoFirstPage = isComplete && origin.counter == nil
        // Of a writer's next transaction the header says something else.
        origin.isContradictory = origin.isContradictory && isAsItWas
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
    /// Whether the record of the first page is not whole.
    fileprivate var isBroken = false
    /// Whether it has pages that the file did not have, as it says, or the first page says that there were more: SQLite would cut the
    /// file off. Whoever wrote it, it was altered since.
    fileprivate(set) var isContradictory = false
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
        guard let own = DamagedFile.pageSize(first.bytes) else { return false }
        // A VACUUM that gives pages another size writes the first one, too.
        if own != pageSize { return hasNoFirstPage || isBroken }
        return hasNoFirstPage && Int64(pageCount) > (size &+ Int64(pageSize) &- 1) / Int64(pageSize)
            || hasNoFirstPage && first.databasePageCount ?? 0 > pageCount
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

func isJournal(_ head: DamagedPage) -> Bool {
    head.number32(0) == 0xD9D5_05F9 && head.number32(4) == 0x20A1_63D7
}
