import ArgumentParser
import CormorantBase
import CormorantCipher
import CormorantORM
import CormorantSQLite

/// The database of a command.
struct DatabaseFile: ParsableArguments, DatabasePlace {
    @Argument(help: "The SQLite file.", completion: .file())
    var file: String

    @OptionGroup var keys: KeyOptions

    func open(_ access: DatabaseAccess = .read) throws -> Database { try openDatabase(file, access, keys) }

    /// What the file is encrypted with; nil for a plain one.
    func encryption() throws -> Encryption? {
        try refuseServer(file)
        return try keys.encryption(of: file)
    }
}

/// The database of a command that may be a server's.
struct DatabaseSource: ParsableArguments, DatabasePlace {
    @Argument(help: "The SQLite file, or the URL of a PostgreSQL database.", completion: .file())
    var file: String

    @OptionGroup var keys: KeyOptions

    /// Those that are read.
    var files: [String] { (isServerURL(file) ? [] : [file]) + keys.files }

    func open(_ access: DatabaseAccess = .read) throws -> Database {
        try isServerURL(file) ? openServer(file, access, keys) : openDatabase(file, access, keys)
    }

    /// What the file is encrypted with; nil for a plain one, and for a server.
    func encryption() throws -> Encryption? { try isServerURL(file) ? nil : keys.encryption(of: file) }
}

/// Where a command's database is.
protocol DatabasePlace {
    var file: String { get }
    func open(_ access: DatabaseAccess) throws -> Database
}

extension DatabasePlace {
    /// Runs what may make the file; one that it made and left empty does not stay when it fails.
    func withoutLeavings(_ body: () throws -> Void) throws {
        if isServerURL(file) { return try body() }
        let isNew = !fileExists(file)
        do {
            try body()
        } catch {
            if isNew { try? removeIfEmpty() }
            throw error
        }
    }

    /// Takes the file away if there is nothing in it and nobody else has it open, who may have made it, too.
    private func removeIfEmpty() throws {
        guard fileExists(file) else { return }
        let database = try open(.write)
        try database.withConnection { connection in
            try connection.script("PRAGMA busy_timeout = 0")
            let mode = try connection.statement("PRAGMA journal_mode = DELETE")
            guard try mode.step(), Row(mode).cell(0).string == "delete" else { return }
            connection.recycle(mode)
            try connection.script("BEGIN EXCLUSIVE")
            if try connection.pragma("page_count") <= 1 { removeFile(file) }
            try connection.script("ROLLBACK")
        }
    }
}

/// What a command does with a file.
enum DatabaseAccess {
    /// The file must be there, and stays as it is.
    case read
    /// The same, with files of any program shown for long: opened so that nothing can write to it. In WAL mode two files stay beside
    /// it where nobody else has it open.
    case view
    /// The file must be there.
    case write
    /// The file is made if it is not there.
    case create
}

/// Opens a file as it is: its journal mode stays. The one place where the command opens databases.
/// - Parameter isMain: as in `KeyOptions.encryption`.
func openDatabase(
    _ path: String, _ access: DatabaseAccess, _ keys: KeyOptions, isMain: Bool = true
) throws -> Database {
    try refuseServer(path)
    try refuseNoDatabase(path, access)
    return try openDatabase(path, access, keys.encryption(of: path, isMain: isMain))
}

func refuseNoDatabase(_ path: String, _ access: DatabaseAccess) throws {
    try refuseURI(path, "corm opens files by their paths")
    if access != .create, path != ":memory:", !path.isEmpty { try refuseMissing(path) }
    guard !isStream(path) else {
        throw CormorantError(
            .cannotOpen, "\"\(visible(path))\" is a pipe or a device, and a database is a file",
            hint: "write what it gives into a file first")
    }
}

/// The same with a key that is known; nil for a plain file.
/// - Parameter isOpen: whether this process has the file open. Then it is not looked into before: closing it again would take
///   SQLite's locks away (https://www.sqlite.org/howtocorrupt.html, 2.2).
func openDatabase(
    _ path: String, _ access: DatabaseAccess, _ encryption: Encryption?, isOpen: Bool = false
) throws -> Database {
    // What a file makes SQLite ask for is to be refused, not to end other programs.
    limitMemory(toPartsOfAll: 0.75)
    if !isOpen {
        let kinds: Set<FileHead.Kind> = encryption == nil ? [.database, .empty] : [.database, .empty, .cipher, .other]
        try refuseOther(than: kinds, path, fileHead(path))
    }
    let database = try open(path, access, encryption)
    // Schemas of any program are read.
    try database.withConnection { $0.acceptForeignSchemas() }
    Interruption.onRequest { [weak database] in database?.interrupt() }
    if access == .write || access == .create { Interruption.expectLeavings() }
    return database
}

func refuseMissing(_ path: String) throws {
    guard fileExists(path) else {
        throw refusalOfURL(path)
            ?? CormorantError(.cannotOpen, "there is no file \"\(visible(path))\"", hint: "check the path")
    }
}

/// Before SQLite sees it: what is no database it might write over, and a journal beside it it might roll back. What cannot be
/// read it speaks of itself.
func refuseOther(than kinds: Set<FileHead.Kind>, _ path: String, _ head: FileHead) throws {
    guard head.kind != .none, !kinds.contains(head.kind) else { return }
    guard head.kind != .cipher else {
        throw CormorantError(
            .notADatabase, "\"\(visible(path))\" is encrypted already, or is no database",
            hint: "check the path; corm rekey gives an encrypted file another key")
    }
    throw CormorantError(
        .notADatabase, "\"\(visible(path))\" is no SQLite database",
        hint: fileSize(path + "-wal") > 0 ? "check the path; where it was one, \(damagedHint)" : "check the path")
}

private func open(_ path: String, _ access: DatabaseAccess, _ encryption: Encryption?) throws -> Database {
    var options = OpenOptions()
    let isNew = access == .create && !fileExists(path)
    options.keepsJournalMode = !isNew
    if isNew, isOnNetwork(path) { options.journalMode = .delete }
    options.synchronous = .full
    options.encryption = encryption
    // Whoever looks at a file with it need not know where that came from.
    options.untrusted = true
    if access == .view {
        options.mode = .readOnly
        return try Database(path: path, options: options)
    }
    guard access == .read else {
        options.mode = access == .create ? .create : .readWrite
        return try Database(path: path, options: options)
    }
    // A connection that may only read leaves the files of WAL mode behind, cannot roll back what a crash cut short, and
    // does not check CHECKs. One that may write, and does not, is better; but the last such one to close a file puts
    // its write-ahead log into it, which is not ours to do.
    guard isWritable(path), !fileExists(path + "-wal") else {
        options.mode = .readOnly
        return try Database(path: path, options: options)
    }
    options.mode = .readWrite
    let database = try Database(path: path, options: options)
    try database.execute(script: "PRAGMA query_only = ON")
    return database
}
