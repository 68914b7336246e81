import CCormorant
import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantPlatform

@_cdecl("corm_python_is_loaded") @implementation
public func corm_python_is_loaded() -> Bool { Interpreter.loaded != nil }

@_cdecl("corm_python_find") @implementation
public func corm_python_find(_ table: UnsafeMutableRawPointer?, _ key: UnsafeMutableRawPointer?)
    -> UnsafeMutableRawPointer?
{
    guard let interpreter = Interpreter.loaded, let table, let key else { return nil }
    return interpreter.find(table, key)
}

@_cdecl("corm_python_destroy_stream") @implementation
public func corm_python_destroy_stream(_ capsule: UnsafeMutableRawPointer?) {
    guard let interpreter = Interpreter.loaded, let capsule else { return }
    interpreter.destroyStream(capsule)
}

/// The functions of CPython, which are called with the GIL held. Objects are references to `PyObject`.
private struct Interpreter: @unchecked Sendable {  // never written after init
    typealias Object = UnsafeMutableRawPointer

    /// Of the CPython in this process, one for all of its interpreters; nil where there is none.
    static let loaded = Interpreter()

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

    /// What the dynamic linker knows of CPython's stable ABI: https://docs.python.org/3/c-api/stable.html
    private init?() {
        // All that the process has loaded for everyone, as `ctypes.pythonapi` is.
        guard let process = dlopen(nil, RTLD_NOW), let none = dlsym(process, "_Py_NoneStruct"),
            let retain = dlsym(process, "Py_IncRef"), let release = dlsym(process, "Py_DecRef"),
            let raised = dlsym(process, "PyErr_Occurred"), let saveThread = dlsym(process, "PyEval_SaveThread"),
            let restoreThread = dlsym(process, "PyEval_RestoreThread"),
            let int64 = dlsym(process, "PyLong_AsLongLongAndOverflow"),
            let integer = dlsym(process, "PyLong_FromLongLong"), let bool = dlsym(process, "PyBool_FromLong"),
            let real = dlsym(process, "PyFloat_FromDouble"),
            let text = dlsym(process, "PyUnicode_FromStringAndSize"),
            let bytes = dlsym(process, "PyBytes_FromStringAndSize"), let tuple = dlsym(process, "PyTuple_New"),
            let setItem = dlsym(process, "PyTuple_SetItem"), let pointer = dlsym(process, "PyCapsule_GetPointer"),
            let free = dlsym(process, "PyMem_Free")
        else { return nil }
        func function<Function>(_ address: UnsafeMutableRawPointer) -> Function {
            unsafeBitCast(address, to: Function.self)
        }
        self.none = none
        (self.retain, self.release, self.raised) = (function(retain), function(release), function(raised))
        (self.saveThread, self.restoreThread) = (function(saveThread), function(restoreThread))
        (self.int64, self.integer, self.bool) = (function(int64), function(integer), function(bool))
        (self.real, self.text, self.bytes) = (function(real), function(text), function(bytes))
        (self.tuple, self.setItem) = (function(tuple), function(setItem))
        (self.pointer, self.free) = (function(pointer), function(free))
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
