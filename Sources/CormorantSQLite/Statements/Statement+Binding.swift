import CSQLite
import CormorantBase
import CormorantEngine

/// Tells SQLite to copy the bytes, and that they stay where they are until the statement is bound again.
let transientBytes = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Statement {
    @inlinable @inline(__always)
    package func bindNull(_ index: Int32) {
        if pointer == nil { bindEngine(index) } else { sqlite3_bind_null(pointer, index) }
    }

    @inlinable @inline(__always)
    package func bind(_ value: Int64, _ index: Int32) {
        if pointer == nil { bindEngine(value, index) } else { sqlite3_bind_int64(pointer, index, value) }
    }

    /// The caller has refused NaN, which SQLite would turn into NULL.
    @inlinable @inline(__always)
    package func bind(_ value: Double, _ index: Int32) {
        if pointer == nil { bindEngine(value, index) } else { sqlite3_bind_double(pointer, index, value) }
    }

    /// Binds text in place: the bytes must stay until the statement has run and is bound again or cleared.
    @inlinable @inline(__always)
    package func bindText(borrowing bytes: UnsafeRawPointer, count: Int, _ index: Int32) throws {
        if pointer == nil { return try bindEngine(text: bytes, count, index, borrowing: true) }
        let status = sqlite3_bind_text64(
            pointer, index, bytes.assumingMemoryBound(to: CChar.self), UInt64(truncatingIfNeeded: count), nil,
            UInt8(SQLITE_UTF8))
        if status != SQLITE_OK { throw bindError(status) }
    }

    /// Binds a blob in place, as `bindText(borrowing:)` does.
    @inlinable @inline(__always)
    package func bindBlob(borrowing bytes: UnsafeRawPointer, count: Int, _ index: Int32) throws {
        if pointer == nil { return try bindEngine(blob: bytes, count, index, borrowing: true) }
        let status = sqlite3_bind_blob64(pointer, index, bytes, UInt64(truncatingIfNeeded: count), nil)
        if status != SQLITE_OK { throw bindError(status) }
    }

    package func bindText(_ bytes: UnsafeRawPointer, count: Int, _ index: Int32, borrowing: Bool) throws {
        if pointer == nil { return try bindEngine(text: bytes, count, index, borrowing: borrowing) }
        let status = sqlite3_bind_text64(
            pointer, index, bytes.assumingMemoryBound(to: CChar.self), UInt64(truncatingIfNeeded: count),
            borrowing ? nil : transientBytes, UInt8(SQLITE_UTF8))
        if status != SQLITE_OK { throw bindError(status) }
    }

    /// Binds UTF-16, valid or not.
    func bindText16(_ bytes: [UInt8], isBigEndian: Bool, _ index: Int32) throws {
        // SQLite takes one byte order mark away, which may be the text's own.
        let marked = (isBigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE]) + bytes
        let status = marked.withUnsafeBytes {
            sqlite3_bind_text64(
                pointer, index, $0.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64($0.count), transientBytes,
                UInt8(isBigEndian ? SQLITE_UTF16BE : SQLITE_UTF16LE))
        }
        if status != SQLITE_OK { throw bindError(status) }
    }

    package func bindBlob(_ bytes: UnsafeRawPointer, count: Int, _ index: Int32, borrowing: Bool) throws {
        if pointer == nil { return try bindEngine(blob: bytes, count, index, borrowing: borrowing) }
        let status = sqlite3_bind_blob64(
            pointer, index, bytes, UInt64(truncatingIfNeeded: count), borrowing ? nil : transientBytes)
        if status != SQLITE_OK { throw bindError(status) }
    }

    /// Binds what a row of another statement holds, in place: until this one is reset, that one stays where it is.
    package func bind(borrowing cell: Cell, _ index: Int32) throws {
        switch cell.type {
        case StorageType.integer: bind(cell.int64, index)
        case StorageType.real: bind(cell.double, index)
        case StorageType.text:
            let text = cell.text
            try bindText(
                text.baseAddress.map { UnsafeRawPointer($0) } ?? noBytes, count: text.count, index, borrowing: true)
        case StorageType.blob:
            let blob = cell.blob
            try bindBlob(blob.baseAddress ?? noBytes, count: blob.count, index, borrowing: true)
        default: bindNull(index)
        }
    }

    /// Binds a copy of the value.
    package func bind(_ value: Value, _ index: Int32) throws {
        var status = SQLITE_OK
        switch value {
        case .null: bindNull(index)
        case .integer(let integer): bind(integer, index)
        case .real(let real):
            guard !real.isNaN else { throw nanBinding(index) }
            bind(real, index)
        case .text(var text) where pointer == nil:
            try text.withUTF8 { bytes in
                let start = UnsafeRawPointer(bytes.baseAddress) ?? UnsafeRawPointer(emptyText)
                try bindEngine(text: start, bytes.count, index, borrowing: false)
            }
        case .blob(let bytes) where pointer == nil:
            try bytes.withUnsafeBytes { bytes in
                try bindEngine(
                    blob: bytes.baseAddress ?? UnsafeRawPointer(emptyText), bytes.count, index, borrowing: false)
            }
        case .text(var text):
            status = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text64(
                        pointer, index, characters.baseAddress ?? emptyText, UInt64(characters.count),
                        transientBytes, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes):
            status =
                bytes.isEmpty
                ? sqlite3_bind_zeroblob(pointer, index, 0)
                : bytes.withUnsafeBytes { bytes in
                    sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), transientBytes)
                }
        }
        if status != SQLITE_OK { throw bindError(status) }
    }

    @usableFromInline @inline(never)
    package func bindError(_ status: Int32) -> CormorantError {
        status == SQLITE_TOOBIG
            ? sqliteError(status, "a bound text or blob is too big", sql: sql)
            : sqliteError(status, sqlite3_errstr(status).map { String(cString: $0) } ?? "", sql: sql)
    }

    /// How a message names a parameter.
    package func describeParameter(_ index: Int32) -> String {
        parameterName(Int(index)) ?? "\(index)"
    }

    package func nanBinding(_ index: Int32) -> CormorantError {
        CormorantError(
            .range, "parameter \(describeParameter(index)) is NaN, which cannot be stored",
            hint: "bind NULL where a number is missing", sql: sql)
    }

    /// Refuses when bindings by position are not exactly as many as the statement has.
    package func checkBindingCount(_ count: Int) throws {
        guard count == parameterCount else {
            throw CormorantError(
                .binding,
                "the statement has \(counted(parameterCount, "parameter")), \(countedWere(count, "value")) given",
                hint: "give one value for each parameter", sql: sql)
        }
    }

    package func unknownParameter(_ name: String) -> CormorantError {
        let known = (0..<parameterCount).compactMap { parameterName($0 + 1) }.joined(separator: ", ")
        return CormorantError(
            .binding, "the statement has no parameter \"\(name)\"",
            hint: known.isEmpty ? "it has no named parameters" : "its parameters are \(known)", sql: sql)
    }
}

/// An address for empty text; SQLite reads a NULL address as SQL NULL.
nonisolated(unsafe) package let emptyText: UnsafePointer<CChar> = {
    let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    pointer.initialize(to: 0)
    return UnsafePointer(pointer)
}()

/// Values for the parameters of a statement, by position or by name.
public enum Bindings: Sendable {
    /// One for each parameter in order; `?N` takes the N-th.
    case positional([Value])
    /// By parameter name, with or without its `:`, `@` or `$`.
    case named([String: Value])
    /// Why a value cannot be bound; thrown when the statement is run.
    case problem(CormorantError)

    /// No values.
    public static var none: Bindings { .positional([]) }
}

extension Statement {
    package func bind(_ bindings: Bindings) throws {
        switch bindings {
        case .problem(let problem): throw problem
        case .positional(let values):
            try checkBindingCount(values.count)
            for (index, value) in values.enumerated() { try bind(value, Int32(truncatingIfNeeded: index + 1)) }
        case .named(let values):
            var bound = Set<Int>()
            for (name, value) in values {
                let index = parameterIndex(name)
                guard index > 0 else { throw unknownParameter(name) }
                try bind(value, Int32(truncatingIfNeeded: index))
                guard bound.insert(index).inserted else { throw givenTwice(describeParameter(Int32(index))) }
            }
            try checkAllBound(bound)
        }
    }

    /// A name with its `:` and without it are one parameter.
    package func givenTwice(_ parameter: String) -> CormorantError {
        CormorantError(
            .binding, "parameter \(parameter) is given two values", hint: "give each parameter one value", sql: sql)
    }

    package func checkAllBound(_ bound: Set<Int>) throws {
        guard bound.count < parameterCount else { return }
        for index in 1...parameterCount where !bound.contains(index) {
            throw CormorantError(
                .binding, "parameter \(describeParameter(Int32(truncatingIfNeeded: index))) has no value",
                hint: "give a value for each parameter", sql: sql)
        }
    }
}

/// The address of what has no bytes.
nonisolated(unsafe) private let noBytes = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
