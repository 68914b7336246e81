import CSQLite
import CormorantBase
import CormorantThreads

/// Plain database files, which are the default VFS's but for the locks of writers, and their logs, which are but for what SQLite forgets.
enum PlainFiles {
    private static let lock = RecursiveLock(.fileMethods, outlivesForks: true)
    /// What the default VFS has for its kinds of files, and what those get in its place.
    nonisolated(unsafe) private static var kinds:
        [(original: UnsafePointer<sqlite3_io_methods>, methods: UnsafePointer<sqlite3_io_methods>)] = []

    nonisolated(unsafe) private static var logKinds = kinds

    /// Has a file that was just opened take turns.
    static func takeTurns(_ file: UnsafeMutablePointer<sqlite3_file>) {
        guard let original = file.pointee.pMethods, original.pointee.iVersion >= 2, original.pointee.xShmMap != nil
        else {
            return
        }
        lock.lock()
        let known = kinds.first { $0.original == original }?.methods
        let methods = known ?? makeMethods(original)
        if known == nil { kinds.append((original, methods)) }
        lock.unlock()
        place(file).initialize(to: Unmanaged.passRetained(WriteTurns(file, original)))
        file.pointee.pMethods = methods
    }

    /// Has a write-ahead log that was just opened tell the file that it is of what is to be completed in it.
    static func watch(_ log: UnsafeMutablePointer<sqlite3_file>, of file: UnsafeMutablePointer<sqlite3_file>?) {
        guard let turns = turns(file), let original = log.pointee.pMethods else { return }
        lock.lock()
        let known = logKinds.first { $0.original == original }?.methods
        let methods = known ?? makeLogMethods(original)
        if known == nil { logKinds.append((original, methods)) }
        lock.unlock()
        place(log).initialize(to: Unmanaged.passRetained(turns))
        turns.log = (log, original)
        log.pointee.pMethods = methods
    }

    /// nil for one that takes none.
    static func turns(_ file: UnsafeMutablePointer<sqlite3_file>?) -> WriteTurns? {
        // Only these methods have this function.
        guard let file,
            file.pointee.pMethods?.pointee.xShmUnmap.map({ unsafeBitCast($0, to: Int.self) })
                == unsafeBitCast(unmap, to: Int.self)
        else { return nil }
        return place(file).pointee.takeUnretainedValue()
    }

    private static func place(
        _ file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<Unmanaged<WriteTurns>> {
        (UnsafeMutableRawPointer(file) + VFS.tailOffset).assumingMemoryBound(to: Unmanaged<WriteTurns>.self)
    }

    private static func with<T>(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ failure: T, _ body: (WriteTurns) -> T
    ) -> T {
        guard let file else { return failure }
        return withoutRetaining(place(file).pointee, body)
    }

    @inline(never)
    private static func lockAlone(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ offset: Int32, _ count: Int32, _ flags: Int32
    ) -> Int32 {
        with(file, SQLITE_IOERR) { turns in
            if offset == WriteTurns.writeLock { turns.missing.forget() }
            return turns.lock(offset, count, flags) {
                turns.methods.pointee.xShmLock?(file, offset, count, flags) ?? SQLITE_IOERR
            }
        }
    }

    private static let unmap: @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32 = { file, delete in
        PlainFiles.with(file, SQLITE_IOERR) { turns in
            turns.willUnmap()
            return turns.methods.pointee.xShmUnmap?(file, delete) ?? SQLITE_OK
        }
    }

    private static func close(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ methods: (WriteTurns) -> UnsafePointer<sqlite3_io_methods>?
    ) -> Int32 {
        guard let file else { return SQLITE_OK }
        let turns = place(file).pointee
        defer { turns.release() }
        return withoutRetaining(turns, methods)?.pointee.xClose?(file) ?? SQLITE_OK
    }

    private static func makeLogMethods(
        _ original: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: original.pointee)
        methods.pointee.xClose = { file in
            PlainFiles.close(file) { turns in
                defer { turns.log = nil }
                return turns.log?.methods
            }
        }
        methods.pointee.xRead = { file, bytes, count, offset in
            PlainFiles.with(file, SQLITE_IOERR_READ) { turns in
                guard let (log, methods) = turns.log else { return SQLITE_IOERR_READ }
                if count == MissingChecksums.checksumSize, let bytes,
                    let status = turns.missing.comeBack(bytes, log, methods)
                {
                    return status
                }
                return methods.pointee.xRead?(file, bytes, count, offset) ?? SQLITE_IOERR_READ
            }
        }
        methods.pointee.xWrite = { file, bytes, count, offset in
            PlainFiles.with(file, SQLITE_IOERR_WRITE) { turns in
                guard let bytes else { return SQLITE_IOERR_WRITE }
                turns.missing.willWrite(bytes, Int(count), offset)
                return turns.log?.methods.pointee.xWrite?(file, bytes, count, offset) ?? SQLITE_IOERR_WRITE
            }
        }
        return UnsafePointer(methods)
    }

    private static func makeMethods(
        _ original: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: original.pointee)
        methods.pointee.xClose = { file in PlainFiles.close(file) { $0.methods } }
        methods.pointee.xLock = { file, level in
            PlainFiles.with(file, SQLITE_IOERR) { turns in lockUnmoved(file, turns.methods, level) }
        }
        methods.pointee.xShmMap = { file, region, size, extend, out in
            PlainFiles.with(file, SQLITE_IOERR) { turns in
                let status = turns.methods.pointee.xShmMap?(file, region, size, extend, out) ?? SQLITE_IOERR
                // Memory that may only be read comes with another status.
                if region == 0 { turns.didMap(status == SQLITE_OK ? out?.pointee : nil) }
                return status
            }
        }
        methods.pointee.xShmLock = { file, offset, count, flags in
            // Each read takes and gives back a lock: nothing but the way to SQLite's own function is in its way.
            guard flags & SQLITE_SHM_EXCLUSIVE == 0, let file else {
                return PlainFiles.lockAlone(file, offset, count, flags)
            }
            return withoutRetaining(PlainFiles.place(file).pointee) { $0.methods }.pointee.xShmLock?(
                file, offset, count, flags) ?? SQLITE_IOERR
        }
        methods.pointee.xShmUnmap = unmap
        return UnsafePointer(methods)
    }
}
