import CSQLite
import CormorantBase
import CormorantPlatform

/// The VFS that every file is opened through: over SQLite's default one, and not the default itself. A plain file is
/// given to the default VFS but for the locks of writers, who take turns (`WriteTurns`); the files of an encrypted database, and temporary files once
/// there is one, pass through a `VFSFile`. Nothing that SQLite calls here may throw or trap.
enum VFS {
    /// The name to open with; nil, for the default VFS, where there is none to stand on.
    nonisolated(unsafe) static let name: UnsafePointer<CChar>? = register()

    /// Memory that the vfs's part of an encrypted file takes; the default VFS's own follows.
    fileprivate static let headSize = 16
    /// Where the vfs's part of a plain file is, behind the default VFS's own.
    nonisolated(unsafe) private(set) static var tailOffset = 0

    private static func register() -> UnsafePointer<CChar>? {
        guard let base = sqlite3_vfs_find(nil), base.pointee.iVersion >= 1 else { return nil }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        // Of its own in each copy of this library that the process has: SQLite finds a VFS by name.
        guard let name = strdup("corm-\(UInt(bitPattern: vfs))") else { return nil }
        vfs.initialize(to: sqlite3_vfs())
        vfs.pointee.iVersion = min(base.pointee.iVersion, 2)
        tailOffset = (Int(base.pointee.szOsFile) &+ 7) / 8 &* 8
        vfs.pointee.szOsFile = Int32(truncatingIfNeeded: tailOffset &+ headSize)
        vfs.pointee.mxPathname = base.pointee.mxPathname
        vfs.pointee.zName = UnsafePointer(name)
        vfs.pointee.pAppData = UnsafeMutableRawPointer(base)
        vfs.pointee.xOpen = openFile
        Forks.watch(base)
        passOn(vfs)
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? UnsafePointer(name) : nil
    }

    /// The encrypted file that a handle stands for; nil for one that the default VFS has.
    fileprivate static func object(_ file: UnsafeMutablePointer<sqlite3_file>?) -> VFSFile? {
        guard let file, let methods = file.pointee.pMethods,
            methods == UnsafePointer(fileMethods) || methods == UnsafePointer(sharedMemoryMethods)
        else { return nil }
        return head(file).pointee?.takeUnretainedValue()
    }

    /// The encrypted database file that a connection has under a schema's name.
    static func database(_ connection: OpaquePointer?, _ schema: String) -> EncryptedDatabaseFile? {
        object(filePointer(connection, schema)) as? EncryptedDatabaseFile
    }

    /// By which the connection's writers take turns with others; nil for memory.
    static func turns(_ connection: OpaquePointer?, _ schema: String) -> WriteTurns? {
        let file = filePointer(connection, schema)
        return PlainFiles.turns(file) ?? (object(file) as? EncryptedDatabaseFile)?.turns
    }

    /// SQLite's own handle of a schema's file.
    static func filePointer(_ connection: OpaquePointer?, _ schema: String) -> UnsafeMutablePointer<sqlite3_file>? {
        // Where it has no memory for a connection, SQLite gives none.
        guard let connection else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        return sqlite3_file_control(connection, schema, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK ? file : nil
    }

    /// The default VFS's handle of a schema's file, which reads what stands on the disk.
    static func plainPointer(_ connection: OpaquePointer?, _ schema: String) -> UnsafeMutablePointer<sqlite3_file>? {
        let file = filePointer(connection, schema)
        return object(file)?.real ?? file
    }

    fileprivate static func head(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<
        Unmanaged<VFSFile>?
    > {
        (UnsafeMutableRawPointer(file) + 8).assumingMemoryBound(to: Unmanaged<VFSFile>?.self)
    }
}

/// Hands a codec over to the file that SQLite opens next as a database on this thread, so that neither SQL nor file
/// names have to tell of it.
enum Handover {
    final class Offer {
        let codec: any PageCodec
        let faults: CodecFaults
        init(_ codec: any PageCodec, _ faults: CodecFaults) {
            self.codec = codec
            self.faults = faults
        }
    }

    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    static func offering<T>(_ offer: Offer?, _ body: () throws -> T) throws -> T {
        guard let offer else { return try body() }
        guard let key, pthread_setspecific(key, Unmanaged.passUnretained(offer).toOpaque()) == 0, VFS.name != nil
        else {
            throw CormorantError(.noMemory, "the encrypted file cannot be set up")
        }
        defer { pthread_setspecific(key, nil) }
        return try withExtendedLifetime(offer) { try body() }
    }

    fileprivate static func take() -> Offer? {
        guard let key, let offer = pthread_getspecific(key) else { return nil }
        pthread_setspecific(key, nil)
        return Unmanaged<Offer>.fromOpaque(offer).takeUnretainedValue()
    }
}

private let openFile:
    @convention(c) (
        UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32,
        UnsafeMutablePointer<Int32>?
    ) -> Int32 = { vfs, name, file, flags, outFlags in
        guard let base = base(vfs), let open = base.pointee.xOpen, let file else { return SQLITE_MISUSE }
        if flags & SQLITE_OPEN_SUPER_JOURNAL != 0, flags & SQLITE_OPEN_READONLY != 0, let name {
            if !SuperJournals.admits(name) { return SQLITE_CORRUPT }
        } else {
            SuperJournals.end()
        }
        let offer = flags & SQLITE_OPEN_MAIN_DB != 0 ? Handover.take() : nil
        var owner: EncryptedDatabaseFile?
        if flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0, let name {
            owner = VFS.object(sqlite3_database_file_object(name)) as? EncryptedDatabaseFile
        }
        let temporary =
            SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL
        let makeCipher = flags & temporary != 0 ? TemporaryFiles.cipherMaker : nil
        guard offer != nil || owner != nil || makeCipher != nil else {
            let status = open(base, name, file, flags, outFlags)
            guard status == SQLITE_OK else { return status }
            if flags & SQLITE_OPEN_MAIN_DB != 0 { PlainFiles.takeTurns(file) }
            if flags & SQLITE_OPEN_WAL != 0, let name { PlainFiles.watch(file, of: sqlite3_database_file_object(name)) }
            return status
        }

        file.pointee.pMethods = nil
        let real = (UnsafeMutableRawPointer(file) + VFS.headSize).assumingMemoryBound(to: sqlite3_file.self)
        real.pointee.pMethods = nil
        var cipher: (any SectorCipher)?
        if let makeCipher {
            cipher = makeCipher()
            guard cipher != nil else { return SQLITE_CANTOPEN }
        }
        let status = open(base, name, real, flags, outFlags)
        guard status == SQLITE_OK else {
            _ = real.pointee.pMethods?.pointee.xClose?(real)
            return status
        }
        let object: VFSFile
        if let offer {
            object = EncryptedDatabaseFile(real, offer.codec, offer.faults, name.map { String(cString: $0) } ?? "")
        } else if let owner {
            object = flags & SQLITE_OPEN_WAL != 0 ? EncryptedLogFile(real, owner) : EncryptedJournalFile(real, owner)
        } else if let cipher {
            object = EncryptedTemporaryFile(real, cipher)
        } else {
            return SQLITE_CANTOPEN
        }
        VFS.head(file).initialize(to: Unmanaged.passRetained(object))
        let shares = (real.pointee.pMethods?.pointee.iVersion ?? 1) >= 2
        file.pointee.pMethods = UnsafePointer(shares ? sharedMemoryMethods : fileMethods)
        return SQLITE_OK
    }

/// What a thread opens to end a transaction of several files. Once a journal is rolled back, SQLite opens the file that it names as its
/// super-journal, then the journals that this one names, all alike, and deletes the first: and who made the journal may name any.
private enum SuperJournals {
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Whether a name is that of a super-journal, or of a journal after one.
    static func admits(_ name: UnsafePointer<CChar>) -> Bool {
        guard let key else { return false }
        if isSuperJournal(name) { return pthread_setspecific(key, name) == 0 }
        let end = UnsafeBufferPointer(start: name, count: strlen(name)).suffix(8)
        return pthread_getspecific(key) != nil && end.elementsEqual("-journal".utf8.map(CChar.init))
    }

    /// Another file is opened.
    static func end() {
        if let key, pthread_getspecific(key) != nil { pthread_setspecific(key, nil) }
    }
}

/// Whether SQLite gives a name such as this to a super-journal: `-mj`, six hexadecimal digits, a 9 and two more at its end.
private func isSuperJournal(_ name: UnsafePointer<CChar>) -> Bool {
    let end = UnsafeBufferPointer(start: name, count: strlen(name)).suffix(12)
    guard end.count == 12 else { return false }
    return zip(end, "-mjxxxxxx9xx".utf8).allSatisfy { character, expected in
        let byte = UInt8(bitPattern: character)
        guard expected == UInt8(ascii: "x") else { return byte == expected }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }
}

private func base(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs>? {
    vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
}

/// What is not about the content of files is the default VFS's.
private func passOn(_ vfs: UnsafeMutablePointer<sqlite3_vfs>) {
    vfs.pointee.xDelete = { base($0).flatMap { $0.pointee.xDelete }?(base($0), $1, $2) ?? SQLITE_IOERR }
    vfs.pointee.xAccess = { base($0).flatMap { $0.pointee.xAccess }?(base($0), $1, $2, $3) ?? SQLITE_IOERR }
    vfs.pointee.xFullPathname = {
        base($0).flatMap { $0.pointee.xFullPathname }?(base($0), $1, $2, $3) ?? SQLITE_IOERR
    }
    vfs.pointee.xDlOpen = { base($0).flatMap { $0.pointee.xDlOpen }?(base($0), $1) }
    vfs.pointee.xDlError = { base($0).flatMap { $0.pointee.xDlError }?(base($0), $1, $2) }
    vfs.pointee.xDlSym = { base($0).flatMap { $0.pointee.xDlSym }?(base($0), $1, $2) }
    vfs.pointee.xDlClose = { base($0).flatMap { $0.pointee.xDlClose }?(base($0), $1) }
    vfs.pointee.xRandomness = { base($0).flatMap { $0.pointee.xRandomness }?(base($0), $1, $2) ?? 0 }
    vfs.pointee.xSleep = { _, microseconds in
        WriteTurns.sleep(UInt32(clamping: microseconds))
        return microseconds
    }
    vfs.pointee.xCurrentTime = { base($0).flatMap { $0.pointee.xCurrentTime }?(base($0), $1) ?? SQLITE_ERROR }
    vfs.pointee.xGetLastError = { base($0).flatMap { $0.pointee.xGetLastError }?(base($0), $1, $2) ?? 0 }
    vfs.pointee.xCurrentTimeInt64 = {
        base($0).flatMap { $0.pointee.xCurrentTimeInt64 }?(base($0), $1) ?? SQLITE_ERROR
    }
}

nonisolated(unsafe) private let fileMethods = makeMethods(version: 1)
nonisolated(unsafe) private let sharedMemoryMethods = makeMethods(version: 2)

/// Version 3, mapping files into memory, is left out: SQLite would see what stands on the disk.
private func makeMethods(version: Int32) -> UnsafeMutablePointer<sqlite3_io_methods> {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = version
    methods.pointee.xClose = { file in
        guard let file, let object = VFS.object(file) else { return SQLITE_OK }
        let status = object.close()
        file.pointee.pMethods = nil
        VFS.head(file).pointee?.release()
        VFS.head(file).pointee = nil
        return status
    }
    methods.pointee.xRead = { file, buffer, count, offset in
        guard let object = VFS.object(file), let buffer, count >= 0, offset >= 0 else { return SQLITE_IOERR_READ }
        return object.read(buffer, Int(count), offset)
    }
    methods.pointee.xWrite = { file, buffer, count, offset in
        guard let object = VFS.object(file), let buffer, count >= 0, offset >= 0 else { return SQLITE_IOERR_WRITE }
        return object.write(buffer, Int(count), offset)
    }
    methods.pointee.xTruncate = { VFS.object($0)?.truncate($1) ?? SQLITE_IOERR }
    methods.pointee.xSync = { VFS.object($0)?.sync($1) ?? SQLITE_IOERR }
    methods.pointee.xFileSize = { file, size in
        guard let object = VFS.object(file), let size else { return SQLITE_IOERR }
        return object.fileSize(&size.pointee)
    }
    methods.pointee.xLock = { file, level in
        VFS.object(file)?.lock(level) ?? SQLITE_IOERR
    }
    methods.pointee.xUnlock = { file, level in
        VFS.object(file)?.unlock(level) ?? SQLITE_IOERR
    }
    methods.pointee.xCheckReservedLock = { file, result in
        VFS.object(file).flatMap { $0.methods.pointee.xCheckReservedLock?($0.real, result) } ?? SQLITE_IOERR
    }
    methods.pointee.xFileControl = { VFS.object($0)?.control($1, $2) ?? SQLITE_NOTFOUND }
    methods.pointee.xSectorSize = { file in
        VFS.object(file).flatMap { $0.methods.pointee.xSectorSize?($0.real) } ?? 4096
    }
    methods.pointee.xDeviceCharacteristics = { file in
        let real = VFS.object(file).flatMap { $0.methods.pointee.xDeviceCharacteristics?($0.real) } ?? 0
        // Nothing that lets SQLite skip the journal or write it in other pieces. The bits: ATOMIC to ATOMIC64K,
        // BATCH_ATOMIC, SUBPAGE_READ.
        return real & ~0x0000_01FF & ~0x0000_4000 & ~0x0000_8000 | SQLITE_IOCAP_POWERSAFE_OVERWRITE
    }
    guard version >= 2 else { return methods }
    methods.pointee.xShmMap = { VFS.object($0)?.mapShared($1, $2, $3, $4) ?? SQLITE_IOERR }
    methods.pointee.xShmLock = { VFS.object($0)?.lockShared($1, $2, $3) ?? SQLITE_IOERR }
    methods.pointee.xShmBarrier = { file in
        if let object = VFS.object(file) { object.methods.pointee.xShmBarrier?(object.real) }
    }
    methods.pointee.xShmUnmap = { VFS.object($0)?.unmapShared($1) ?? SQLITE_OK }
    return methods
}
