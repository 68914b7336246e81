import CormorantBase
import CormorantPlatform

/// Whether opening takes the path for a URI: https://www.sqlite.org/uri.html
package func isURI(_ path: String) -> Bool { path.utf8.starts(with: "file:".utf8) }

/// Where a file is made, replaced or looked up by its name, a path is a path: what SQLite would open by a URI is another file.
package func refuseURI(_ path: String, _ what: String) throws {
    guard !isURI(path) else {
        throw CormorantError(
            .misuse, "\"\(path)\" is a URI, and \(what)",
            hint: "give its path; write ./file: where a file's name begins so")
    }
}

/// What is wrong with a URL as other libraries take them, of which a password may be part; nil for any other text.
package func refusalOfURL(_ text: String, sqliteCode: Int32 = 0) -> CormorantError? {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"), !text[..<colon].contains("/"),
        text[..<colon] != "file"
    else { return nil }
    let file = "sqlite:///"
    return CormorantError(
        .cannotOpen, "a URL that begins with \"\(text[..<colon])://\" cannot be opened",
        hint: text.hasPrefix(file) && text.utf8.count > file.utf8.count
            ? "give the path of the file in place of a URL: \(text.dropFirst(file.count))"
            : "give the path of a file, or a URL that begins with \"postgresql://\"",
        sqliteCode: sqliteCode)
}

/// Makes a database file that is there when it is whole: it is written under a name beside, and gets its own at the end.
/// - Parameters:
///   - original: whose rights it gets; nil: those of any new file.
///   - write: is given the path of an empty file.
package func makeDatabase(
    at path: String, rightsOf original: String?, _ write: (_ temporary: String) throws -> Void
) throws {
    try refuseOccupied(path)
    // What is copied from memory has no rights to keep, and gets those of any new file.
    let unfinished = try UnfinishedFile(of: path, rights: original == nil ? 0o644 : 0o600)
    defer { unfinished.remove() }
    let temporary = unfinished.path
    try write(temporary)
    if let original { try keepRights(of: original, on: temporary) }
    try synchronize(temporary)
    // Once more: what was made meanwhile.
    try refuseOccupied(path)
    // Unlike rename, link never takes the place of another file. Not every file system has it.
    if link(temporary, path) == 0 { return synchronizeFolder(of: path) }
    guard errno != EEXIST else { throw occupied(path) }
    try replace(path, by: temporary)
}

/// Refuses a path where a database cannot be made.
private func refuseOccupied(_ path: String) throws {
    try checkPath(path)
    try refuseURI(path, "a new file is made by its path")
    guard !fileExists(path) else { throw occupied(path) }
    try refuseLeftovers(beside: path)
    for suffix in ["-wal", "-journal", "-shm"] where path.hasSuffix(suffix) {
        let owner = String(path.dropLast(suffix.count))
        guard fileExists(owner) else { continue }
        throw CormorantError(
            .cannotOpen, "\"\(path)\" is where the journal of \"\(owner)\" would be looked for",
            hint: "name another file")
    }
}

private func occupied(_ path: String) -> CormorantError {
    CormorantError(.cannotOpen, "\"\(path)\" is there already", hint: "remove it, or name another file")
}

/// What SQLite keeps beside a database that is no more, it would take for the journal of the next one of that name, and put
/// the old rows into it.
func refuseLeftovers(beside path: String) throws {
    for suffix in ["-wal", "-journal", "-shm"] where fileExists(path + suffix) {
        throw CormorantError(
            .cannotOpen, "\"\(path)\(suffix)\" is left over from another database",
            hint: "remove it if no program uses it, or name another file")
    }
}

func keepRights(of path: String, on copy: String) throws {
    var info = stat()
    guard stat(path, &info) == 0, chmod(copy, info.st_mode & 0o7777) == 0 else { throw cannotWrite(copy, errno) }
    // Only the superuser can give files away; others own what they may replace in most cases.
    _ = chown(copy, info.st_uid, info.st_gid)
}

func synchronize(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw cannotWrite(path, errno) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw cannotWrite(path, errno) }
}

func replace(_ path: String, by copy: String) throws {
    guard rename(copy, path) == 0 else { throw cannotWrite(path, errno) }
    synchronizeFolder(of: path)
}

func folder(of path: String) -> String {
    // By bytes: a slash before a name that begins with a combining mark is one, too.
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
}

private func synchronizeFolder(of path: String) {
    let file = open(folder(of: path), O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
}

private func cannotWrite(_ path: String, _ number: Int32) -> CormorantError {
    CormorantError(
        systemCode(number, else: .io), "\"\(path)\" cannot be written: \(systemMessage(number))",
        hint: "check its folder and the free space")
}
