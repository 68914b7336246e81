public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// The rows of a query of one column, without a model.
private func column(_ handle: OpaquePointer?, _ given: GivenQuery) throws -> StatementCursor {
    let database = try database(handle)
    let cursor: StatementCursor
    if let statement = given.statement {
        cursor = try database.cursor(statement.statement(database.dialect), parameters(given.values, given.valueCount))
    } else if let sql = given.query.sql {
        cursor = try database.cursor(sql) { try bind(given.values, given.valueCount, to: $0) }
    } else {
        throw CormorantError(.misuse, "there is neither SQL nor a statement", hint: "set one of them in the query")
    }
    let count = cursor.namesOfRows.count
    guard count == 1 else {
        cursor.close()
        throw CormorantError(.misuse, "the query has \(count) columns", hint: "select one, or step a result")
    }
    return cursor
}

extension corm_value {
    /// The same, its bytes in the memory.
    fileprivate func copied(to arena: ScratchMemory) throws -> corm_value {
        guard type == CORM_VALUE_TEXT || type == CORM_VALUE_BLOB else { return self }
        var copy = self
        copy.as.bytes.data = UnsafeRawPointer(try arena.checkedCopy(self.as.bytes.data, count: self.as.bytes.size))
        return copy
    }
}

@_cdecl("corm_query_value") @implementation
public func corm_query_value(
    _ handle: OpaquePointer?, _ query: UnsafePointer<corm_query>?, _ arena: OpaquePointer?,
    _ outValue: UnsafeMutablePointer<corm_value>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let given = try GivenQuery(query, of: nil, takesOne: true)
        let out = try require(outValue, "out_value")
        let arena = try requireArena(arena)
        func next(_ cursor: StatementCursor) throws -> corm_value? {
            try cursor.nextRow() ? cursor.row { try borrowedValue($0, 0).copied(to: arena) } : nil
        }
        if given.isOne {
            out.pointee = try database(handle).onlyRow({ try column(handle, given) }, next)
            return CORM_OK
        }
        let cursor = try column(handle, given)
        defer { cursor.close() }
        guard let value = try next(cursor) else { return CORM_NOT_FOUND }
        out.pointee = value
        return CORM_OK
    }
}

@_cdecl("corm_query_values") @implementation
public func corm_query_values(
    _ handle: OpaquePointer?, _ query: UnsafePointer<corm_query>?, _ arena: OpaquePointer?,
    _ outValues: UnsafeMutablePointer<UnsafePointer<corm_value>?>?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let cursor = try column(handle, GivenQuery(query, of: nil))
        defer { cursor.close() }
        let (out, count) = (try require(outValues, "out_values"), try require(outCount, "out_count"))
        let arena = try requireArena(arena)
        var values: [corm_value] = []
        while try cursor.nextRow() {
            values.append(try cursor.row { try borrowedValue($0, 0).copied(to: arena) })
        }
        let copy = try values.withUnsafeBytes { bytes in
            bytes.isEmpty ? nil : try arena.checkedCopy(bytes.baseAddress, count: bytes.count)
        }
        out.pointee = copy.map { UnsafePointer($0.assumingMemoryBound(to: corm_value.self)) }
        count.pointee = values.count
        return CORM_OK
    }
}
