public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM

/// What `corm_python_use` was told; nil before.
nonisolated(unsafe) private var interpreter: Interpreter?

@_cdecl("corm_python_use") @implementation
public func corm_python_use(
    _ python: UnsafePointer<corm_python>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        guard let python else {
            throw CormorantError(.misuse, "python is NULL", hint: "pass the functions of the interpreter")
        }
        let raw: corm_python = try readStruct(python, python.pointee.struct_size, "corm_python")
        guard let given = Interpreter(raw) else {
            throw CormorantError(.misuse, "a member of corm_python is NULL", hint: "set all of them")
        }
        interpreter = given
        return CORM_OK
    }
}

@_cdecl("corm_python_find") @implementation
public func corm_python_find(_ table: UnsafeMutableRawPointer?, _ key: UnsafeMutableRawPointer?)
    -> UnsafeMutableRawPointer?
{
    guard let interpreter, let table, let key else { return nil }
    return interpreter.find(table, key)
}

@_cdecl("corm_python_destroy_stream") @implementation
public func corm_python_destroy_stream(_ capsule: UnsafeMutableRawPointer?) {
    guard let interpreter, let capsule else { return }
    interpreter.destroyStream(capsule)
}

/// The functions of CPython, which are called with the GIL held. Objects are references to `PyObject`.
private struct Interpreter {
    typealias Object = UnsafeMutableRawPointer

    let none: Object
    let retain: @convention(c) (Object?) -> Void
    let release: @convention(c) (Object?) -> Void
    let raised: @convention(c) () -> Object?
    let saveThread: @convention(c) () -> UnsafeMutableRawPointer?
    let restoreThread: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let int64: @convention(c) (Object?, UnsafeMutablePointer<Int32>?) -> Int64
    let integer: @convention(c) (Int64) -> Object?
    let bool: @convention(c) (Int) -> Object?
    let real: @convention(c) (Double) -> Object?
    let text: @convention(c) (UnsafePointer<CChar>?, Int) -> Object?
    let bytes: @convention(c) (UnsafePointer<CChar>?, Int) -> Object?
    let tuple: @convention(c) (Int) -> Object?
    let setItem: @convention(c) (Object?, Int, Object?) -> Int32
    let pointer: @convention(c) (Object?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    init?(_ raw: corm_python) {
        guard let none = raw.none, let retain = raw.inc_ref, let release = raw.dec_ref, let raised = raw.err_occurred,
            let saveThread = raw.eval_save_thread, let restoreThread = raw.eval_restore_thread,
            let int64 = raw.long_as_long_long_and_overflow, let integer = raw.long_from_long_long,
            let bool = raw.bool_from_long, let real = raw.float_from_double,
            let text = raw.unicode_from_string_and_size,
            let bytes = raw.bytes_from_string_and_size, let tuple = raw.tuple_new, let setItem = raw.tuple_set_item,
            let pointer = raw.capsule_get_pointer, let free = raw.mem_free
        else { return nil }
        (self.none, self.retain, self.release, self.raised) = (none, retain, release, raised)
        (self.saveThread, self.restoreThread) = (saveThread, restoreThread)
        (self.int64, self.integer, self.bool, self.real) = (int64, integer, bool, real)
        (self.text, self.bytes, self.tuple, self.setItem) = (text, bytes, tuple, setItem)
        (self.pointer, self.free) = (pointer, free)
    }

    func destroyStream(_ capsule: Object) {
        guard let memory = pointer(capsule, "arrow_array_stream") else { return }
        let stream = memory.assumingMemoryBound(to: ArrowArrayStream.self)
        if let release = stream.pointee.release {
            let thread = saveThread()
            release(stream)
            restoreThread(thread)
        }
        free(memory)
    }

    func find(_ table: Object, _ key: Object) -> Object? {
        var overflow: Int32 = 0
        let address = int64(table, &overflow)
        let value = int64(key, &overflow)
        if address == -1 || value == -1, raised() != nil { return nil }
        guard let table = UnsafePointer<corm_python_table>(bitPattern: Int(address)) else { return nil }
        // As much as Swift puts on the stack; a longer row gets memory of its own.
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { memory in
            var block = corm_block(data: memory.baseAddress, size: 0, capacity: memory.count, owned: false)
            var error: OpaquePointer?
            let thread = saveThread()
            let status = boundary(&error) {
                try findRow(
                    table.pointee.database, table.pointee.model, &block, cached: { $0.rowKey([.integer(value)]) }
                ) { writer, model in
                    guard overflow == 0 else { throw MarshalReader.tooLarge("the key") }
                    guard model.keyColumns.count <= 1 else { throw wrongKeyCount(model, 1) }
                    try writer.writeKey(value)
                } ? CORM_OK : CORM_NOT_FOUND
            }
            // No lock is held from here on: a thread may end in the call, when the interpreter does.
            restoreThread(thread)
            defer { if block.owned { block.data?.deallocate() } }
            switch status {
            case CORM_OK: return block.data.flatMap(row)
            case CORM_NOT_FOUND:
                retain(none)
                return none
            default: return integer(Int64(Int(bitPattern: error)))
            }
        }
    }

    /// The tuple that `MarshalWriter.row` wrote.
    private func row(_ block: UnsafeMutableRawPointer) -> Object? {
        var reader = WrittenRow(at: block)
        let count = reader.count()
        guard let row = tuple(count) else { return nil }
        for column in 0..<count {
            guard let item = item(&reader), setItem(row, column, item) == 0 else {
                release(row)
                return nil
            }
        }
        return row
    }

    @inline(__always)
    private func item(_ reader: inout WrittenRow) -> Object? {
        switch reader.take(UInt8.self) {
        case UInt8(ascii: "i"): return integer(Int64(reader.take(Int32.self)))
        case UInt8(ascii: "z"): return string(text, &reader, Int(reader.take(UInt8.self)))
        case UInt8(ascii: "a"), UInt8(ascii: "u"): return string(text, &reader, Int(reader.take(Int32.self)))
        case UInt8(ascii: "g"): return real(Double(bitPattern: reader.take(UInt64.self)))
        case UInt8(ascii: "l"): return integer(reader.long())
        case UInt8(ascii: "s"): return string(bytes, &reader, Int(reader.take(Int32.self)))
        case UInt8(ascii: "T"): return bool(1)
        case UInt8(ascii: "F"): return bool(0)
        default:
            retain(none)
            return none
        }
    }

    @inline(__always)
    private func string(
        _ make: @convention(c) (UnsafePointer<CChar>?, Int) -> Object?, _ reader: inout WrittenRow, _ count: Int
    ) -> Object? {
        make(reader.skip(count).assumingMemoryBound(to: CChar.self), count)
    }
}

/// Reads back what `MarshalWriter.row` wrote a moment ago, which need not be checked.
private struct WrittenRow {
    private var at: UnsafeRawPointer

    init(at start: UnsafeRawPointer) { at = start }

    @inline(__always)
    mutating func skip(_ count: Int) -> UnsafeRawPointer {
        defer { at += count }
        return at
    }

    @inline(__always)
    mutating func take<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T {
        T(littleEndian: skip(MemoryLayout<T>.size).loadUnaligned(as: T.self))
    }

    mutating func count() -> Int {
        take(UInt8.self) == UInt8(ascii: ")") ? Int(take(UInt8.self)) : Int(take(Int32.self))
    }

    /// An integer of more than 32 bits, in digits of 15.
    mutating func long() -> Int64 {
        let signed = Int(take(Int32.self))
        var magnitude: UInt64 = 0
        for index in 0..<abs(signed) { magnitude |= UInt64(take(UInt16.self)) << UInt64(index &* 15) }
        return Int64(bitPattern: signed < 0 ? 0 &- magnitude : magnitude)
    }
}
