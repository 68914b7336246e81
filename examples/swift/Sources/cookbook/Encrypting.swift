import Cormorant

extension Recipes {
    /// The key is asked for when the file is opened: here is the place of a key store.
    static func encrypt(_ path: String) throws {
        var options = OpenOptions()
        options.encryption = Encryption(key: CipherKey(asking: { _ in try CipherKey("correct horse battery staple") }))
        let database = try Database(path: path, options: options)
        try database.createTables(Track.self)
        try database.backup(to: path + ".copy", encryption: Encryption(key: try CipherKey("the key of the copy")))
        try database.close()
        do {
            options.encryption = Encryption(key: try CipherKey("guess"))
            _ = try Database(path: path, options: options)
        } catch let error as CormorantError where error.code == .wrongKey {
            print("a wrong key")
        }
    }
}
