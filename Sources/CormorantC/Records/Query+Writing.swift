public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

extension GivenQuery {
    /// The statement that writes what the query finds.
    func change(_ kind: Change.Kind, _ model: ModelDescriptor) throws -> Change {
        try model.validate()
        var change = Change(kind, model.tableReference)
        guard query.sql == nil, statement == nil || isOfModel, query.order.isEmpty, query.limit == nil,
            query.offset == 0, !hasOrder
        else {
            throw CormorantError(
                .misuse, "what is updated or deleted is found by a condition or attributes alone",
                hint: "leave out SQL, statement, order, limit and offset; write it as a statement with a subquery")
        }
        if let condition { change.conditions = [condition] }
        change.conditions += try query.attributes.map { property, value in
            .binary(.is, .column(model.tableReference, try model.require(property)), .value(value))
        }
        return change
    }
}

/// Runs what writes the records of a query.
private func run(
    _ handle: OpaquePointer?, _ box: ModelBox, _ given: GivenQuery, _ change: Change
) throws -> Int64 {
    let values = given.condition == nil ? [:] : try parameters(given.values, given.valueCount)
    let database = try database(handle)
    do {
        return try database.execute(StatementCompiler.compile(change, database.dialect), values)
    } catch {
        throw try database.withPlan(box.descriptor) { plan in
            if case .delete = change.kind { return plan.explain(error, isWriting: false) }
            return plan.explain(error)
        }
    }
}

@_cdecl("corm_query_update") @implementation
public func corm_query_update(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ assignments: UnsafePointer<corm_assignment>?, _ count: Int, _ outChanges: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        // What is consumed is gone whatever is wrong with the rest.
        let given = try array(assignments, count, "assignments")
        let values = given.map { consume($0.value) }
        let box = try requireModel(model)
        let found = try GivenQuery(query, of: box.descriptor)
        try box.refuseRows()
        guard !given.isEmpty else {
            throw CormorantError(.misuse, "the update sets nothing", hint: "give assignments, with CORM_SET")
        }
        var change = try found.change(.update, box.descriptor)
        change.assignments = try zip(given, values).map { assignment, value in
            (column: try box.descriptor.require(string(assignment.property, "property")), value: value)
        }
        let changes = try run(handle, box, found, change)
        outChanges?.pointee = changes
        return CORM_OK
    }
}

@_cdecl("corm_query_delete") @implementation
public func corm_query_delete(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let box = try requireModel(model)
        let found = try GivenQuery(query, of: box.descriptor)
        try box.refuseRows()
        let change = try found.change(.delete, box.descriptor)
        let count =
            change.conditions.isEmpty
            ? try database(handle).withPlan(box.descriptor) { try $0.deleteAll() }
            : try run(handle, box, found, change)
        outCount?.pointee = count
        return CORM_OK
    }
}
