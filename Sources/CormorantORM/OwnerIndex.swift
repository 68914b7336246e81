import CormorantBase
import CormorantSQLite

/// Finds the owners of related rows by their keys, as SQLite compares them.
struct OwnerIndex {
    /// The keys that differ, without those that hold a NULL.
    private(set) var keys: [Value] = []
    private let collations: [String?]
    /// The newest owner of each key, and the one before each owner that has the same; -1 for none.
    private var newest: [Key: Int] = [:]
    private var before: [Int]

    /// One value, the usual case, or several.
    enum Key: Hashable {
        case one(Part)
        case several([Part])
    }

    /// Texts are compared by their bytes: to Swift, strings that Unicode calls equivalent are equal.
    enum Part: Hashable {
        case value(Value)
        case text([UInt8])
    }

    /// - Parameters:
    ///   - all: the keys of each owner after the other.
    ///   - collations: of each part of a key, in lower case.
    init(_ all: [Value], width: Int, _ collations: [String?]) {
        self.collations = collations
        let count = all.count / width
        before = Array(repeating: -1, count: count)
        newest.reserveCapacity(count)
        keys.reserveCapacity(all.count)
        for owner in 0..<count {
            let values = all[owner * width..<(owner + 1) * width]
            if values.contains(.null) { continue }
            if let other = newest.updateValue(owner, forKey: key(values)) {
                before[owner] = other
            } else {
                keys += values
            }
        }
    }

    /// The key that a row has from a column on.
    func key(of row: Row, at first: Int32) throws -> Key {
        if collations.count == 1 { return .one(part(try row.value(first), 0)) }
        return .several(
            try collations.indices.map { part(try row.value(first + Int32(truncatingIfNeeded: $0)), $0) })
    }

    /// Calls `body` with each owner that has the key.
    func forEach(_ key: Key, _ body: (Int) throws -> Void) rethrows {
        var owner = newest[key] ?? -1
        while owner >= 0 {
            try body(owner)
            owner = before[owner]
        }
    }

    private func key(_ values: ArraySlice<Value>) -> Key {
        if values.count == 1 { return .one(part(values[values.startIndex], 0)) }
        return .several(values.enumerated().map { part($1, $0) })
    }

    /// Source of what the collations do: https://www.sqlite.org/datatype3.html#collating_sequences
    private func part(_ value: Value, _ position: Int) -> Part {
        guard case .text(let text) = value else { return .value(value) }
        switch collations[position] {
        case "nocase": return .text(Array(foldIdentifier(text).utf8))
        case "rtrim": return .text(Array(text.utf8.reversed().drop { $0 == 0x20 }.reversed()))
        default: return .text(Array(text.utf8))
        }
    }
}
