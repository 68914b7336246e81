import CormorantBase
import CormorantPlatform

/// Refuses what lies beside a database file where SQLite would lose rows over it, each before the file is opened: it takes the pages of a
/// log for newer ones of the file whoever wrote it, and deletes the log or journal of a file without pages as one that an earlier
/// file of the name left (https://www.sqlite.org/howtocorrupt.html, 1.4). A file that is not there has none: who removes a file by its
/// name means it.
/// - Parameters:
///   - codec: what the file is encrypted with.
///   - isRepaired: whether a journal that was altered is of use all the same.
package func refuseLeftoverLogs(of path: String, _ codec: (any PageCodec)?, isRepaired: Bool = false) throws {
    var info = stat()
    guard let path = isURI(path) ? FileOnDisk(path)?.path : followed(path), stat(path, &info) == 0,
        info.st_mode & S_IFMT == S_IFREG
    else { return }
    // SQLite would wait for ever for somebody who writes to a pipe.
    for suffix in ["-wal", "-journal"] where isStream(path + suffix) {
        throw CormorantError(
            .cannotOpen, "\"\(path)\(suffix)\" is no file, and where the journal of \"\(path)\" is looked for",
            hint: "remove it")
    }
    guard info.st_size == 0 else {
        try refuseStrayLog(of: path, codec)
        return try refuseStrayJournal(of: path, codec, isRepaired)
    }
    guard let suffix = ["-wal", "-journal"].first(where: { hasPages(path + $0) }) else { return }
    throw CormorantError(
        .cannotOpen, "\"\(path)\" is empty, and \"\(path)\(suffix)\" has what was written to it",
        hint: "\(damagedHint); remove the \(suffix) file if another database left it")
}

/// Where SQLite looks for the logs of a file that may be a symbolic link.
private func followed(_ path: String) -> String {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK ? canonicalPath(path) : path
}

/// Refuses the log beside a file whose own header says that it has none, such as a copy that was put in the place of an older file.
private func refuseStrayLog(of path: String, _ codec: (any PageCodec)?) throws {
    if hasPages(path + "-wal") {
        try refuseLogOfOtherPages(path, codec)
        if let codec { try refuseLogOfOtherKey(path, codec) }
    }
    // The log goes before the header says so, and comes after it: what is between two looks at it is as it was.
    guard hasPages(path + "-wal"), saysNoLog(path, codec), hasPages(path + "-wal"), saysNoLog(path, codec) else {
        return
    }
    throw CormorantError(
        .cannotOpen,
        "\"\(path)-wal\" is left over from another database: \"\(path)\" has no write-ahead log",
        hint: "remove it if no program uses it, or put the file back that it is of")
}

/// Refuses a log whose pages have another size than the file's, which no log of a file has: SQLite would take it for all of the file.
private func refuseLogOfOtherPages(_ path: String, _ codec: (any PageCodec)?) throws {
    guard let page = firstPage(path, codec)?.page, let log = FileOnDisk(path + "-wal") else { return }
    let own = codec.map { UInt32($0.pageSize) } ?? (page.number16(16) == 1 ? 65_536 : UInt32(page.number16(16)))
    let error = withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { header in
        log.read(UnsafeMutableRawBufferPointer(header), at: 0) == 12
            ? header.baseAddress.flatMap { errorOfOtherPages(path, $0, own) } : nil
    }
    if let error { throw error }
}

/// - Parameter header: the log's.
func errorOfOtherPages(_ path: String, _ header: UnsafeRawPointer, _ own: UInt32) -> CormorantError? {
    let size = bigEndian32(header, 8)
    guard bigEndian32(header) >> 8 == 0x377F06, size != own else { return nil }
    return CormorantError(
        .cannotOpen,
        "\"\(path)-wal\" is left over from another database: its pages have \(size) bytes, those of the file \(own)",
        hint: "remove it if no program uses it, or put the file back that it is of")
}

/// Refuses a log that has no page of the file's key and salt, whose only page may have been altered: of it there is nothing to lose.
private func refuseLogOfOtherKey(_ path: String, _ codec: any PageCodec) throws {
    // Once the codec has the file's salt.
    guard firstPage(path, codec) != nil, var frames = LogFrames(path + "-wal"), frames.pageSize == codec.pageSize else {
        return
    }
    var others = 0
    while others < 100, var frame = frames.next() {
        let found = frame.image.withUnsafeMutableBytes { page in
            page.baseAddress.map { codec.decrypt(frame.page, $0) }
        }
        if case .authentic? = found { return }
        others += 1
    }
    guard others > 0 else { return }
    throw CormorantError(
        others == 1 ? .altered : .cannotOpen,
        "\"\(path)-wal\" is left over from another database, or from one with another key"
            + (others == 1 ? ", or its one page was altered" : ""),
        hint: "remove it if no program uses it, or put the file back that it is of")
}

/// https://www.sqlite.org/fileformat2.html#file_format_version_numbers
private func saysNoLog(_ path: String, _ codec: (any PageCodec)?) -> Bool {
    guard let page = firstPage(path, codec)?.page else { return false }
    return page.byte(18) == 1 && page.byte(19) == 1
}

/// Refuses a rollback journal that cannot be the file's: SQLite would cut the file off at the length that it names, and put the
/// pages of the other one into it.
private func refuseStrayJournal(of path: String, _ codec: (any PageCodec)?, _ isRepaired: Bool) throws {
    let name = path + "-journal"
    // Whoever writes now changes the page with each commit: where it is as it was, what was read between is of one.
    guard let before = firstPage(path, codec), let journal = HotJournal(name)?.origin(codec),
        let after = firstPage(path, codec), after.page.bytes == before.page.bytes
    else { return }
    if journal.isContradictory {
        if isRepaired { return }
        throw CormorantError(
            codec == nil ? .corrupt : .altered,
            "\"\(name)\" is damaged: it says that \"\(path)\" had fewer pages than it has of it",
            hint: damagedHint)
    }
    guard journal.isStray(beside: after.page, size: after.size) else { return }
    throw CormorantError(
        .cannotOpen,
        "\"\(name)\" is left over from another database, or from one with another key: \"\(path)\" is not as it says",
        hint: "remove it if no program uses it, or put the file back that it is of")
}

/// The beginning of a file's first page, and the file's length; nil where the page is lost.
private func firstPage(_ path: String, _ codec: (any PageCodec)?) -> (page: DamagedPage, size: Int64)? {
    guard let file = FileOnDisk(path) else { return nil }
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: codec?.pageSize ?? 100, alignment: 16)
    defer { page.deallocate() }
    if let codec {
        guard (try? opens(codec, file, page)) == true else { return nil }
    } else {
        guard file.read(page, at: 0) == page.count, page.starts(with: "SQLite format 3\0".utf8) else { return nil }
    }
    return (DamagedPage(number: 1, bytes: Array(page), usable: page.count), file.size)
}
