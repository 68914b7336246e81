import CormorantBase
import CormorantEngine
import CormorantSQLite

/// Finds the owners of related rows by their keys, as SQLite compares them.
struct OwnerIndex {
    /// The keys that differ, without those that hold a NULL.
    private(set) var keys: [Value] = []
    private let collations: [String?]
    /// The newest owner of each key, and the one before each owner that has the same; -1 for none. Keys of one integer,
    /// the usual case, stand by themselves, because they are hashed and compared five times as fast (benchmarks: load).
    /// A real that is an integer is that integer.
    private var newestByInteger: [Int64: Int] = [:]
    private var newest: [[Part]: Int] = [:]
    private var before: [Int]

    /// Texts are compared by their bytes: to Swift, strings that Unicode calls equivalent are equal.
    private enum Part: Hashable {
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
        keys.reserveCapacity(all.count)
        for owner in 0..<count {
            let values = all[owner * width..<(owner + 1) * width]
            if values.contains(.null) { continue }
            if let other = replace(values, by: owner) {
                before[owner] = other
            } else {
                keys += values
            }
        }
    }

    /// Makes it the newest owner of its key; returns the one before.
    private mutating func replace(_ key: ArraySlice<Value>, by owner: Int) -> Int? {
        if key.count == 1, let value = key.first, case .integer(let integer) = asInteger(value) {
            return newestByInteger.updateValue(owner, forKey: integer)
        }
        return newest.updateValue(owner, forKey: zip(key, collations).map { part($0, $1) })
    }

    /// Calls `body` with each owner that has the key that a row has from a column on.
    func forEach(of row: Row, at first: Int32, _ body: (Int) throws -> Void) throws {
        var owner = try newest(of: row, at: first) ?? -1
        while owner >= 0 {
            try body(owner)
            owner = before[owner]
        }
    }

    private func newest(of row: Row, at first: Int32) throws -> Int? {
        if collations.count == 1 {
            let cell = row.cell(first)
            if cell.type == StorageType.integer { return newestByInteger[cell.int64] }
            if cell.type == StorageType.real, let integer = Int64(exactly: cell.double) {
                return newestByInteger[integer]
            }
        }
        return newest[
            try collations.enumerated().map { offset, collation in
                try part(of: row, at: first + Int32(truncatingIfNeeded: offset), collation)
            }]
    }

    private func part(of row: Row, at column: Int32, _ collation: String?) throws -> Part {
        let cell = row.cell(column)
        guard cell.type == StorageType.text else { return .value(asInteger(try row.value(column))) }
        return .text(comparable(cell.text, collation))
    }

    private func part(_ value: Value, _ collation: String?) -> Part {
        guard case .text(var text) = value else { return .value(asInteger(value)) }
        return .text(text.withUTF8 { comparable($0, collation) })
    }

    private func asInteger(_ value: Value) -> Value {
        guard case .real(let real) = value, let integer = Int64(exactly: real) else { return value }
        return .integer(integer)
    }
}
