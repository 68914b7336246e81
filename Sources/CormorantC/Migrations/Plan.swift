public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM

/// A plan with its texts as C strings.
final class PlanBox: HandleObject {
    static var kind: HandleKind { .plan }
    let plan: MigrationPlan
    private let memory = ScratchMemory(firstSize: 4096)
    let info: UnsafePointer<corm_plan_info>
    private(set) var steps: [UnsafePointer<corm_plan_step>] = []

    init(_ plan: MigrationPlan) {
        self.plan = plan
        info = memory.keep(
            corm_plan_info(
                step_count: plan.steps.count, problem_count: plan.problems.count,
                text: memory.copy(plan.plainDescription), sql: memory.copy(plan.sql), json: memory.copy(plan.json),
                risk: plan.risk.rawValue))
        for step in plan.steps {
            var raw = corm_plan_step()
            raw.summary = memory.copy(step.summary)
            raw.changes = memory.copy(step.changes.map { "\($0)\n" }.joined())
            raw.sql = memory.copy(step.sqlText)
            raw.risk = step.risk.rawValue
            raw.rows = step.rows ?? -1
            if !step.problems.isEmpty {
                raw.problems = memory.copy(step.problems.map { "\($0.plainText)\n" }.joined())
            }
            steps.append(memory.keep(raw))
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

private let noInfo: EmptyInfo<corm_plan_info> = {
    var info = corm_plan_info()
    info.risk = CORM_RISK_LOSSY
    return EmptyInfo(info)
}()

@_cdecl("corm_plan_info_get") @implementation
public func corm_plan_info_get(_ handle: OpaquePointer?) -> UnsafePointer<corm_plan_info>? {
    plan(handle)?.info ?? noInfo.pointer
}

@_cdecl("corm_plan_step_get") @implementation
public func corm_plan_step_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_plan_step>? {
    plan(handle).flatMap { element($0.steps, index) }
}

/// One of a list that C counts through; nil out of range.
func element<Element>(_ list: [Element], _ index: Int) -> Element? {
    list.indices.contains(index) ? list[index] : nil
}
