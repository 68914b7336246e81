import Cormorant
import Foundation
import Testing

@Suite struct EncryptionTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("secret.db")
    }

    private func encryption(_ key: String) throws -> Encryption {
        try Encryption(key: CipherKey(key), rounds: 10)
    }

    private func open(_ key: String?) throws -> Database {
        var options = OpenOptions()
        options.encryption = try key.map(encryption)
        return try Database(path: path, options: options)
    }

    @Test func aFileIsOpenedWithItsKeyOnly() throws {
        let database = try open("one")
        try database.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        #expect(try database.pagesNotAuthentic() == [])
        try database.close()
        expectError(.wrongKey) { try open("two") }
        expectError(.keyMissing) { try open(nil) }
        try open("one").close()
    }

    @Test func aFileIsEncryptedRekeyedAndDecrypted() throws {
        let database = try open(nil)
        try database.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try database.backup(to: folder.file("copy.db"), encryption: encryption("copy"))
        try database.attach(folder.file("copy.db"), as: "copy", encryption: encryption("copy"))
        try database.executeScript("INSERT INTO t SELECT a + 1 FROM copy.t; DETACH copy")
        try database.close()
        try Database.encrypt(path, with: encryption("one"))
        try Database.rekey(path, from: encryption("one"), to: encryption("two"))
        expectError(.wrongKey) { try Database.decrypt(path, with: encryption("one")) }
        expectError(.interrupted) {
            try Database.decrypt(path, with: encryption("two")) { _, _ in false }
        }
        try Database.decrypt(path, with: encryption("two"))
        try open(nil).close()
    }

    @Test func aKeyDoesNotPrint() throws {
        let key = try CipherKey("hunter2")
        var dumped = ""
        dump(Encryption(key: key), to: &dumped)
        #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains("hunter2"))
        expectError(.misuse) { try CipherKey("") }
        expectError(.misuse) { try CipherKey("x'12'") }
    }

    @Test func aProviderIsAskedForTheKey() throws {
        try open("asked").close()
        var options = OpenOptions()
        options.encryption = Encryption(key: CipherKey(asking: { _ in try CipherKey("asked") }), rounds: 10)
        try Database(path: path, options: options).close()
    }
}
