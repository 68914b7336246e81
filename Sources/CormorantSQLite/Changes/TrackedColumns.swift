import CormorantBase
import CormorantEngine

/// The columns of a tracked table. What was made for them, such as masks, holds as long as it has this object: when its schema
/// changes, it gets another one.
package final class TrackedColumns: @unchecked Sendable {  // never written after init
    package let names: [String]
    /// Those of the primary key, in its order.
    package let keyNames: [String]
    /// Their indices; empty where the rowid stands for the key.
    package let key: [Int]
    /// How SQLite gives each of them in a row that is about to change.
    let places: UnsafeBufferPointer<ColumnPlace>
    /// What is computed of a row that SQLite gives as it lies on the disk.
    let computed: ComputedColumns?

    package convenience init(_ names: [String] = [], keyNames: [String] = [], key: [Int] = []) {
        self.init(names, keyNames: keyNames, key: key, places: [], computed: nil)
    }

    init(
        _ names: [String], keyNames: [String], key: [Int], places: [ColumnPlace], computed: ComputedColumns?
    ) {
        self.names = names
        self.keyNames = keyNames
        self.key = key
        let kept = UnsafeMutableBufferPointer<ColumnPlace>.allocate(capacity: places.count)
        _ = kept.initialize(from: places)
        self.places = UnsafeBufferPointer(kept)
        self.computed = computed
    }

    deinit { places.deallocate() }

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
