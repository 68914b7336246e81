/// Rows as columns, each an array of one type. It holds all of them in memory, eight bytes or so for a number.
///
/// ```swift
/// let table = try database.fetchColumns("SELECT name, price FROM product")
/// let prices = try table.column("price", as: Double.self)
/// ```
public struct ColumnTable: Sendable {
    private let columns: [ResultColumn]
    private let batches: [ColumnBatch]
    /// How many rows each column has.
    public let rowCount: Int

    init(_ cursor: StatementCursor) throws {
        let reader = try ColumnReader(cursor)
        var batches: [ColumnBatch] = []
        while let batch = try reader.next() { batches.append(batch) }
        columns = reader.columns
        self.batches = batches
        rowCount = batches.reduce(0) { $0 + $1.rowCount }
    }

    /// The names of the columns, in the order of the SELECT.
    public var columnNames: [String] { columns.map(\.name) }

    /// The integers of a column by its name: of two the first, the case of ASCII letters ignored. An unknown name is an
    /// error, and so is a column of another type.
    public func column(_ name: String, as type: Int64.Type) throws -> [Int64?] {
        try values(name, "integers", [.int64, .int32, .uint64, .uint32]) { buffer, row in
            switch buffer.kind {
            case .int32: Int64(buffer.number(row, as: Int32.self))
            case .uint32: Int64(buffer.number(row, as: UInt32.self))
            // SQLite's integers end at 2^63-1.
            default: buffer.number(row, as: Int64.self)
            }
        }
    }

    /// The reals of a column.
    public func column(_ name: String, as type: Double.Type) throws -> [Double?] {
        try values(name, "reals", [.double, .float]) { buffer, row in
            buffer.kind == .float ? Double(buffer.number(row, as: Float.self)) : buffer.number(row, as: Double.self)
        }
    }

    /// The truth values of a column.
    public func column(_ name: String, as type: Bool.Type) throws -> [Bool?] {
        try values(name, "truth values", [.bool]) { buffer, row in
            buffer.number(row >> 3, as: UInt8.self) >> UInt8(row & 7) & 1 == 1
        }
    }

    /// The texts of a column.
    public func column(_ name: String, as type: String.Type) throws -> [String?] {
        try values(name, "text", [.text]) { buffer, row in String(decoding: buffer.bytes(row), as: UTF8.self) }
    }

    /// The blobs of a column.
    public func column(_ name: String, as type: [UInt8].Type) throws -> [[UInt8]?] {
        try values(name, "blobs", [.blob]) { buffer, row in Array(buffer.bytes(row)) }
    }

    /// The times of a column; of offset datetimes the moments.
    public func column(_ name: String, as type: Timestamp.Type) throws -> [Timestamp?] {
        try values(name, "times", [.time, .moment]) { buffer, row in
            Timestamp(microseconds: buffer.number(row, as: Int64.self))
        }
    }

    /// The dates of a column.
    public func column(_ name: String, as type: LocalDate.Type) throws -> [LocalDate?] {
        try values(name, "dates", [.date]) { buffer, row in LocalDate(days: Int(buffer.number(row, as: Int32.self))) }
    }

    /// The times of day of a column.
    public func column(_ name: String, as type: LocalTime.Type) throws -> [LocalTime?] {
        try values(name, "times of day", [.timeOfDay]) { buffer, row in
            LocalTime(microseconds: buffer.number(row, as: Int64.self))
        }
    }

    /// The durations of a column.
    public func column(_ name: String, as type: Duration.Type) throws -> [Duration?] {
        try values(name, "durations", [.duration]) { buffer, row in
            .microseconds(buffer.number(row, as: Int64.self))
        }
    }

    /// A column of NULL alone is of every type.
    private func values<Element>(
        _ name: String, _ plural: String, _ kinds: Set<ColumnKind>, _ read: (ColumnBuffer, Int) -> Element
    ) throws -> [Element?] {
        guard let index = columns.firstIndex(where: { sameIdentifier($0.name, name) }) else {
            throw CormorantError(
                .misuse, "there is no column \"\(name)\"", hint: nearestNames(to: name, columnNames), columns: [name])
        }
        let kind = columns[index].kind
        guard kind == .null || kinds.contains(kind) else {
            throw CormorantError(
                .type, "column \"\(name)\" holds \(kind.plural), and \(plural) were asked for",
                hint: "ask for what it holds, or CAST it", columns: [name])
        }
        var values: [Element?] = []
        values.reserveCapacity(rowCount)
        for batch in batches {
            let buffer = batch.columns[index]
            for row in 0..<batch.rowCount { values.append(buffer.isNull(row) ? nil : read(buffer, row)) }
        }
        return values
    }
}

extension ColumnBuffer {
    /// The value of a row that is not NULL.
    fileprivate func number<Number: BitwiseCopyable>(_ row: Int, as type: Number.Type) -> Number {
        values.unsafelyUnwrapped.load(fromByteOffset: row * MemoryLayout<Number>.stride, as: Number.self)
    }

    fileprivate func bytes(_ row: Int) -> UnsafeRawBufferPointer {
        let offsets = offsets.unsafelyUnwrapped
        return UnsafeRawBufferPointer(
            start: values.unsafelyUnwrapped + Int(offsets[row]), count: Int(offsets[row + 1] - offsets[row]))
    }
}
