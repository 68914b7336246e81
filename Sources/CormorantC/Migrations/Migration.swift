public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM

/// What C hands in for a callback; the caller keeps it alive and says on which threads it works.
struct CallbackContext: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
}

func migrationOptions(_ given: UnsafePointer<corm_migration_options>?) throws -> MigrationOptions {
    var options = MigrationOptions()
    guard let given else { return options }
    let raw: corm_migration_options = try readStruct(given, given.pointee.struct_size, "corm_migration_options")
    try requireZero(raw.reserved, "corm_migration_options")
    options.allowDrop = try names(raw.allow_drop, "allow_drop")
    options.snapshot = try optionalString(raw.snapshot, "snapshot path")
    options.keepSnapshot = !raw.drop_snapshot
    options.allowLossy = raw.allow_lossy
    if raw.server != nil { options.server = try database(raw.server) }
    if let callback = raw.progress {
        let context = CallbackContext(pointer: raw.context)
        options.progress = { progress in
            progress.step.withCString { step in
                var told = corm_progress()
                told.step = step
                told.index = progress.index
                told.count = progress.count
                told.done = progress.done
                told.total = progress.total
                return callback(&told, context.pointer)
            }
        }
    }
    return options
}

@_cdecl("corm_migration_sync") @implementation
public func corm_migration_sync(
    _ handle: OpaquePointer?, _ models: UnsafePointer<OpaquePointer?>?, _ count: Int,
    _ options: UnsafePointer<corm_migration_options>?, _ outPlan: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let plan = try database(handle).sync(descriptors(models, count), options: migrationOptions(options))
        if let outPlan { outPlan.pointee = try Handles.add(PlanBox(plan)) }
        return CORM_OK
    }
}

@_cdecl("corm_migration_plan") @implementation
public func corm_migration_plan(
    _ handle: OpaquePointer?, _ models: UnsafePointer<OpaquePointer?>?, _ count: Int,
    _ options: UnsafePointer<corm_migration_options>?, _ outPlan: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outPlan, "out_plan")
        let plan = try database(handle).plan(descriptors(models, count), options: migrationOptions(options))
        out.pointee = try Handles.add(PlanBox(plan))
        return CORM_OK
    }
}

@_cdecl("corm_migration_restore") @implementation
public func corm_migration_restore(
    _ handle: OpaquePointer?, _ snapshot: UnsafePointer<CChar>?, _ cipher: UnsafePointer<corm_cipher_options>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).restore(string(snapshot, "snapshot path"), codecs: cipherSource(cipher)) { _, _ in true }
        return CORM_OK
    }
}
