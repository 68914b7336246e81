import CormorantBase
import CormorantEngine
import CormorantPlatform

/// The cells of a statement's row, at one address for all its rows, and the bytes of those that libpq has in another form.
// A class: as a struct in its statement it would be checked for exclusive access at each row.
final class RowBuffer {
    private(set) var cells: UnsafeMutablePointer<RowCell>
    private var types: UnsafeMutablePointer<WireType>
    /// How many cells there is room for.
    private var width: Int
    /// Cells that became too few: who has their address may have it still.
    private var outgrown: [UnsafeMutablePointer<RowCell>] = []
    private(set) var count = 0
    private(set) var columns: [Prepared.Column] = []
    private var isBinary = true
    private var bytes: UnsafeMutableRawPointer
    private var capacity: Int
    private var used = 0

    init(_ prepared: Prepared) {
        width = max(4, prepared.columns.count)
        cells = .allocate(capacity: width)
        cells.initialize(repeating: .null, count: width)
        types = .allocate(capacity: width)
        capacity = 64
        bytes = .allocate(byteCount: capacity, alignment: 8)
        layOut(prepared)
    }

    /// For the columns as they are now.
    func layOut(_ prepared: Prepared) {
        columns = prepared.columns
        count = columns.count
        isBinary = prepared.resultFormat == 1
        if count > width {
            outgrown.append(cells)
            width = count
            cells = .allocate(capacity: width)
            cells.initialize(repeating: .null, count: width)
            types.deallocate()
            types = .allocate(capacity: width)
        }
        for (index, column) in columns.enumerated() { (types + index).initialize(to: column.type) }
    }

    deinit {
        for cells in outgrown { cells.deallocate() }
        cells.deallocate()
        types.deallocate()
        bytes.deallocate()
    }

    /// Takes a row of a result, which must last as long as the row is read: most texts and blobs stay where they are.
    func fill(_ pq: LibPQ, _ result: OpaquePointer?, _ place: Int32, _ prepared: Prepared) throws {
        guard Int(pq.columnCount(result)) == count else {
            throw CormorantError(
                .schema, "the statement has other columns than when it was prepared", hint: "prepare it again",
                sql: prepared.sql.source)
        }
        used = 0
        // Read once: the calls could change them, for all that the compiler knows.
        let (cells, types, isBinary) = (cells, types, isBinary)
        let (lengthOf, valueOf, isNull) = (pq.length, pq.value, pq.isNull)
        for column in 0..<count {
            let index = Int32(truncatingIfNeeded: column)
            let length = Int(lengthOf(result, place, index))
            guard let value = valueOf(result, place, index).map({ UnsafeRawPointer($0) }),
                length > 0 || isNull(result, place, index) == 0
            else {
                cells[column] = .null
                continue
            }
            let type = types[column]
            let cell = isBinary ? binary(type, value, length, column) : text(type, value, length, column)
            guard let cell else { throw fault(type, value, length, prepared, column) }
            cells[column] = cell
        }
    }

    // The forms of libpq ---------------------------------------------------------------------------------------------

    /// nil where no cell can hold it, or it has not as many bytes as the type.
    @inline(__always)
    private func binary(_ type: WireType, _ value: UnsafeRawPointer, _ length: Int, _ column: Int) -> RowCell? {
        switch type {
        case .int8 where length == 8: RowCell(Int64(bigEndian: value.loadUnaligned(as: Int64.self)))
        case .int4 where length == 4: RowCell(Int64(Int32(bigEndian: value.loadUnaligned(as: Int32.self))))
        case .text, .json: RowCell(text: UnsafeRawBufferPointer(start: value, count: length))
        case .float8 where length == 8:
            RowCell(Double(bitPattern: UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))))
        case .bytea: RowCell(blob: UnsafeRawBufferPointer(start: value, count: length))
        case .bool where length == 1: RowCell(Int64(value.load(as: UInt8.self)))
        case .int2 where length == 2: RowCell(Int64(Int16(bigEndian: value.loadUnaligned(as: Int16.self))))
        case .oid where length == 4: RowCell(Int64(UInt32(bigEndian: value.loadUnaligned(as: UInt32.self))))
        case .float4 where length == 4:
            RowCell(Double(Float(bitPattern: UInt32(bigEndian: value.loadUnaligned(as: UInt32.self)))))
        // A version, then the text.
        case .jsonb where length >= 1: RowCell(text: UnsafeRawBufferPointer(start: value + 1, count: length - 1))
        case .jsonValue:
            json(UnsafeBufferPointer(start: value.assumingMemoryBound(to: UInt8.self), count: length), column)
        case .timestamp where length == 8, .timestamptz where length == 8:
            time(
                Int64(bigEndian: value.loadUnaligned(as: Int64.self)), plus: ServerEpoch.microseconds, .datetime, column
            )
        case .date where length == 4:
            time(Int64(Int32(bigEndian: value.loadUnaligned(as: Int32.self))), plus: ServerEpoch.days, .date, column)
        case .time where length == 8:
            time(Int64(bigEndian: value.loadUnaligned(as: Int64.self)), plus: 0, .time, column)
        case .uuid where length == 16: uuid(value, column)
        case .numeric: numeric(value, length, column)
        case .oneOf: oneOf(value, length, column)
        default: nil
        }
    }

    /// The one value of a row; nil where it has several. Source: record_send of PostgreSQL's rowtypes.c
    private func oneOf(_ value: UnsafeRawPointer, _ length: Int, _ column: Int) -> RowCell? {
        func word(_ at: Int) -> Int32 { Int32(bigEndian: value.loadUnaligned(fromByteOffset: at, as: Int32.self)) }
        guard length >= 4 else { return nil }
        var (place, found) = (4, RowCell.null)
        for _ in 0..<max(0, word(0)) {
            guard place <= length - 8 else { return nil }
            let (type, size) = (WireType(UInt32(bitPattern: word(place))), Int(word(place + 4)))
            place += 8
            if size < 0 { continue }
            guard size <= length - place, type != .oneOf, type != .other, found.type == StorageType.null,
                let cell = binary(type, value + place, size, column)
            else { return nil }
            (place, found) = (place + size, cell)
        }
        return found
    }

    private func time(_ value: Int64, plus epoch: Int64, _ form: TimeForm, _ column: Int) -> RowCell? {
        let (value, overflows) = value.addingReportingOverflow(epoch)
        guard !overflows, form.range.contains(value) else { return nil }
        let start = room(TimeForm.datetime.textSize, column)
        return written(form.write(value, to: start))
    }

    private func uuid(_ value: UnsafeRawPointer, _ column: Int) -> RowCell {
        let uuid = UUIDBytes(
            high: UInt64(bigEndian: value.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: value.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        uuid.write(to: room(UUIDBytes.textSize, column))
        return written(UUIDBytes.textSize)
    }

    private func numeric(_ value: UnsafeRawPointer, _ length: Int, _ column: Int) -> RowCell? {
        guard let form = NumericForm(value, length), form.special == nil else { return nil }
        return written(form.write(to: room(form.size, column)))
    }

    // The server's texts, where a column is of a type that is none of the known --------------------------------------

    private func text(_ type: WireType, _ value: UnsafeRawPointer, _ length: Int, _ column: Int) -> RowCell? {
        let text = UnsafeBufferPointer(start: value.assumingMemoryBound(to: UInt8.self), count: length)
        switch type {
        case .bool: return RowCell(text.first == UInt8(ascii: "t") ? 1 : 0 as Int64)
        case .int2, .int4, .int8, .oid: return Int64(String(decoding: text, as: UTF8.self)).map { RowCell($0 as Int64) }
        // Not by strtod, to which the program's locale may say that a comma is the point.
        case .float8: return Double(String(decoding: text, as: UTF8.self)).map { RowCell($0) }
        case .float4: return Float(String(decoding: text, as: UTF8.self)).map { RowCell(Double($0)) }
        case .bytea: return hexadecimal(text, column)
        case .timestamp, .timestamptz: return time(text, .datetime, column)
        case .date: return time(text, .date, column)
        case .time: return time(text, .time, column)
        // NaN, Infinity, -Infinity
        case .numeric where (text.last ?? 0) > UInt8(ascii: "9"): return nil
        case .jsonValue: return json(text, column)
        case .oneOf: return nil
        case .numeric, .text, .json, .jsonb, .uuid, .other:
            return RowCell(text: UnsafeRawBufferPointer(text))
        }
    }

    private func time(_ text: UnsafeBufferPointer<UInt8>, _ form: TimeForm, _ column: Int) -> RowCell? {
        form.value(parsing: text).flatMap { time($0, plus: 0, form, column) }
    }

    private func hexadecimal(_ text: UnsafeBufferPointer<UInt8>, _ column: Int) -> RowCell? {
        guard text.count >= 2, text.count % 2 == 0, text[0] == UInt8(ascii: "\\"), text[1] == UInt8(ascii: "x") else {
            return nil
        }
        func digit(_ byte: UInt8) -> UInt8 { byte <= 0x39 ? byte &- 0x30 : byte &- 0x57 }
        let count = text.count / 2 - 1
        let start = room(count, column)
        for index in 0..<count { start[index] = digit(text[2 * index + 2]) << 4 | digit(text[2 * index + 3]) }
        let cell = RowCell(blob: UnsafeRawBufferPointer(start: start, count: count))
        _ = written(count)
        return cell
    }

    // JSON -----------------------------------------------------------------------------------------------------------

    /// One value of JSON as SQLite's `->>` gives it: of its own storage class; an object or array as its text.
    private func json(_ text: UnsafeBufferPointer<UInt8>, _ column: Int) -> RowCell? {
        var text = text
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte >= 0x09 && byte <= 0x0D }
        while let first = text.first, isSpace(first) { text = UnsafeBufferPointer(rebasing: text.dropFirst()) }
        while let last = text.last, isSpace(last) { text = UnsafeBufferPointer(rebasing: text.dropLast()) }
        switch text.first ?? 0 {
        case UInt8(ascii: "\""): return unescaped(UnsafeBufferPointer(rebasing: text.dropFirst().dropLast()), column)
        case UInt8(ascii: "t"): return RowCell(1 as Int64)
        case UInt8(ascii: "f"): return RowCell(0 as Int64)
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let number = String(decoding: text, as: UTF8.self)
            if let integer = Int64(number) { return RowCell(integer) }
            return Double(number).map { RowCell($0) }
        default:
            let start = room(text.count, column)
            if let source = text.baseAddress { start.update(from: source, count: text.count) }
            return written(text.count)
        }
    }

    /// What stands between the quotes of a JSON string, which the server has checked.
    private func unescaped(_ text: UnsafeBufferPointer<UInt8>, _ column: Int) -> RowCell? {
        let start = room(text.count, column)
        var (end, index) = (start, 0)
        func unit(_ at: Int) -> UInt32 {
            guard at + 4 <= text.count else { return 0xFFFD }
            return UInt32(String(decoding: text[at..<at + 4], as: UTF8.self), radix: 16) ?? 0xFFFD
        }
        while index < text.count {
            var byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < text.count else {
                end.pointee = byte
                end += 1
                continue
            }
            byte = text[index]
            index += 1
            switch byte {
            case UInt8(ascii: "b"): byte = 0x08
            case UInt8(ascii: "f"): byte = 0x0C
            case UInt8(ascii: "n"): byte = 0x0A
            case UInt8(ascii: "r"): byte = 0x0D
            case UInt8(ascii: "t"): byte = 0x09
            case UInt8(ascii: "u"):
                var scalar = unit(index)
                index += 4
                if scalar & 0xFC00 == 0xD800, index + 2 <= text.count, text[index] == UInt8(ascii: "\\") {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + unit(index + 2) & 0x3FF
                    index += 6
                }
                for byte in String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8 {
                    end.pointee = byte
                    end += 1
                }
                continue
            default: break
            }
            end.pointee = byte
            end += 1
        }
        return written(end - start)
    }

    // Room -----------------------------------------------------------------------------------------------------------

    /// For so many bytes of this column's cell, and a NUL. The cells before it move with what is written already.
    private func room(_ size: Int, _ column: Int) -> UnsafeMutablePointer<UInt8> {
        if used + size + 1 > capacity {
            capacity = max(2 * capacity, used + size + 1)
            let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
            larger.copyMemory(from: bytes, byteCount: used)
            for index in 0..<column where cells[index].hasBytes {
                guard let start = cells[index].bytes.baseAddress, start >= UnsafeRawPointer(bytes),
                    start < UnsafeRawPointer(bytes + used)
                else { continue }
                let moved = UnsafeRawBufferPointer(
                    start: larger + (start - UnsafeRawPointer(bytes)), count: cells[index].bytes.count)
                cells[index] = cells[index].type == StorageType.text ? RowCell(text: moved) : RowCell(blob: moved)
            }
            bytes.deallocate()
            bytes = larger
        }
        return (bytes + used).assumingMemoryBound(to: UInt8.self)
    }

    /// What was written into the room.
    private func written(_ size: Int) -> RowCell {
        let start = bytes + used
        start.storeBytes(of: 0, toByteOffset: size, as: UInt8.self)
        used += size + 1
        return RowCell(text: UnsafeRawBufferPointer(start: start, count: size))
    }

    // What no cell can hold ------------------------------------------------------------------------------------------

    private func fault(
        _ type: WireType, _ value: UnsafeRawPointer, _ length: Int, _ prepared: Prepared, _ column: Int
    ) -> CormorantError {
        let name = quoteIdentifier(columns[column].name)
        func make(_ what: String, _ hint: String, _ code: ErrorCode = .range) -> CormorantError {
            CormorantError(
                code, "the column \(name) holds \(what)", hint: hint, sql: prepared.sql.source,
                columns: [columns[column].name])
        }
        if isBinary, type == .other {
            return make(
                "what is of another type since the statement was prepared", "run it again; what it wrote is written",
                .schema)
        }
        if isBinary, type == .numeric ? NumericForm(value, length) == nil : length != type.size ?? length {
            return make(
                "\(length) bytes, which are not \(type.title)", "look what stands between the program and the server",
                .connection)
        }
        switch type {
        case .numeric:
            return make("NaN or an infinity, which is no decimal number", "read it as a text: CAST(... AS text)")
        case .date, .timestamp, .timestamptz:
            return make("a time beyond the years 1 to 9999, or an infinite one", "read it as a text: CAST(... AS text)")
        case .oneOf: return make("a row", "read its columns one by one, or it as a text: CAST(... AS text)")
        case .time: return make("24:00:00, which is not within one day", "read it as a text: CAST(... AS text)")
        default: return make("what is not \(type.title)", "read it as a text: CAST(... AS text)")
        }
    }
}
