import CCormorant
import CormorantBase
import CormorantORM
import CormorantPlatform

extension ScratchMemory {
    /// Room for structs of C, wherever texts that went before end.
    func allocateRecords(size: Int) throws -> UnsafeMutableRawPointer {
        let alignment = 16
        return try checkedAllocate(size + alignment).alignedUp(toMultipleOf: alignment)
    }
}

/// An array of structs and its texts.
final class Records: HandleObject {
    static var kind: HandleKind { .records }
    let texts = ScratchMemory()
    private(set) var start: UnsafeMutableRawPointer?
    private(set) var count = 0
    private var capacity = 0
    private let size: Int

    init(size: Int) { self.size = size }

    deinit { free(start) }

    /// Puts the records into another order, some of them several times.
    func arrange(_ positions: [Int]) throws {
        guard let start, !positions.isEmpty else { return }
        guard let moved = malloc(positions.count &* size) else {
            throw CormorantError(
                .noMemory, "there is no memory for \(positions.count) records", hint: "load for fewer at once")
        }
        for (index, position) in positions.enumerated() {
            (moved + index &* size).copyMemory(from: start + position &* size, byteCount: size)
        }
        free(start)
        self.start = moved
        (count, capacity) = (positions.count, positions.count)
    }

    /// Room for one more record, all bytes zero.
    @inline(__always)
    func append() throws -> UnsafeMutableRawPointer {
        if count == capacity { try grow() }
        // `grow` leaves start set.
        let record = start.unsafelyUnwrapped + count &* size
        record.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        count &+= 1
        return record
    }

    /// Drops what stands behind so many.
    func keep(_ first: Int) { count = min(count, first) }

    /// realloc moves pages of a large array rather than bytes.
    private func grow() throws {
        let larger = max(16, capacity &* 2)
        guard let moved = realloc(start, larger &* size) else {
            throw CormorantError(
                .noMemory, "there is no memory for \(larger) records", hint: "stream them with a cursor")
        }
        start = moved
        capacity = larger
    }
}

private func records(_ handle: OpaquePointer?) -> Records? { Handles.object(handle, as: Records.self) }

@_cdecl("corm_records_count") @implementation
public func corm_records_count(_ handle: OpaquePointer?) -> Int { records(handle)?.count ?? 0 }

@_cdecl("corm_records_data") @implementation
public func corm_records_data(_ handle: OpaquePointer?) -> UnsafeMutableRawPointer? { records(handle)?.start }

@_cdecl("corm_records_free") @implementation
public func corm_records_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: Records.self) }
