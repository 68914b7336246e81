import CSQLite
import CormorantBase
import CormorantThreads

/// Why an encrypted file is opened by a path alone: a URI can name another VFS or a shared cache, which would go past the
/// codec.
let encryptedByPath = "an encrypted file is opened by its path"

extension Connection {
    /// Settings of an encrypted file, before its first statement.
    func prepare(_ codec: any PageCodec, schema: String) throws {
        guard let file = VFS.database(handle, schema), file.codec === codec else {
            throw CormorantError(
                .cipher, "the file was opened past its codec",
                hint: "give the path of a file of its own; a database in memory has no key")
        }
        try setReserve(codec.reserve, schema: schema)
        let name = quoteIdentifier(schema)
        try setPageSize(codec.pageSize, schema: schema)
        try script("PRAGMA \(name).secure_delete = ON")
        // A page costs more to read than a plain one.
        try script("PRAGMA \(name).cache_size = -64000")
        if schema == "main" { try script("PRAGMA temp_store = MEMORY") }
        hasEncryptedFile = true
        restoreAuthorizer()
    }

    /// The size of a file's pages that is yet to be written.
    func setPageSize(_ size: Int, schema: String = "main") throws {
        let file = VFS.database(handle, schema)
        file?.takesPageSize = true
        defer { file?.takesPageSize = false }
        try script("PRAGMA \(quoteIdentifier(schema)).page_size = \(size)")
        // SQLite keeps it for the next VACUUM of any of the connection's files; each has its own again.
        try script("PRAGMA \(quoteIdentifier(schema)).page_size = 0")
    }

    func readyKeys(_ schema: String) throws {
        guard let file = VFS.database(handle, schema) else { return }
        let status = file.readyKeys()
        guard status == SQLITE_OK else { throw error(status) }
    }

    /// How many bytes at the end of each page SQLite leaves alone in a file that it makes; those of a file that is there
    /// stay.
    func setReserve(_ reserve: Int, schema: String = "main") throws {
        var wanted = Int32(truncatingIfNeeded: reserve)
        let status = sqlite3_file_control(handle, schema, SQLITE_FCNTL_RESERVE_BYTES, &wanted)
        guard status == SQLITE_OK else { throw error(status) }
    }

    /// Attaches another file, encrypted or plain, under a name of its own.
    package func attach(_ path: String, as name: String, codecs: (any PageCodecSource)?) throws {
        try requireSQLite("attached files")
        try checkPath(path)
        guard transactionDepth == 0, !isInTransaction else {
            throw CormorantError(
                .transaction, "a file cannot be attached inside a transaction", hint: "attach it before the transaction"
            )
        }
        if codecs != nil { try refuseURI(path, encryptedByPath) }
        let codec = try codecs?.makeCodec(path: path)
        try refuseLeftoverLogs(of: path, codec)
        if codec != nil { try keepTemporaryTablesSecret() }
        let statement = try allowingAttach { try Statement(self, "ATTACH ? AS \(quoteIdentifier(name))") }
        try statement.bind(.text(path), 1)
        do {
            defer { statement.finalize() }
            _ = try offering(codec) { try statement.step() }
        } catch {
            throw openingFailure(path, error, isPlain: codec == nil, sqlite3_system_errno(handle))
        }
        do {
            if let codec { try prepare(codec, schema: name) }
            try script("SELECT 1 FROM \(quoteIdentifier(name)).sqlite_schema LIMIT 1")
            try readyKeys(name)
        } catch {
            try? script("DETACH \(quoteIdentifier(name))")
            throw error
        }
    }

    /// Runs what opens a file that is to be encrypted, or that may be plain beside an encrypted one.
    func offering<T>(_ codec: (any PageCodec)?, _ body: () throws -> T) throws -> T {
        try allowingAttach { try Handover.offering(codec.map { Handover.Offer($0, faults) }, body) }
    }

    private func allowingAttach<T>(_ body: () throws -> T) rethrows -> T {
        faults.allowsAttach = true
        defer { faults.allowsAttach = false }
        return try body()
    }

    /// Temporary tables stand in memory from here on. Those that are there already may be in a plain file.
    private func keepTemporaryTablesSecret() throws {
        guard try pragma("temp_store") != 2 else { return }
        let tables = try Statement(self, "SELECT 1 FROM sqlite_temp_schema LIMIT 1")
        let hasTables = try tables.step()
        tables.finalize()
        guard !hasTables else {
            throw CormorantError(
                .misuse, "the database has temporary tables, which may be in a plain file",
                hint: "attach the encrypted file before making them")
        }
        try script("PRAGMA temp_store = MEMORY")
    }

    /// What the codec met, if that is why SQLite returned the code.
    func codecError(_ code: Int32) -> CormorantError? {
        guard [SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_AUTH].contains(code & 0xFF),
            let (fault, path) = faults.take() ?? truncation(code)
        else { return nil }
        defer { faults.clear() }
        if case .error(let error) = fault { return error }
        // What lies by its path is another file's, as is the log beside it.
        if let error = errorOfMovedFile(code) { return error }
        switch fault {
        case .error(let error): return error
        case .wrongKey where beginsAsPlain(path):
            return CormorantError(
                .notEncrypted, "\"\(path)\" is not encrypted",
                hint: "open it without a key, or encrypt it first", sqliteCode: code)
        case .wrongKey(looksRandom: true) where !looksEncrypted(path):
            return CormorantError(
                .notADatabase, "\"\(path)\" is no database", hint: "check the path", sqliteCode: code)
        case .wrongKey:
            if let codec = faults.refused, let settings = beginning(of: path, codec.advice) ?? nil {
                return CormorantError(
                    .wrongKey, "the key opens \"\(path)\" with other settings: \(settings)",
                    hint: "give these settings beside the key", sqliteCode: code)
            }
            return CormorantError(
                .wrongKey, "the key does not open \"\(path)\"",
                hint: "check the key, the settings if the file was made with others, and whether the file is whole",
                sqliteCode: code)
        case .plainFile:
            return CormorantError(
                .notEncrypted, "\"\(path)\" is not encrypted",
                hint: "open it without a key, or encrypt it first", sqliteCode: code)
        case .altered(let page):
            alteredPage = (path, page)
            return CormorantError(
                .altered, "page \(page) of \"\(path)\" was altered or is damaged",
                hint: damagedHint, sqliteCode: code)
        case .journal:
            return CormorantError(
                .altered, "the rollback journal of \"\(path)\" was altered or is damaged",
                hint: "restore a backup", sqliteCode: code)
        case .truncated:
            return CormorantError(
                .truncated, "\"\(path)\" was cut off", hint: damagedHint, sqliteCode: code)
        case .layout:
            return CormorantError(
                .misuse, "\"\(path)\" is encrypted, and its pages have another layout than those to be written",
                hint: "copy the database by backup, which converts it", sqliteCode: code)
        case .unknownWrite:
            return CormorantError(
                .cipher, "SQLite writes \"\(path)\" in a way that is not known, which could leave it plain",
                hint: "nothing was written; use another version of SQLite", sqliteCode: code)
        case .failed(let reason):
            return CormorantError(
                .cipher, "the codec of \"\(path)\" fails\(reason.map { ": \($0)" } ?? "")",
                hint: "see why its functions return a failure",
                sqliteCode: code)
        }
    }

    /// A file that was cut between two pages is, to SQLite, a damaged one.
    private func truncation(_ code: Int32) -> (fault: CodecFaults.Fault, path: String)? {
        guard code & 0xFF == SQLITE_CORRUPT, let file = VFS.database(handle, "main"), file.isShort else { return nil }
        return (.truncated, path)
    }

    /// The pages of the file whose authentication fails. Of a page that a checkpoint had half copied when its program was
    /// killed the write-ahead log has the good one, which is read instead. `interrupt` ends it, as it ends a statement.
    /// - Parameter limit: how many of them are listed.
    package func pagesNotAuthentic(limit: Int) throws -> (pages: [UInt32], count: Int) {
        try requireSQLite("encrypted pages")
        guard let file = VFS.database(handle, "main") else {
            throw CormorantError(
                .notEncrypted, "\"\(path)\" is not encrypted", hint: "use PRAGMA integrity_check on a plain file")
        }
        guard file.codec.isAuthenticating else {
            throw CormorantError(
                .cipher, "the pages of \"\(path)\" carry no authentication, as in all files of compatibility 1",
                hint: "rekey the file to the current format")
        }
        // A lock under which no other process writes, but for a checkpoint.
        let isMine = !isInTransaction
        if isMine { try script("BEGIN") }
        defer { if isMine { try? script("ROLLBACK") } }
        try script("SELECT 1 FROM sqlite_schema LIMIT 1")
        // An interrupt reaches what is running.
        let pulse = try Statement(self, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT i FROM n")
        defer { pulse.finalize() }
        // Before the file is looked at, to which a checkpoint may copy them meanwhile.
        let copied = file.index.copied
        let logged = file.newestFrames?.filter { $0.value > copied }
        var size: Int64 = 0
        guard file.fileSize(&size) == SQLITE_OK else { throw error(SQLITE_IOERR) }
        let ofFile = UInt32(clamping: size / Int64(file.pageSize))
        // Behind the end of a file that was cut off. Of an index that is in memory of SQLite's own nobody knows what its log has.
        let all = logged == nil || file.pageCount == 0 ? ofFile : file.pageCount
        let page = PageBuffer(file.pageSize)
        func isInLog(_ number: UInt32) -> Bool {
            logged?[number].map { file.index.log?.readAuthentic(number, inFrame: $0, page) ?? false } ?? false
        }
        guard size % Int64(file.pageSize) == 0 || isInLog(ofFile &+ 1) else {
            throw CormorantError(.truncated, "\"\(path)\" was cut off", hint: "restore a backup")
        }
        var pages: [UInt32] = []
        var count = 0
        for number in 1...max(1, all) where number <= all && number != file.lockPage {
            if number % 64 == 1 { _ = try pulse.step() }
            var isAuthentic = try file.holdsAuthentic(number)
            // A page that a checkpoint is writing.
            for _ in 0..<3 where !isAuthentic {
                if isInLog(number) || file.isUnused(number) {
                    isAuthentic = true
                } else {
                    sleepMilliseconds(2)
                    isAuthentic = try file.holdsAuthentic(number)
                }
            }
            if isAuthentic { continue }
            count += 1
            if pages.count < limit { pages.append(number) }
        }
        return (pages, count)
    }
}

/// The error of a file that was opened without a key and does not begin as a database does.
func plainFailure(_ path: String, _ error: CormorantError) -> CormorantError {
    guard looksEncrypted(path) else {
        return CormorantError(
            .notADatabase, "\"\(path)\" is no database", hint: "check the path", sqliteCode: error.sqliteCode)
    }
    return CormorantError(
        .keyMissing, "\"\(path)\" is encrypted, or is no database", hint: "open it with its key",
        sqliteCode: error.sqliteCode)
}

private func beginsAsPlain(_ path: String) -> Bool {
    withFirstBytes(of: path, 16) { beginsPlain($0) } ?? false
}

/// Whether the file looks like chance, as encrypted data do.
func looksEncrypted(_ path: String) -> Bool {
    withFirstBytes(of: path, 768) { start in
        var seen = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        withUnsafeMutableBytes(of: &seen) { seen in
            for byte in UnsafeRawBufferPointer(start: start, count: 768) { seen[Int(byte) / 8] |= 1 << (byte & 7) }
        }
        let distinct =
            seen.0.nonzeroBitCount + seen.1.nonzeroBitCount + seen.2.nonzeroBitCount + seen.3.nonzeroBitCount
        // 243 of 256 on average; texts and tables stay far below.
        return distinct > 215
    } ?? false
}

/// Up to a page of the greatest size, from the beginning of a file.
private func beginning<T>(of path: String, _ body: (UnsafeRawBufferPointer) -> T) -> T? {
    for count in (10...16).reversed().map({ 1 << $0 }) {
        if let answer = withFirstBytes(of: path, count, { body(UnsafeRawBufferPointer(start: $0, count: count)) }) {
            return answer
        }
    }
    return nil
}

private func withFirstBytes<T>(of path: String, _ count: Int, _ body: (UnsafeRawPointer) -> T) -> T? {
    guard let file = FileOnDisk(path) else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { bytes in
        guard file.read(bytes, at: 0) == count, let start = bytes.baseAddress else { return nil }
        return body(start)
    }
}
