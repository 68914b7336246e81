public import CCormorant
import CormorantBase
import CormorantORM
import CormorantSQLite

/// The column names of a cursor as C strings. They change when another program alters the table before the first step.
final class ColumnNames {
    private var source: [String] = []
    private var copies: [UnsafePointer<CChar>] = []
    private let memory = ScratchMemory(firstSize: 512)

    func list(_ names: [String]) -> [UnsafePointer<CChar>] {
        if names != source {
            source = names
            copies = names.map { [memory] in memory.copy($0) }
        }
        return copies
    }
}

/// A part of the rows of a result.
package enum RowPart {
    /// One column, as it comes.
    case value
    /// One column with values of a type.
    case typed(ColumnTypes.Column)
    /// The columns of a record side by side. Optional: nothing where an outer join found none.
    case record(ModelDescriptor, ColumnTypes, isOptional: Bool)

    package var columnCount: Int {
        switch self {
        case .value, .typed: 1
        case .record(_, let types, _): types.count
        }
    }
}

/// A cursor, with what C borrows from it.
package final class ResultBox: HandleObject {
    package static var kind: HandleKind { .result }
    package let cursor: StatementCursor
    /// What blocks need of its model; nil: its rows are raw.
    package let types: ColumnTypes?
    /// What blocks need where its rows are in parts; none: they are records, or raw.
    package let parts: [RowPart]
    /// What it was last given out as.
    package var stream: ColumnStream?
    /// Why there are no more blocks: the error of a row behind others, which were given out.
    package var blockFailure: (any Error)?
    let columnNames = ColumnNames()
    /// What a value of the row could not be given as.
    private(set) var failure: CormorantError?
    /// The text that was given out last.
    private lazy var jsonText = ScratchMemory(firstSize: 512)

    package init(_ cursor: StatementCursor, _ types: ColumnTypes? = nil, parts: [RowPart] = []) {
        self.cursor = cursor
        self.types = types
        self.parts = parts
    }

    var columnCount: Int { cursor.columnNames.count }

    func note(_ error: any Error) {
        if failure == nil {
            failure = error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)")
        }
    }

    func giveOut(_ json: [UInt8]) throws -> UnsafePointer<CChar> {
        jsonText.reset()
        let copy = try json.withUnsafeBytes { try jsonText.checkedCopy($0.baseAddress, count: $0.count) }
        return UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
    }
}

private func result(_ handle: OpaquePointer?) -> ResultBox? { Handles.object(handle, as: ResultBox.self) }

package func requireResult(_ handle: OpaquePointer?) throws -> ResultBox {
    try Handles.require(handle, as: ResultBox.self)
}

@_cdecl("corm_result_open") @implementation
public func corm_result_open(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ values: UnsafePointer<corm_value>?, _ count: Int,
    _ outResult: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outResult, "out_result")
        let cursor = try database(handle).cursor(string(sql, "SQL")) { try bind(values, count, to: $0) }
        out.pointee = try Handles.add(ResultBox(cursor))
        return CORM_OK
    }
}

@_cdecl("corm_result_close") @implementation
public func corm_result_close(_ handle: OpaquePointer?) {
    // Its rows may be a stream's, which lives longer.
    if let result = result(handle), result.stream == nil { result.cursor.close() }
    Handles.remove(handle, as: ResultBox.self)
}

@_cdecl("corm_result_next") @implementation
public func corm_result_next(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try requireResult(handle)
        if let error = result.failure { throw error }
        return try result.cursor.nextRow() ? CORM_ROW : CORM_DONE
    }
}

@_cdecl("corm_result_column_count") @implementation
public func corm_result_column_count(_ handle: OpaquePointer?) -> Int { result(handle)?.cursor.namesOfRows.count ?? 0 }

@_cdecl("corm_result_column_name") @implementation
public func corm_result_column_name(_ handle: OpaquePointer?, _ column: Int) -> UnsafePointer<CChar>? {
    guard let result = result(handle) else { return nil }
    let names = result.columnNames.list(result.cursor.namesOfRows)
    return element(names, column)
}

@_cdecl("corm_result_column_index") @implementation
public func corm_result_column_index(_ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> Int {
    // SIZE_MAX, which is -1 in Swift's eyes.
    guard let result = result(handle), let name = name.flatMap(String.init(validatingCString:)) else { return -1 }
    return columnIndex(name, in: result.cursor.namesOfRows) ?? -1
}

private func columnIndex(_ name: String, in names: [String]) -> Int? {
    names.firstIndex { sameIdentifier($0, name) }
}

@_cdecl("corm_result_get") @implementation
public func corm_result_get(
    _ handle: OpaquePointer?, _ column: Int, _ outValue: UnsafeMutablePointer<corm_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try requireResult(handle)
        guard column >= 0, column < result.columnCount else {
            throw CormorantError(
                .misuse, "there is no column \(column)",
                hint: "the row has \(result.columnCount) columns, counted from 0")
        }
        let out = try require(outValue, "out_value")
        out.pointee = try result.cursor.row { borrowedValue($0, Int32(truncatingIfNeeded: column)) }
        return CORM_OK
    }
}

@_cdecl("corm_result_get_named") @implementation
public func corm_result_get_named(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ outValue: UnsafeMutablePointer<corm_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try requireResult(handle)
        let name = try string(name, "column name")
        guard let column = columnIndex(name, in: result.cursor.columnNames) else {
            let known = result.cursor.columnNames.joined(separator: ", ")
            throw CormorantError(
                .misuse, "there is no column \"\(name)\"; the columns are \(known)", hint: "name one of them")
        }
        let out = try require(outValue, "out_value")
        out.pointee = try result.cursor.row { borrowedValue($0, Int32(clamping: column)) }
        return CORM_OK
    }
}

@_cdecl("corm_result_row_json") @implementation
public func corm_result_row_json(
    _ handle: OpaquePointer?, _ outJSON: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try requireResult(handle)
        let out = try require(outJSON, "out_json")
        var json: [UInt8] = []
        let names = result.cursor.columnNames
        try requireDistinctKeys(names)
        try result.cursor.row { try $0.appendJSON(names: names, to: &json) }
        out.pointee = try result.giveOut(json)
        return CORM_OK
    }
}

@_cdecl("corm_result_json") @implementation
public func corm_result_json(
    _ handle: OpaquePointer?, _ outJSON: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let result = try requireResult(handle)
        let out = try require(outJSON, "out_json")
        out.pointee = try result.giveOut(result.cursor.json())
        return CORM_OK
    }
}
