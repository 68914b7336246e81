import ArgumentParser
import CormorantBase
import CormorantEngine
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

    /// - Parameters:
    ///   - storages: what `corm import` takes the columns for; nil where nothing is to come back as it was.
    ///   - isForSpreadsheets: whether texts of CSV that a spreadsheet would run as formulas have an apostrophe before them.
    func writer(
        _ names: [String], of storages: [ImportColumn.Storage]? = nil, isForSpreadsheets: Bool = false,
        to output: Output = .standard
    ) throws -> any RowWriter {
        switch self {
        case .table: TableWriter(names)
        case .csv: try CSVWriter(names, storages, isForSpreadsheets, output)
        case .json: try JSONRowWriter(names, storages, isLines: false, output)
        case .ndjson: try JSONRowWriter(names, storages, isLines: true, output)
        }
    }
}

/// Writes the rows of a result as they come.
protocol RowWriter {
    mutating func add(_ row: Row) throws
    mutating func end() throws
    /// The columns with values that come back as others, and how many these are.
    var ambiguous: [String: Int] { get }
    /// Bytes of the longest record.
    var longest: Int { get }
}

extension RowWriter {
    var ambiguous: [String: Int] { [:] }
    var longest: Int { 0 }
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
    private let names: [String]
    private let storages: [ImportColumn.Storage]?
    private let isForSpreadsheets: Bool
    private let output: Output
    private(set) var ambiguous: [String: Int] = [:]
    private(set) var longest = 0

    init(
        _ names: [String], _ storages: [ImportColumn.Storage]?, _ isForSpreadsheets: Bool, _ output: Output
    ) throws {
        self.names = names
        self.storages = storages
        self.isForSpreadsheets = isForSpreadsheets
        self.output = output
        var line: [UInt8] = []
        for (index, name) in names.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            appendCSV(isFormula(name.utf8) ? "'\(name)".utf8 : name.utf8, to: &line)
        }
        line.append(0x0A)
        try output.write(bytes: line)
    }

    mutating func add(_ row: Row) throws {
        var line: [UInt8] = []
        for column in 0..<row.count {
            if column > 0 { line.append(UInt8(ascii: ",")) }
            let cell = row.cell(Int32(truncatingIfNeeded: column))
            if let storages, isAmbiguous(cell, storages[column]) { ambiguous[names[column], default: 0] += 1 }
            switch cell.type {
            case StorageType.integer: line.append(contentsOf: String(cell.int64).utf8)
            case StorageType.real: line.append(contentsOf: sqlText(cell.double).utf8)
            case StorageType.text where storages?[column] == .any && looksOtherwise(cell.text):
                line.append(0x22)
                line.append(contentsOf: cell.text)
                line.append(0x22)
            case StorageType.text where isFormula(cell.text): appendCSV([0x27] + cell.text, to: &line)
            case StorageType.text: appendCSV(cell.text, to: &line)
            case StorageType.blob: line.append(contentsOf: sqlText(cell.blob).utf8)
            default: break
            }
        }
        line.append(0x0A)
        longest = max(longest, line.count)
        try output.write(bytes: line)
    }

    func end() {}

    /// Source: https://owasp.org/www-community/attacks/CSV_Injection
    private func isFormula(_ text: some Collection<UInt8>) -> Bool {
        isForSpreadsheets && text.first.map("=+-@\t\r".utf8.contains) ?? false
    }

    /// Whether a text in a column that takes anything would come back as a number or a blob.
    private func looksOtherwise(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        NumberForm(text) != nil || text.first.map { $0 | 0x20 } == UInt8(ascii: "x") && bytes(blobLiteral: text) != nil
    }

    /// Whether CSV has no form that a column takes for the value: for a blob among texts, or a text or number among blobs.
    private func isAmbiguous(_ cell: Cell, _ storage: ImportColumn.Storage) -> Bool {
        switch cell.type {
        case StorageType.blob: storage != .blob && storage != .any
        case StorageType.text, StorageType.integer, StorageType.real: storage == .blob
        default: false
        }
    }
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
    /// Each with what stands before it and behind it.
    private let keys: [[UInt8]]
    private let storages: [ImportColumn.Storage]?
    private let isLines: Bool
    private let output: Output
    private var buffer: [UInt8] = []
    private var isFirst = true
    private(set) var longest = 0

    init(_ names: [String], _ storages: [ImportColumn.Storage]?, isLines: Bool, _ output: Output) throws {
        // By their bytes: Swift takes an é for an e with an accent behind it.
        var seen = Set<[UInt8]>()
        if let twice = names.first(where: { !seen.insert(Array($0.utf8)).inserted }) {
            throw CormorantError(
                .json, "two columns are called \"\(visible(twice))\", which one JSON object cannot hold",
                hint: "name them with AS")
        }
        keys = names.enumerated().map { place, name in
            var key: [UInt8] = [UInt8(ascii: place == 0 ? "{" : ",")]
            appendJSONString(name.utf8, to: &key)
            return key + [UInt8(ascii: ":")]
        }
        self.storages = storages
        self.isLines = isLines
        self.output = output
    }

    mutating func add(_ row: Row) throws {
        if !isLines { buffer.append(contentsOf: (isFirst ? "[\n" : ",\n").utf8) }
        isFirst = false
        for (place, key) in keys.enumerated() {
            buffer.append(contentsOf: key)
            let column = Int32(truncatingIfNeeded: place)
            let mark = storages.flatMap { Self.mark(row.cell(column), $0[place]) }
            if let mark { buffer.append(contentsOf: mark.utf8) }
            try row.appendJSON(column: column, to: &buffer)
            if mark != nil { buffer.append(UInt8(ascii: "}")) }
        }
        if keys.isEmpty { buffer.append(UInt8(ascii: "{")) }
        buffer.append(UInt8(ascii: "}"))
        if isLines { buffer.append(0x0A) }
        longest = max(longest, buffer.count)
        try output.write(bytes: buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    /// What stands before a value that its column would take for another: a blob is a string to JSON, and a string in a
    /// column of blobs is base64.
    private static func mark(_ cell: Cell, _ storage: ImportColumn.Storage) -> String? {
        switch cell.type {
        case StorageType.blob where storage != .blob: "{\"$base64\":true,\"encoded\":"
        case StorageType.text where storage == .blob: "{\"$text\":"
        default: nil
        }
    }

    func end() throws {
        if !isLines { try output.write(isFirst ? "[]\n" : "\n]\n") }
    }
}

/// A number as SQLite reads it.
private func sqlText(_ value: Double) -> String {
    value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : value.isNaN ? "NULL" : "\(value)"
}

/// A blob as SQLite reads it.
private func sqlText(_ blob: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return "x'" + String(decoding: blob.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self) + "'"
}
