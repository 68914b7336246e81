import Cormorant
import CormorantORM

/// Results as columns, and as JSON.
extension Scenario {
    /// - Returns: false for a step that is about neither.
    func performColumns(_ verb: String, _ step: inout Members, _ expected: inout Members) throws -> Bool {
        switch verb {
        case "columns": try columns(&step, &expected)
        case "queryJson": try check("text", String(decoding: try cursor(&step).json(), as: UTF8.self), &expected)
        default: return false
        }
        return true
    }

    /// Of the step's statement, or its SQL, or all records of its model.
    func cursor(_ step: inout Members) throws -> StatementCursor { try opening(&step)() }

    /// What opens the step's query.
    func opening(_ step: inout Members) throws -> () throws -> StatementCursor {
        let database = database
        if let statement { return { try database.cursor(statement.compiled, statement.parameters) } }
        if let model = try step.take("model").map({ try self.model(named: $0.string()) }) {
            return { try database.cursor(model.descriptor, Query()) }
        }
        let sql = try step.required("sql").string()
        let bindings = try bindings(&step)
        return { try database.cursor(sql) { try $0.bind(bindings) } }
    }

    private func columns(_ step: inout Members, _ expected: inout Members) throws {
        let reader = try ColumnReader(cursor(&step))
        let formats = reader.columns.map { "\(format($0.kind))\($0.isOptional ? "?" : "")" }
        try check("formats", formats, &expected)
        try check("columns", reader.columns.map(\.name), &expected)
        var rows: [[Value]] = []
        var sizes: [Int64] = []
        while let batch = try reader.next() {
            sizes.append(Int64(batch.rowCount))
            for row in 0..<batch.rowCount { rows.append(batch.columns.map { value($0, row) }) }
        }
        if let wanted = try expected.take("batches")?.array().map({ try $0.integer() }), wanted != sizes {
            throw ScenarioFailure("batches of \(sizes)")
        }
        guard let wanted = try expected.take("rows")?.array() else { return }
        guard wanted.count == rows.count else { throw ScenarioFailure("\(rows.count) rows") }
        for (row, json) in zip(rows, wanted) {
            let values = try json.array().map { try scenarioValue($0) }
            guard values.count == row.count, zip(row, values).allSatisfy({ $0.isExactly($1) }) else {
                throw ScenarioFailure("a row is \(row), not \(values)")
            }
        }
    }

    /// As Arrow writes it.
    private func format(_ kind: ColumnKind) -> String {
        switch kind {
        case .null: "n"
        case .int64: "l"
        case .int32: "i"
        case .uint64: "L"
        case .uint32: "I"
        case .bool: "b"
        case .double: "g"
        case .float: "f"
        case .text: "u"
        case .blob: "z"
        case .time, .moment: "tsu:UTC"
        case .date: "tdD"
        case .timeOfDay: "ttu"
        case .duration: "tDu"
        }
    }

    /// A number of a column.
    private func number<Number: BitwiseCopyable>(_ column: ColumnBuffer, _ row: Int, _: Number.Type) -> Number {
        column.values!.load(fromByteOffset: row * MemoryLayout<Number>.stride, as: Number.self)
    }

    /// As SQLite holds it.
    private func value(_ column: ColumnBuffer, _ row: Int) -> Value {
        if column.isNull(row) { return .null }
        switch column.kind {
        case .null: return .null
        case .int64, .uint64, .time, .timeOfDay, .duration, .moment: return .integer(number(column, row, Int64.self))
        case .int32, .date: return .integer(Int64(number(column, row, Int32.self)))
        case .uint32: return .integer(Int64(number(column, row, UInt32.self)))
        case .bool: return .integer(Int64(number(column, row >> 3, UInt8.self) >> UInt8(row & 7) & 1))
        case .double: return .real(number(column, row, Double.self))
        case .float: return .real(Double(number(column, row, Float.self)))
        case .text, .blob:
            let range = Int(column.offsets![row])..<Int(column.offsets![row + 1])
            let bytes = Array(UnsafeRawBufferPointer(start: column.values!, count: range.upperBound)[range])
            return column.kind == .text ? .text(String(decoding: bytes, as: UTF8.self)) : .blob(bytes)
        }
    }
}
