import CormorantBase
import CormorantPlatform

func systemMessage(_ number: Int32) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
}

/// What the system's error is: a full disk, or something else.
func systemCode(_ number: Int32, else code: ErrorCode) -> ErrorCode {
    number == ENOSPC || number == EDQUOT ? .full : code
}

package func checkPath(_ path: String) throws {
    guard !path.isEmpty else {
        throw CormorantError(.misuse, "the path is empty", hint: "give a file, or \":memory:\"")
    }
    guard !path.utf8.contains(0) else {
        throw CormorantError(.misuse, "the path holds a NUL character", hint: "give another path")
    }
    try refuseSpecial(path)
}

/// Refuses what is no file, before it is opened: to open a pipe waits for its other end, and some devices read as an empty
/// database.
func refuseSpecial(_ path: String) throws {
    var info = stat()
    guard stat(path, &info) == 0 else { return }
    let (what, hint): (String, String)
    switch info.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: (what, hint) = ("a directory", "give the path of a file in it")
    case S_IFIFO: (what, hint) = ("a pipe", "give the path of a file")
    case S_IFSOCK: (what, hint) = ("a socket", "give the path of a file")
    default: (what, hint) = ("a device", "give the path of a file")
    }
    throw CormorantError(.cannotOpen, "\"\(path)\" cannot be opened: it is \(what)", hint: hint)
}

/// Why a path that SQLite could not open is not openable, in the system's words.
/// - Parameter number: what the system said to SQLite, which tries in several ways and tells what became of the last one.
func pathProblem(_ path: String, _ number: Int32 = 0) -> String {
    if openingHint(number) != nil { return systemMessage(number) }
    var info = stat()
    guard stat(path, &info) == 0 else {
        // Of a file that is not there and cannot be made SQLite only says that it is not there.
        let number = errno
        guard number == ENOENT, access(folder(of: path), W_OK) != 0, errno != ENOENT else {
            return systemMessage(number)
        }
        return "it is not there, and its folder takes no new file: \(systemMessage(errno))"
    }
    return access(path, R_OK) == 0 ? "its folder cannot be used" : systemMessage(errno)
}

/// What to do about what stands in the way of opening any file; nil where the path and its folder are to be looked at.
func openingHint(_ number: Int32) -> String? {
    switch number {
    case EMFILE: "close files that are open, or let the process have more (ulimit -n)"
    case ENFILE: "let the system have more files open (fs.file-max)"
    case ENAMETOOLONG: "give a shorter name: those of the files that SQLite keeps beside it are 8 bytes longer"
    default: nil
    }
}

/// Copies a template database to `path` unless something is there. The copy is made beside it and linked into place, so
/// that no reader ever sees half a file and two processes cannot overwrite one another.
func copyTemplate(_ template: String, to path: String, mayBePlain: Bool, _ codec: (any PageCodec)?) throws {
    func failure(_ what: String, _ hint: String, _ code: ErrorCode = .cannotOpen) -> CormorantError {
        CormorantError(code, "the template \"\(template)\" cannot be copied to \"\(path)\": \(what)", hint: hint)
    }
    func systemFailure(_ what: String, _ number: Int32) -> CormorantError {
        failure(
            "\(what): \(systemMessage(number))", openingHint(number) ?? "check both paths and their permissions",
            systemCode(number, else: .cannotOpen))
    }
    for path in [path, template] { try refuseURI(path, "a template is copied by its path") }
    guard access(path, F_OK) != 0 else { return }
    var info = stat()
    guard stat(template, &info) != 0 || info.st_mode & S_IFMT != S_IFIFO else {
        throw failure("it is a pipe", "give the path of a file")
    }
    for suffix in ["-wal", "-journal"] where fileSize(template + suffix) > 0 {
        throw failure(
            "its \(suffix.dropFirst()) holds changes that a copy would miss", "open and close the template once")
    }
    try refuseLeftovers(beside: path)
    guard let source = FileOnDisk(template) else {
        let number = errno
        throw failure(
            "reading: \(pathProblem(template, number))", openingHint(number) ?? "check both paths and their permissions"
        )
    }
    let beginsPlain = isDatabase(source)
    guard mayBePlain || !beginsPlain else {
        throw CormorantError(
            .notEncrypted, "the template \"\(template)\" is not encrypted",
            hint: "give one that is encrypted with the same key, or open without a key")
    }
    let noDatabase = CormorantError(
        .notADatabase, "the template \"\(template)\" is no database", hint: "give one made by SQLite")
    guard codec != nil || beginsPlain else { throw noDatabase }
    // Once the copy has its name, another process may be using it: it could not be taken away again.
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: codec?.pageSize ?? 0, alignment: 16)
    defer { page.deallocate() }
    if let codec, try !opens(codec, source, page) {
        guard looksEncrypted(template) else { throw noDatabase }
        throw CormorantError(
            .wrongKey, "the key does not open the template \"\(template)\"",
            hint: "give a template that is encrypted with the same key and settings")
    }
    guard let (target, temporary) = openTemporary(beside: path) else { throw systemFailure("writing", errno) }
    defer {
        close(target)
        unlink(temporary)
    }
    try copyBytes(from: source, to: target, systemFailure)
    guard fsync(target) == 0 else { throw systemFailure("writing", errno) }
    guard link(temporary, path) == 0 || errno == EEXIST else { throw systemFailure("linking", errno) }
}

/// Bytes of a file; 0 where there is none.
package func fileSize(_ path: String) -> Int64 {
    var info = stat()
    return stat(path, &info) == 0 ? Int64(info.st_size) : 0
}

/// Whether the file begins as https://www.sqlite.org/fileformat2.html#magic_header_string says.
private func isDatabase(_ file: FileOnDisk) -> Bool {
    let magic = Array("SQLite format 3\0".utf8)
    var head = [UInt8](repeating: 0, count: magic.count)
    return head.withUnsafeMutableBytes { file.read($0, at: 0) } == magic.count && head == magic
}

/// Whether a codec makes a database's first page of a file's. One without a page has nothing to open.
/// - Parameter page: as long as a page; gets it decrypted.
func opens(_ codec: any PageCodec, _ file: FileOnDisk, _ page: UnsafeMutableRawBufferPointer) throws -> Bool {
    guard let start = page.baseAddress, file.read(page, at: 0) == page.count else { return false }
    try codec.attach(start)
    guard case .authentic = codec.decrypt(1, start) else { return false }
    // Payload fractions, which are the same in every database: https://www.sqlite.org/fileformat2.html#the_database_header
    return Array(page[21..<24]) == [64, 32, 32]
}

/// A new file beside another one, whose rights follow the process's umask, under a name that nothing has: in a container a process
/// has the number of one that was killed there, or of one that runs elsewhere.
/// - Returns: nil where there is none; errno says why.
package func openTemporary(beside path: String, rights: mode_t = 0o644) -> (file: Int32, path: String)? {
    for attempt in 0..<100 {
        let name = "\(path).\(getpid()).\(attempt)"
        let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights)
        if file >= 0 { return (file, name) }
        guard errno == EEXIST else { return nil }
    }
    return nil
}

private func copyBytes(from source: FileOnDisk, to target: Int32, _ failure: (String, Int32) -> CormorantError) throws {
    try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
        var offset: Int64 = 0
        while true {
            guard let count = source.read(buffer, at: offset) else { throw failure("reading", EIO) }
            if count == 0 { return }
            offset += Int64(count)
            var written = 0
            while written < count {
                let step = write(target, buffer.baseAddress! + written, count - written)
                guard step > 0 else { throw failure("writing", errno) }
                written += step
            }
        }
    }
}

/// Overwrites memory in a way that the compiler does not leave out.
package func wipe(_ bytes: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Darwin)
        memset_s(bytes, count, 0, count)
    #else
        explicit_bzero(bytes, count)
    #endif
}

func sameBytes(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    memcmp(left, right, count) == 0
}
