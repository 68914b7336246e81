public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM

/// A plan with its texts as C strings.
final class PlanBox: HandleObject {
    static var kind: HandleKind { .plan }
    let plan: MigrationPlan
    private let memory = ScratchMemory(firstSize: 4096)
    let text: UnsafePointer<CChar>
    let sql: UnsafePointer<CChar>
    let json: UnsafePointer<CChar>
    private(set) var steps: [UnsafePointer<corm_plan_step>] = []

    init(_ plan: MigrationPlan) {
        self.plan = plan
        text = memory.copy(plan.description)
        sql = memory.copy(plan.sql)
        json = memory.copy(plan.json)
        for step in plan.steps {
            var raw = corm_plan_step()
            raw.summary = memory.copy(step.summary)
            raw.changes = memory.copy(step.changes.map { "\($0)\n" }.joined())
            raw.sql = memory.copy(step.sqlText)
            raw.risk = step.risk.rawValue
            raw.rows = step.rows ?? -1
            if !step.problems.isEmpty {
                raw.problems = memory.copy(step.problems.map { "\($0.message): \($0.annotation)\n" }.joined())
            }
            let place = memory.allocateArray(of: corm_plan_step.self, count: 1)
            place.initialize(to: raw)
            steps.append(UnsafePointer(place))
        }
    }
}

private func plan(_ handle: OpaquePointer?) -> PlanBox? { Handles.object(handle, as: PlanBox.self) }

private func requirePlan(_ handle: OpaquePointer?) throws -> PlanBox {
    try Handles.require(handle, as: PlanBox.self)
}

@_cdecl("corm_plan_create") @implementation
public func corm_plan_create(
    _ handle: OpaquePointer?, _ from: OpaquePointer?, _ target: OpaquePointer?,
    _ options: UnsafePointer<corm_migration_options>?, _ outPlan: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outPlan, "out_plan")
        let plan = try MigrationPlan(
            from: requireSchema(from), to: requireSchema(target), of: handle == nil ? nil : database(handle),
            options: migrationOptions(options))
        out.pointee = try Handles.add(PlanBox(plan))
        return CORM_OK
    }
}

@_cdecl("corm_plan_apply") @implementation
public func corm_plan_apply(
    _ handle: OpaquePointer?, _ plan: OpaquePointer?, _ options: UnsafePointer<corm_migration_options>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).apply(requirePlan(plan).plan, options: migrationOptions(options))
        return CORM_OK
    }
}

@_cdecl("corm_plan_free") @implementation
public func corm_plan_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: PlanBox.self) }

@_cdecl("corm_plan_step_count") @implementation
public func corm_plan_step_count(_ handle: OpaquePointer?) -> Int { plan(handle)?.steps.count ?? 0 }

@_cdecl("corm_plan_step_get") @implementation
public func corm_plan_step_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_plan_step>? {
    plan(handle).flatMap { element($0.steps, index) }
}

/// One of a list that C counts through; nil out of range.
func element<Element>(_ list: [Element], _ index: Int) -> Element? {
    list.indices.contains(index) ? list[index] : nil
}

@_cdecl("corm_plan_problem_count") @implementation
public func corm_plan_problem_count(_ handle: OpaquePointer?) -> Int { plan(handle)?.plan.problems.count ?? 0 }

@_cdecl("corm_plan_risk") @implementation
public func corm_plan_risk(_ handle: OpaquePointer?) -> Int32 {
    plan(handle)?.plan.risk.rawValue ?? MigrationRisk.lossy.rawValue
}

@_cdecl("corm_plan_text") @implementation
public func corm_plan_text(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { plan(handle)?.text }

@_cdecl("corm_plan_sql") @implementation
public func corm_plan_sql(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { plan(handle)?.sql }

@_cdecl("corm_plan_json") @implementation
public func corm_plan_json(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { plan(handle)?.json }
