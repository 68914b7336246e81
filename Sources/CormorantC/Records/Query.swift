public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// A C query as the engine's, and raw SQL apart, since its bindings may mix positions and names.
package struct GivenQuery {
    package var query = Query(attributes: [])
    /// A statement instead, and its parameters.
    package var statement: StatementBox?
    /// A condition on the model, of which the statement was made then.
    private(set) var condition: Expression?
    var isOfModel: Bool { condition != nil }
    /// Whether it has an order or a part of the rows.
    private(set) var hasOrder = false
    var values: UnsafePointer<corm_value>?
    var valueCount = 0
    /// Whether exactly one row is expected.
    var isOne = false

    /// - Parameter takesOne: whether the call can expect exactly one row.
    package init(_ given: UnsafePointer<corm_query>?, of model: ModelDescriptor?, takesOne: Bool = false) throws {
        guard let given else { return }
        let raw: corm_query = try readStruct(given, given.pointee.struct_size, "corm_query")
        let condition = raw.where == nil ? nil : consume(raw.where)
        isOne = raw.one
        guard takesOne || !isOne else {
            throw CormorantError(
                .misuse, "one row is expected of a call that gives any number of them",
                hint: "leave one out of the query, or call corm_query_first or corm_query_value")
        }
        let order = try names(raw.order_by, "order_by")
        let limit = try CormorantC.limit(raw.limit)
        guard raw.offset >= 0 else {
            throw CormorantError(.misuse, "the offset is negative", hint: "give 0 for none")
        }
        values = raw.values
        valueCount = raw.value_count
        if let condition {
            guard let model, raw.sql == nil, raw.statement == nil else {
                throw CormorantError(
                    .misuse, "a condition goes with the records of a model, not with SQL or a statement",
                    hint: "write it into these, or leave them out")
            }
            self.condition = condition
            hasOrder = !order.isEmpty || limit != nil || raw.offset > 0
            statement = try select(model, condition, order, limit, raw.offset)
        } else if let sql = try optionalString(raw.sql, "SQL") {
            try refuseBesidesSQL(order.isEmpty && raw.limit == 0 && raw.offset == 0 && raw.statement == nil)
            query = Query(text: sql)
        } else if raw.statement != nil {
            try refuseBesidesSQL(order.isEmpty && raw.limit == 0 && raw.offset == 0)
            statement = try requireStatement(raw.statement)
        } else {
            query = Query(
                attributes: try attributes(), order: order, limit: limit, offset: raw.offset)
        }
    }

    /// What order, limit and offset say, as a statement that can have a condition.
    @inline(never)
    private func select(
        _ model: ModelDescriptor, _ condition: Expression, _ order: [String], _ limit: Int64?, _ offset: Int64
    ) throws -> StatementBox {
        let select = StatementBox(kind: CORM_SELECT, model: model, alias: nil)
        select.add(condition, to: CORM_CLAUSE_WHERE)
        for term in order { select.add(try model.orderTerm(term), to: CORM_CLAUSE_ORDER_BY) }
        if let limit { select.add(.value(.integer(limit)), to: CORM_CLAUSE_LIMIT) }
        if offset > 0 { select.add(.value(.integer(offset)), to: CORM_CLAUSE_OFFSET) }
        return select
    }

    private func attributes() throws -> [(property: String, value: Value)] {
        try array(values, valueCount, "values").map { value in
            guard value.name != nil else {
                throw CormorantError(
                    .misuse, "a value of the query names no property",
                    hint: "write corm_value_named(\"title\", value), or give the query SQL with a parameter for it")
            }
            let name = try string(value.name, "attribute's name")
            return (name, try plainValue(value, "attribute \(name)"))
        }
    }
}

/// Consumes the condition of a query that the call did not come to: it is consumed whatever is wrong with the rest.
@inline(__always)
func consumeRest(of given: UnsafePointer<corm_query>?) {
    // It is the last member.
    guard let given, given.pointee.struct_size >= MemoryLayout<corm_query>.size, let condition = given.pointee.where
    else { return }
    corm_expr_free(condition)
}

/// A greatest number of rows, as structs have it; nil: all.
package func limit(_ given: Int64) throws -> Int64? {
    guard given >= CORM_LIMIT_NO_ROWS else {
        throw CormorantError(.misuse, "the limit is negative", hint: "give 0 for all, or CORM_LIMIT_NO_ROWS")
    }
    return given == 0 ? nil : max(given, 0)
}

package func refuseBesidesSQL(_ allowed: Bool) throws {
    if !allowed {
        throw CormorantError(
            .misuse, "order, limit and offset do not go with SQL or a statement, nor these with each other",
            hint: "write them into the SELECT")
    }
}

func openCursor(
    _ handle: OpaquePointer?, _ box: ModelBox, _ given: UnsafePointer<corm_query>?, limit: Int64? = nil
) throws -> StatementCursor {
    try openCursor(handle, box, GivenQuery(given, of: box.descriptor), limit: limit)
}

func openCursor(
    _ handle: OpaquePointer?, _ box: ModelBox, _ given: GivenQuery, limit: Int64? = nil
) throws -> StatementCursor {
    var given = given
    if let rows = box.rowLayout { return try openCursor(handle, box, rows, given) }
    if let statement = given.statement {
        let database = try database(handle)
        return try database.cursor(
            box.descriptor, statement.statement(database.dialect), parameters(given.values, given.valueCount))
    }
    if let limit, given.query.sql == nil {
        let most = Int(clamping: limit)
        given.query.limit = min(given.query.limit ?? most, most)
    }
    return try database(handle).cursor(box.descriptor, given.query) { try bind(given.values, given.valueCount, to: $0) }
}

/// Of rows of several records.
@inline(never)
private func openCursor(
    _ handle: OpaquePointer?, _ box: ModelBox, _ rows: StructLayout, _ given: GivenQuery
) throws -> StatementCursor {
    if let statement = given.statement, !given.isOfModel {
        let database = try database(handle)
        return try database.cursor(
            box.descriptor, statement.statement(rows.nested, of: box.descriptor, database.dialect),
            parameters(given.values, given.valueCount))
    }
    guard given.query.sql != nil else {
        throw CormorantError(
            .misuse, "model \(box.descriptor.name) is of rows of several records, which no table has",
            hint: "give the query a statement that joins the tables, or SQL")
    }
    return try database(handle).cursor(box.descriptor, given.query) { try bind(given.values, given.valueCount, to: $0) }
}

/// - Parameter texts: where they go instead of beside the records.
@inline(never)
private func fetch(
    _ handle: OpaquePointer?, _ box: ModelBox, _ layout: StructLayout, _ query: UnsafePointer<corm_query>?,
    texts: ScratchMemory? = nil
) throws -> Records {
    let cursor = try openCursor(handle, box, query)
    defer { cursor.close() }
    let records = Records(size: layout.size)
    var access = StructRecord(
        base: UnsafeMutableRawPointer(mutating: emptyText), layout: layout, arena: texts ?? records.texts)
    try cursor.readAll { reader in
        access.base = try records.append()
        try access.read(from: reader)
    }
    return records
}

@_cdecl("corm_query_fetch") @implementation
public func corm_query_fetch(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outRecords: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let out = try require(outRecords, "out_records")
        let box = try requireModel(model)
        let layout = try box.rows()
        out.pointee = try Handles.add(fetch(handle, box, layout, query))
        return CORM_OK
    }
}

@_cdecl("corm_query_fetch_into") @implementation
public func corm_query_fetch_into(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?, _ arena: OpaquePointer?,
    _ outRecords: UnsafeMutableRawPointer?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        guard let outRecords else { throw missingRecord() }
        let count = try require(outCount, "out_count")
        let box = try requireModel(model)
        let arena = try requireArena(arena)
        let layout = try box.rows()
        let records = try fetch(handle, box, layout, query, texts: arena)
        var copy: UnsafeMutableRawPointer?
        if let start = records.start, records.count > 0 {
            let size = records.count * layout.size
            let own = try arena.allocateRecords(size: size)
            own.copyMemory(from: start, byteCount: size)
            copy = own
        }
        outRecords.storeBytes(of: copy, as: UnsafeMutableRawPointer?.self)
        count.pointee = records.count
        return CORM_OK
    }
}

/// The memory of what has to live somewhere.
func requireArena(_ handle: OpaquePointer?) throws -> ScratchMemory {
    guard let arena = try memory(handle) else {
        throw CormorantError(.misuse, "the arena is NULL", hint: "pass one for the result to live in")
    }
    return arena
}

@_cdecl("corm_query_first") @implementation
public func corm_query_first(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ record: UnsafeMutableRawPointer?, _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let box = try requireModel(model)
        guard let record else { throw missingRecord() }
        var access = StructRecord(base: record, layout: try box.rows(), arena: try memory(arena))
        if access.arena == nil { try box.refuseTexts() }
        let given = try GivenQuery(query, of: box.descriptor, takesOne: true)
        if given.isOne {
            try database(handle).onlyRow {
                try openCursor(handle, box, given, limit: 2)
            } _: { cursor in
                try cursor.next { try access.read(from: $0) }
            }
            return CORM_OK
        }
        let cursor = try openCursor(handle, box, given, limit: 1)
        defer { cursor.close() }
        let found: Void? = try cursor.next { try access.read(from: $0) }
        return found == nil ? CORM_NOT_FOUND : CORM_OK
    }
}

private func count(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?
) throws -> (Database, Int64) {
    let database = try database(handle)
    let box = model == nil ? nil : try requireModel(model)
    let given = try GivenQuery(query, of: box?.descriptor)
    if let statement = given.statement {
        return (
            database, try database.number(statement.count(database.dialect), parameters(given.values, given.valueCount))
        )
    }
    if let sql = given.query.sql {
        return (database, try database.count(sql) { try bind(given.values, given.valueCount, to: $0) })
    }
    guard let box else {
        throw CormorantError(.misuse, "there is neither a model nor SQL to count", hint: "pass one of them")
    }
    return (database, try database.count(box.descriptor, given.query))
}

@_cdecl("corm_query_count") @implementation
public func corm_query_count(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let out = try require(outCount, "out_count")
        out.pointee = try count(handle, model, query).1
        return CORM_OK
    }
}

@_cdecl("corm_query_exists") @implementation
public func corm_query_exists(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let box = model == nil ? nil : try requireModel(model)
        let given = try GivenQuery(query, of: box?.descriptor)
        if let statement = given.statement {
            let values = try parameters(given.values, given.valueCount)
            let database = try database(handle)
            return try database.exists(statement.probe(database.dialect), values) ? CORM_OK : CORM_NOT_FOUND
        }
        guard model != nil || given.query.sql == nil else {
            return try count(handle, model, query).1 > 0 ? CORM_OK : CORM_NOT_FOUND
        }
        let cursor = try openCursor(handle, requireModel(model), query, limit: 1)
        defer { cursor.close() }
        return try cursor.nextRow() ? CORM_OK : CORM_NOT_FOUND
    }
}

@_cdecl("corm_query_page_count") @implementation
public func corm_query_page_count(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?, _ pageSize: Int64,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let out = try require(outCount, "out_count")
        let (database, records) = try count(handle, model, query)
        out.pointee = try database.pages(records, pageSize)
        return CORM_OK
    }
}

@_cdecl("corm_query_max_key") @implementation
public func corm_query_max_key(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ outKey: UnsafeMutablePointer<corm_value>?,
    _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outKey, "out_key")
        let arena = try memory(arena)
        guard let key = try database(handle).maxKey(requireModel(model).descriptor) else { return CORM_NOT_FOUND }
        switch key {
        case .integer(let integer): out.pointee = corm_value_int64(integer)
        case .real(let real): out.pointee = corm_value_double(real)
        default:
            guard let arena else {
                throw CormorantError(
                    .misuse, "the key is no number and there is no arena for it", hint: "pass an arena")
            }
            out.pointee = try key.cValue(in: arena)
        }
        return CORM_OK
    }
}
