public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM

@_cdecl("corm_bundle_generate") @implementation
public func corm_bundle_generate(
    _ folder: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?, _ models: UnsafePointer<OpaquePointer?>?,
    _ count: Int, _ options: UnsafePointer<corm_migration_options>?,
    _ outPlan: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let plan = try MigrationBundle.generate(
            string(folder, "folder"), name: string(name, "step's name"), models: descriptors(models, count),
            options: migrationOptions(options))
        if let outPlan { outPlan.pointee = try Handles.add(PlanBox(plan)) }
        return CORM_OK
    }
}

@_cdecl("corm_bundle_generate_to") @implementation
public func corm_bundle_generate_to(
    _ folder: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?, _ schema: OpaquePointer?,
    _ options: UnsafePointer<corm_migration_options>?, _ outPlan: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let plan = try MigrationBundle.generate(
            string(folder, "folder"), name: string(name, "step's name"), to: requireSchema(schema),
            options: migrationOptions(options))
        if let outPlan { outPlan.pointee = try Handles.add(PlanBox(plan)) }
        return CORM_OK
    }
}

@_cdecl("corm_bundle_seal") @implementation
public func corm_bundle_seal(
    _ folder: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try MigrationBundle.seal(string(folder, "folder"))
        return CORM_OK
    }
}

@_cdecl("corm_bundle_squash") @implementation
public func corm_bundle_squash(
    _ folder: UnsafePointer<CChar>?, _ last: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try MigrationBundle.squash(string(folder, "folder"), upTo: optionalString(last, "step's id"))
        return CORM_OK
    }
}
