import Cormorant
import Foundation
import Testing

/// Keys, files and moments that encryption must not fall over.
@Suite struct HostileEncryptionTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("secret.db")
    }

    private func encryption(_ key: String) throws -> Encryption {
        try Encryption(key: CipherKey(key), rounds: 5)
    }

    private func open(_ encryption: Encryption) throws -> Database {
        var options = OpenOptions(journalMode: .delete)
        options.encryption = encryption
        return try Database(path: path, options: options)
    }

    private func makeFile(_ encryption: Encryption) throws {
        let database = try open(encryption)
        try database.executeScript(
            """
            CREATE TABLE t (a); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)
            INSERT INTO t SELECT randomblob(300) FROM n
            """)
        try database.close()
    }

    @Test func aHandleThatIsClosedDuringRekeyTakesNothingAlong() throws {
        let (good, next) = (try encryption("good"), try encryption("next"))
        try makeFile(good)
        let database = try open(good)
        var closed = 0
        try Database.rekey(path, from: good, to: next) { _, _ in
            do {
                if closed == 0 { try database.close() }
                closed += 1
                // Nobody comes in while the file is another's.
                expectError(.busy) { try open(good) }
            } catch { Issue.record(error) }
            return true
        }
        #expect(closed > 0)
        expectError(.wrongKey) { try open(good) }
        let other = try open(next)
        #expect(try other.pagesNotAuthentic() == [])
        #expect(try other.query("SELECT count(*) FROM t").map(\.values) == [[.integer(300)]])
    }

    @Test func aCloseInTheMiddleOfACopyIsRefused() throws {
        let database = try open(encryption("good"))
        try database.executeScript("CREATE TABLE t (a)")
        var asked = 0
        try database.backup(to: folder.file("copy.db"), encryption: encryption("next")) { _, _ in
            expectError(.misuse) { try database.close() }
            asked += 1
            return true
        }
        #expect(asked > 0)
        try database.close()
    }

    /// No file may grow beyond a limit: the system answers as on a full disk. In a process of its own.
    @Test func aFullDiskLeavesTheFileAsItWas() async throws {
        try makeFile(encryption("good"))
        await #expect(processExitsWith: .success) { [path = path as String] in
            let good = try Encryption(key: CipherKey("good"), rounds: 5)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 20000, rlim_max: 20000)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            for change in [
                { try Database.rekey(path, from: good, to: Encryption(key: CipherKey("next"), rounds: 5)) },
                { try Database.decrypt(path, with: good) },
            ] {
                let error = #expect(throws: CormorantError.self) { try change() }
                #expect(error?.code == .full || error?.code == .io)
            }
        }
        let database = try open(encryption("good"))
        #expect(try await database.pagesNotAuthentic() == [])
        try database.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["secret.db"])
    }

    @Test func aProviderThatFailsOpensNothing() throws {
        struct NoKeyring: Error {}
        let failing = Encryption(key: CipherKey(asking: { _ in throw NoKeyring() }), rounds: 5)
        #expect(throws: NoKeyring.self) { try open(failing) }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func noStatementWritesAPlainFileBesideAnEncryptedOne() throws {
        let database = try open(encryption("good"))
        try database.createTables(Person.self)
        func refuses() {
            for sql in ["VACUUM INTO '\(path).copy'", "ATTACH '\(path).copy' AS other"] {
                expectError(.misuse) { try database.executeScript(SQL(text: sql)) }
            }
        }
        refuses()
        // Who watches sets another authorizer for a while.
        let observer = try database.observe(Person.self)
        refuses()
        observer.cancel()
        #expect(!FileManager.default.fileExists(atPath: path + ".copy"))
    }

    @Test func aCopyWithAnotherSaltIsRestored() throws {
        let good = try encryption("good")
        let database = try open(good)
        try database.executeScript("CREATE TABLE t (a)")
        try database.backup(to: folder.file("copy.db"), encryption: good)
        try database.executeScript("INSERT INTO t VALUES (1)")
        expectError(.wrongKey) { try database.restore(folder.file("copy.db")) }
        try database.restore(folder.file("copy.db"), encryption: good)
        #expect(try database.pagesNotAuthentic() == [])
    }
}
