import CormorantBase
import CormorantPlatform

/// Where the bytes of an import come from.
protocol ImportSource: AnyObject {
    /// Fills memory with the next bytes, of which there may be fewer; 0 is the end.
    func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int
    /// How many bytes there are in all; 0 where that is not known.
    var size: Int64 { get }
    /// Goes back to the first byte; false where that cannot be.
    func rewind() -> Bool
}

/// A file, a pipe, or a copy of what can be read but once.
final class FileSource: ImportSource {
    private let descriptor: Int32
    private let name: String
    /// Where the data begins: of standard input some may have been read.
    private let start: off_t
    let size: Int64

    /// - Parameter path: "-" for standard input.
    init(path: String) throws {
        name = path == "-" ? "standard input" : "\"\(visible(path))\""
        descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CormorantError(
                .cannotOpen, "\(name) cannot be opened: \(String(cString: strerror(errno)))", hint: "check the path")
        }
        var info = stat()
        fstat(descriptor, &info)
        guard info.st_mode & S_IFMT != S_IFDIR else {
            throw CormorantError(.cannotOpen, "\(name) is a folder", hint: "name a file in it")
        }
        let isPlain = info.st_mode & S_IFMT == S_IFREG
        start = isPlain ? max(0, lseek(descriptor, 0, SEEK_CUR)) : 0
        size = isPlain ? Int64(info.st_size - start) : 0
    }

    /// A copy of a source that can be read but once, in a file without name: it is gone when the process ends, however
    /// that does.
    init(copying source: any ImportSource, _ progress: (Int64) throws -> Void) throws {
        name = "a temporary file"
        let folder = environment("TMPDIR") ?? "/tmp"
        var path = Array("\(folder)/corm-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else {
            throw CormorantError(
                .cannotOpen,
                "no temporary file can be made in \"\(visible(folder))\": "
                    + String(cString: strerror(errno)), hint: "set TMPDIR to a folder that can be written")
        }
        unlink(path)
        var size: Int64 = 0
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { memory.deallocate() }
        while true {
            let count = try source.read(into: memory)
            if count == 0 { break }
            try Self.write(UnsafeRawBufferPointer(rebasing: memory[..<count]), to: descriptor)
            if size >> 24 != (size + Int64(count)) >> 24 { try Self.leaveRoom(descriptor, folder) }
            size += Int64(count)
            try progress(size)
        }
        self.size = size
        start = 0
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { if descriptor > 0 { close(descriptor) } }

    func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            try Interruption.waitToRead(descriptor)
            let count = readBytes(descriptor, memory.baseAddress, memory.count)
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw CormorantError(.io, "\(name) cannot be read: \(String(cString: strerror(errno)))")
            }
        }
    }

    func rewind() -> Bool { size > 0 && lseek(descriptor, start, SEEK_SET) == start }

    /// Others need the disk, too.
    private static func leaveRoom(_ descriptor: Int32, _ folder: String) throws {
        var info = statvfs()
        guard fstatvfs(descriptor, &info) == 0 else { return }
        guard Double(info.f_bavail) * Double(info.f_frsize) > 128_000_000 else {
            throw CormorantError(
                .full, "\"\(visible(folder))\", where it is kept meanwhile, has less than 128 MB left",
                hint: "make room, or set TMPDIR to another folder")
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var written = 0
        while written < bytes.count, let base = bytes.baseAddress {
            let step = writeBytes(descriptor, base + written, bytes.count - written)
            guard step > 0 || errno == EINTR else {
                throw CormorantError(
                    .io, "a temporary file cannot be written: \(String(cString: strerror(errno)))",
                    hint: "make room, or set TMPDIR to another folder")
            }
            written += max(step, 0)
        }
    }
}

private func readBytes(_ descriptor: Int32, _ memory: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, memory, count)
}

private func writeBytes(_ descriptor: Int32, _ memory: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, memory, count)
}
