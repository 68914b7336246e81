public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// The model of a handle, as long as its owner does not free it: relations in a circle would keep each other alive.
package func livingModel(of handle: OpaquePointer?) throws -> @Sendable () -> ModelDescriptor? {
    _ = try requireModel(handle)
    let bits = UInt(bitPattern: handle)
    return { Handles.object(OpaquePointer(bitPattern: bits), as: ModelBox.self)?.descriptor }
}

@_cdecl("corm_relation_add") @implementation
public func corm_relation_add(
    _ model: OpaquePointer?, _ definition: UnsafePointer<corm_relation_def>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let owner = try requireModel(model).descriptor
        guard let definition else {
            throw CormorantError(.misuse, "the definition is NULL", hint: "pass a corm_relation_def")
        }
        let raw: corm_relation_def = try readStruct(definition, definition.pointee.struct_size, "corm_relation_def")
        guard let kind = RelationDescriptor.Kind(rawValue: raw.kind) else {
            throw CormorantError(
                .model, "the relation's kind \(raw.kind) is unknown", hint: "use CORM_TO_ONE and those that follow it")
        }
        let relation = try RelationDescriptor(
            string(raw.name, "relation's name"), kind, target: livingModel(of: raw.target),
            junction: raw.junction == nil ? nil : livingModel(of: raw.junction),
            columns: names(raw.columns, "columns"),
            targetColumns: names(raw.target_columns, "target_columns"))
        try owner.add(relation)
        return CORM_OK
    }
}

@_cdecl("corm_relation_exists") @implementation
public func corm_relation_exists(
    _ model: OpaquePointer?, _ alias: UnsafePointer<CChar>?, _ relation: UnsafePointer<CChar>?,
    _ condition: OpaquePointer?
) -> OpaquePointer? {
    let conditions = condition == nil ? [] : [consume(condition)]
    return makeExpression {
        let model = try requireModel(model).descriptor
        return try model.exists(
            along: model.path(string(relation, "relation"))[...], where: conditions,
            alias: optionalString(alias, "alias"))
    }
}

@_cdecl("corm_relation_is") @implementation
public func corm_relation_is(
    _ model: OpaquePointer?, _ alias: UnsafePointer<CChar>?, _ relation: UnsafePointer<CChar>?,
    _ record: UnsafeRawPointer?
) -> OpaquePointer? {
    makeExpression {
        let model = try requireModel(model).descriptor
        let names = try string(relation, "relation").split(separator: ".", omittingEmptySubsequences: false)
            .map(String.init)
        var value: ((Int) throws -> Value)?
        if let record {
            let target = try names.reduce(model) { try $0.relation(named: $1).target }
            let layout = try targetLayout(of: target, by: names.last ?? "")
            let copy = try StructRecord(
                base: UnsafeMutableRawPointer(mutating: record), layout: layout, arena: nil
            ).copied(target)
            value = { copy.values[$0] }
        }
        return try model.isRelated(along: names, to: value, alias: optionalString(alias, "alias"))
    }
}

@_cdecl("corm_relation_aggregate") @implementation
public func corm_relation_aggregate(
    _ model: OpaquePointer?, _ alias: UnsafePointer<CChar>?, _ relation: UnsafePointer<CChar>?,
    _ function: UnsafePointer<CChar>?, _ property: UnsafePointer<CChar>?, _ condition: OpaquePointer?
) -> OpaquePointer? {
    let conditions = condition == nil ? [] : [consume(condition)]
    return makeExpression {
        try requireModel(model).descriptor.aggregate(
            string(function, "function"), over: string(relation, "relation"), optionalString(property, "property"),
            where: conditions, alias: optionalString(alias, "alias"))
    }
}

@_cdecl("corm_statement_join_relation") @implementation
public func corm_statement_join_relation(
    _ handle: OpaquePointer?, _ kind: Int32, _ from: UnsafePointer<CChar>?, _ relation: UnsafePointer<CChar>?,
    _ alias: UnsafePointer<CChar>?
) {
    change(handle) { box in
        try box.join(
            along: string(relation, "relation"), joinKind(kind), from: optionalString(from, "source"),
            alias: optionalString(alias, "alias"))
    }
}

extension StatementBox {
    package func join(along path: String, _ kind: JoinKind, from: String?, alias: String?) throws {
        let names = try model(named: from).path(path)
        var from = from
        for name in names.dropLast() {
            let target = try model(named: from).relation(named: name).target
            try joinOne(along: name, kind, from: from, alias: nil)
            from = target.table
        }
        try joinOne(along: names.last ?? "", kind, from: from, alias: alias)
    }

    private func joinOne(along name: String, _ kind: JoinKind, from: String?, alias: String?) throws {
        let model = try model(named: from)
        let target = try model.relation(named: name).target
        // Its own name is no alias.
        let from = from.flatMap { sameIdentifier($0, model.table) ? nil : $0 }
        editSelect { select in
            let alias = alias.flatMap { $0 == target.table ? nil : $0 }
            let source = from ?? (select.source?.alias)
            try select.join(along: name, of: model, as: source, alias: alias, kind)
        }
        noteJoined(target, as: alias)
    }
}

extension ModelDescriptor {
    /// The relations of a path such as "loans.copy", or the one relation that is called so.
    func path(_ text: String) -> [String] {
        guard text.utf8.contains(UInt8(ascii: ".")), (try? relation(named: text)) == nil else { return [text] }
        return text.split(separator: Character("."), omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether any record at the end of a path meets all conditions.
    func exists(
        along path: ArraySlice<String>, where conditions: [Expression], alias: String? = nil
    ) throws -> Expression {
        guard let first = path.first, path.count > 1 else {
            return exists(path.first ?? "", where: conditions, alias: alias)
        }
        let target = try relation(named: first).target
        return exists(first, where: [try target.exists(along: path.dropFirst(), where: conditions)], alias: alias)
    }
}
