public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// Runs `body` for each of the structs side by side, in one transaction. When it is rolled back, keys that SQLite had
/// made are taken back: they will be other records'.
/// - Parameters:
///   - kind: what `body` does.
///   - isSent: whether nothing of a record need be known before the next is written.
/// - Returns: how many of those that were sent had no row, or were ignored.
@discardableResult
func withRecords(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ records: UnsafeMutableRawPointer?, _ count: Int,
    _ arena: OpaquePointer?, _ kind: RecordWrite.Kind, sending isSent: Bool = true,
    _ body: (ModelPlan, inout StructRecord) throws -> Void
) throws -> Int {
    let database = try database(handle)
    let box = try requireModel(model)
    let layout = try box.records()
    let arena = try memory(arena)
    try refuseRecords(records, count, size: layout.size)
    guard let records, count > 0 else { return 0 }
    var access = StructRecord(base: records, layout: layout, arena: arena, database: handle)
    if arena == nil, kind != .delete, layout.fillsTexts {
        for index in 0..<count {
            let record = StructRecord(base: records + index &* layout.size, layout: layout, arena: nil)
            try record.refuseFilledTexts(box.descriptor, kind)
        }
    }
    var madeKeys: [Int] = []
    var unchanged = 0
    let versions = SavedVersions(access, count: count)
    do {
        try database.batch(
            box.descriptor, count, isSent: isSent && access.hookKind != .all, isInsert: kind == .insert
        ) { plan, index, end in
            while index < end {
                access.base = records + index &* layout.size
                plan.madeKey = false
                try body(plan, &access)
                if plan.madeKey { madeKeys.append(index) }
                index &+= 1
            }
        } receive: { plan, index in
            access.base = records + index &* layout.size
            if try !plan.receive(&access, kind) { unchanged += 1 }
        }
        return unchanged
    } catch {
        versions.restore()
        for index in madeKeys {
            access.base = records + index &* layout.size
            access.clearGeneratedKey()
        }
        throw error
    }
}

@_cdecl("corm_record_insert_many") @implementation
public func corm_record_insert_many(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ records: UnsafeMutableRawPointer?, _ count: Int,
    _ conflict: Int32, _ arena: OpaquePointer?, _ outCount: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let policy = try conflictPolicy(conflict)
        var inserted: Int64 = 0
        let ignored = try withRecords(handle, model, records, count, arena, .insert) { plan, record in
            if try plan.insert(&record, policy) { inserted &+= 1 }
        }
        outCount?.pointee = inserted &- Int64(ignored)
        return CORM_OK
    }
}

@_cdecl("corm_record_save_many") @implementation
public func corm_record_save_many(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ records: UnsafeMutableRawPointer?, _ count: Int,
    _ arena: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try withRecords(handle, model, records, count, arena, .save) { plan, record in try plan.save(&record) }
        return CORM_OK
    }
}

@_cdecl("corm_record_update_many") @implementation
public func corm_record_update_many(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ records: UnsafeMutableRawPointer?, _ count: Int,
    _ properties: UnsafePointer<CChar>?, _ arena: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        var planned: PlannedStatement?
        let isEmpty = properties?.pointee == 0
        try withRecords(handle, model, records, isEmpty ? 0 : count, arena, .update) { plan, record in
            let ready = try planned ?? plan.update(properties)
            planned = ready
            try plan.update(&record, with: ready)
        }
        return isEmpty ? CORM_IGNORED : CORM_OK
    }
}

@_cdecl("corm_record_delete_many") @implementation
public func corm_record_delete_many(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ records: UnsafeRawPointer?, _ count: Int,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        var deleted: Int64 = 0
        let records = UnsafeMutableRawPointer(mutating: records)
        let missing = try withRecords(handle, model, records, count, nil, .delete) { plan, record in
            if try plan.delete(&record) { deleted &+= 1 }
        }
        outCount?.pointee = deleted &- Int64(missing)
        return CORM_OK
    }
}
