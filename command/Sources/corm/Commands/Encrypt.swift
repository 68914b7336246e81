import ArgumentParser
import CormorantBase
import CormorantCipher
import CormorantSQLite

/// Encrypts a file in its place.
struct Encrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Encrypt a plain file, in its place.",
        discussion: """
            It is then a file of SQLCipher 4, and opens with its key alone. No other program may use it meanwhile. Ctrl-C or a \
            crash leaves it as it was, or encrypted; a copy needs as much free space.
            """)

    @OptionGroup var database: DatabaseFile

    func run() throws {
        try refuseServer(database.file)
        try refuseMissing(database.file)
        try refuseOther(than: [.database, .empty], database.file, fileHead(database.file))
        let encryption = try database.keys.newEncryption(of: database.file)
        try recode(database.file, from: nil, to: encryption, label: "encrypting")
    }
}

/// Makes an encrypted file plain, in its place.
struct Decrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make an encrypted file a plain one, in its place.",
        discussion: "No other program may use it meanwhile. Ctrl-C or a crash leaves it as it was, or plain.")

    @OptionGroup var database: DatabaseFile

    func run() throws {
        try recode(database.file, from: database.requireEncryption(), to: nil, label: "decrypting")
    }
}

/// Encrypts a file anew, in its place.
struct Rekey: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give an encrypted file another key, in its place.",
        discussion: """
            Every page is encrypted anew, under a new salt and as SQLCipher 4 does it, whatever the file was. No other program \
            may use it meanwhile. Ctrl-C or a crash leaves the old key or the new one.
            """)

    @OptionGroup var database: DatabaseFile
    @OptionGroup var newKey: NewKeyOptions

    func run() throws {
        let old = try database.requireEncryption()
        // Before anyone thinks of a new one: whether the old key is right.
        try database.open().close()
        let new = try newKey.encryption(of: database.file)
        try recode(database.file, from: old, to: new, label: "encrypting")
    }
}

extension DatabaseFile {
    /// What the file, which is there, is encrypted with.
    fileprivate func requireEncryption() throws -> Encryption {
        try refuseServer(file)
        try refuseMissing(file)
        guard let encryption = try encryption() else {
            try refuseOther(than: [.database, .empty], file, fileHead(file))
            throw CormorantError(.notEncrypted, "\"\(visible(file))\" is not encrypted")
        }
        return encryption
    }
}

/// Writes a file anew, and shows how far that is.
private func recode(_ path: String, from: Encryption?, to: Encryption?, label: String) throws {
    let bar = ProgressBar()
    // A signal is no longer the end: the copy is taken away first.
    Interruption.onRequest {}
    Interruption.expectLeavings()
    try CormorantSQLite.recode(path, from: from, to: to) { done, total in
        bar.show(label, done, of: total, "pages")
        return !Interruption.isRequested
    }
}
