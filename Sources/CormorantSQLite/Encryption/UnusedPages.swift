import CSQLite

extension EncryptedDatabaseFile {
    /// Whether it makes no difference what stands in a page of the file. SQLite writes no journal of the leaves among the free pages,
    /// nor of what is behind the end of the database: after a power cut such a page may be half written, and stay so. Where they
    /// are is said by pages that are authentic themselves, as the connection sees them: the log may have newer ones than the file.
    /// https://www.sqlite.org/fileformat2.html#the_freelist
    func isUnused(_ number: UInt32) -> Bool {
        // What it has written itself is used, whatever the first page still says.
        guard !hasWritten, !index.isWriting, let first = firstPage else { return false }
        let count = bigEndian32(first, 28)
        // The number of pages is that of whoever wrote last.
        guard count > 0, bigEndian32(first, 24) == bigEndian32(first, 92) else { return false }
        if number > count { return true }
        var trunk = bigEndian32(first, 32)
        var left = bigEndian32(first, 36)
        let page = PageBuffer(pageSize)
        while left > 0, trunk > 1, trunk <= count, readAuthentic(trunk, page) {
            let leaves = bigEndian32(page.bytes, 4)
            guard leaves < left, Int(leaves) <= pageSize / 4 &- 2 else { return false }
            for leaf in 0..<Int(leaves) where bigEndian32(page.bytes, 8 &+ 4 &* leaf) == number { return true }
            left &-= leaves &+ 1
            trunk = bigEndian32(page.bytes)
        }
        return false
    }

    /// Reads a page as the connection sees it.
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
