public import CCormorant
import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantPlatform
import CormorantQuery
import CormorantSQLite

/// What every record function works on.
@inline(__always)
func withRecord(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeMutableRawPointer?, _ arena: OpaquePointer?,
    for use: RecordUse = .inserting, _ body: (ModelPlan, inout StructRecord) throws -> corm_status
) throws -> corm_status {
    try with(handle, model) { database, box in
        guard let record else { throw missingRecord() }
        var access = StructRecord(
            base: record, layout: try box.records(), arena: try memory(arena), database: handle)
        if access.arena == nil { try box.refuseTexts(access, use) }
        return switch use {
        case .inserting, .updating, .deleting: try database.withPlan(box.descriptor, writing: &access, body)
        case .reading: try database.withReadingPlan(box.descriptor) { try body($0, &access) }
        case .finding: try database.withFindingPlan(box.descriptor) { try body($0, &access) }
        }
    }
}

enum RecordUse { case inserting, updating, deleting, reading, finding }

func missingRecord() -> CormorantError {
    CormorantError(.misuse, "the record is NULL", hint: "pass a struct of the model")
}

@inline(__always)
func memory(_ arena: OpaquePointer?) throws -> ScratchMemory? {
    try arena.map { try Handles.require($0, as: ScratchMemory.self) }
}

extension ModelBox {
    /// Refuses to read records without an arena where they have texts: these would keep what was there before.
    @inline(never)
    func refuseTexts() throws {
        guard let field = try rows().firstText else { return }
        throw arenaMissing(descriptor, field, "to be kept")
    }

    /// Refuses what would leave texts of a record as they were.
    @inline(__always)
    fileprivate func refuseTexts(_ record: StructRecord, _ use: RecordUse) throws {
        switch use {
        case .reading, .finding: try refuseTexts()
        case .deleting: break
        case _ where !record.layout.fillsTexts: break
        case .inserting: try record.refuseFilledTexts(descriptor, .save)
        case .updating: try record.refuseFilledTexts(descriptor, .update)
        }
    }
}

func arenaMissing(_ model: ModelDescriptor, _ field: StructLayout.Field, _ what: String) -> CormorantError {
    let column = model.columns[field.column]
    return CormorantError(
        .misuse, "the arena is NULL, and \(model.name).\(column.name) has a text or blob \(what)",
        hint: "pass an arena, which owns it", table: model.table, columns: [column.column])
}

/// Finds the row with a key, for those who read it into something else than a struct; false when there is none.
/// - Parameters: as of `ModelPlan.find`.
package func findRow(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, cached: (ModelDescriptor) -> RowKey?,
    key: (inout RecordWriter, ModelDescriptor) throws -> Void, read: (RecordReader, ColumnTypes) throws -> Void
) throws -> Bool {
    try with(handle, model) { database, box in
        let types = Unmanaged.passUnretained(box.types)
        let model = box.descriptor
        return try database.withFindingPlan(model) { plan in
            let found: Void? = try plan.find(
                cached: { cached(model) }, key: { try key(&$0, model) },
                read: { row in try withoutRetaining(types) { try read(row, $0) } })
            return found != nil
        }
    }
}

/// Whether a row has a key; no column of it is read.
package func rowExists(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, key: (inout RecordWriter, ModelDescriptor) throws -> Void
) throws -> Bool {
    try with(handle, model) { database, box in
        let model = box.descriptor
        return try database.withReadingPlan(model) { plan in
            let found: Void? = try plan.one(plan.existence(), key: { try key(&$0, model) }, read: { _ in })
            return found != nil
        }
    }
}

package func conflictPolicy(_ number: Int32) throws -> ConflictPolicy {
    guard let policy = ConflictPolicy(rawValue: number) else {
        throw CormorantError(
            .misuse, "conflict policy \(number) is unknown", hint: "use one of the CORM_CONFLICT_ constants")
    }
    return policy
}

@_cdecl("corm_record_insert") @implementation
public func corm_record_insert(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeMutableRawPointer?, _ conflict: Int32,
    _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let policy = try conflictPolicy(conflict)
        return try withRecord(handle, model, record, arena) { plan, record in
            try plan.insert(&record, policy) ? CORM_OK : CORM_IGNORED
        }
    }
}

@_cdecl("corm_record_save") @implementation
public func corm_record_save(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeMutableRawPointer?, _ arena: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try withRecord(handle, model, record, arena) { plan, record in
            try plan.save(&record)
            return CORM_OK
        }
    }
}

@_cdecl("corm_record_update") @implementation
public func corm_record_update(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeMutableRawPointer?,
    _ properties: UnsafePointer<CChar>?, _ arena: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try withRecord(handle, model, record, arena, for: .updating) { plan, record in
            if properties?.pointee == 0 { return CORM_IGNORED }
            try plan.update(&record, with: plan.update(properties))
            return CORM_OK
        }
    }
}

@_cdecl("corm_record_delete") @implementation
public func corm_record_delete(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeRawPointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try withRecord(handle, model, UnsafeMutableRawPointer(mutating: record), nil, for: .deleting) { plan, record in
            try plan.delete(&record) ? CORM_OK : CORM_NOT_FOUND
        }
    }
}

@_cdecl("corm_record_refresh") @implementation
public func corm_record_refresh(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeMutableRawPointer?, _ arena: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try withRecord(handle, model, record, arena, for: .reading) { plan, record in
            try plan.refresh(&record)
            return CORM_OK
        }
    }
}

@_cdecl("corm_record_find") @implementation
public func corm_record_find(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ key: UnsafePointer<corm_value>?, _ keyCount: Int,
    _ record: UnsafeMutableRawPointer?, _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try withRecord(handle, model, record, arena, for: .finding) { plan, record in
            let found: Void? = try plan.find(
                cached: { rowKey(key, keyCount, of: plan.model) },
                key: { try $0.writeKey(key, keyCount, of: plan.model) }, read: { try record.read(from: $0) })
            return found == nil ? CORM_NOT_FOUND : CORM_OK
        }
    }
}

/// The key as caches know it.
private func rowKey(_ key: UnsafePointer<corm_value>?, _ count: Int, of model: ModelDescriptor) -> RowKey? {
    guard let key, count == max(1, model.keyColumns.count) else { return nil }
    return (try? (0..<count).map { try plainValue(key[$0], "key") }).flatMap { model.rowKey($0) }
}

@_cdecl("corm_record_exists") @implementation
public func corm_record_exists(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ key: UnsafePointer<corm_value>?, _ keyCount: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try rowExists(handle, model) { try $0.writeKey(key, keyCount, of: $1) } ? CORM_OK : CORM_NOT_FOUND
    }
}

@_cdecl("corm_record_delete_key") @implementation
public func corm_record_delete_key(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ key: UnsafePointer<corm_value>?, _ keyCount: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try with(handle, model) { database, box in
            let model = box.descriptor
            return try database.withPlan(model) { plan in
                try plan.delete(key: { try $0.writeKey(key, keyCount, of: model) }) ? CORM_OK : CORM_NOT_FOUND
            }
        }
    }
}

extension ModelPlan {
    /// The update of a list of properties; NULL: all but the key.
    package func update(_ properties: UnsafePointer<CChar>?) throws -> PlannedStatement {
        guard let properties else { return try update() }
        if let kept = keptUpdate(properties) { return kept }
        let made = NamedUpdate(properties, try update(updatable(names(properties, "properties"))))
        keep(made)
        return made.planned
    }
}
