import CormorantBase
import CormorantSQLite
import Foundation

/// A file that templates made, inside the folder that is asked for.
struct OutputFile {
    /// Its path in the folder, which no part of can lead out of.
    let path: String
    let text: String

    init(path parts: [String], text: String) throws {
        for part in parts
        where ["", ".", ".."].contains(part) || part.contains("/") || part.utf8.contains(0) || part.utf8.count > 255 {
            throw CormorantError(
                .misuse, "a template makes a file called \"\(part)\"",
                hint: "use table.type, which is a name in every language")
        }
        path = parts.joined(separator: "/")
        self.text = text
    }
}

/// The folder that code is generated into.
struct OutputFolder {
    let path: String

    private var manager: FileManager { .default }

    private func full(_ file: OutputFile) -> String { path + "/" + file.path }

    private func isCurrent(_ file: OutputFile) -> Bool {
        manager.contents(atPath: full(file)).map { $0.elementsEqual(file.text.utf8) } ?? false
    }

    /// The paths of those that are not there or are different.
    func stale(_ files: [OutputFile]) -> [String] { files.filter { !isCurrent($0) }.map(\.path) }

    /// Files here that an earlier run made, as their first line says, and this one does not.
    /// - Parameter mark: what that line has in it.
    func leftOver(_ files: [OutputFile], _ mark: String) -> [String] {
        let made = Set(files.map(\.path))
        let endings = Set(files.map { ($0.path as NSString).pathExtension })
        let names = (try? manager.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().filter { name in
            guard !made.contains(name), endings.contains((name as NSString).pathExtension),
                let handle = FileHandle(forReadingAtPath: path + "/" + name),
                let head = try? handle.read(upToCount: 256)
            else { return false }
            return String(decoding: head, as: UTF8.self).prefix { $0 != "\n" }.contains(mark)
        }
    }

    /// Writes those that are not as they should be, each whole or not at all. Returns their paths.
    func write(_ files: [OutputFile]) throws -> [String] {
        var written: [String] = []
        try makeFolder(path)
        let root = realPath(path)
        for file in files where !isCurrent(file) {
            let folder = (full(file) as NSString).deletingLastPathComponent
            try makeFolder(folder)
            let real = realPath(folder)
            guard real == root || real.hasPrefix(root + "/") else {
                throw CormorantError(
                    .misuse, "\"\(folder)\" leads out of \"\(path)\"",
                    hint: "take the link away, or choose another folder")
            }
            try write(file, into: folder)
            written.append(file.path)
        }
        return written
    }

    private func makeFolder(_ path: String) throws {
        if path.isEmpty || path == "/" || mkdir(path, 0o777) == 0 { return }
        switch errno {
        case ENOENT:
            try makeFolder((path as NSString).deletingLastPathComponent)
            if mkdir(path, 0o777) != 0, errno != EEXIST { throw unwritable(path, errno) }
        case EEXIST:
            var isFolder: ObjCBool = false
            _ = manager.fileExists(atPath: path, isDirectory: &isFolder)
            if !isFolder.boolValue { throw unwritable(path, ENOTDIR) }
        case let code: throw unwritable(path, code)
        }
    }

    private func realPath(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// A new file takes the place of the old one, and of a link rather than of what that leads to.
    private func write(_ file: OutputFile, into folder: String) throws {
        let name = full(file)
        guard let (descriptor, temporary) = openTemporary(beside: "\(folder)/.corm", rights: 0o666),
            let stream = fdopen(descriptor, "w")
        else { throw unwritable(name, errno) }
        var bytes = Array(file.text.utf8)
        let isWritten = fwrite(&bytes, 1, bytes.count, stream) == bytes.count
        let code = errno
        guard fclose(stream) == 0, isWritten, rename(temporary, name) == 0 else {
            let reason = isWritten ? errno : code
            unlink(temporary)
            throw unwritable(name, reason)
        }
    }

    private func unwritable(_ path: String, _ code: Int32) -> CormorantError {
        CormorantError(
            .io, "\"\(path)\" cannot be written: \(String(cString: strerror(code)))",
            hint: "choose another folder with --out")
    }
}
