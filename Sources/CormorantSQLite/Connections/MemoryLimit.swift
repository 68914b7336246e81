import CSQLite
import CormorantPlatform

/// Refuses SQLite, in the whole process, more memory than so much of what the machine has: https://www.sqlite.org/c3ref/hard_heap_limit64.html
package func limitMemory(toPartsOfAll share: Double) {
    let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
    guard pages > 0, size > 0 else { return }
    sqlite3_hard_heap_limit64(Int64(Double(pages) * Double(size) * share))
}
