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

    @Test func aKeyDoesNotPrint() throws {
        let key = try CipherKey("hunter2")
        var dumped = ""
        dump(Encryption(key: key), to: &dumped)
        #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains("hunter2"))
    }

    @Test func progressMayStopAConversion() throws {
        try open(nil).close()
        var pages: Int64 = 0
        expectError(.interrupted) { try Database.encrypt(path, with: encryption("one")) { _, _ in false } }
        try Database.encrypt(path, with: encryption("one")) { copied, _ in
            pages = copied
            return true
        }
        #expect(pages > 0)
        try open("one").close()
    }

    @Test func aProviderIsAskedForTheKey() throws {
        try open("asked").close()
        var options = OpenOptions()
        options.encryption = Encryption(key: CipherKey(asking: { _ in try CipherKey("asked") }), rounds: 10)
        try Database(path: path, options: options).close()
    }
}
