public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// The options of an upsert in Swift's words.
package struct UpsertOptions {
    package let key: [String]
    package let kept: [String]
    package let keepsRow: Bool

    package init(_ options: UnsafePointer<corm_upsert_options>?) throws {
        let given = try options.map { try readStruct($0, $0.pointee.struct_size, "corm_upsert_options") }
        key = try names(given?.on, "on")
        kept = try names(given?.keep, "keep")
        keepsRow = given?.keep_row ?? false
        if keepsRow, !kept.isEmpty {
            throw CormorantError(
                .misuse, "keep is given with keep_row", hint: "give one of them: a row that is kept keeps all")
        }
    }

    package func planned(_ plan: ModelPlan) throws -> PlannedStatement {
        keepsRow ? try plan.fetchingOrInserting(on: key) : try plan.upsertion(on: key, keeping: kept)
    }

    /// Whether nothing of a record need be known before the next is written.
    package func areSent(_ model: ModelDescriptor) throws -> Bool {
        try !keepsRow || model.isFoundOrInsertedByOne(on: key)
    }
}

@_cdecl("corm_record_upsert") @implementation
public func corm_record_upsert(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ records: UnsafeMutableRawPointer?, _ count: Int,
    _ options: UnsafePointer<corm_upsert_options>?, _ arena: OpaquePointer?,
    _ outInserted: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let options = try UpsertOptions(options)
        var inserted: Int64 = 0
        if arena == nil { try requireModel(model).refuseTexts() }
        if count == 1 {
            try with(handle, model) { database, box in
                guard let records else { throw missingRecord() }
                var record = StructRecord(
                    base: records, layout: try box.records(), arena: try memory(arena), database: handle)
                if options.keepsRow {
                    if try database.fetchOrInsert(&record, of: box.descriptor, on: options.key) { inserted = 1 }
                } else {
                    try database.withPlan(box.descriptor, writing: &record) {
                        try $0.upsert(&$1, with: options.planned($0))
                    }
                }
            }
        } else {
            var planned: PlannedStatement?
            let areSent = try options.areSent(requireModel(model).descriptor)
            let found = try withRecords(handle, model, records, count, arena, .save, sending: areSent) { plan, record in
                let ready = try planned ?? options.planned(plan)
                planned = ready
                if !options.keepsRow {
                    try plan.upsert(&record, with: ready)
                } else if try plan.fetchOrInsert(&record, with: ready) {
                    inserted &+= 1
                }
            }
            inserted &-= Int64(found)
        }
        outInserted?.pointee = inserted
        return CORM_OK
    }
}
