import CormorantBase
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
    func leftOver(_ files: [OutputFile]) -> [String] {
        let made = Set(files.map(\.path))
        let endings = Set(files.map { ($0.path as NSString).pathExtension })
        let names = (try? manager.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().filter { name in
            guard !made.contains(name), endings.contains((name as NSString).pathExtension),
                let handle = FileHandle(forReadingAtPath: path + "/" + name),
                let head = try? handle.read(upToCount: 256)
            else { return false }
            return String(decoding: head, as: UTF8.self).prefix { $0 != "\n" }.contains(Generator.mark)
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
            do {
                // A new file takes the place of the old one, and of a link rather than of what it leads to.
                let name = full(file)
                let temporary = folder + "/." + (name as NSString).lastPathComponent.prefix(100) + ".\(getpid()).tmp"
                do {
                    try Data(file.text.utf8).write(to: URL(fileURLWithPath: temporary))
                    guard rename(temporary, name) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
                } catch {
                    unlink(temporary)
                    throw error
                }
            } catch {
                throw unwritable(full(file), error)
            }
            written.append(file.path)
        }
        return written
    }

    private func makeFolder(_ path: String) throws {
        do {
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw unwritable(path, error)
        }
    }

    private func realPath(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private func unwritable(_ path: String, _ error: any Error) -> CormorantError {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        let code = (error as? POSIXError)?.code.rawValue ?? underlying.map { Int32($0.code) }
        let reason = code.map { String(cString: strerror($0)) } ?? error.localizedDescription
        return CormorantError(.io, "\"\(path)\" cannot be written: \(reason)", hint: "choose another folder with --out")
    }
}
