import ArgumentParser
import CormorantBase
import CormorantSQLite

/// How the rows of a result are written.
enum RowFormat: String, EnumerableFlag {
    case table, csv, json, ndjson

    static func help(for value: RowFormat) -> ArgumentHelp? {
        switch value {
        case .table: "A table (the default)."
        case .csv: "CSV with a line of titles; NULL is nothing, and an empty text is \"\"."
        case .json: "An array of JSON objects; a blob is its base64."
        case .ndjson: "A JSON object on each line."
        }
    }

    func writer(_ names: [String], to output: Output = .standard) throws -> any RowWriter {
        switch self {
        case .table: TableWriter(names)
        case .csv: try CSVWriter(names, output)
        case .json: try JSONRowWriter(names, isLines: false, output)
        case .ndjson: try JSONRowWriter(names, isLines: true, output)
        }
    }
}

/// Writes the rows of a result as they come.
protocol RowWriter {
    mutating func add(_ row: Row) throws
    mutating func end() throws
}

private struct TableWriter: RowWriter {
    private var table: TextTable

    init(_ names: [String]) { table = TextTable(names) }

    mutating func add(_ row: Row) throws {
        try table.add((0..<row.count).map { Self.cell(row.cell(Int32(truncatingIfNeeded: $0))) })
    }

    mutating func end() throws { try table.end() }

    private static func cell(_ cell: Cell) -> TextTable.Cell {
        switch cell.type {
        case StorageType.integer: TextTable.Cell(String(cell.int64), isNumber: true)
        case StorageType.real: TextTable.Cell(sqlText(cell.double), isNumber: true)
        // What is not UTF-8 is shown as well as it can be.
        case StorageType.text: TextTable.Cell(String(decoding: cell.text, as: UTF8.self))
        case StorageType.blob: TextTable.Cell(shortened(cell.blob))
        default: TextTable.Cell("NULL", isFaint: true)
        }
    }

    private static func shortened(_ blob: UnsafeRawBufferPointer) -> String {
        let shown = 16
        guard blob.count > shown else { return sqlText(blob) }
        return "\(sqlText(UnsafeRawBufferPointer(rebasing: blob[..<shown])).dropLast())...' (\(blob.count) bytes)"
    }
}

/// Source: RFC 4180, with LF as the end of lines.
private struct CSVWriter: RowWriter {
    private let output: Output

    init(_ names: [String], _ output: Output) throws {
        self.output = output
        var line: [UInt8] = []
        for (index, name) in names.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            appendCSV(name.utf8, to: &line)
        }
        line.append(0x0A)
        try output.write(bytes: line)
    }

    func add(_ row: Row) throws {
        var line: [UInt8] = []
        for column in 0..<row.count {
            if column > 0 { line.append(UInt8(ascii: ",")) }
            let cell = row.cell(Int32(truncatingIfNeeded: column))
            switch cell.type {
            case StorageType.integer: line.append(contentsOf: String(cell.int64).utf8)
            case StorageType.real: line.append(contentsOf: sqlText(cell.double).utf8)
            case StorageType.text: appendCSV(cell.text, to: &line)
            case StorageType.blob: line.append(contentsOf: sqlText(cell.blob).utf8)
            default: break
            }
        }
        line.append(0x0A)
        try output.write(bytes: line)
    }

    func end() {}
}

/// A field as RFC 4180 has it; one that is empty in quotes, for without them it is NULL.
func appendCSV(_ text: some Collection<UInt8>, to line: inout [UInt8]) {
    let needsQuotes = text.isEmpty || text.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
    guard needsQuotes else { return line.append(contentsOf: text) }
    line.append(0x22)
    for byte in text {
        if byte == 0x22 { line.append(0x22) }
        line.append(byte)
    }
    line.append(0x22)
}

private struct JSONRowWriter: RowWriter {
    private let names: [String]
    private let isLines: Bool
    private let output: Output
    private var buffer: [UInt8] = []
    private var isFirst = true

    init(_ names: [String], isLines: Bool, _ output: Output) throws {
        // By their bytes: Swift takes an é for an e with an accent behind it.
        var seen = Set<[UInt8]>()
        if let twice = names.first(where: { !seen.insert(Array($0.utf8)).inserted }) {
            throw CormorantError(
                .json, "two columns are called \"\(visible(twice))\", which one JSON object cannot hold",
                hint: "name them with AS")
        }
        self.names = names
        self.isLines = isLines
        self.output = output
    }

    mutating func add(_ row: Row) throws {
        if !isLines { buffer.append(contentsOf: (isFirst ? "[\n" : ",\n").utf8) }
        isFirst = false
        try row.appendJSON(names: names, to: &buffer)
        if isLines { buffer.append(0x0A) }
        try output.write(bytes: buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    func end() throws {
        if !isLines { try output.write(isFirst ? "[]\n" : "\n]\n") }
    }
}

/// A number as SQLite reads it.
private func sqlText(_ value: Double) -> String {
    value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
}

/// A blob as SQLite reads it.
private func sqlText(_ blob: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return "x'" + String(decoding: blob.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self) + "'"
}
