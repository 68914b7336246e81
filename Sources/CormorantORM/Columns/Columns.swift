import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// Rows beside each other as columns.
package struct ColumnBatch: Sendable {
    package let rowCount: Int
    package let columns: [ColumnBuffer]
}

/// One column of a result.
package struct ResultColumn: Sendable {
    package let name: String
    package let kind: ColumnKind
    package let isOptional: Bool
}

/// The rows that are left of a running statement as columns, a batch at a time. One thread at a time.
///
/// The first batch is read when this is made, because rows may decide what the columns are.
package final class ColumnReader {
    package private(set) var columns: [ResultColumn] = []
    private let cursor: StatementCursor
    private let names: [String]
    private var outlines: [ColumnOutline] = []
    /// The column names when `outlines` was made.
    private var outlinedNames: [String] = []
    private var builders = UnsafeMutableBufferPointer<ColumnBuilder>(start: nil, count: 0)
    private var first: ColumnBatch?
    private var rowsBefore = 0
    /// Why it ended before its last row. It comes again, so that the end is not taken for the last row.
    private var failure: (any Error)?
    /// Whether a batch was taken from it.
    package private(set) var isBegun = false

    package static let rowsPerBatch = 65_536
    /// A batch ends with the row whose texts and blobs reach this, so that a few long ones fill it too.
    package static let bytesPerBatch = 64 << 20

    /// Takes the cursor over, whatever the outcome.
    /// - Parameter names: what the columns are called; empty: the model's properties, else the statement's names.
    package init(_ cursor: StatementCursor, names: [String] = []) throws {
        self.cursor = cursor
        self.names = names
        do {
            try outline()
            first = try read()
        } catch {
            cursor.close()
            throw error
        }
        columns = zip(outlines, builders).map { ResultColumn(name: $0.name, kind: $1.kind, isOptional: $0.isOptional) }
    }

    deinit {
        cursor.close()
        freeBuilders()
    }

    private func freeBuilders() {
        for builder in builders { builder.freeAll() }
        builders.deallocate()
    }

    /// Ends the statement. A second close does nothing.
    package func close() { cursor.close() }

    /// The next batch; nil at the end. After an error it is the same error again.
    package func next() throws -> ColumnBatch? {
        isBegun = true
        if let failure { throw failure }
        if let ready = first {
            first = nil
            return ready
        }
        do {
            return try read()
        } catch {
            failure = error
            cursor.close()
            throw error
        }
    }

    private func outline() throws {
        outlinedNames = cursor.columnNames
        outlines = try cursor.outlineColumns(names: names)
        freeBuilders()
        builders = .allocate(capacity: outlines.count)
        _ = builders.initialize(from: outlines.map(ColumnBuilder.init))
    }

    private func read() throws -> ColumnBatch? {
        var rows = 0
        var capacity = 0
        try cursor.readRows { row in
            if rows == capacity {
                // The first step shows whether the table was altered after the statement was prepared.
                if rows == 0, outlinedNames != cursor.columnNames { try outline() }
                capacity = rowsBefore > 0 ? ColumnReader.rowsPerBatch : max(256, capacity * 4)
                try reserve(capacity)
            }
            let bytes = try append(row, at: rows)
            rows += 1
            return rows < ColumnReader.rowsPerBatch && bytes < ColumnReader.bytesPerBatch
        }
        guard rows > 0 else { return nil }
        var columns: [ColumnBuffer] = []
        for column in builders.indices {
            do throws(ColumnMisfit) {
                columns.append(try builders[column].take(rows))
            } catch {
                throw explain(error, column, rows, nil)
            }
        }
        rowsBefore += rows
        return ColumnBatch(rowCount: rows, columns: columns)
    }

    private func reserve(_ rows: Int) throws {
        for column in builders.indices {
            do { try builders[column].reserve(rows) } catch { throw explain(error, column, rows, nil) }
        }
    }

    /// Adds a row.
    /// - Returns: how many bytes the batch's texts and blobs have now.
    @inline(__always)
    private func append(_ row: Row, at index: Int) throws -> Int {
        let builders = builders
        var bytes = 0
        for column in builders.indices {
            let cell = row.cell(builders[column].source)
            do { try builders[column].append(cell, at: index) } catch { throw explain(error, column, index, cell) }
            bytes &+= builders[column].byteCount
        }
        return bytes
    }

    @inline(never)
    private func explain(_ misfit: ColumnMisfit, _ column: Int, _ row: Int, _ cell: Cell?) -> CormorantError {
        let name = outlines[column].name
        let kind = builders[column].kind
        let found = StorageType.name(cell?.type ?? StorageType.null)
        func error(_ code: ErrorCode, _ what: String, _ hint: String) -> CormorantError {
            CormorantError(
                code, "row \(rowsBefore + row) has \(what) in column \"\(name)\"", hint: hint, columns: [name]
            ).at(record: rowsBefore + row)
        }
        switch misfit {
        case .kind:
            return error(
                .type, found, "the column holds \(kind.plural): CAST all of it to one type, or leave such rows out")
        case .null:
            return error(.nullValue, "NULL", "the model has no NULL there: fill the column in, or change the model")
        case .range:
            return error(
                .range, "\(found) that does not fit", "the column holds \(kind.plural): CAST it to another type")
        case .time:
            let fault = TimeFormError(
                cell?.type == StorageType.text ? cell?.text : nil, storage: found, of: kind.form ?? .datetime)
            let known = cursor.model.flatMap { model in
                model.columns.first { $0.name == name }.map { (table: model.table, column: $0.column) }
            }
            return CormorantError(
                fault.code, "\(known.map { "\($0.table).\($0.column)" } ?? "column \"\(name)\"") \(fault.what)",
                hint: known.map(fault.hint) ?? fault.hint, table: known?.table, columns: [known?.column ?? name]
            ).at(row: rowsBefore + row)
        case .notUTF8: return error(.encoding, "text that is not UTF-8", "read it as a blob: CAST(... AS BLOB)")
        case .tooLong: return error(.tooBig, "more text than a batch can hold", "leave the longest out")
        case .noMemory: return error(.noMemory, "no memory left", "select fewer columns")
        }
    }
}
