import CSQLite
import CormorantBase
import CormorantPlatform

/// SQLite's memory, wiped when it is freed. SQLite takes another allocator only before its first use in the process, whoever
/// uses it: https://www.sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmalloc
package enum WipedMemory {
    nonisolated(unsafe) fileprivate static var own = sqlite3_mem_methods()
    private static let status: Int32 = install()

    package static func begin() throws {
        guard status == SQLITE_OK else {
            throw CormorantError(
                .misuse, "SQLite is in use in this process already, and its memory cannot be wiped any more",
                hint: "open the file that asks for it first, before any other use of SQLite")
        }
    }

    private static func install() -> Int32 {
        let status = csqlite_get_memory_methods(&own)
        guard status == SQLITE_OK, own.xMalloc != nil, own.xFree != nil, own.xSize != nil else {
            return status == SQLITE_OK ? SQLITE_ERROR : status
        }
        var wiping = own
        wiping.xFree = { memory in
            guard let memory else { return }
            wipe(memory, Int(WipedMemory.own.xSize?(memory) ?? 0))
            WipedMemory.own.xFree?(memory)
        }
        // What it has moved from would be freed as it is.
        wiping.xRealloc = { memory, count in
            guard let memory else { return WipedMemory.own.xMalloc?(count) }
            let size = Int(WipedMemory.own.xSize?(memory) ?? 0)
            guard let larger = WipedMemory.own.xMalloc?(count) else { return nil }
            larger.copyMemory(from: memory, byteCount: min(size, Int(count)))
            wipe(memory, size)
            WipedMemory.own.xFree?(memory)
            return larger
        }
        return csqlite_set_memory_methods(&wiping)
    }
}
