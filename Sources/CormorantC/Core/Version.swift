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
        _ = try array(steps, count, "steps")
        var versionSteps: [VersionStep] = []
        if let steps {
            // The caller's struct may be shorter than this library's.
            let size = steps.pointee.struct_size
            for index in 0..<count {
                let step = (UnsafeRawPointer(steps) + index * Int(size)).assumingMemoryBound(to: corm_version_step.self)
                guard step.pointee.struct_size == size else {
                    throw CormorantError(
                        .misuse, "struct_size of step \(index) is not that of the first",
                        hint: "set it in each by CORM_VERSION_STEP_INIT")
                }
                versionSteps.append(try versionStep(step, handle))
            }
        }
        try database(handle).setVersion(
            version == -1 ? nil : version, steps: versionSteps, options: migrationOptions(options))
        return CORM_OK
    }
}

private func versionStep(_ step: UnsafePointer<corm_version_step>, _ handle: OpaquePointer?) throws -> VersionStep {
    let raw: corm_version_step = try readStruct(step, step.pointee.struct_size, "corm_version_step")
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
