import CSQLite
import CormorantBase

/// A column of a table, as `PRAGMA table_xinfo` has it.
struct ColumnInfo {
    let name: String
    let type: String
    /// The SQL of its default.
    let defaultSQL: String?
    /// From 1 on; 0 where it is not of the primary key.
    let keyPosition: Int64
    /// Computed when it is read, and when it is written.
    let isVirtual: Bool
    let isGenerated: Bool

    /// Whether a real without a fraction becomes an integer in it.
    var isWholeNumbers: Bool {
        switch Affinity(declaredType: type) {
        case .integer: true
        // In a STRICT table it takes anything, as it comes.
        case .numeric: !sameIdentifier(type, "ANY")
        case .text, .blob, .real: false
        }
    }
}

/// How SQLite's functions on rows that are about to change give a column.
struct ColumnPlace: Sendable {
    /// What an integer or a real is turned into: they give them as they lie on the disk, and some releases some columns by the
    /// types of others.
    enum Number: Sendable {
        case asIs
        /// A REAL column's, whose whole numbers lie there as integers.
        case real
        /// Of a column of integers, which may have been made a real.
        case integer
        /// Of a column of both, which may have been made a real.
        case either
    }

    /// The number that they know it by; in rows after an update it is another one. Negative where they do not give it.
    private(set) var number: Int32
    private(set) var updatedNumber: Int32
    private(set) var form = Number.asIs
    let isRowID: Bool
    let isVirtual: Bool
    /// Whether rows that are older than the column have its default.
    let hasDefault: Bool

    /// - Parameters:
    ///   - key: the columns of the primary key, in its order.
    ///   - keyIsRowID: whether the key is the rowid.
    static func places(_ columns: [ColumnInfo], key: [Int], keyIsRowID: Bool, hasRowID: Bool) -> [ColumnPlace] {
        let stored = columns.indices.filter { !columns[$0].isVirtual }
        let leavesOut = (stored.count < columns.count || !hasRowID) && !countsVirtualColumns
        // As they lie on the disk.
        let order = hasRowID ? stored : key + stored.filter { !key.contains($0) }
        return columns.indices.map { index in
            let column = columns[index]
            let isRowID = keyIsRowID && key.first == index
            var place = ColumnPlace(
                number: Int32(truncatingIfNeeded: index), updatedNumber: Int32(truncatingIfNeeded: index),
                isRowID: isRowID, isVirtual: column.isVirtual,
                hasDefault: column.defaultSQL.map { foldIdentifier($0) != "null" } ?? false)
            if Affinity(declaredType: column.type) == .real { place.form = .real }
            guard leavesOut, let disk = order.firstIndex(of: index), let number = stored.firstIndex(of: index) else {
                if column.isVirtual { (place.number, place.updatedNumber) = (-1, -1) }
                return place
            }
            place.updatedNumber = Int32(truncatingIfNeeded: number)
            if hasRowID { place.number = place.updatedNumber }
            // It is made one as the column of that number would be, and what has the number of the rowid's column is given as that.
            if place.form != .real, Affinity(declaredType: columns[disk].type) == .real {
                place.form = column.isWholeNumbers ? .integer : .either
            }
            if keyIsRowID, !isRowID, key.first == number { (place.number, place.updatedNumber) = (-1, -1) }
            return place
        }
    }
}

/// Whether SQLite's functions on rows that are about to change count virtual columns and know each column's type. Those of
/// 3.40 leave them out, which moves the columns behind them.
private let countsVirtualColumns: Bool = {
    guard let connection = try? Connection(path: ":memory:", options: OpenOptions()) else { return false }
    defer { connection.close() }
    var counts = false
    withUnsafeMutablePointer(to: &counts) { counts in
        let hook:
            @convention(c) (
                UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64,
                Int64
            ) -> Void = { counts, handle, _, _, _, _, _ in
                var value: OpaquePointer?
                let isGiven = sqlite3_preupdate_new(handle, 1, &value) == SQLITE_OK
                counts?.assumingMemoryBound(to: Bool.self).pointee = isGiven
            }
        try? connection.script("CREATE TABLE t (v AS (1), a)")
        csqlite_set_preupdate_hook(connection.handle, hook, counts)
        try? connection.script("INSERT INTO t (a) VALUES (1)")
        csqlite_set_preupdate_hook(connection.handle, nil, nil)
    }
    return counts
}()
