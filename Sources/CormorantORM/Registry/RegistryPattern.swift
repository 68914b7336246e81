import CormorantBase
import CormorantSQLite

/// The files of a folder by name: "users/{name}.db".
struct RegistryPattern: Sendable {
    /// From the root on, with a slash at its end.
    private let folder: String
    private let prefix: [UInt8]
    private let suffix: [UInt8]

    init(_ pattern: String) throws {
        try refuseNUL(pattern, "pattern")
        try refuseURI(pattern, "a registry finds files by their paths")
        guard !isServerURL(pattern) else {
            throw CormorantError(
                .unsupported, "a pattern of names is one for files",
                hint: "register each database of a server by its URL")
        }
        let bytes = Array(absolutePath(pattern).utf8)
        let place = Array("{name}".utf8)
        let places = bytes.indices.filter { bytes[$0...].starts(with: place) }
        let last = bytes.lastIndex(of: RegistryPattern.slash) ?? 0
        guard places.count == 1, places[0] > last else {
            throw CormorantError(
                .misuse, "\"\(shown(pattern))\" is no pattern for files",
                hint: "write {name} once, in the file's name, as in users/{name}.db")
        }
        folder = String(decoding: bytes[...last], as: UTF8.self)
        prefix = Array(bytes[(last + 1)..<places[0]])
        suffix = Array(bytes[(places[0] + place.count)...])
    }

    /// The path of a name, which cannot lead out of the folder.
    func path(_ name: String) throws -> String {
        let file = prefix + name.utf8 + suffix
        guard !name.isEmpty, !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == RegistryPattern.slash }),
            !name.utf8.contains(UInt8(ascii: "\\"))
        else { throw refuse(name, "it is empty, or holds a slash or a control character") }
        guard file[0] != UInt8(ascii: ".") else { throw refuse(name, "it begins with a dot") }
        // What SQLite and backups put beside the file has a longer name; file systems take 255 bytes.
        guard file.count <= 230 else { throw refuse(name, "it is too long") }
        guard !["-wal", "-shm", "-journal"].contains(where: { file.suffix($0.utf8.count).elementsEqual($0.utf8) })
        else {
            throw refuse(name, "SQLite has files that end so")
        }
        let path = folder + String(decoding: file, as: UTF8.self)
        guard !isLink(path) else { throw refuse(name, "its file is a link, which may lead out of the folder") }
        return path
    }

    private static let slash = UInt8(ascii: "/")

    private func refuse(_ name: String, _ why: String) -> CormorantError {
        CormorantError(.misuse, "\"\(shown(name))\" is no name for a file: \(why)", hint: "give another name")
    }

    /// The names whose files are there.
    func names() throws -> [String] {
        try folderEntries(folder).compactMap { file in
            let file = Array(file.utf8)
            guard file.count > prefix.count + suffix.count, file.starts(with: prefix),
                file.suffix(suffix.count).elementsEqual(suffix)
            else { return nil }
            let name = String(decoding: file[prefix.count..<(file.count - suffix.count)], as: UTF8.self)
            guard let path = try? path(name), isPlainFile(path) else { return nil }
            return name
        }
    }
}

/// A name or path in a message of one line.
func shown(_ name: String) -> String {
    let scalars = name.unicodeScalars
    var text = ""
    for scalar in scalars.prefix(60) { text.unicodeScalars.append(scalar.value < 0x20 ? "?" : scalar) }
    return scalars.count > 60 ? text + "..." : text
}

func refuseNUL(_ text: String, _ what: StaticString) throws {
    guard !text.isEmpty, !text.utf8.contains(0) else {
        throw CormorantError(.misuse, "the \(what) is empty or holds a NUL character", hint: "give another \(what)")
    }
}
