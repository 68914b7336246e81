public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM

@_cdecl("corm_migration_set_version") @implementation
public func corm_migration_set_version(
    _ handle: OpaquePointer?, _ steps: UnsafePointer<corm_version_step>?, _ count: Int, _ version: Int32,
    _ options: UnsafePointer<corm_migration_options>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let steps = try readStructs(steps, count, "corm_version_step", "steps")
        let versionSteps = try steps.map { try versionStep($0, handle) }
        try database(handle).setVersion(
            version == -1 ? nil : version, steps: versionSteps, options: migrationOptions(options))
        return CORM_OK
    }
}

private func versionStep(_ raw: corm_version_step, _ handle: OpaquePointer?) throws -> VersionStep {
    guard let up = try StepAction(raw.up_sql, raw.up, raw.context) else {
        throw CormorantError(
            .migration, "the step of version \(raw.version) does nothing", hint: "give it SQL or a callback")
    }
    let down = try StepAction(raw.down_sql, raw.down, raw.context)
    return VersionStep(raw.version, up: up.action(handle), down: down?.action(handle))
}

@_cdecl("corm_migration_version") @implementation
public func corm_migration_version(
    _ handle: OpaquePointer?, _ outVersion: UnsafeMutablePointer<Int32>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outVersion, "out_version")
        out.pointee = try database(handle).version()
        return CORM_OK
    }
}
