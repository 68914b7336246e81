import CormorantBase
import CormorantEngine

/// The columns of a tracked table. What was made for them, such as masks, holds as long as it has this object: when its schema
/// changes, it gets another one.
package final class TrackedColumns: Sendable {
    package let names: [String]
    /// Those of the primary key, in its order.
    package let keyNames: [String]
    /// Their indices; empty where the rowid stands for the key.
    package let key: [Int]

    package init(_ names: [String] = [], keyNames: [String] = [], key: [Int] = []) {
        self.names = names
        self.keyNames = keyNames
        self.key = key
    }

    package var count: Int { names.count }

    package func index(_ name: String) -> Int? { names.firstIndex { sameIdentifier($0, name) } }

    /// The mask of columns by name; those that SQLite does not show it are in every update.
    package func mask(_ names: some Sequence<String>) -> UInt64 {
        var mask: UInt64 = 0
        for name in names {
            guard let index = index(name) else { return .max }
            mask |= 1 << UInt64(min(index, 63))
        }
        return mask
    }
}

/// A row of a tracked table, before or after a change, with the columns that the table had then.
package struct TableRow: Sendable {
    package let row: StoredRow
    package let columns: TrackedColumns
}
