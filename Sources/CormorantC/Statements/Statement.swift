public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

func statement(_ handle: OpaquePointer?) -> StatementBox? {
    Handles.object(handle, as: StatementBox.self)
}

package func requireStatement(_ handle: OpaquePointer?) throws -> StatementBox {
    try Handles.require(handle, as: StatementBox.self)
}

@_cdecl("corm_statement_create") @implementation
public func corm_statement_create(
    _ kind: Int32, _ model: OpaquePointer?, _ alias: UnsafePointer<CChar>?
) -> OpaquePointer? {
    let box: StatementBox
    do {
        let model = try model.map { try requireModel($0).descriptor }
        box = StatementBox(kind: kind, model: model, alias: try optionalString(alias, "alias"))
    } catch {
        box = StatementBox(problem: error)
    }
    return try? Handles.add(box)
}

@_cdecl("corm_statement_copy") @implementation
public func corm_statement_copy(_ handle: OpaquePointer?) -> OpaquePointer? {
    let copy =
        statement(handle).map { StatementBox(copy: $0) }
        ?? StatementBox(problem: consumedBefore(handle, "statement", "corm_statement_copy"))
    return try? Handles.add(copy)
}

@_cdecl("corm_statement_free") @implementation
public func corm_statement_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: StatementBox.self) }

/// A source; what is wrong with it becomes the source.
private func source(_ pointer: UnsafePointer<corm_source>?) throws -> (source: Source, model: ModelDescriptor?) {
    guard let pointer else { throw CormorantError(.misuse, "the source is NULL", hint: "pass a corm_source") }
    // Consumed first, whatever is wrong with the rest.
    func consumeAll(_ given: corm_source) -> (select: Result<Select, any Error>?, arguments: [Expression]) {
        (
            given.select.map { select in Result { try consumeSelect(select) } },
            given.argument_count == 0 ? [] : consume(given.arguments, given.argument_count)
        )
    }
    let given = try readStruct(pointer, pointer.pointee.struct_size, "corm_source") { _ = consumeAll($0) }
    let (consumed, arguments) = consumeAll(given)
    let select = try consumed?.get()
    let alias = try optionalString(given.alias, "alias")
    let name = try optionalString(given.name, "source's name")
    let function = try optionalString(given.function, "function")
    guard [given.model != nil, select != nil, name != nil, function != nil].filter(\.self).count == 1 else {
        throw CormorantError(
            .misuse, "a source is not one of model, select, name and function", hint: "set exactly one of the four")
    }
    if let function { return (Source(.function(Call(function, arguments)), alias: alias), nil) }
    if let select { return (Source(.select(select), alias: alias), nil) }
    if let name { return (Source(.name(name), alias: alias), nil) }
    let model = try requireModel(given.model).descriptor
    return (Source(.table(model.tableReference), alias: alias), model)
}

extension StatementBox {
    /// Reads from a source or, with a kind, joins it.
    package func add(
        _ source: Source, _ model: ModelDescriptor?, join: (kind: JoinKind, condition: Expression?)? = nil
    ) {
        guard let join else {
            if case .change = tree { return read(from: source) }
            noteSource(model, as: source.alias)
            return editSelect { $0.source = source }
        }
        if let model { noteJoined(model, as: source.alias) }
        editSelect { $0.joins.append(Join(join.kind, source, on: join.condition)) }
    }
}

package func joinKind(_ number: Int32) throws -> JoinKind {
    if let kind = JoinKind(rawValue: number) { return kind }
    throw CormorantError(.misuse, "the join \(number) is unknown", hint: "use one of the CORM_JOIN_ constants")
}

package func compoundOperator(_ number: Int32) throws -> CompoundOperator {
    if let found = CompoundOperator(rawValue: number) { return found }
    throw CormorantError(.misuse, "\(number) combines no SELECTs", hint: "use CORM_UNION and those that follow it")
}

@_cdecl("corm_statement_from") @implementation
public func corm_statement_from(_ handle: OpaquePointer?, _ given: UnsafePointer<corm_source>?) {
    change(handle) { box in
        let (source, model) = try source(given)
        box.add(source, model)
    }
}

@_cdecl("corm_statement_join") @implementation
public func corm_statement_join(
    _ handle: OpaquePointer?, _ kind: Int32, _ given: UnsafePointer<corm_source>?, _ condition: OpaquePointer?
) {
    let condition = condition == nil ? nil : consume(condition)
    change(handle) { box in
        let (source, model) = try source(given)
        box.add(source, model, join: (try joinKind(kind), condition))
    }
}

/// Runs a setter. Without a statement what it consumes is gone all the same, as the header says.
func change(_ handle: OpaquePointer?, _ body: (StatementBox) throws -> Void) {
    let box = statement(handle) ?? StatementBox(problem: CormorantError(.misuse, "the statement is NULL"))
    do { try body(box) } catch { box.edit { _ in throw error } }
}

@_cdecl("corm_statement_add") @implementation
public func corm_statement_add(_ handle: OpaquePointer?, _ clause: Int32, _ expression: OpaquePointer?) {
    let expression = consume(expression)
    change(handle) { $0.add(expression, to: clause) }
}

@_cdecl("corm_statement_distinct") @implementation
public func corm_statement_distinct(_ handle: OpaquePointer?) {
    change(handle) { $0.editSelect { $0.isDistinct = true } }
}

@_cdecl("corm_statement_compound") @implementation
public func corm_statement_compound(_ handle: OpaquePointer?, _ operation: Int32, _ select: OpaquePointer?) {
    change(handle) { box in
        let other = try consumeSelect(select)
        let operation = try compoundOperator(operation)
        box.editSelect { $0.compounds.append(Compound(operation, other)) }
    }
}

@_cdecl("corm_statement_with") @implementation
public func corm_statement_with(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ columns: UnsafePointer<CChar>?,
    _ select: OpaquePointer?
) {
    change(handle) { box in
        let select = try consumeSelect(select)
        box.add(CommonTable(try string(name, "name"), columns: try names(columns, "columns"), select))
    }
}

@_cdecl("corm_statement_after") @implementation
public func corm_statement_after(_ handle: OpaquePointer?, _ values: UnsafePointer<corm_value>?, _ count: Int) {
    change(handle) { box in
        let values = try plainValues(values, count)
        box.editSelect { $0 = try $0.after(values) }
    }
}
