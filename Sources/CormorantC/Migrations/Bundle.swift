public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM

/// A bundle, with the program's steps apart: their functions get the handle that the call names.
final class BundleBox: HandleObject {
    static var kind: HandleKind { .bundle }
    private let files: MigrationBundle
    private var added: [AddedStep] = []

    init(_ files: MigrationBundle) { self.files = files }

    func add(_ step: AddedStep) throws {
        // A handle is not needed to find out whether the step fits.
        _ = try bundle(nil, adding: step)
        added.append(step)
    }

    func bundle(_ handle: OpaquePointer?, adding step: AddedStep? = nil) throws -> MigrationBundle {
        var bundle = files
        for step in added + (step.map { [$0] } ?? []) {
            try bundle.add(
                MigrationStep(
                    step.id, up: step.up.action(handle), down: step.down?.action(handle), schemaSQL: step.schemaSQL))
        }
        return bundle
    }
}

struct AddedStep {
    let id: String
    let up: StepAction
    let down: StepAction?
    let schemaSQL: String?
}

/// One way of a step that C brings.
enum StepAction {
    case sql(String)
    case function(corm_step_callback, CallbackContext)

    /// nil for neither.
    init?(_ sql: UnsafePointer<CChar>?, _ callback: corm_step_callback?, _ context: UnsafeMutableRawPointer?) throws {
        if sql != nil, callback != nil {
            throw CormorantError(.misuse, "a step has both SQL and a callback", hint: "give it one of them")
        }
        if let sql = try optionalString(sql, "step's SQL") {
            self = .sql(sql)
        } else if let callback {
            self = .function(callback, CallbackContext(pointer: context))
        } else {
            return nil
        }
    }

    func action(_ handle: OpaquePointer?) -> MigrationStep.Action {
        switch self {
        case .sql(let sql): return .sql(sql)
        case .function(let callback, let context):
            let bits = UInt(bitPattern: handle)
            return .function { _ in
                var error: OpaquePointer?
                let status = callback(OpaquePointer(bitPattern: bits), context.pointer, &error)
                if status < 0 { throw failure(of: "its callback", status, error) }
                Handles.remove(error, as: ErrorText.self)
            }
        }
    }
}

func requireBundle(_ handle: OpaquePointer?) throws -> BundleBox {
    try Handles.require(handle, as: BundleBox.self)
}

@_cdecl("corm_bundle_create") @implementation
public func corm_bundle_create(
    _ folder: UnsafePointer<CChar>?, _ outBundle: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outBundle, "out_bundle")
        let folder = try optionalString(folder, "folder")
        let bundle = try folder.map { try MigrationBundle(folder: $0) } ?? MigrationBundle()
        out.pointee = try Handles.add(BundleBox(bundle))
        return CORM_OK
    }
}

@_cdecl("corm_bundle_add") @implementation
public func corm_bundle_add(
    _ handle: OpaquePointer?, _ step: UnsafePointer<corm_bundle_step>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        guard let step else { throw CormorantError(.misuse, "the step is NULL", hint: "pass a corm_bundle_step") }
        let raw: corm_bundle_step = try readStruct(step, step.pointee.struct_size, "corm_bundle_step")
        let id = try string(raw.id, "step's id")
        guard let up = try StepAction(raw.up_sql, raw.up, raw.context) else {
            throw CormorantError(.migration, "step \(id) does nothing", hint: "give it SQL or a callback")
        }
        let down = try StepAction(raw.down_sql, raw.down, raw.context)
        let schemaSQL = try optionalString(raw.schema_sql, "step's schema")
        try requireBundle(handle).add(AddedStep(id: id, up: up, down: down, schemaSQL: schemaSQL))
        return CORM_OK
    }
}

@_cdecl("corm_bundle_free") @implementation
public func corm_bundle_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: BundleBox.self) }

@_cdecl("corm_bundle_apply") @implementation
public func corm_bundle_apply(
    _ databaseHandle: OpaquePointer?, _ handle: OpaquePointer?, _ last: UnsafePointer<CChar>?,
    _ options: UnsafePointer<corm_migration_options>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let bundle = try requireBundle(handle).bundle(databaseHandle)
        try database(databaseHandle).apply(
            bundle, upTo: optionalString(last, "step's id"), options: migrationOptions(options))
        return CORM_OK
    }
}

@_cdecl("corm_bundle_revert") @implementation
public func corm_bundle_revert(
    _ databaseHandle: OpaquePointer?, _ handle: OpaquePointer?, _ last: UnsafePointer<CChar>?,
    _ options: UnsafePointer<corm_migration_options>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let bundle = try requireBundle(handle).bundle(databaseHandle)
        try database(databaseHandle).revert(
            bundle, downTo: optionalString(last, "step's id"), options: migrationOptions(options))
        return CORM_OK
    }
}

@_cdecl("corm_bundle_adopt") @implementation
public func corm_bundle_adopt(
    _ databaseHandle: OpaquePointer?, _ handle: OpaquePointer?, _ last: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let bundle = try requireBundle(handle).bundle(databaseHandle)
        try database(databaseHandle).adopt(bundle, upTo: optionalString(last, "step's id"))
        return CORM_OK
    }
}

@_cdecl("corm_bundle_resolve") @implementation
public func corm_bundle_resolve(
    _ databaseHandle: OpaquePointer?, _ handle: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ applied: Bool,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let bundle = try requireBundle(handle).bundle(databaseHandle)
        try database(databaseHandle).resolve(bundle, string(id, "step's id"), applied: applied)
        return CORM_OK
    }
}

@_cdecl("corm_bundle_drift") @implementation
public func corm_bundle_drift(
    _ databaseHandle: OpaquePointer?, _ handle: OpaquePointer?, _ outPlan: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outPlan, "out_plan")
        let bundle = try requireBundle(handle).bundle(databaseHandle)
        out.pointee = try Handles.add(PlanBox(database(databaseHandle).drift(bundle)))
        return CORM_OK
    }
}

/// States with their texts as C strings.
private final class StatesBox: HandleObject {
    static var kind: HandleKind { .bundleStates }
    private let memory = ScratchMemory(firstSize: 1024)
    private(set) var states: [UnsafePointer<corm_bundle_state>] = []
    let json: UnsafePointer<CChar>

    init(_ states: [MigrationState]) {
        json = memory.copy(MigrationState.json(states))
        for state in states {
            var raw = corm_bundle_state()
            raw.id = memory.copy(state.id)
            raw.state = state.state.rawValue
            raw.started = state.started.map { memory.copy($0) }
            raw.finished = state.finished.map { memory.copy($0) }
            let place = memory.allocateArray(of: corm_bundle_state.self, count: 1)
            place.initialize(to: raw)
            self.states.append(UnsafePointer(place))
        }
    }
}

private func states(_ handle: OpaquePointer?) -> StatesBox? {
    Handles.object(handle, as: StatesBox.self)
}

@_cdecl("corm_bundle_status") @implementation
public func corm_bundle_status(
    _ databaseHandle: OpaquePointer?, _ handle: OpaquePointer?, _ outStates: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outStates, "out_states")
        let bundle = try requireBundle(handle).bundle(databaseHandle)
        out.pointee = try Handles.add(StatesBox(database(databaseHandle).status(bundle)))
        return CORM_OK
    }
}

@_cdecl("corm_bundle_states_free") @implementation
public func corm_bundle_states_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: StatesBox.self) }

@_cdecl("corm_bundle_states_count") @implementation
public func corm_bundle_states_count(_ handle: OpaquePointer?) -> Int { states(handle)?.states.count ?? 0 }

@_cdecl("corm_bundle_states_get") @implementation
public func corm_bundle_states_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_bundle_state>? {
    states(handle).flatMap { element($0.states, index) }
}

@_cdecl("corm_bundle_states_json") @implementation
public func corm_bundle_states_json(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { states(handle)?.json }
