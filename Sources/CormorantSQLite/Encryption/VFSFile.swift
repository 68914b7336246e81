import CSQLite

/// A file whose content is not what SQLite reads and writes. Passes everything on; its kinds change what they must.
class VFSFile {
    /// The default VFS's file, in memory that SQLite owns until the file is closed.
    let real: UnsafeMutablePointer<sqlite3_file>
    let methods: UnsafePointer<sqlite3_io_methods>

    init(_ real: UnsafeMutablePointer<sqlite3_file>) {
        self.real = real
        methods = real.pointee.pMethods ?? emptyMethods
    }

    func close() -> Int32 { methods.pointee.xClose?(real) ?? SQLITE_OK }
    func read(_ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 { SQLITE_IOERR_READ }
    func write(_ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 { SQLITE_IOERR_WRITE }
    func truncate(_ size: Int64) -> Int32 { methods.pointee.xTruncate?(real, size) ?? SQLITE_IOERR }
    func sync(_ flags: Int32) -> Int32 { methods.pointee.xSync?(real, flags) ?? SQLITE_IOERR }
    func fileSize(_ size: inout Int64) -> Int32 { methods.pointee.xFileSize?(real, &size) ?? SQLITE_IOERR }

    func lock(_ level: Int32) -> Int32 { lockUnmoved(real, methods, level) }
    func unlock(_ level: Int32) -> Int32 { methods.pointee.xUnlock?(real, level) ?? SQLITE_IOERR }

    func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        methods.pointee.xFileControl?(real, operation, argument) ?? SQLITE_NOTFOUND
    }

    func mapShared(
        _ region: Int32, _ size: Int32, _ extend: Int32,
        _ out: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 {
        methods.pointee.xShmMap?(real, region, size, extend, out) ?? SQLITE_IOERR
    }

    func lockShared(_ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
        methods.pointee.xShmLock?(real, offset, count, flags) ?? SQLITE_IOERR
    }

    func unmapShared(_ delete: Int32) -> Int32 { methods.pointee.xShmUnmap?(real, delete) ?? SQLITE_OK }

    // What stands in the file ---------------------------------------------------------------------------------------

    final func readRaw(_ buffer: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        methods.pointee.xRead?(real, buffer, Int32(truncatingIfNeeded: count), offset) ?? SQLITE_IOERR_READ
    }

    final func writeRaw(_ buffer: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        methods.pointee.xWrite?(real, buffer, Int32(truncatingIfNeeded: count), offset) ?? SQLITE_IOERR_WRITE
    }
}

nonisolated(unsafe) let emptyMethods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    return UnsafePointer(methods)
}()

/// Memory of one size that is wiped when it goes.
package final class PageBuffer {
    package let bytes: UnsafeMutableRawPointer
    package let count: Int

    package init(_ count: Int) {
        self.count = count
        bytes = .allocate(byteCount: max(count, 8), alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: max(count, 8))
    }

    deinit {
        wipe(bytes, count)
        bytes.deallocate()
    }
}

@inline(__always)
func bigEndian32(_ bytes: UnsafeRawPointer, _ offset: Int = 0) -> UInt32 {
    UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
}

@inline(__always)
func putBigEndian32(_ value: UInt32, _ bytes: UnsafeMutableRawPointer, _ offset: Int = 0) {
    bytes.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
}

func isZero(_ bytes: UnsafeRawPointer, _ count: Int) -> Bool {
    UnsafeRawBufferPointer(start: bytes, count: count).allSatisfy { $0 == 0 }
}

// SQLite's header makes them of others, which Swift does not see.
let SQLITE_IOERR_READ = SQLITE_IOERR | 1 << 8
let SQLITE_IOERR_SHORT_READ = SQLITE_IOERR | 2 << 8
let SQLITE_IOERR_WRITE = SQLITE_IOERR | 3 << 8
let SQLITE_IOERR_TRUNCATE = SQLITE_IOERR | 6 << 8
