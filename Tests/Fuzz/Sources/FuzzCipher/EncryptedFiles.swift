import CormorantBase
import CormorantCipher
import CormorantSQLite
import Foundation

/// Files that a killed process leaves: a database with a hot journal, and one with a WAL. An input changes bytes of them.
final class EncryptedFiles {
    /// What may be read, as text: the rows before a transaction, and those after.
    private(set) var committed: Set<String> = []
    private let path: String
    private let rollback: [(suffix: String, bytes: [UInt8])]
    private let log: [(suffix: String, bytes: [UInt8])]

    private static let pageSize = 1024
    private static let query =
        "SELECT count(*) || ' ' || sum(id) || ' ' || sum(length(b)) || ' ' || min(b) || ' ' || max(b) FROM t"

    init() throws {
        let root = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let folder = "\(root)/fuzz-cipher-\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/test.db"
        self.path = path
        var texts: Set<String> = []
        func made(_ mode: OpenOptions.JournalMode, _ change: String, _ suffixes: [String]) throws -> [(String, [UInt8])]
        {
            EncryptedFiles.remove(path)
            let connection = try EncryptedFiles.open(path, mode)
            defer { connection.close() }
            try connection.script(
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT); CREATE INDEX t_b ON t (b);
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
                INSERT INTO t SELECT i, printf('%0100d', i) FROM n
                """)
            texts.insert(try EncryptedFiles.text(connection))
            try connection.script(change)
            if mode == .wal { texts.insert(try EncryptedFiles.text(connection)) }
            return try suffixes.map { ($0, [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + $0)))) }
        }
        let update = "UPDATE t SET b = printf('changed %0150d', id) WHERE id % 2"
        rollback = try made(.delete, "PRAGMA cache_size = 2; BEGIN; \(update); \(update)", ["", "-journal"])
        log = try made(.wal, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0; \(update)", ["", "-wal"])
        committed = texts
        EncryptedFiles.remove(path)
    }

    /// - Parameter changes: which pair of files, then 4 bytes for each change: what, and where.
    func rows(after changes: [UInt8]) throws -> String {
        let isLog = (changes.first ?? 0) & 1 == 1
        var files = isLog ? log : rollback
        for start in stride(from: 1, to: changes.count - 3, by: 4) {
            let (what, value) = (changes[start], changes[start + 1])
            let place = Int(changes[start + 2]) << 8 | Int(changes[start + 3])
            let index = Int(what & 1)
            change(&files[index].bytes, what >> 1, value, place, isJournal: !isLog && index == 1)
        }
        EncryptedFiles.remove(path)
        for file in files { try Data(file.bytes).write(to: URL(fileURLWithPath: path + file.suffix)) }
        let connection = try EncryptedFiles.open(path, isLog ? .wal : .delete)
        defer { connection.close() }
        return try EncryptedFiles.text(connection)
    }

    /// The numbers of a rollback journal are not authenticated: its header, and the checksum behind each page. Where that
    /// does not fit, which is made of every 200th byte, a record was half written, and SQLite ends the rollback.
    private func change(_ bytes: inout [UInt8], _ what: UInt8, _ value: UInt8, _ place: Int, isJournal: Bool) {
        guard !bytes.isEmpty else { return }
        let unit = EncryptedFiles.pageSize
        switch what % 8 {
        case 0 where !isJournal: bytes.removeLast(min(bytes.count, place))
        case 1 where !isJournal:
            // A page in the place of another.
            let from = Int(value) * unit % bytes.count
            let to = place * unit % bytes.count
            for offset in 0..<min(unit, bytes.count - max(from, to)) { bytes[to + offset] = bytes[from + offset] }
        case 2 where !isJournal: bytes += [UInt8](repeating: value, count: place % 5000)
        default:
            let at = (place * 7 + Int(value)) % bytes.count
            let behindNumber = (at - 512) % (unit + 8) - 4
            let isSummed = behindNumber >= 0 && (unit - behindNumber) % 200 == 0
            guard !isJournal || at >= 512 && behindNumber < unit && !isSummed else { return }
            bytes[at] ^= what | 1
        }
    }

    private static func open(_ path: String, _ mode: OpenOptions.JournalMode) throws -> Connection {
        var options = OpenOptions(journalMode: mode, synchronous: .off)
        let key = try CipherKey("x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'")
        options.encryption = Encryption(key: key, pageSize: pageSize)
        return try Connection(path: path, options: options)
    }

    private static func text(_ connection: Connection) throws -> String {
        let statement = try Statement(connection, query)
        defer { statement.finalize() }
        return try statement.step() ? Row(statement).cell(0).string ?? "" : ""
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
    }
}
