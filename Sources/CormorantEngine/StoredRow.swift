import CormorantBase

/// A copy of a row that outlives its statement, read like one: `Row(stored)`. It does not change.
package final class StoredRow: @unchecked Sendable {  // never written after init
    package let cells: UnsafeMutablePointer<RowCell>
    package let count: Int
    /// The texts and blobs, each followed by a NUL.
    private let bytes: UnsafeMutableRawPointer
    private let size: Int

    /// - Parameter cell: gives those of the columns in turn; the bytes of one must last until the next.
    package init(count: Int, _ cell: (Int32) -> RowCell) throws(CormorantError) {
        self.count = count
        cells = .allocate(capacity: max(1, count))
        var memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)
        var (used, capacity) = (0, 64)
        for index in 0..<count {
            let cell = cell(Int32(truncatingIfNeeded: index))
            let length = Int(cell.length)
            if used + length + 1 > capacity {
                capacity = max(2 * capacity, used + length + 1)
                do throws(CormorantError) {
                    try requireMemory(capacity)
                } catch {
                    cells.deallocate()
                    memory.deallocate()
                    throw error
                }
                let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
                larger.copyMemory(from: memory, byteCount: used)
                memory.deallocate()
                memory = larger
            }
            (cells + index).initialize(to: cell)
            guard cell.hasBytes, let source = cell.bytes.baseAddress else { continue }
            (memory + used).copyMemory(from: source, byteCount: length)
            memory.storeBytes(of: 0, toByteOffset: used + length, as: UInt8.self)
            used += length + 1
        }
        bytes = memory
        size = used
        // Now that their bytes move no more.
        var start = memory
        for index in 0..<count where cells[index].hasBytes && cells[index].bytes.baseAddress != nil {
            cells[index] = cells[index].moved(to: start)
            start += Int(cells[index].length) + 1
        }
    }

    deinit {
        cells.deallocate()
        bytes.deallocate()
    }

    /// About how much memory it takes.
    package var byteCount: Int { 128 + MemoryLayout<RowCell>.stride * count + size }

    /// Whether it holds the same values of the same storage classes.
    package func equals(_ other: StoredRow) -> Bool {
        count == other.count && (0..<count).allSatisfy { cells[$0].equals(other.cells[$0]) }
    }

    /// Bytes that two rows share exactly when they agree in these columns.
    package func identity(_ columns: [Int]) -> [UInt8] {
        var identity: [UInt8] = []
        for column in columns where column < count {
            let cell = cells[column]
            identity.append(UInt8(truncatingIfNeeded: cell.type))
            switch cell.type {
            case StorageType.integer, StorageType.real: withUnsafeBytes(of: cell.bits) { identity += $0 }
            case StorageType.null: break
            default:
                withUnsafeBytes(of: cell.length) { identity += $0 }
                identity += cell.bytes
            }
        }
        return identity
    }

    /// A copy of one value; text that is not UTF-8 comes as its bytes.
    package func value(_ column: Int) -> Value { column < count ? cells[column].value : .null }
}
