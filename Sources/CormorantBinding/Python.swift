import CCormorant
import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantPlatform
import CormorantThreads

@_cdecl("corm_python_is_loaded") @implementation
public func corm_python_is_loaded() -> Bool { Interpreter.loaded != nil }

@_cdecl("corm_python_find") @implementation
public func corm_python_find(_ table: UnsafeMutableRawPointer?, _ key: UnsafeMutableRawPointer?)
    -> UnsafeMutableRawPointer?
{
    guard let interpreter = Interpreter.loaded, let table, let key else { return nil }
    return interpreter.find(table, key)
}

@_cdecl("corm_python_write") @implementation
public func corm_python_write(_ writer: UnsafeMutableRawPointer?, _ values: UnsafeMutableRawPointer?)
    -> UnsafeMutableRawPointer?
{
    guard let interpreter = Interpreter.loaded, let writer, let values else { return nil }
    return interpreter.write(writer, values)
}

@_cdecl("corm_python_run") @implementation
public func corm_python_run(
    _ database: UnsafeMutableRawPointer?, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ count: Int
) -> UnsafeMutableRawPointer? {
    guard let interpreter = Interpreter.loaded, let database, let arguments, count == 4 else { return nil }
    return interpreter.run(database, arguments)
}

@_cdecl("corm_python_destroy_stream") @implementation
public func corm_python_destroy_stream(_ capsule: UnsafeMutableRawPointer?) {
    guard let interpreter = Interpreter.loaded, let capsule else { return }
    interpreter.destroyStream(capsule)
}

@_cdecl("corm_python_set_patience") @implementation
public func corm_python_set_patience(_ patience: Int32) { Threads.patience = Patience(rawValue: patience) ?? .none }

@_cdecl("corm_python_set_confirming") @implementation
public func corm_python_set_confirming(_ release: corm_release?) {
    let address = release.map { Int(bitPattern: unsafeBitCast($0, to: UnsafeRawPointer.self)) }
    HostContext.confirming.store(Int64(address ?? 0))
}

/// The functions of CPython, which are called with the GIL held. Objects are references to `PyObject`.
struct Interpreter: @unchecked Sendable {  // never written after init
    typealias Object = UnsafeMutableRawPointer

    /// Of the CPython in this process, one for all of its interpreters; nil where there is none.
    static let loaded = Interpreter()

    let none, yes: Object
    /// Types, each an object.
    let integerType, boolType, realType, textType, bytesType, tupleType: Object
    let typeOf: @convention(c) (Object?) -> Object?
    let retain: @convention(c) (Object?) -> Void
    let release: @convention(c) (Object?) -> Void
    let raised: @convention(c) () -> Object?
    let clearError: @convention(c) () -> Void
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
    let list: @convention(c) (Int) -> Object?
    let setListItem: @convention(c) (Object?, Int, Object?) -> Int32
    let realValue: @convention(c) (Object?) -> Double
    let textBytes: @convention(c) (Object?, UnsafeMutablePointer<Int>?) -> UnsafePointer<CChar>?
    let bytesOf: @convention(c) (Object?) -> UnsafeMutablePointer<CChar>?
    let bytesCount: @convention(c) (Object?) -> Int
    let tupleCount: @convention(c) (Object?) -> Int
    let tupleItem: @convention(c) (Object?, Int) -> Object?
    let pointer: @convention(c) (Object?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// What the dynamic linker knows of CPython's stable ABI: https://docs.python.org/3/c-api/stable.html
    private init?() {
        // All that the process has loaded for everyone, as `ctypes.pythonapi` is.
        guard let process = dlopen(nil, RTLD_NOW) else { return nil }
        var isMissing = false
        func object(_ name: String) -> Object {
            if let address = dlsym(process, name) { return address }
            isMissing = true
            return process
        }
        func function<Function>(_ name: String) -> Function { unsafeBitCast(object(name), to: Function.self) }
        (none, yes) = (object("_Py_NoneStruct"), object("_Py_TrueStruct"))
        (integerType, boolType, realType) = (object("PyLong_Type"), object("PyBool_Type"), object("PyFloat_Type"))
        (textType, bytesType, tupleType) = (object("PyUnicode_Type"), object("PyBytes_Type"), object("PyTuple_Type"))
        (typeOf, retain, release) = (function("PyObject_Type"), function("Py_IncRef"), function("Py_DecRef"))
        (raised, clearError) = (function("PyErr_Occurred"), function("PyErr_Clear"))
        (saveThread, restoreThread) = (function("PyEval_SaveThread"), function("PyEval_RestoreThread"))
        (int64, integer) = (function("PyLong_AsLongLongAndOverflow"), function("PyLong_FromLongLong"))
        (bool, real, realValue) = (
            function("PyBool_FromLong"), function("PyFloat_FromDouble"), function("PyFloat_AsDouble")
        )
        (text, textBytes) = (function("PyUnicode_FromStringAndSize"), function("PyUnicode_AsUTF8AndSize"))
        (bytes, bytesOf) = (function("PyBytes_FromStringAndSize"), function("PyBytes_AsString"))
        bytesCount = function("PyBytes_Size")
        (tuple, setItem) = (function("PyTuple_New"), function("PyTuple_SetItem"))
        (tupleCount, tupleItem) = (function("PyTuple_Size"), function("PyTuple_GetItem"))
        (list, setListItem) = (function("PyList_New"), function("PyList_SetItem"))
        (pointer, free) = (function("PyCapsule_GetPointer"), function("PyMem_Free"))
        if isMissing { return nil }
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
                    table.pointee.database, table.pointee.model, &block,
                    cached: { overflow == 0 ? $0.rowKey([.integer(value)]) : nil }
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
            case CORM_OK: return block.data.flatMap(object)
            case CORM_NOT_FOUND: return newNone()
            default: return integer(Int64(Int(bitPattern: error)))
            }
        }
    }

    func run(_ database: Object, _ arguments: UnsafePointer<Object?>) -> Object? {
        var overflow: Int32 = 0
        let handle = int64(database, &overflow)
        let maxRows = int64(arguments[3], &overflow)
        if overflow != 0 || handle == -1 || maxRows == -1, raised() != nil { return nil }
        let begin = isExactly(arguments[2], bytesType) ? UnsafePointer(bytesOf(arguments[2])) : nil
        guard let sql = statementText(arguments[0]) else { return newNone() }
        return withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { memory in
            // Its first half is the bindings', as long as they are short.
            var given = corm_block(data: memory.baseAddress, size: 0, capacity: 512, owned: false)
            var block = corm_block(data: memory.baseAddress.map { $0 + 512 }, size: 0, capacity: 512, owned: false)
            defer {
                if given.owned { given.data?.deallocate() }
                if block.owned { block.data?.deallocate() }
            }
            var (bindings, size) = (UnsafeRawPointer?.none, 0)
            if isExactly(arguments[1], bytesType) {
                (bindings, size) = (bytesOf(arguments[1]).map { UnsafeRawPointer($0) }, bytesCount(arguments[1]))
            } else if let values = arguments[1], values != none {
                guard write(values, to: &given) else { return newNone() }
                (bindings, size) = (given.size == 0 ? nil : UnsafeRawPointer(given.data), given.size)
            }
            var (error, rest) = (OpaquePointer?.none, OpaquePointer?.none)
            let thread = saveThread()
            let status = boundary(&error) {
                rest = try runStatement(
                    OpaquePointer(bitPattern: Int(handle)), sql, begin, bindings, size, maxRows, &block)
                return CORM_OK
            }
            // As in find.
            restoreThread(thread)
            guard status == CORM_OK else { return integer(Int64(Int(bitPattern: error))) }
            if let made = block.data.flatMap(object) { return made }
            corm_result_close(rest)
            return nil
        }
    }

    func newNone() -> Object? {
        retain(none)
        return none
    }

    func isExactly(_ object: Object?, _ type: Object) -> Bool {
        guard let object else { return false }
        let found = typeOf(object)
        release(found)
        return found == type
    }

    /// What a str holds; nil for what is none, and for text that no C string can be.
    private func statementText(_ object: Object?) -> UnsafePointer<CChar>? {
        guard isExactly(object, textType) else { return nil }
        var count = 0
        guard let text = textBytes(object, &count) else {
            clearError()
            return nil
        }
        return Int(strlen(text)) == count ? text : nil
    }

    /// Writes a tuple, as marshal.dumps does. Nothing for an empty one.
    /// - Returns: false where it is none, or holds what is not exactly None, int, float, str or bytes.
    private func write(_ values: Object, to block: inout corm_block) -> Bool {
        guard isExactly(values, tupleType) else { return false }
        let count = tupleCount(values)
        if count == 0 { return true }
        var writer = MarshalWriter(&block)
        do {
            try writer.tuple(count)
            for index in 0..<count {
                guard try write(tupleItem(values, index), &writer) else { return false }
            }
        } catch {
            return false
        }
        writer.finish()
        return true
    }

    private func write(_ value: Object?, _ writer: inout MarshalWriter) throws -> Bool {
        switch item(of: value) {
        case .none: writer.none()
        case .integer(let number): writer.integer(number)
        case .text(let text, let count):
            return try writer.text(
                UnsafeBufferPointer(start: text.assumingMemoryBound(to: UInt8.self), count: count))
        case .real(let real): writer.real(real)
        case .bytes(let bytes, let count): try writer.blob(UnsafeRawBufferPointer(start: bytes, count: count))
        default: return false
        }
        return true
    }

    /// A value where it lies; `.other` for what is of no type that SQL has, and for text that is no Unicode.
    @inline(__always)
    func item(of value: Object?) -> MarshalReader.Item {
        guard let value else { return .other }
        if value == none { return .none }
        let type = typeOf(value)
        release(type)
        switch type {
        case integerType:
            var overflow: Int32 = 0
            let number = int64(value, &overflow)
            return overflow == 0 ? .integer(number) : .hugeInteger
        case textType:
            var count = 0
            if let text = textBytes(value, &count) { return .text(text, count) }
            clearError()
        case realType: return .real(realValue(value))
        case bytesType: if let bytes = bytesOf(value) { return .bytes(bytes, bytesCount(value)) }
        case boolType: return .bool(value == yes)
        default: break
        }
        return .other
    }

    /// What `MarshalWriter` wrote.
    func object(_ block: UnsafeMutableRawPointer) -> Object? {
        var reader = WrittenBlock(at: block)
        return item(&reader)
    }

    private func item(_ reader: inout WrittenBlock) -> Object? {
        switch reader.take(UInt8.self) {
        case UInt8(ascii: "i"): return integer(Int64(reader.take(Int32.self)))
        case UInt8(ascii: "z"): return string(text, &reader, Int(reader.take(UInt8.self)))
        case UInt8(ascii: "a"), UInt8(ascii: "u"): return string(text, &reader, Int(reader.take(Int32.self)))
        case UInt8(ascii: "g"): return real(Double(bitPattern: reader.take(UInt64.self)))
        case UInt8(ascii: "l"): return integer(reader.long())
        case UInt8(ascii: "s"): return string(bytes, &reader, Int(reader.take(Int32.self)))
        case UInt8(ascii: "T"): return bool(1)
        case UInt8(ascii: "F"): return bool(0)
        case UInt8(ascii: ")"): return items(&reader, Int(reader.take(UInt8.self)), tuple, setItem)
        case UInt8(ascii: "("): return items(&reader, Int(reader.take(Int32.self)), tuple, setItem)
        case UInt8(ascii: "["): return items(&reader, Int(reader.take(Int32.self)), list, setListItem)
        default: return newNone()
        }
    }

    @inline(__always)
    private func items(
        _ reader: inout WrittenBlock, _ count: Int, _ make: @convention(c) (Int) -> Object?,
        _ set: @convention(c) (Object?, Int, Object?) -> Int32
    ) -> Object? {
        guard let all = make(count) else { return nil }
        for index in 0..<count {
            guard let item = item(&reader), set(all, index, item) == 0 else {
                release(all)
                return nil
            }
        }
        return all
    }

    @inline(__always)
    private func string(
        _ make: @convention(c) (UnsafePointer<CChar>?, Int) -> Object?, _ reader: inout WrittenBlock, _ count: Int
    ) -> Object? {
        make(reader.skip(count).assumingMemoryBound(to: CChar.self), count)
    }
}

/// Reads back what `MarshalWriter` wrote a moment ago, which need not be checked.
private struct WrittenBlock {
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

    /// An integer of more than 32 bits, in digits of 15.
    mutating func long() -> Int64 {
        let signed = Int(take(Int32.self))
        var magnitude: UInt64 = 0
        for index in 0..<abs(signed) { magnitude |= UInt64(take(UInt16.self)) << UInt64(index &* 15) }
        return Int64(bitPattern: signed < 0 ? 0 &- magnitude : magnitude)
    }
}
