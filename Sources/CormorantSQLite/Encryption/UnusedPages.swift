import CSQLite

/// Pages of which it makes no difference what stands in the file. SQLite writes no journal of the leaves among the free pages, nor of
/// what is behind the end of the database: after a power cut such a page may be half written, and stay so. Where they are is said by
/// pages that are authentic themselves. https://www.sqlite.org/fileformat2.html#the_freelist
struct UnusedPages {
    fileprivate let count: UInt32
    fileprivate var leaves = PageSet()

    fileprivate func contains(_ number: UInt32) -> Bool { number > count || leaves.contains(number) }
}

extension EncryptedDatabaseFile {
    /// Whether a page of the file was unused as the connection's transaction began, which has not written it since either. Where it cannot
    /// be told, it was not.
    func isUnused(_ number: UInt32) -> Bool {
        let isInLog = index.log != nil
        let snapshot = !isInLog ? nil : isAlone ? index.newest : index.snapshot
        if isInLog, snapshot == nil { return false }
        if unused == nil || unused?.snapshot != snapshot {
            unused = nil
            var pages: UnusedPages?
            var isAnew = false
            repeat {
                isAnew = snapshot.map { index.isBegunAnew(since: $0) } ?? false
                pages = unusedPages(of: snapshot)
            } while snapshot.map { index.isBegunAnew(since: $0) } ?? false != isAnew
            guard let pages else { return false }
            unused = (pages, snapshot)
        }
        return unused?.pages.contains(number) ?? false && !written.contains(number)
    }

    /// As the snapshot has them; what this connection's own transaction has written over is unknown.
    private func unusedPages(of snapshot: LogIndex.Snapshot?) -> UnusedPages? {
        var size: Int64 = 0
        guard let frames = frames(of: snapshot), fileSize(&size) == SQLITE_OK else { return nil }
        // Of a new file; of another one nothing is left.
        if size == 0, frames.isEmpty { return hasSeenFirst ? nil : UnusedPages(count: 0) }
        let page = PageBuffer(pageSize)
        guard readAuthentic(1, frames, page), isFirst(page.bytes) else { return nil }
        let count = bigEndian32(page.bytes, 28)
        // The number of pages is that of whoever wrote last.
        guard count > 0, bigEndian32(page.bytes, 24) == bigEndian32(page.bytes, 92) else { return nil }
        var unused = UnusedPages(count: count)
        var trunks = PageSet()
        var trunk = bigEndian32(page.bytes, 32)
        var left = bigEndian32(page.bytes, 36)
        while left > 0, trunk > 1, trunk <= count, !trunks.contains(trunk), readAuthentic(trunk, frames, page) {
            trunks.insert(trunk)
            let leaves = bigEndian32(page.bytes, 4)
            guard leaves < left, Int(leaves) <= pageSize / 4 &- 2 else { break }
            for leaf in 0..<Int(leaves) {
                let number = bigEndian32(page.bytes, 8 &+ 4 &* leaf)
                if number > 1, number <= count { unused.leaves.insert(number) }
            }
            left &-= leaves &+ 1
            trunk = bigEndian32(page.bytes)
        }
        // A list that is another one than the first page means says nothing.
        if left > 0 || trunk > 0 { unused.leaves = PageSet() }
        return unused
    }

    private func readAuthentic(_ number: UInt32, _ frames: [UInt32: Int64], _ page: PageBuffer) -> Bool {
        if let log = index.log, let frame = frames[number] { return log.readAuthentic(number, inFrame: frame, page) }
        guard !written.contains(number),
            readRaw(page.bytes, pageSize, Int64(number &- 1) &* Int64(pageSize)) == SQLITE_OK,
            case .authentic = codec.decrypt(number, page.bytes)
        else { return false }
        return true
    }
}

/// Numbers of pages, each one bit.
struct PageSet {
    private var words: [UInt64] = []

    mutating func insert(_ number: UInt32) {
        let word = Int(number >> 6)
        if word >= words.count { words += repeatElement(0, count: max(word &+ 1 &- words.count, words.count)) }
        words[word] |= 1 << UInt64(number & 63)
    }

    mutating func remove(behind last: UInt32) {
        let word = Int(last >> 6)
        guard word < words.count else { return }
        words.removeLast(words.count &- word &- 1)
        words[word] &= (2 << UInt64(last & 63)) &- 1
    }

    func contains(_ number: UInt32) -> Bool {
        let word = Int(number >> 6)
        return word < words.count && words[word] & 1 << UInt64(number & 63) != 0
    }
}
