/// Encrypted files: opened by `OpenOptions.encryption`, and here converted, checked, attached and copied.
extension Database {
    /// Told the pages written and all, and asked whether to go on.
    public typealias CopyProgress = (_ pages: Int64, _ total: Int64) -> Bool

    /// Encrypts a plain file, in its place. Takes the file for itself: throws `busy` while other connections use it. A crash,
    /// an error or a cancel leaves the file as it was, or encrypted; never between. Disk blocks that the plain file had may
    /// stay readable to those who read the disk itself.
    @available(*, noasync)
    public static func encrypt(_ path: String, with encryption: Encryption, progress: CopyProgress? = nil) throws {
        try recode(path, from: nil, to: encryption, progress: progress)
    }

    /// Makes an encrypted file plain; the rest as `encrypt`.
    @available(*, noasync)
    public static func decrypt(_ path: String, with encryption: Encryption, progress: CopyProgress? = nil) throws {
        try recode(path, from: encryption, to: nil, progress: progress)
    }

    /// Encrypts a file anew, with another key, a new salt and other settings; the rest as `encrypt`.
    @available(*, noasync)
    public static func rekey(
        _ path: String, from old: Encryption, to new: Encryption, progress: CopyProgress? = nil
    ) throws {
        try recode(path, from: old, to: new, progress: progress)
    }

    /// The pages of an encrypted file whose authentication fails, the first 1,000 at most; none for a good file. As SQLCipher's
    /// cipher_integrity_check; a page that fails is good if the WAL has a newer one, as after a crash in a checkpoint. What
    /// the pages hold is not looked at.
    @available(*, noasync)
    public func pagesNotAuthentic() throws -> [UInt32] {
        try withConnection { try $0.pagesNotAuthentic(limit: 1000).pages }
    }

    /// Attaches another file under a name of its own, encrypted or plain. The SQL statement DETACH ends it.
    @available(*, noasync)
    public func attach(_ path: String, as name: String, encryption: Encryption? = nil) throws {
        try attach(path, as: name, codecs: encryption)
    }

    /// Puts the file back to what a snapshot or backup holds that is encrypted with another key or salt than the database.
    @available(*, noasync)
    public func restore(_ snapshot: String, encryption: Encryption) throws {
        try restore(snapshot, codecs: encryption) { _, _ in true }
    }

    /// Writes a copy of the database, as it was last committed, to a file that is not there. Other threads and processes may
    /// read and write meanwhile; without a write-ahead log, writes that have made the copy begin anew wait for its end. The copy is
    /// whole or not there, and needs no other file beside it.
    /// - Parameters:
    ///   - path: the file that is made.
    ///   - encryption: what the copy is encrypted with; nil: what the database is, plain or with its key. With one, this
    ///     database is held up meanwhile.
    ///   - progress: called now and then; false cancels, and the call throws `interrupted`.
    @available(*, noasync)
    public func backup(to path: String, encryption: Encryption? = nil, progress: CopyProgress? = nil) throws {
        try backup(to: path, codecs: encryption, progress: progress)
    }
}
