import CormorantBase
import CormorantEngine
import CormorantPlatform

/// Rows that go into a table by COPY in its binary form: bound like the parameters of a statement, each step adds one. They are
/// there when `finish` has returned; without it, none is.
/// Source: https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format".
package final class PostgresCopy: EngineStatement {
    private let connection: PostgresConnection
    private let sql: ServerSQL
    private let table: String
    private let columns: [Prepared.Column]
    private let bound: UnsafeMutablePointer<BoundValue>
    private var encoder: ParameterEncoder
    private var buffer: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
    private var count = 0
    private var isOpen = true

    /// What is sent at once.
    private static let block = 1 << 16

    init(_ connection: PostgresConnection, _ sql: ServerSQL, _ table: String, _ columns: [Prepared.Column]) {
        self.connection = connection
        self.sql = sql
        self.table = table
        self.columns = columns
        bound = .allocate(capacity: max(1, columns.count))
        bound.initialize(repeating: BoundValue(), count: columns.count)
        encoder = ParameterEncoder(columns.count)
        let cell = UnsafeMutablePointer<RowCell>.allocate(capacity: 1)
        cell.initialize(to: .null)
        cells = UnsafePointer(cell)
        buffer.reserveCapacity(2 * PostgresCopy.block)
    }

    deinit {
        cancel()
        for index in columns.indices { bound[index].free() }
        bound.deallocate()
        encoder.free()
        cells.deallocate()
    }

    package var parameterCount: Int { columns.count }
    package func parameterName(_ index: Int) -> String? { nil }
    package func parameterIndex(_ name: String) -> Int { 0 }
    package var preparations: Int { 0 }
    package var columnCount: Int { 0 }
    package func columnName(_ index: Int) -> String { "" }
    package func declaredType(_ index: Int) -> String? { nil }
    package var isReadOnly: Bool { false }
    package var changesSchema: Bool { false }
    package var transactionWord: String? { nil }

    private func slot(_ index: Int32) -> UnsafeMutablePointer<BoundValue>? {
        index >= 1 && Int(index) <= columns.count ? bound + Int(index - 1) : nil
    }

    package func bindNull(_ index: Int32) { slot(index)?.pointee.setNull() }
    package func bind(_ value: Int64, _ index: Int32) { slot(index)?.pointee.set(value) }
    package func bind(_ value: Double, _ index: Int32) { slot(index)?.pointee.set(value) }

    package func bindText(_ bytes: UnsafeRawPointer, count: Int, _ index: Int32, borrowing: Bool) throws {
        try slot(index)?.pointee.set(.text, bytes, count, borrowing: borrowing)
    }

    package func bindBlob(_ bytes: UnsafeRawPointer, count: Int, _ index: Int32, borrowing: Bool) throws {
        try slot(index)?.pointee.set(.blob, bytes, count, borrowing: borrowing)
    }

    package func clearBindings() {
        for index in columns.indices { bound[index].setNull() }
    }

    package let cells: UnsafePointer<RowCell>

    /// Adds the row that is bound.
    package func step() throws -> Bool {
        guard isOpen else { throw CormorantError(.internal, "the COPY has ended") }
        encoder.clear()
        append(Int16(truncatingIfNeeded: columns.count))
        for (place, column) in columns.enumerated() {
            do throws(ParameterFault) {
                try encoder.encode(bound[place], column.type, place)
                try append(column.type, place)
            } catch {
                let error = error.error("the column \(quoteIdentifier(column.name))", column.type, sql.source)
                cancel()
                throw error.at(record: count)
            }
        }
        count += 1
        if buffer.count >= PostgresCopy.block { try send() }
        return false
    }

    package func reset() {}

    package func finalize() { cancel() }

    /// Ends it, and returns how many rows were added.
    package func finish() throws -> Int64 {
        guard isOpen else { return 0 }
        append(Int16(-1))
        try send()
        isOpen = false
        return try connection.endCopy(sql, nil, count: count)
    }

    /// Ends it; no row was added.
    package func cancel() {
        guard isOpen else { return }
        isOpen = false
        _ = try? connection.endCopy(sql, "the rows were taken back", count: count)
    }

    private func send() throws {
        let sent = buffer.withUnsafeBytes {
            connection.pq.putCopyData(connection.handle, $0.baseAddress, Int32(truncatingIfNeeded: $0.count))
        }
        buffer.removeAll(keepingCapacity: true)
        guard sent != 1 else { return }
        isOpen = false
        _ = try connection.endCopy(sql, nil, count: count)
        throw connection.lost(sql.words)
    }

    private func append<I: FixedWidthInteger>(_ value: I) {
        withUnsafeBytes(of: value.bigEndian) { buffer += $0 }
    }

    /// What was encoded, with its length before it.
    private func append(_ type: WireType, _ place: Int) throws(ParameterFault) {
        guard let start = encoder.values[place] else { return append(Int32(-1)) }
        let isText = encoder.formats[place] == 0
        let count = isText ? strlen(start) : Int(encoder.lengths[place])
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
        do throws(CormorantError) { try buffer.makeRoom(count + 16) } catch {
            throw ParameterFault(.noMemory, "more than there is memory for")
        }
        switch type {
        case .numeric:
            let start = buffer.count
            append(Int32(0))
            guard appendNumeric(bytes) else { throw ParameterFault(.range, "a decimal number that is too great") }
            let length = Int32(truncatingIfNeeded: buffer.count - start - 4)
            withUnsafeBytes(of: length.bigEndian) {
                for (index, byte) in $0.enumerated() { buffer[start + index] = byte }
            }
        case .jsonb:
            append(Int32(truncatingIfNeeded: count + 1))
            buffer.append(1)
            buffer += bytes
        default:
            append(Int32(truncatingIfNeeded: count))
            buffer += bytes
        }
    }

    /// A decimal text in the form of numeric: digits to the base of 10,000 on both sides of the point.
    private func appendNumeric(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var digits: [UInt8] = []
        // Decimals before the point, and behind it.
        var (point, scale, exponent) = (0, 0, 0)
        var hasPoint = false
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte - 0x30)
                if hasPoint { scale += 1 } else { point += 1 }
                continue
            case UInt8(ascii: "."):
                hasPoint = true
                continue
            case UInt8(ascii: "-"), UInt8(ascii: "+"): continue
            default: break
            }
            guard let value = Int(String(decoding: text[(index + 1)...], as: UTF8.self)), abs(value) < 200_000 else {
                return false
            }
            exponent = value
            break
        }
        point += exponent
        scale = max(0, scale - exponent)
        // A group begins where the number of decimals before the point is a multiple of four.
        let lead = ((point % 4) + 4) % 4
        if lead > 0 {
            digits.insert(contentsOf: [UInt8](repeating: 0, count: 4 - lead), at: 0)
            point += 4 - lead
        }
        while digits.count % 4 != 0 { digits.append(0) }
        var groups = stride(from: 0, to: digits.count, by: 4).map { index in
            digits[index..<index + 4].reduce(Int16(0)) { $0 * 10 + Int16($1) }
        }
        var weight = point / 4 - 1
        while groups.first == 0 {
            groups.removeFirst()
            weight -= 1
        }
        while groups.last == 0 { groups.removeLast() }
        if groups.isEmpty { weight = 0 }
        guard let size = Int16(exactly: groups.count), let weight = Int16(exactly: weight), scale <= 16_383 else {
            return false
        }
        append(size)
        append(weight)
        append(text.first == UInt8(ascii: "-") && !groups.isEmpty ? UInt16(0x4000) : 0)
        append(Int16(truncatingIfNeeded: scale))
        for group in groups { append(group) }
        return true
    }
}

extension PostgresConnection {
    /// Begins to add rows to a table by COPY. Until it is finished or cancelled, nothing else runs on the connection.
    /// - Parameters:
    ///   - table: its name as SQL, in quotes where it needs them.
    ///   - columns: their names.
    package func copyIn(_ table: String, _ columns: [String]) throws -> PostgresCopy {
        let names = quotedNames(columns)
        let types = try described("SELECT \(names) FROM \(table) LIMIT 0").columns
        if let other = types.first(where: { $0.type == .other }) {
            throw CormorantError(
                .unsupported, "the column \(quoteIdentifier(other.name)) is of a type that COPY is not given here",
                hint: "insert the rows by a statement")
        }
        let sql = try ServerSQL("COPY \(table) (\(names)) FROM STDIN (FORMAT binary)")
        try leavePipeline()
        try makeReady()
        began(sql.source)
        guard pq.sendQuery(handle, sql.text) == 1, let result = pq.getResult(handle) else { throw lost(sql.words) }
        defer { pq.clear(result) }
        guard pq.resultStatus(result) == ResultStatus.copyIn else {
            let failure = ServerFailure(result, pq)
            while let rest = pq.getResult(handle) { pq.clear(rest) }
            ended()
            throw error(failure, sql)
        }
        isCopying = true
        return PostgresCopy(self, sql, table, types)
    }

    /// - Parameter reason: why it is given up, nil where it is not.
    func endCopy(_ sql: ServerSQL, _ reason: String?, count: Int) throws -> Int64 {
        guard isCopying, handle != nil else { return 0 }
        isCopying = false
        guard pq.putCopyEnd(handle, reason) == 1 else { throw lost(sql.words) }
        var failure: ServerFailure?
        var rows: Int64 = 0
        while let result = pq.getResult(handle) {
            if pq.resultStatus(result) == ResultStatus.command {
                rows = pq.affectedRows(result).flatMap { Int64(String(cString: $0)) } ?? 0
            } else {
                failure = failure ?? ServerFailure(result, pq)
            }
            pq.clear(result)
        }
        guard pq.status(handle) == 0 else { throw lost(sql.words) }
        ended()
        if let failure {
            let error = error(failure, sql)
            throw failure.line.map { error.at(record: min(max(0, $0 - 1), max(0, count - 1))) } ?? error
        }
        changes = rows
        totalChanges += rows
        return rows
    }
}
