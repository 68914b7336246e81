import CormorantBase
import CormorantPlatform
import CormorantSQLite

/// A file that is whole or not there: it is written beside its place and moved there in the end. What is no plain file, such
/// as a pipe or a terminal, is written at once.
final class OutputFile {
    let output: Output
    private let descriptor: Int32
    private let path: String
    private let temporary: String?

    /// - Parameter inputs: files that are read meanwhile, none of which may be it.
    init(_ path: String, besides inputs: [String]) throws {
        var info = stat()
        let isThere = stat(path, &info) == 0
        // A database has more files than one.
        for input in inputs.flatMap({ input in ["", "-wal", "-shm", "-journal"].map { input + $0 } }) {
            var other = stat()
            let isSame =
                isThere
                ? stat(input, &other) == 0 && info.st_dev == other.st_dev && info.st_ino == other.st_ino
                    && info.st_mode & S_IFMT == S_IFREG
                : Self.place(path) == Self.place(input)
            if isSame {
                throw CormorantError(
                    .misuse, "\"\(visible(path))\" would be written over while it is read", hint: "name another file")
            }
        }
        guard !isThere || info.st_mode & S_IFMT != S_IFDIR else {
            throw CormorantError(.cannotOpen, "\"\(visible(path))\" is a folder", hint: "name a file in it")
        }
        for suffix in ["-wal", "-journal", "-shm"] where path.hasSuffix(suffix) {
            let owner = String(path.dropLast(suffix.count))
            guard isThere, fileExists(owner) else { continue }
            throw CormorantError(
                .misuse, "\"\(visible(path))\" belongs to the database \"\(visible(owner))\"", hint: "name another file"
            )
        }
        guard !isThere || info.st_mode & S_IFMT != S_IFREG || !Self.isDatabase(path) else {
            throw CormorantError(
                .misuse, "\"\(visible(path))\" is a database, which would be lost",
                hint: "remove it, or name another file")
        }
        let stream = Self.openStream(path)
        let isPlain = stream == nil && (!isThere || info.st_mode & S_IFMT == S_IFREG)
        // A link stays one: what it leads to is written.
        self.path = Self.resolved(path) ?? path
        if isPlain { Interruption.expectLeavings() }
        let made = isPlain ? openTemporary(beside: self.path, rights: 0o666) : nil
        temporary = made?.path
        descriptor = made?.file ?? (isPlain ? -1 : stream.map { dup($0) } ?? open(path, O_WRONLY | O_CLOEXEC))
        guard descriptor >= 0 else {
            throw CormorantError(
                .cannotOpen, "\"\(visible(path))\" cannot be written: \(String(cString: strerror(errno)))",
                hint: "check the folder and its permissions")
        }
        output = Output(descriptor, "\"\(visible(path))\"")
        if isThere, isPlain {
            // Who could not read it before cannot now.
            _ = fchown(descriptor, info.st_uid, info.st_gid)
            fchmod(descriptor, info.st_mode & 0o777)
        }
    }

    /// Plain, or encrypted as far as can be seen: what is packed says so in its first bytes.
    private static func isDatabase(_ path: String) -> Bool {
        switch fileHead(path).kind {
        case .database: return true
        case .cipher:
            let file = open(path, O_RDONLY | O_CLOEXEC)
            defer { close(file) }
            var bytes: [UInt8] = [0, 0]
            guard read(file, &bytes, 2) == 2 else { return false }
            return ![[0x89, 0x50], [0x1F, 0x8B], [0x50, 0x4B]].contains(bytes)
        default: return false
        }
    }

    deinit {
        // Not finished: nothing stays.
        close(descriptor)
        if let temporary { unlink(temporary) }
    }

    private static func resolved(_ path: String) -> String? {
        let resolved = realpath(path, nil)
        defer { free(resolved) }
        return resolved.map { String(cString: $0) }
    }

    /// Where a file is to be that is not there yet.
    private static func place(_ path: String) -> String {
        let end = path.lastIndex(of: "/")
        let folder = end.map { String(path[...$0]) } ?? "."
        return (resolved(folder) ?? folder) + "/" + (end.map { String(path[path.index(after: $0)...]) } ?? path)
    }

    /// What the command was started with: its file has been written to by others, and will be.
    private static func openStream(_ path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return 1
        case "/dev/stderr": return 2
        default:
            let prefix = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
            return prefix.flatMap { Int32(path.dropFirst($0.count)) }
        }
    }

    func finish() throws {
        try output.flush()
        guard let temporary else { return }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw CormorantError(
                .io, "\"\(visible(path))\" cannot be written: \(String(cString: strerror(errno)))",
                hint: "check the folder and its permissions")
        }
    }
}
