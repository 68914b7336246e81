import CormorantBase
import CormorantEngine
import CormorantPlatform
import CormorantSQLite

/// One column of a batch: its values beside each other, and which of them are NULL.
package final class ColumnBuffer: @unchecked Sendable {  // written before it is shared, and never again
    package let kind: ColumnKind
    package let rowCount: Int
    package let nullCount: Int
    /// A bit per row, lowest first, 0 for NULL. nil: no row is NULL, or the kind is.
    package let validity: UnsafeMutablePointer<UInt8>?
    /// A value per row, a bool as a bit, lowest first; of texts and blobs their bytes. Under a NULL lies NaN, as a time or a
    /// duration the least integer, else 0, for readers who look at values alone. nil: the kind is NULL.
    package let values: UnsafeMutableRawPointer?
    /// Where each text or blob begins among the bytes, and where the last one ends.
    package let offsets: UnsafeMutablePointer<Int32>?

    fileprivate init(_ builder: ColumnBuilder, rowCount: Int) {
        kind = builder.kind
        self.rowCount = rowCount
        nullCount = builder.kind == .null ? rowCount : builder.nullCount
        if builder.nullCount == 0 || builder.kind == .null {
            free(builder.validity)
            validity = nil
        } else {
            validity = builder.validity
        }
        values = builder.values
        offsets = builder.offsets
    }

    deinit {
        free(validity)
        free(values)
        free(offsets)
    }

    @inline(__always)
    package func isNull(_ row: Int) -> Bool {
        guard let validity else { return kind == .null }
        return validity[row >> 3] >> UInt8(row & 7) & 1 == 0
    }
}

/// Why a value does not go into its column.
enum ColumnMisfit: Error {
    case kind
    case null
    case range
    /// What has not the form of a column of times.
    case time
    case notUTF8
    case tooLong
    case noMemory
}

/// Fills one column of a batch, row by row. Its owner reserves room before each row, and frees it or takes it as a buffer.
///
/// From `reserve` to `take` there is memory for `capacity` rows wherever the kind has some: bits of validity always, values
/// of all kinds but NULL, offsets of texts and blobs. Rows are appended in between only, so that a cell costs no test for
/// it. It grows by `realloc`, which moves large blocks without copying them, and is freed by `free`.
struct ColumnBuilder {
    let source: Int32
    let isOptional: Bool
    private(set) var kind: ColumnKind
    /// Whether the rows may still show another kind.
    private(set) var isOpen: Bool
    fileprivate var validity: UnsafeMutablePointer<UInt8>?
    fileprivate var values: UnsafeMutableRawPointer?
    fileprivate var offsets: UnsafeMutablePointer<Int32>?
    fileprivate var nullCount = 0
    private var capacity = 0
    /// Of texts and blobs.
    private(set) var byteCount = 0
    private var byteCapacity = 0

    init(_ outline: ColumnOutline) {
        source = outline.source
        isOptional = outline.isOptional
        kind = outline.kind
        isOpen = outline.isOpen
    }

    // MARK: Room

    // What there is between `reserve` and `take`.
    private var validityBits: UnsafeMutablePointer<UInt8> { present(validity) }
    private var valueBytes: UnsafeMutableRawPointer { present(values) }
    private var offsetItems: UnsafeMutablePointer<Int32> { present(offsets) }

    @inline(__always)
    private func present<Pointer>(_ pointer: Pointer?) -> Pointer {
        assert(pointer != nil, "rows are appended between reserve and take")
        return pointer.unsafelyUnwrapped
    }

    /// Makes room for so many rows, a multiple of 8, so that no byte of bits is shared with the rows before.
    mutating func reserve(_ rows: Int) throws(ColumnMisfit) {
        let bits = try resized(validity, rows / 8 + 1)
        validity = bits
        (bits + capacity / 8).update(repeating: 0xFF, count: rows / 8 + 1 - capacity / 8)
        try reserveValues(rows, from: capacity)
        capacity = rows
    }

    private mutating func reserveValues(_ rows: Int, from old: Int) throws(ColumnMisfit) {
        switch kind {
        case .null: break
        case .bool:
            let bits: UnsafeMutablePointer<UInt8> = try resized(
                values?.assumingMemoryBound(to: UInt8.self), rows / 8 + 1)
            (bits + old / 8).update(repeating: 0, count: rows / 8 + 1 - old / 8)
            values = UnsafeMutableRawPointer(bits)
        case .text, .blob:
            offsets = try resized(offsets, rows + 1)
            if old == 0 { offsetItems[0] = 0 }
            if values == nil { try reserveBytes(max(64, byteCapacity)) }
        default:
            let bytes: UnsafeMutablePointer<UInt8> = try resized(
                values?.assumingMemoryBound(to: UInt8.self), rows * kind.width)
            values = UnsafeMutableRawPointer(bytes)
        }
    }

    @inline(never)
    private mutating func reserveBytes(_ count: Int) throws(ColumnMisfit) {
        let bytes: UnsafeMutablePointer<UInt8> = try resized(values?.assumingMemoryBound(to: UInt8.self), count)
        values = UnsafeMutableRawPointer(bytes)
        byteCapacity = count
    }

    /// What was filled so far, cut to its size; the builder is empty after it.
    mutating func take(_ rows: Int) throws(ColumnMisfit) -> ColumnBuffer {
        isOpen = false
        if kind.hasOffsets, byteCapacity - byteCount > byteCapacity / 4 { try reserveBytes(max(64, byteCount)) }
        let buffer = ColumnBuffer(self, rowCount: rows)
        (validity, values, offsets) = (nil, nil, nil)
        (nullCount, capacity, byteCount) = (0, 0, 0)
        return buffer
    }

    func freeAll() {
        free(validity)
        free(values)
        free(offsets)
    }

    // MARK: Rows

    /// Adds the value of a row.
    @inline(__always)
    mutating func append(_ cell: Cell, at row: Int) throws(ColumnMisfit) {
        let type = cell.type
        if type == StorageType.null { return try appendNull(at: row) }
        if isOpen { try adapt(to: cell, at: row) }
        switch kind {
        case .int64:
            guard type == StorageType.integer else { throw .kind }
            store(cell.int64, at: row)
        case .double:
            if type == StorageType.real { return store(cell.double, at: row) }
            store(try exactDouble(cell), at: row)
        case .text:
            guard type == StorageType.text else { throw .kind }
            let text = cell.text
            if let base = text.baseAddress, !isValidUTF8(base, count: text.count) { throw .notUTF8 }
            try store(UnsafeRawBufferPointer(text), at: row)
        case .blob:
            guard type == StorageType.blob else { throw .kind }
            try store(cell.blob, at: row)
        default: try appendOther(cell, at: row)
        }
    }

    /// The rarer kinds.
    @inline(never)
    private mutating func appendOther(_ cell: Cell, at row: Int) throws(ColumnMisfit) {
        switch kind {
        case .int32: store(try narrowed(cell, to: Int32.self), at: row)
        case .uint32: store(try narrowed(cell, to: UInt32.self), at: row)
        case .uint64: store(try narrowed(cell, to: UInt64.self), at: row)
        case .bool:
            let value = try narrowed(cell, to: Int64.self)
            guard 0...1 ~= value else { throw .range }
            let bits = valueBytes.assumingMemoryBound(to: UInt8.self)
            bits[row >> 3] |= UInt8(truncatingIfNeeded: value) << UInt8(row & 7)
        case .float:
            let value = cell.type == StorageType.real ? cell.double : try exactDouble(cell)
            guard let rounded = Float(rounding: value) else { throw .range }
            store(rounded, at: row)
        case .duration: store(try narrowed(cell, to: Int64.self), at: row)
        case .time, .date, .timeOfDay, .moment:
            guard cell.type == StorageType.text, let time = kind.form?.value(stored: cell.text) else {
                throw .time
            }
            if kind == .date { store(Int32(truncatingIfNeeded: time), at: row) } else { store(time, at: row) }
        default: throw .kind
        }
    }

    private mutating func appendNull(at row: Int) throws(ColumnMisfit) {
        guard isOptional else { throw .null }
        validityBits[row >> 3] &= ~(1 << UInt8(row & 7))
        nullCount &+= 1
        storeUnderNull(at: row)
    }

    private func storeUnderNull(at row: Int) {
        switch kind {
        case .null, .bool: break
        case .int64, .uint64: store(Int64(0), at: row)
        case .int32, .uint32: store(Int32(0), at: row)
        case .date: store(Int32.min, at: row)
        case .double: store(Double.nan, at: row)
        case .float: store(Float.nan, at: row)
        case .time, .timeOfDay, .duration, .moment: store(Int64.min, at: row)
        case .text, .blob: endBytes(at: row)
        }
    }

    @inline(__always)
    private func store<Number>(_ value: Number, at row: Int) {
        valueBytes.storeBytes(
            of: value, toByteOffset: row &* MemoryLayout<Number>.stride, as: Number.self)
    }

    @inline(__always)
    private mutating func store(_ bytes: UnsafeRawBufferPointer, at row: Int) throws(ColumnMisfit) {
        if let base = bytes.baseAddress {
            let end = byteCount &+ bytes.count
            if end > byteCapacity {
                guard end <= Int(Int32.max) else { throw .tooLong }
                try reserveBytes(max(end, byteCapacity &* 2))
            }
            (valueBytes + byteCount).copyMemory(from: base, byteCount: bytes.count)
            byteCount = end
        }
        endBytes(at: row)
    }

    @inline(__always)
    private func endBytes(at row: Int) {
        offsetItems[row &+ 1] = Int32(truncatingIfNeeded: byteCount)
    }

    private func narrowed<Number: FixedWidthInteger>(
        _ cell: Cell, to type: Number.Type
    ) throws(ColumnMisfit) -> Number {
        guard cell.type == StorageType.integer else { throw .kind }
        guard let value = Number(exactly: cell.int64) else { throw .range }
        return value
    }

    private func exactDouble(_ cell: Cell) throws(ColumnMisfit) -> Double {
        guard cell.type == StorageType.integer else { throw .kind }
        guard let value = Double(exactly: cell.int64) else { throw .range }
        return value
    }

    // MARK: Kinds that rows decide

    @inline(never)
    private mutating func adapt(to cell: Cell, at row: Int) throws(ColumnMisfit) {
        if nullCount == row {
            let decided = kind.decided(by: cell)
            guard decided != kind else { return }
            free(values)
            free(offsets)
            (values, offsets) = (nil, nil)
            kind = decided
            try reserveValues(capacity, from: 0)
            for before in 0..<row { storeUnderNull(at: before) }
        } else if kind == .int64, cell.type == StorageType.real {
            try turnIntoReals(row)
        }
    }

    private mutating func turnIntoReals(_ rows: Int) throws(ColumnMisfit) {
        guard let values else { return }
        for row in 0..<rows {
            let offset = row * MemoryLayout<Int64>.stride
            let isNull = validityBits[row >> 3] >> UInt8(row & 7) & 1 == 0
            guard let real = isNull ? Double.nan : Double(exactly: values.load(fromByteOffset: offset, as: Int64.self))
            else {
                throw .range
            }
            values.storeBytes(of: real, toByteOffset: offset, as: Double.self)
        }
        kind = .double
    }
}

private func resized<Item>(
    _ pointer: UnsafeMutablePointer<Item>?, _ count: Int
) throws(ColumnMisfit) -> UnsafeMutablePointer<Item> {
    guard let moved = realloc(pointer, count * MemoryLayout<Item>.stride) else { throw .noMemory }
    return moved.assumingMemoryBound(to: Item.self)
}
