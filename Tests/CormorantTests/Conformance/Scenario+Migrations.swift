import Cormorant
import Foundation

extension Scenario {
    func performMigration(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        switch verb {
        case "sync":
            let models = try step.texts("models").map { try model(named: $0).descriptor }
            try check(database.sync(models, options: options(&step)), &expected)
        case "planSync":
            let models = try step.texts("models").map { try model(named: $0).descriptor }
            try check(database.plan(models, options: options(&step)), &expected)
        case "schema":
            let schema = try schema(step.take("of"))
            if let other = step.take("with") { try check("same", schema == self.schema(other), &expected) }
            try checkParts(of: schema.sql, &expected)
        case "plan": try plan(&step, &expected)
        case "restore": try database.restore(file(step.required("snapshot").string()))
        case "fileExists":
            let file = try file(step.required("file").string())
            try check("found", FileManager.default.fileExists(atPath: file), &expected)
        case "setVersion":
            let steps = try step.required("steps").array().map(versionStep)
            let version = try step.take("version")?.integer()
            try database.setVersion(version.map { Int32(clamping: $0) }, steps: steps, options: options(&step))
        case "version": try check("value", Int64(database.version()), &expected)
        case "metadata":
            let of = step.take("of")
            try check(of == nil ? database.metadata() : schema(of).metadata(), &expected)
        default: try performBundle(verb, &step, &expected)
        }
    }

    private func performBundle(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        let folder = file("migrations")
        switch verb {
        case "bundle":
            bundle = MigrationBundle()
            for json in try step.required("steps").array() { try bundle.add(migrationStep(json)) }
        case "writeFiles": try writeFiles(step.required("files").object(), folder)
        case "seal": try MigrationBundle.seal(folder)
        case "openBundle": bundle = try MigrationBundle(folder: folder)
        case "generate": try generate(folder, &step, &expected)
        case "squash": try MigrationBundle.squash(folder, upTo: step.text("last"))
        case "apply": try database.apply(bundle, upTo: step.text("last"), options: options(&step))
        case "revert": try database.revert(bundle, downTo: step.text("last"), options: options(&step))
        case "adopt": try database.adopt(bundle, upTo: step.text("last"))
        case "resolve":
            try database.resolve(bundle, step.required("id").string(), applied: step.required("applied").bool())
        case "status":
            let found = try database.status(bundle).map { [$0.id, $0.state.name] }
            let wanted = try expected.take("states")?.array().map { try $0.strings() }
            guard wanted == nil || found == wanted else { throw ScenarioFailure("the states are \(found)") }
        case "drift": try check(database.drift(bundle), &expected)
        default: throw ScenarioFailure("unknown step \"\(verb)\"")
        }
    }

    private func options(_ step: inout Members) throws -> MigrationOptions {
        let progress = progress.map { progress in { @Sendable (told: MigrationProgress) in progress.tell(told.step) } }
        return MigrationOptions(
            allowDrop: try step.texts("allowDrop"), allowLossy: try step.flag("allowLossy"),
            snapshot: try step.text("snapshot").map(file),
            keepSnapshot: try !step.flag("dropSnapshot"), progress: progress)
    }

    /// CREATE statements or `{"models": names}`; none: the file's.
    private func schema(_ json: JSONValue?) throws -> Schema {
        guard let json else { return try database.schema() }
        if case .string(let sql) = json { return try Schema(script: sql) }
        var members = try Members(json)
        let models = try members.texts("models").map { try model(named: $0).descriptor }
        try members.end()
        return try Schema(models: models)
    }

    private func plan(_ step: inout Members, _ expected: inout Members) throws {
        let from = step.take("from")
        let applies = try step.flag("apply")
        let options = try options(&step)
        let plan = try MigrationPlan(
            from: schema(from), to: schema(step.required("to")), of: from == nil ? database : nil, options: options)
        if applies { try database.apply(plan, options: options) }
        try check(plan, &expected)
    }

    private func generate(_ folder: String, _ step: inout Members, _ expected: inout Members) throws {
        let name = try step.required("name").string()
        let models = try step.texts("models").map { try model(named: $0).descriptor }
        var options = try options(&step)
        guard let target = step.take("to") else {
            if isOnServer { options.server = database }
            return try check(
                MigrationBundle.generate(folder, name: name, models: models, options: options), &expected)
        }
        try check(MigrationBundle.generate(folder, name: name, to: schema(target), options: options), &expected)
    }

    private func check(_ plan: MigrationPlan, _ expected: inout Members) throws {
        try check("steps", plan.steps.map(\.summary), &expected)
        try check("problems", plan.problems.map(\.plainText), &expected)
        try check("risk", plan.risk.name, &expected)
        try check("rows", plan.steps.reduce(0) { $0 + ($1.rows ?? -1) }, &expected)
        try checkParts(of: plan.sql, &expected)
    }

    private func writeFiles(_ files: [String: JSONValue], _ folder: String) throws {
        for (name, text) in files {
            let url = URL(fileURLWithPath: "\(folder)/\(name)")
            if case .null = text {
                try FileManager.default.removeItem(at: url)
                continue
            }
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.string().utf8).write(to: url)
        }
    }
}

/// `up`, or the function of `call`.
private func action(_ members: inout Members) throws -> MigrationStep.Action {
    if let sql = try members.text("call") { return .function { try $0.executeScript(SQL(text: sql)) } }
    return .sql(try members.required("up").string())
}

private func migrationStep(_ json: JSONValue) throws -> MigrationStep {
    var members = try Members(json)
    let id = try members.required("id").string()
    let step = MigrationStep(id, up: try action(&members), down: try members.text("down").map { .sql($0) })
    try members.end()
    return step
}

private func versionStep(_ json: JSONValue) throws -> VersionStep {
    var members = try Members(json)
    let step = VersionStep(
        Int32(clamping: try members.required("version").integer()), up: try action(&members),
        down: try members.text("down").map { .sql($0) })
    try members.end()
    return step
}
