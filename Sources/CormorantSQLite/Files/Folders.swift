import CormorantBase
import CormorantPlatform

package func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

package func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

/// What the first page of a file says before it is opened, or that of its log or journal, which SQLite reads in its place:
/// https://www.sqlite.org/fileformat2.html#the_database_header
package struct FileHead {
    package enum Kind: Sendable {
        /// There is none, or it cannot be read, or it is no file.
        case none
        /// SQLite makes a database of it.
        case empty
        case database
        /// UTF-8 without NUL, as scripts are.
        case text
        /// Without anything in it that could be read: encrypted, or compressed.
        case cipher
        case other
    }

    package var kind: Kind
    package var isWAL = false
}

package func fileHead(_ path: String) -> FileHead {
    var info = stat()
    // To open a pipe is to wait.
    guard stat(path, &info) != 0 || info.st_mode & S_IFMT == S_IFREG, let file = FileOnDisk(path) else {
        return FileHead(kind: .none)
    }
    var bytes = [UInt8](repeating: 0, count: 512)
    guard let count = bytes.withUnsafeMutableBytes({ file.read($0, at: 0) }) else { return FileHead(kind: .none) }
    guard count > 0 else { return FileHead(kind: .empty) }
    bytes.removeLast(bytes.count - count)
    // Shorter than its smallest page there is no database, and SQLite would write over it.
    if count == 512, bytes.starts(with: "SQLite format 3\0".utf8) {
        return FileHead(kind: .database, isWAL: bytes[18] == 2 && bytes[19] == 2)
    }
    if looksRandom(bytes), looksRandomBehind(file) { return FileHead(kind: .cipher) }
    if firstPageBeside(path)?.starts(with: "SQLite format 3\0".utf8) ?? false {
        return FileHead(kind: .database, isWAL: hasPages(path + "-wal"))
    }
    return FileHead(kind: bytes.contains(0) ? .other : .text)
}

/// Cipher text has each value about twice in 512 bytes; texts, archives and pictures have few values, or some often.
private func looksRandom(_ bytes: [UInt8]) -> Bool {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    return counts.count { $0 > 0 } > 190 && (counts.max() ?? 0) < 14
}

/// Whether a file goes on as it begins: of a plain database the first page alone may have become anything.
private func looksRandomBehind(_ file: FileOnDisk) -> Bool {
    let parts: Int64 = 8
    var random = 0
    var seen = 0
    for part in 1..<parts {
        var bytes = [UInt8](repeating: 0, count: 512)
        let offset = file.size / parts * part
        guard offset >= 4096, bytes.withUnsafeMutableBytes({ file.read($0, at: offset) }) == 512 else { continue }
        seen += 1
        if looksRandom(bytes) { random += 1 }
    }
    return random * 2 >= seen
}

package func removeFile(_ path: String) { unlink(path) }

/// A text file's content; nil where there is none.
package func readText(_ path: String) throws -> String? {
    guard let bytes = try readBytes(path) else { return nil }
    guard bytes.withUnsafeBufferPointer({ $0.isEmpty || isValidUTF8($0.baseAddress!, count: $0.count) }) else {
        throw CormorantError(.encoding, "\"\(path)\" is not UTF-8", hint: "save it as UTF-8")
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// A file's content; nil where there is none. A text of SQL or JSON has no gigabyte, and a device has no end.
package func readBytes(_ path: String) throws -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
        if errno == ENOENT { return nil }
        throw failure("\"\(path)\" cannot be read", errno)
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(file, &chunk, chunk.count)
        if count == 0 { return bytes }
        guard count > 0 else { throw failure("\"\(path)\" cannot be read", errno) }
        bytes += chunk[..<count]
        guard bytes.count < 1 << 30 else {
            throw CormorantError(.tooBig, "\"\(path)\" has a gigabyte or more", hint: "check the path")
        }
    }
}

/// Where a database is written until it is whole: a name that nobody gives to a file of his own, since what a killed process
/// left there is written over.
package func unfinishedPath(_ path: String) -> String { path + "-corm-new" }

/// Writes a whole text file; a crash leaves the old one or the new.
package func writeText(_ text: String, to path: String) throws { try writeBytes(Array(text.utf8), to: path) }

/// Writes a whole file; a crash leaves the old one or the new.
package func writeBytes(_ bytes: [UInt8], to path: String) throws {
    guard let (file, temporary) = openTemporary(beside: path) else {
        throw failure("\"\(path)\" cannot be written", errno)
    }
    defer { unlink(temporary) }
    do {
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let step = bytes.withUnsafeBytes { write(file, $0.baseAddress! + written, bytes.count - written) }
            guard step > 0 else { throw failure("\"\(path)\" cannot be written", errno) }
            written += step
        }
        guard fsync(file) == 0 else { throw failure("\"\(path)\" cannot be written", errno) }
    }
    guard rename(temporary, path) == 0 else { throw failure("\"\(path)\" cannot be written", errno) }
}

package func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure("\"\(path)\" cannot be made", errno) }
}

/// Removes a folder that is empty.
package func removeFolder(_ path: String) throws {
    guard rmdir(path) == 0 else { throw failure("\"\(path)\" cannot be removed", errno) }
}

/// Gives a file or folder another name; what is there of that name goes, if it is a file.
package func moveFile(_ path: String, to target: String) throws {
    guard rename(path, target) == 0 else { throw failure("\"\(path)\" cannot be moved", errno) }
}

/// The names in a folder, those of hidden files left out, in the order of their bytes.
package func folderEntries(_ path: String) throws -> [String] {
    guard let folder = opendir(path) else { throw failure("\"\(path)\" cannot be read", errno) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

package func isFolder(_ path: String) -> Bool {
    var info = stat()
    return stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
}

/// Whether it is a pipe, a socket or a device: opening one may wait, and it is read but once.
package func isStream(_ path: String) -> Bool {
    var info = stat()
    return stat(path, &info) == 0 && ![S_IFREG, S_IFDIR].contains(info.st_mode & S_IFMT)
}

private func failure(_ what: String, _ number: Int32) -> CormorantError {
    CormorantError(
        systemCode(number, else: .cannotOpen), "\(what): \(systemMessage(number))",
        hint: "check the path and its permissions")
}

/// Which file a path leads to, whatever its name.
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// nil where there is none.
    package init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: info.st_dev)
        number = UInt64(truncatingIfNeeded: info.st_ino)
    }
}

/// Whether a path is that of a file itself, and of no link, folder or device.
package func isPlainFile(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
}

/// Whether a path is that of a symbolic link.
package func isLink(_ path: String) -> Bool {
    var info = stat()
    return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFLNK
}

/// The path from the root on, so that it means the same when the working folder is another.
package func absolutePath(_ path: String) -> String {
    guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
    defer { free(current) }
    return "\(String(cString: current))/\(path)"
}

/// The path without links and dots, as far as its folders are there.
package func canonicalPath(_ path: String) -> String {
    if let whole = realpath(path, nil) {
        defer { free(whole) }
        return String(cString: whole)
    }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
        let folder = realpath(String(path[..<slash]) + "/", nil)
    else { return path }
    defer { free(folder) }
    return String(cString: folder) + String(path[slash...])
}
