import CCormorant
import CCormorantBinding
import CormorantC

extension Interpreter {
    func write(_ writer: Object, _ values: Object) -> Object? {
        var overflow: Int32 = 0
        let address = int64(writer, &overflow)
        if overflow != 0 || address == -1, raised() != nil { return nil }
        guard let writer = UnsafePointer<corm_python_writer>(bitPattern: Int(address)) else { return nil }
        let count = writer.pointee.count
        return withUnsafeTemporaryAllocation(of: MarshalReader.Item.self, capacity: max(1, count)) { items in
            guard let first = items.baseAddress, take(values, count, into: first) else { return newNone() }
            return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { memory in
                var block = corm_block(data: memory.baseAddress, size: 0, capacity: memory.count, owned: false)
                defer { if block.owned { block.data?.deallocate() } }
                var error: OpaquePointer?
                var isWritten = false
                var returned = MarshalRow.Returned.nothing
                let thread = saveThread()
                let status = boundary(&error) {
                    (isWritten, returned) = try WrittenRecord.write(writer.pointee, first, &block)
                    return CORM_OK
                }
                // As in find.
                restoreThread(thread)
                if status != CORM_OK { return newError(error) }
                switch returned {
                case .nothing: return bool(isWritten ? 1 : 0)
                case .key(let key): return integer(key)
                case .row: return block.data.flatMap(object)
                }
            }
        }
    }

    /// Takes values that stay where they are; false where there is one that is to be converted.
    @inline(__always)
    private func take(_ values: Object, _ count: Int, into items: UnsafeMutablePointer<MarshalReader.Item>) -> Bool {
        if count == 1 { return take(values, into: items) }
        guard isExactly(values, tupleType), tupleCount(values) == count else { return false }
        for index in 0..<count {
            guard take(tupleItem(values, index), into: items + index) else { return false }
        }
        return true
    }

    @inline(__always)
    private func take(_ value: Object?, into item: UnsafeMutablePointer<MarshalReader.Item>) -> Bool {
        let taken = self.item(of: value)
        item.initialize(to: taken)
        if case .other = taken { return false }
        return true
    }

    private func newError(_ error: OpaquePointer?) -> Object? {
        guard let all = list(1) else { return nil }
        guard setListItem(all, 0, integer(Int64(Int(bitPattern: error)))) == 0 else {
            release(all)
            return nil
        }
        return all
    }
}
