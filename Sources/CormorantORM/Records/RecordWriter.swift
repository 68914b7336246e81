import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Binds the values of one record to a statement. Columns that the statement does not use are skipped. It is lent, and cannot be
/// copied: it ends with the call that it is given to.
public struct RecordWriter: ~Copyable {
    // What makes a writer outlives it. Counted references to these would cost a lookup a fiftieth.
    @usableFromInline let borrowedStatement: Unmanaged<Statement>
    @usableFromInline let borrowedModel: Unmanaged<ModelDescriptor>
    @usableFromInline let borrowedScratch: Unmanaged<ScratchMemory>
    /// The statement's parameter for each column of the model, 0 for none.
    @usableFromInline package let parameters: UnsafePointer<Int32>
    /// The column that a NULL asks SQLite to fill in; -1 for none.
    @usableFromInline package let generatedColumn: Int
    /// Whether it was asked.
    @usableFromInline package var wantsKey = false

    init(
        _ statement: Statement, _ parameters: UnsafePointer<Int32>, _ model: ModelDescriptor, _ scratch: ScratchMemory,
        makesKey: Bool = false
    ) {
        borrowedStatement = .passUnretained(statement)
        borrowedModel = .passUnretained(model)
        borrowedScratch = .passUnretained(scratch)
        self.parameters = parameters
        generatedColumn = makesKey ? model.generatedColumn : -1
    }

    package var statement: Statement { borrowedStatement.takeUnretainedValue() }
    /// That of the statement.
    @inlinable @inline(__always)
    package var parameterCount: Int { withoutRetaining(borrowedStatement) { $0.parameterCount } }
    package var model: ModelDescriptor { borrowedModel.takeUnretainedValue() }

    @inlinable @inline(__always)
    func bindNull(_ parameter: Int32) { withoutRetaining(borrowedStatement) { $0.bindNull(parameter) } }

    @inlinable @inline(__always)
    func bind(_ value: Int64, _ parameter: Int32) {
        withoutRetaining(borrowedStatement) { $0.bind(value, parameter) }
    }

    @inlinable @inline(__always)
    func bind(_ value: Double, _ parameter: Int32) {
        withoutRetaining(borrowedStatement) { $0.bind(value, parameter) }
    }

    @inlinable @inline(__always)
    func bindText(_ bytes: UnsafeRawPointer, count: Int, _ parameter: Int32) throws {
        try withoutRetaining(borrowedStatement) {
            try $0.bindText(borrowing: bytes, count: count, parameter)
        }
    }

    /// Room that stays until the record has been written.
    @inlinable @inline(__always)
    package func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        withoutRetaining(borrowedScratch) { $0.allocate(count) }
    }

    /// The same, or an error where there is no memory for it.
    func checkedAllocate(_ count: Int) throws -> UnsafeMutableRawPointer {
        try withoutRetaining(borrowedScratch) { try $0.checkedAllocate(count) }
    }

    @inlinable @inline(__always)
    package func copy(_ bytes: UnsafeRawPointer?, count: Int) -> UnsafeMutableRawPointer {
        withoutRetaining(borrowedScratch) { $0.copy(bytes, count: count) }
    }

    /// Whether the statement uses the column.
    @inlinable @inline(__always)
    public func uses(_ column: Int) -> Bool { parameters[column] != 0 }

    /// Writes NULL.
    @inlinable @inline(__always)
    public mutating func writeNull(at column: Int) {
        let parameter = parameters[column]
        if parameter == 0 { return }
        if column == generatedColumn { wantsKey = true }
        bindNull(parameter)
    }

    /// Writes an integer.
    @inlinable @inline(__always)
    public mutating func write(_ value: Int64, at column: Int) {
        let parameter = parameters[column]
        if parameter == 0 { return }
        bind(value, parameter)
    }

    /// NaN is refused: SQLite would store NULL.
    @inlinable @inline(__always)
    public mutating func write(_ value: Double, at column: Int) throws {
        let parameter = parameters[column]
        if parameter == 0 { return }
        if value.isNaN { throw nan(column) }
        bind(value, parameter)
    }

    /// Writes 1 for true and 0 for false.
    @inlinable @inline(__always)
    public mutating func write(_ value: Bool, at column: Int) {
        write(value ? 1 : 0 as Int64, at: column)
    }

    /// Copies the text.
    @inlinable @inline(__always)
    public mutating func write(_ value: String, at column: Int) throws {
        let parameter = parameters[column]
        if parameter == 0 { return }
        var value = value
        try value.withUTF8 { bytes in
            let copy = copy(bytes.baseAddress, count: bytes.count)
            try bindText(copy, count: bytes.count, parameter)
        }
    }

    /// Binds text whose bytes stay where they are until the record has been written; checks that it is UTF-8.
    @inlinable @inline(__always)
    package mutating func write(textBorrowing bytes: UnsafeRawPointer, count: Int, at column: Int) throws {
        let parameter = parameters[column]
        if parameter == 0 { return }
        guard isValidUTF8(bytes, count: count) else { throw notUTF8(column) }
        try bindText(bytes, count: count, parameter)
    }

    /// Copies the bytes.
    public mutating func write(_ value: [UInt8], at column: Int) throws {
        try value.withUnsafeBytes { bytes in
            guard uses(column) else { return }
            let copy = copy(bytes.baseAddress, count: bytes.count)
            try write(blobBorrowing: UnsafeRawPointer(copy), count: bytes.count, at: column)
        }
    }

    /// Binds a blob whose bytes stay where they are until the record has been written.
    package mutating func write(blobBorrowing bytes: UnsafeRawPointer, count: Int, at column: Int) throws {
        let parameter = parameters[column]
        if parameter == 0 { return }
        try withoutRetaining(borrowedStatement) { try $0.bindBlob(borrowing: bytes, count: count, parameter) }
    }

    /// Writes a point in time as its text. Throws `range` for a year beyond 1 to 9999.
    public mutating func write(_ value: Timestamp, at column: Int) throws {
        try write(.datetime, value.microseconds, at: column)
    }

    /// Writes a point in time with its offset as its text. Throws `range` for a year beyond 1 to 9999, by the clock or in UTC, and
    /// for an offset of a day or more.
    public mutating func write(_ value: OffsetTimestamp, at column: Int) throws {
        guard uses(column) else { return }
        if let fault = value.fault {
            throw wrong(
                column, .range, "is a time \(fault)", "give a time within the years, with an offset of less than a day")
        }
        let bytes = allocate(OffsetTimestamp.textSize).assumingMemoryBound(to: UInt8.self)
        try bindText(bytes, count: value.write(to: bytes), parameters[column])
    }

    /// Writes the text of the integer that stands for a time, a date or a time of day.
    package mutating func write(_ form: TimeForm, _ value: Int64, at column: Int) throws {
        guard uses(column) else { return }
        guard form.range.contains(value) else {
            let what = form == .date ? "date" : "time"
            throw wrong(column, .range, "is a \(what) \(form.beyond)", form.rangeHint)
        }
        let bytes = allocate(form.textSize).assumingMemoryBound(to: UInt8.self)
        let count = form.write(value, to: bytes)
        try bindText(bytes, count: count, parameters[column])
    }

    /// Writes a UUID as its 36 lower-case characters.
    public mutating func write(_ value: UUIDBytes, at column: Int) throws {
        guard uses(column) else { return }
        let bytes = allocate(UUIDBytes.textSize).assumingMemoryBound(to: UInt8.self)
        value.write(to: bytes)
        try bindText(bytes, count: UUIDBytes.textSize, parameters[column])
    }
}

extension RecordWriter {
    @usableFromInline @inline(never)
    package func nan(_ column: Int) -> CormorantError {
        wrong(
            column, .range, "is NaN, which cannot be stored",
            model.columns[column].notNull
                ? "make it nullable and give NULL where a number is missing" : "give NULL where a number is missing")
    }

    @usableFromInline @inline(never)
    package func notUTF8(_ column: Int) -> CormorantError {
        wrong(column, .encoding, "is not UTF-8", "convert the text, or make the column a blob")
    }

    /// An error about the value of one column.
    @inline(never)
    package func wrong(_ column: Int, _ code: ErrorCode, _ what: String, _ hint: String) -> CormorantError {
        let property = model.columns[column].name
        return CormorantError(
            code, "\(model.name).\(property) \(what)", hint: hint, table: model.table,
            columns: [model.columns[column].column])
    }
}
