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
    /// Whether a page of the file was unused as the connection's transaction began, which has not written it since either.
    func isUnused(_ number: UInt32) -> Bool {
        if unused == nil { unused = unusedPages() }
        return unused?.contains(number) ?? false && !written.contains(number)
    }

    /// As the transaction sees it that has written nothing yet to the file: the log may have newer pages.
    func unusedPages() -> UnusedPages? {
        guard let first = firstBefore.map({ UnsafeRawPointer($0.bytes) }) ?? firstPage else { return nil }
        let count = bigEndian32(first, 28)
        // The number of pages is that of whoever wrote last.
        guard count > 0, bigEndian32(first, 24) == bigEndian32(first, 92) else { return nil }
        var unused = UnusedPages(count: count)
        var trunk = bigEndian32(first, 32)
        var left = bigEndian32(first, 36)
        guard left > 0 else { return unused }
        let page = PageBuffer(pageSize)
        while left > 0, trunk > 1, trunk <= count, readAuthentic(trunk, page) {
            let leaves = bigEndian32(page.bytes, 4)
            guard leaves < left, Int(leaves) <= pageSize / 4 &- 2 else { break }
            for leaf in 0..<Int(leaves) {
                let number = bigEndian32(page.bytes, 8 &+ 4 &* leaf)
                if number > 1, number <= count { unused.leaves.insert(number) }
            }
            left &-= leaves &+ 1
            trunk = bigEndian32(page.bytes)
        }
        return unused
    }

    private func readAuthentic(_ number: UInt32, _ page: PageBuffer) -> Bool {
        if let log = index.log {
            guard let frames = index.pagesSeen else { return false }
            if let frame = frames[number] { return log.readAuthentic(number, inFrame: frame, page) }
        }
        guard readRaw(page.bytes, pageSize, Int64(number &- 1) &* Int64(pageSize)) == SQLITE_OK,
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

    func contains(_ number: UInt32) -> Bool {
        let word = Int(number >> 6)
        return word < words.count && words[word] & 1 << UInt64(number & 63) != 0
    }
}
