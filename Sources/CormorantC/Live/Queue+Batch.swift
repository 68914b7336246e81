public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// A batch with the handle of its queue's database, which hooks are given.
private final class BatchBox: HandleObject {
    static var kind: HandleKind { .batch }
    let batch: WriteBatch
    let database: OpaquePointer?

    init(_ queue: QueueBox) {
        batch = WriteBatch(queue.queue)
        database = queue.database
    }
}

private func box(_ handle: OpaquePointer?) throws -> BatchBox {
    let box = try Handles.require(handle, as: BatchBox.self)
    try box.batch.queue.refuseFork()
    return box
}

package func requireBatch(_ handle: OpaquePointer?) throws -> WriteBatch { try box(handle).batch }

private func add(
    _ handle: OpaquePointer?, _ operation: RecordOperation, _ model: OpaquePointer?, _ record: UnsafeRawPointer?
) throws {
    let box = try box(handle)
    let modelBox = try requireModel(model)
    let model = modelBox.descriptor
    guard let record else { throw missingRecord() }
    let given = StructRecord(
        base: UnsafeMutableRawPointer(mutating: record), layout: try modelBox.records(), arena: nil,
        database: box.database)
    if given.hookKind == .none { return box.batch.add(operation, try given.copied(model), of: model) }
    let kept = try given.kept(model)
    box.batch.add(operation, of: model) { try kept.kept(model) }
}

@_cdecl("corm_batch_create") @implementation
public func corm_batch_create(
    _ handle: OpaquePointer?, _ outBatch: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outBatch, "out_batch")
        out.pointee = try Handles.add(BatchBox(requireQueueBox(handle)))
        return CORM_OK
    }
}

@_cdecl("corm_batch_free") @implementation
public func corm_batch_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: BatchBox.self) }

@_cdecl("corm_batch_count") @implementation
public func corm_batch_count(_ handle: OpaquePointer?) -> Int { (try? requireBatch(handle))?.count ?? 0 }

@_cdecl("corm_batch_execute") @implementation
public func corm_batch_execute(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ values: UnsafePointer<corm_value>?, _ count: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let kept = try KeptValues(values, count)
        try requireBatch(handle).add(string(sql, "SQL")) { try kept.bind(to: $0) }
        return CORM_OK
    }
}

@_cdecl("corm_batch_insert") @implementation
public func corm_batch_insert(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeRawPointer?, _ conflict: Int32,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try add(handle, .insert(conflictPolicy(conflict)), model, record)
        return CORM_OK
    }
}

@_cdecl("corm_batch_save") @implementation
public func corm_batch_save(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeRawPointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try add(handle, .save, model, record)
        return CORM_OK
    }
}

@_cdecl("corm_batch_update") @implementation
public func corm_batch_update(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeRawPointer?,
    _ properties: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try add(handle, .update(updatedNames(properties)), model, record)
        return CORM_OK
    }
}

@_cdecl("corm_batch_delete") @implementation
public func corm_batch_delete(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ record: UnsafeRawPointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try add(handle, .delete, model, record)
        return CORM_OK
    }
}

@_cdecl("corm_batch_commit") @implementation
public func corm_batch_commit(
    _ handle: OpaquePointer?, _ policy: Int32, _ options: UnsafePointer<corm_write_options>?,
    _ outNumber: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let batch = try requireBatch(handle)
        guard policy == CORM_BATCH_ROLLBACK || policy == CORM_BATCH_CONTINUE else {
            throw CormorantError(
                .misuse, "batch policy \(policy) is unknown", hint: "use one of the CORM_BATCH_ constants")
        }
        let given = try GivenWrite(options)
        try batch.commit(tag: given.tag, continues: policy == CORM_BATCH_CONTINUE, told: given.told) { write in
            try batch.queue.add(write, timeout: given.timeout) { outNumber?.pointee = $0 }
        }
        return CORM_OK
    }
}
