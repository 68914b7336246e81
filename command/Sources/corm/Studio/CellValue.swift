import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// One value, of which the grid has shown a part.
struct CellValue {
    let shape: TableShape
    let column: ColumnMetadata
    let key: [Value]

    /// Bytes of one answer.
    private static let greatestPart = 1 << 20

    init(_ json: JSON, of shape: TableShape) throws {
        self.shape = shape
        column = try shape.column(json.required("column"))
        key = try Wire.values(json["key"])
        try shape.requireKey(key)
    }

    private struct Part {
        var isText: Bool
        var bytes: [UInt8]
        var size: Int
    }

    /// - Returns: `{"type", "size", "from", "text" or "hex"}`; `{"value"}` of what is neither text nor blob.
    func read(from offset: Int, count: Int, _ connection: Connection) throws -> JSON {
        // No value is longer than an Int32 says.
        let offset = max(0, min(offset, Int(Int32.max)))
        let count = max(0, min(count, Self.greatestPart))
        guard let type = try type(connection) else {
            throw CormorantError(.noRecord, "the row is not there any more", hint: "reload the page of rows")
        }
        guard type == "text" || type == "blob" else { return ["type": .text(type), "value": try whole(connection)] }
        let part = try part(isText: type == "text", from: offset, count: count, connection)
        var answer: [(name: String, value: JSON)] = [
            ("type", .text(type)), ("size", JSON(part.size)), ("from", JSON(offset)),
        ]
        if type == "text" {
            let (text, used, isValid) = Self.text(part.bytes, isEnd: offset + part.bytes.count >= part.size)
            answer += [("text", .text(text)), ("until", JSON(offset + used)), ("isValid", .bool(isValid))]
        } else {
            answer += [("hex", .text(Wire.hex(part.bytes))), ("until", JSON(offset + part.bytes.count))]
        }
        return .object(answer)
    }

    /// Whole characters; what begins one at the end is read with the next part.
    private static func text(_ bytes: [UInt8], isEnd: Bool) -> (String, used: Int, isValid: Bool) {
        var end = bytes.count
        if !isEnd {
            var back = 0
            while back < 4, end > 0, bytes[end - 1] & 0xC0 == 0x80 {
                end -= 1
                back += 1
            }
            if end > 0, bytes[end - 1] >= 0xC0 { end -= 1 }
        }
        let isValid = bytes[..<end].withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { isValidUTF8($0, count: bytes.count) } ?? true
        }
        return (String(decoding: bytes[..<end], as: UTF8.self), end, isValid)
    }

    /// The bytes of a picture; nil for what is none that browsers show.
    func picture(_ connection: Connection) throws -> (type: String, bytes: [UInt8])? {
        guard try type(connection) == "blob" else { return nil }
        let head = try part(isText: false, from: 0, count: 16, connection)
        guard head.size <= Self.greatestPart * 8, let type = Self.pictureType(head.bytes) else { return nil }
        return (type, try part(isText: false, from: 0, count: head.size, connection).bytes)
    }

    private static func pictureType(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: "GIF8".utf8) { return "image/gif" }
        if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        return nil
    }

    private func type(_ connection: Connection) throws -> String? {
        let statement = try select("typeof(\(quoteIdentifier(column.name)))", connection)
        defer { connection.recycle(statement) }
        return try statement.step() ? Row(statement).cell(0).string : nil
    }

    private func whole(_ connection: Connection) throws -> JSON {
        let statement = try select(quoteIdentifier(column.name), connection)
        defer { connection.recycle(statement) }
        return try statement.step() ? Wire.json(Row(statement).value(0)) : .null
    }

    private func select(_ sql: String, _ connection: Connection) throws -> Statement {
        let statement = try connection.statement("SELECT \(sql) FROM \(shape.name) WHERE \(shape.keyCondition)")
        try statement.bind(.positional(key))
        return statement
    }

    private func part(isText: Bool, from offset: Int, count: Int, _ connection: Connection) throws -> Part {
        let isPlain = try !isText || Statement(connection, "PRAGMA encoding").firstText() == "UTF-8"
        if shape.hasRowID, isPlain, column.generatedSQL == nil, case .integer(let rowID) = key[0],
            let part = try connection.part(
                of: column.name, table: shape.table.name, rowID: rowID, from: offset, count: count)
        {
            return Part(isText: isText, bytes: part.bytes, size: part.size)
        }
        let bytes = "CAST(\(quoteIdentifier(column.name)) AS BLOB)"
        let statement = try connection.statement(
            "SELECT substr(\(bytes), ?, ?), length(\(bytes)) FROM \(shape.name) WHERE \(shape.keyCondition)")
        defer { connection.recycle(statement) }
        try statement.bind(.positional([.integer(Int64(offset) + 1), .integer(Int64(count))] + key))
        guard try statement.step() else { return Part(isText: isText, bytes: [], size: 0) }
        let row = Row(statement)
        return Part(isText: isText, bytes: Array(row.cell(0).blob), size: Int(row.cell(1).int64))
    }
}
