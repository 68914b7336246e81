import CormorantBase
import CormorantPlatform
import CormorantThreads

/// Rows that a pipeline adds to a table by COPY in its binary form: what would be bound to the parameters of an INSERT, in
/// turn. They are there when `finish` has returned; without it, none is.
/// Source: https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format".
final class PostgresCopy {
    unowned(unsafe) let statement: PostgresStatement
    private let connection: PostgresConnection
    private let sql: ServerSQL
    /// Its name, as errors have it.
    private let table: String
    /// The number of a parameter that goes into no column; 0: none.
    let omitted: Int32
    private let columns: UnsafeMutableBufferPointer<Column>
    /// Which of the pipeline's the first row is.
    private let first: Int
    private var count = 0
    private var isOpen = false
    private var buffer: UnsafeMutableRawPointer
    private var capacity = 2 * PostgresCopy.block
    private var used = 0

    /// What goes into one.
    private struct Column {
        let value: UnsafeMutablePointer<BoundValue>
        let type: WireType
        /// Of the parameter, in the statement.
        let place: Int
    }

    /// What is sent at once.
    private static let block = 1 << 16
    private static let signature: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)

    /// Begins it. Until it has ended, nothing else runs on the connection. Where the table's columns are of other types than the
    /// statement was described with, it has ended, the statement is stale, and `hasBegun` is false; so it is where the table was changed
    /// since the transaction's snapshot, which does not show how.
    /// - Parameters:
    ///   - sql: `COPY ... FROM STDIN (FORMAT binary)` of the columns that the statement inserts.
    init(_ statement: PostgresStatement, _ sql: ServerSQL, omitting omitted: Int32, first: Int) throws {
        self.statement = statement
        self.sql = sql
        self.first = first
        connection = statement.connection
        self.omitted = omitted
        table = unquoted(statement.prepared.sql.words.target.last ?? "")
        let (prepared, bound) = (statement.prepared, statement.bound)
        let all = prepared.sql.numbers.enumerated().filter { $0.element != omitted }.map { place, number in
            Column(value: bound + (number - 1), type: prepared.parameterTypes[place], place: place)
        }
        columns = .allocate(capacity: all.count)
        _ = columns.initialize(from: all)
        buffer = .allocate(byteCount: capacity, alignment: 8)
        let isCopied = try connection.beginCopy(sql, of: prepared)
        isOpen = true
        PostgresCopy.signature.withUnsafeBytes { if let start = $0.baseAddress { put(start, $0.count) } }
        if !isCopied { try finish() }
    }

    var hasBegun: Bool { isOpen }

    deinit {
        cancel()
        buffer.deallocate()
        columns.deallocate()
    }

    /// Adds the row that is bound to the statement.
    func addRow() throws {
        let start = used
        do {
            try makeRoom(2)
            put(Int16(truncatingIfNeeded: columns.count))
            for column in columns {
                do throws(ParameterFault) { try add(column) } catch {
                    throw statement.fault(error, column.place, column.type)
                }
            }
        } catch {
            used = start
            throw error
        }
        count += 1
        if used >= PostgresCopy.block { try send() }
    }

    @inline(__always)
    private func add(_ column: Column) throws(ParameterFault) {
        let value = column.value
        // What most values are goes straight into the block.
        switch (value.pointee.kind, column.type) {
        case (.null, _):
            try requireRoom(4)
            put(Int32(-1))
        case (.integer, .int8):
            try requireRoom(12)
            put(Int32(8))
            put(value.pointee.integer)
        case (.real, .float8):
            try requireRoom(12)
            put(Int32(8))
            put(value.pointee.real.bitPattern)
        case (.text, .text):
            let text = value.pointee.bytes
            try ParameterEncoder.check(text)
            try put(text)
        default: try addEncoded(column)
        }
    }

    /// What is encoded as a parameter, with its length before it.
    private func addEncoded(_ column: Column) throws(ParameterFault) {
        let (type, place) = (column.type, column.place)
        statement.encoder.clear(keepingTypes: true)
        try statement.encoder.encode(column.value.pointee, type, place)
        let encoder = statement.encoder
        guard let start = encoder.values[place] else {
            try requireRoom(4)
            return put(Int32(-1))
        }
        let isText = encoder.formats[place] == 0
        let count = isText ? strlen(start) : Int(encoder.lengths[place])
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
        switch type {
        case .numeric:
            // A group of two bytes holds four decimals; an exponent stands for more of them.
            try requireRoom(4 * count + 64)
            let start = used
            put(Int32(0))
            guard putNumeric(bytes) else { throw ParameterFault(.range, "a decimal number that is too great") }
            let length = Int32(truncatingIfNeeded: used - start - 4)
            buffer.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self)
        case .jsonb:
            try requireRoom(count + 5)
            put(Int32(truncatingIfNeeded: count + 1))
            put(UInt8(1))
            if let start = bytes.baseAddress { put(start, count) }
        default: try put(bytes)
        }
    }

    /// Ends it.
    func finish() throws {
        guard isOpen else { return }
        try makeRoom(2)
        put(Int16(-1))
        try send()
        isOpen = false
        try connection.endCopy(sql, into: table, nil, first: first, count: count)
    }

    /// Ends it; no row was added.
    func cancel() {
        guard isOpen else { return }
        isOpen = false
        if connection.isForked { return }
        try? connection.endCopy(sql, into: table, "the rows were taken back", first: first, count: count)
    }

    private func send() throws {
        if connection.isForked { throw usedAfterFork() }
        // A row may be longer than what is sent at once; the server puts the parts together.
        var (start, isSent) = (0, true)
        while isSent, start < used {
            let count = min(used - start, 1 << 28)
            isSent = connection.pq.putCopyData(connection.handle, buffer + start, Int32(truncatingIfNeeded: count)) == 1
            start += count
        }
        used = 0
        guard !isSent else { return }
        isOpen = false
        try connection.endCopy(sql, into: table, nil, first: first, count: count)
        throw connection.lost(sql.words)
    }

    // The block ------------------------------------------------------------------------------------------------------

    private func makeRoom(_ count: Int) throws(CormorantError) {
        guard used + count > capacity else { return }
        let larger = max(2 * capacity, used + count)
        try requireMemory(larger)
        let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        copy.copyMemory(from: buffer, byteCount: used)
        buffer.deallocate()
        (buffer, capacity) = (copy, larger)
    }

    @inline(__always)
    private func requireRoom(_ count: Int) throws(ParameterFault) {
        if used + count <= capacity { return }
        do throws(CormorantError) { try makeRoom(count) } catch {
            throw ParameterFault(.noMemory, "more than there is memory for")
        }
    }

    @inline(__always)
    private func put<I: FixedWidthInteger>(_ value: I) {
        buffer.storeBytes(of: value.bigEndian, toByteOffset: used, as: I.self)
        used += MemoryLayout<I>.size
    }

    @inline(__always)
    private func put(_ bytes: UnsafeRawPointer, _ count: Int) {
        (buffer + used).copyMemory(from: bytes, byteCount: count)
        used += count
    }

    /// Bytes, with their number before them.
    @inline(__always)
    private func put(_ bytes: UnsafeBufferPointer<UInt8>) throws(ParameterFault) {
        guard let length = Int32(exactly: bytes.count), length < 1 << 30 else { throw ParameterFault.tooBig }
        try requireRoom(bytes.count + 4)
        put(length)
        if let start = bytes.baseAddress { put(start, bytes.count) }
    }

    /// A decimal text in the form of numeric: digits to the base of 10,000 on both sides of the point.
    private func putNumeric(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
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
        guard let size = UInt16(exactly: groups.count), let weight = Int16(exactly: weight), scale <= 16_383 else {
            return false
        }
        put(size)
        put(weight)
        put(text.first == UInt8(ascii: "-") && !groups.isEmpty ? UInt16(0x4000) : 0)
        put(Int16(truncatingIfNeeded: scale))
        for group in groups { put(group) }
        return true
    }
}

extension PostgresConnection {
    /// Has the INSERT read anew, in the same message: reading it locks the table, whose columns keep their types from then on.
    /// - Returns: whether the rows are copied. Where its parameters are of other types than it was described with, or its table is not
    ///   copied into any more, it is stale.
    fileprivate func beginCopy(_ sql: ServerSQL, of prepared: Prepared) throws -> Bool {
        try makeReady()
        began(sql.source)
        // One that was interrupted may have left its name to the session.
        let name = "corm_copied_\(monotonicTime())"
        let (start, target) = ("PREPARE \(name) AS ", prepared.sql.words.target)
        // One constant, which the server reads sooner than an ARRAY of many.
        let types = prepared.parameterOIDs.map { String($0) }.joined(separator: ",")
        let text = """
            \(start)\(prepared.sql.text);
            SELECT (\(ConstraintCatalog.copyQuery(of: textLiteral(target.joined(separator: ".")))))
            FROM pg_catalog.pg_prepared_statement() WHERE name = '\(name)'
            AND parameter_types::oid[] = '{\(types)}'::oid[];
            DEALLOCATE \(name); \(sql.text)
            """
        guard pq.sendQuery(handle, text) == 1 else { throw lost(sql.words) }
        var (hasTypes, isCurrent): (Bool?, Bool) = (nil, false)
        var failure: ServerFailure?
        while let result = pq.getResult(handle) {
            defer { pq.clear(result) }
            switch pq.resultStatus(result) {
            case ResultStatus.copyIn:
                isCopying = true
                if hasTypes != true {
                    prepared.isStale = true
                    constraints.remove(target)
                }
                return hasTypes == true && isCurrent
            case ResultStatus.command: break
            case ResultStatus.rows:
                let value = pq.rowCount(result) > 0 ? pq.value(result, 0, 0)?.load(as: UInt8.self) : nil
                hasTypes = value != nil && value != 0
                isCurrent = value == UInt8(ascii: "t")
            default: failure = failure ?? ServerFailure(result, pq)
            }
        }
        guard let failure, pq.status(handle) == 0 else { throw lost(sql.words) }
        ended()
        prepared.isStale = true
        constraints.remove(target)
        throw hasTypes == nil ? error(failure, prepared.sql, behind: start.count) : error(failure, sql)
    }

    /// - Parameters:
    ///   - reason: why it is given up, nil where it is not.
    ///   - first: the place of its first row, for errors.
    fileprivate func endCopy(_ sql: ServerSQL, into table: String, _ reason: String?, first: Int, count: Int) throws {
        guard isCopying, handle != nil else { return }
        isCopying = false
        hasWritten = true
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
            let row = failure.line(ofCopyInto: table).map { $0 - 1 } ?? -1
            throw error.at(record: (0..<count).contains(row) ? first + row : -1)
        }
        changes = rows
        totalChanges += rows
        guard rows == count else {
            throw CormorantError(
                .schema, "a trigger that another program has just made left out \(count - Int(rows)) of \(count) rows",
                hint: "run the transaction again", sql: sql.source)
        }
    }
}
