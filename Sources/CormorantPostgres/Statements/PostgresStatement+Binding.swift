import CormorantBase
import CormorantPlatform

/// What a parameter is bound to, in SQLite's storage classes. Texts and blobs are copied, or borrowed.
struct BoundValue {
    enum Kind {
        case null, integer, real, text, blob
    }

    private(set) var kind = Kind.null
    private var bits: UInt64 = 0
    private(set) var start: UnsafeRawPointer?
    private(set) var count = 0
    private var copy: UnsafeMutableRawPointer?
    private var capacity = 0
    /// A larger copy goes with its value.
    private static let keptCapacity = 1 << 20

    var integer: Int64 { Int64(bitPattern: bits) }
    var real: Double { Double(bitPattern: bits) }
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: count)
    }

    mutating func setNull() {
        kind = .null
        if capacity > BoundValue.keptCapacity { free() }
    }

    mutating func set(_ value: Int64) {
        kind = .integer
        bits = UInt64(bitPattern: value)
    }

    mutating func set(_ value: Double) {
        kind = .real
        bits = value.bitPattern
    }

    mutating func set(_ kind: Kind, _ bytes: UnsafeRawPointer, _ count: Int, borrowing: Bool) throws {
        if borrowing {
            start = bytes
        } else {
            if count > capacity || copy == nil {
                let larger = max(count, min(2 * capacity, 1 << 20), 32)
                try requireMemory(larger)
                copy?.deallocate()
                copy = .allocate(byteCount: larger, alignment: 1)
                capacity = larger
            }
            copy?.copyMemory(from: bytes, byteCount: count)
            start = UnsafeRawPointer(copy)
        }
        self.kind = kind
        self.count = count
    }

    mutating func free() {
        copy?.deallocate()
        copy = nil
        capacity = 0
        kind = .null
    }
}

extension PostgresStatement {
    private func slot(_ index: Int32) -> UnsafeMutablePointer<BoundValue>? {
        index >= 1 && Int(index) <= parameterCount ? bound + Int(index - 1) : nil
    }

    package func bindNull(_ index: Int32) { slot(index)?.pointee.setNull() }

    package func bind(_ value: Int64, _ index: Int32) { slot(index)?.pointee.set(value) }

    package func bind(_ value: Double, _ index: Int32) { slot(index)?.pointee.set(value) }

    package func bindText(_ bytes: UnsafeRawPointer, count: Int, _ index: Int32, borrowing: Bool) throws {
        try slot(index)?.pointee.set(.text, bytes, count, borrowing: borrowing)
    }

    package func bindBlob(_ bytes: UnsafeRawPointer, count: Int, _ index: Int32, borrowing: Bool) throws {
        try slot(index)?.pointee.set(.blob, bytes, count, borrowing: borrowing)
    }

    package func boundInteger(_ index: Int32) -> Int64? {
        guard let slot = slot(index), slot.pointee.kind == .integer else { return nil }
        return slot.pointee.integer
    }

    package func clearBindings() {
        for index in 0..<parameterCount { bound[index].setNull() }
    }
}
