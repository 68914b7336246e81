import Cormorant
import Foundation
import Testing

/// A cipher of one's own, which hides nothing from anyone.
@Suite struct CodecTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("toy.db")
    }

    private func open(_ toy: Toy, mode: OpenOptions.JournalMode = .wal) throws -> Database {
        var options = OpenOptions()
        options.encryption = try Encryption(codec: toy)
        options.journalMode = mode
        return try Database(path: path, options: options)
    }

    private func fill(_ database: Database) throws {
        try database.executeScript(
            """
            CREATE TABLE IF NOT EXISTS t (a, b); DELETE FROM t;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)
            INSERT INTO t SELECT i, 'marker ' || i FROM n; BEGIN; UPDATE t SET b = zeroblob(100); ROLLBACK
            """)
    }

    private func count(_ database: Database) throws -> Value? {
        try database.query("SELECT count(*) FROM t").first?.values[0]
    }

    @Test(arguments: [OpenOptions.JournalMode.wal, .delete])
    func aCodecHoldsADatabase(_ mode: OpenOptions.JournalMode) throws {
        let database = try open(Toy(), mode: mode)
        try fill(database)
        #expect(try database.pagesNotAuthentic() == [])
        try database.backup(to: folder.file("copy.db"))
        try database.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.range(of: Data("marker".utf8)) == nil)
        #expect(try count(open(Toy(), mode: mode)) == .integer(500))
        expectError(.wrongKey) { try open(Toy(key: 7), mode: mode) }
    }

    @Test func filesAreConvertedAndAttached() throws {
        let plain = try Database(path: path)
        try plain.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try plain.close()
        let toy = try Encryption(codec: Toy())
        let passphrase = try Encryption(key: CipherKey("a passphrase"), rounds: 5)
        try Database.encrypt(path, with: toy)
        try Database.rekey(path, from: toy, to: passphrase)
        try Database.rekey(path, from: passphrase, to: toy)
        let other = try Database(path: folder.file("other.db"))
        try other.attach(path, as: "toy", encryption: toy)
        #expect(try other.query("SELECT a FROM toy.t").first?.values[0] == .integer(1))
        try other.close()
        try Database.decrypt(path, with: toy)
        #expect(try count(Database(path: path)) == .integer(1))
    }

    @Test(arguments: [OpenOptions.JournalMode.wal, .delete])
    func aCodecThatFailsStopsTheStatementAndLosesNothing(_ mode: OpenOptions.JournalMode) throws {
        let filled = try open(Toy(), mode: mode)
        try fill(filled)
        try filled.close()
        var failed = 0
        for call in stride(from: 1, to: 120, by: 7) {
            do {
                let database = try open(Toy(failing: call), mode: mode)
                defer { try? database.close() }
                try database.executeScript("PRAGMA cache_size = 5; UPDATE t SET b = zeroblob(150)")
            } catch let error as CormorantError {
                #expect(error.code == .cipher)
                failed += 1
            }
        }
        #expect(failed > 5)
        let database = try open(Toy(), mode: mode)
        #expect(try database.query("PRAGMA integrity_check").first?.values[0] == .text("ok"))
        #expect(try count(database) == .integer(500))
    }

    @Test func aCodecThatChangesItsMindIsNotHeard() throws {
        let toy = Toy()
        let database = try open(toy)
        toy.reserve = 200
        toy.pageSize = 65_536
        try fill(database)
        #expect(try count(database) == .integer(500))
        try database.close()
        toy.pageSize = 2048
        // The file keeps fewer bytes free than the codec wants now: nothing may be written over.
        #expect(throws: CormorantError.self) { try open(toy).executeScript("CREATE TABLE u (a)") }
        #expect(try count(open(Toy())) == .integer(500))
    }

    @Test func codecsThatCannotBeAreRefused() throws {
        for (pageSize, reserve) in [(1000, 24), (512, 24), (131_072, 24), (2048, 256), (2048, -1)] {
            let toy = Toy()
            (toy.pageSize, toy.reserve) = (pageSize, reserve)
            expectError(.misuse) { try Encryption(codec: toy) }
        }
        var both = try Encryption(codec: Toy())
        both.key = try CipherKey("key")
        var options = OpenOptions()
        options.encryption = both
        expectError(.misuse) { try Database(path: path, options: options) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}

private final class Toy: Codec, @unchecked Sendable {  // each test uses it on one thread at a time
    struct Failed: Error {}

    var pageSize = 2048
    var reserve = 24
    let key: UInt8
    /// Which call of encrypt or decrypt fails, counted from 1; 0 for none.
    private let failing: Int
    private var calls = 0

    init(key: UInt8 = 0x5a, failing: Int = 0) {
        self.key = key
        self.failing = failing
    }

    func open(_ path: String, first: [UInt8]?) throws -> any CodecFile { File(self) }

    func count() throws {
        calls += 1
        if calls == failing { throw Failed() }
    }

    private final class File: CodecFile {
        private let toy: Toy
        private let size = 2048 - 24

        init(_ toy: Toy) { self.toy = toy }

        func encrypt(_ page: UInt32, _ plain: UnsafeRawBufferPointer, to image: UnsafeMutableRawBufferPointer) throws {
            try toy.count()
            for index in 0..<size { image[index] = plain[index] ^ toy.key }
            image[size] = sum(UnsafeRawBufferPointer(image), page)
        }

        func decrypt(_ page: UInt32, _ image: UnsafeMutableRawBufferPointer) throws -> Bool {
            try toy.count()
            guard image[size] == sum(UnsafeRawBufferPointer(image), page) else { return false }
            for index in 0..<size { image[index] ^= toy.key }
            return page != 1 || image[0] == UInt8(ascii: "S")
        }

        private func sum(_ image: UnsafeRawBufferPointer, _ page: UInt32) -> UInt8 {
            image[..<size].reduce(UInt8(truncatingIfNeeded: page)) { $0 &* 31 &+ $1 }
        }
    }
}
