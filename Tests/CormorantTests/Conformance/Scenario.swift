import Cormorant
import CormorantBase
import CormorantORM
import Foundation

/// A scenario of Tests/Conformance, on a file of its own.
final class Scenario {
    private let name: String
    private let steps: [JSONValue]
    private let modelDefinitions: [String: JSONValue]
    private let folder: TemporaryFolder
    private let place: ScenarioPlace
    var models: [String: ScenarioModel] = [:]
    /// The names of hooks that were called.
    var hookCalls: [String] = []
    /// Of the step that runs.
    var statement: ScenarioStatement?
    /// Of the steps about bundles.
    var bundle = MigrationBundle()
    /// The version that the last storeGet found.
    var versionRead: Int64 = 0
    /// That of a step's `on`, while the step runs.
    var database: Database
    /// Those that steps opened or used, by their names.
    var others: [String: Database] = [:]
    /// Of those that a registry gave.
    var leases: [String: Lease] = [:]
    var registry: Registry?
    /// Of the newest database that wants to know.
    var damages = DamageList()
    var watches: [String: Watch] = [:]
    /// Those that steps left open.
    var cursors: [String: OpenCursor] = [:]
    /// Of the step that runs, where it stops there or expects what is told.
    var progress: ScenarioProgress?

    /// Whether it is for the version of SQLite that is there.
    private let isForThisSQLite: Bool

    init(_ json: JSONValue, models: [JSONValue], setup: [JSONValue]) throws {
        var members = try Members(json)
        name = try members.required("name").string()
        steps = setup + (try members.required("steps").array())
        isForThisSQLite = try members.text("sqlite").map(isThisSQLite) ?? true
        try members.end()
        modelDefinitions = Dictionary(
            try models.map { (try $0.object()["name"]?.string() ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        folder = try TemporaryFolder()
        place = try ScenarioPlace(folder)
        database = try openDatabase(path: place.path)
    }

    deinit { place.remove() }

    func run() throws {
        guard isForThisSQLite else { return }
        for (number, json) in steps.enumerated() {
            do {
                try run(step: json)
            } catch {
                throw ScenarioFailure("\(name): step \(number): \(error)")
            }
        }
        for cursor in cursors.values { cursor.cursor.close() }
        for watch in watches.values { watch.observer.cancel() }
        for name in others.keys { try close(name) }
        try registry?.close()
        try database.close()
    }

    private func run(step json: JSONValue) throws {
        var step = try Members(json)
        let verb = try step.required("do").string()
        var expected = try Members(step.take("expect") ?? .object([:]))
        let expectedError = expected.take("error")
        do {
            statement = try statement(&step, &expected)
            let wanted = try expected.take("progress")?.strings()
            progress =
                try step.take("cancelAt").map { ScenarioProgress(cancelAt: try $0.integer()) }
                ?? wanted.map { _ in ScenarioProgress(cancelAt: .max) }
            try perform(verb, on: step.text("on"), &step, &expected)
            guard wanted == nil || progress?.told == wanted else {
                throw ScenarioFailure("progress is told \(progress?.told ?? [])")
            }
        } catch let error as CormorantError {
            guard let expectedError else { throw error }
            try check(error, expectedError)
            if verb == "commit" { try database.rollback() }
            return
        }
        if expectedError != nil { throw ScenarioFailure("no error") }
        try step.end()
        try expected.end()
    }

    private func perform(
        _ verb: String, on name: String?, _ step: inout Members, _ expected: inout Members
    ) throws {
        guard let name else { return try performTraced(verb, &step, &expected) }
        guard let other = others[name] else { throw ScenarioFailure("there is no database \"\(name)\"") }
        if verb == "close" { return try close(name) }
        let own = database
        database = other
        defer { database = own }
        try performTraced(verb, &step, &expected)
    }

    private func performTraced(_ verb: String, _ step: inout Members, _ expected: inout Members) throws {
        guard let wanted = try expected.take("ran")?.strings() else { return try perform(verb, &step, &expected) }
        nonisolated(unsafe) var ran: [String] = []
        try database.setTrace { sql, _ in ran.append(sql) }
        defer { try? database.setTrace(nil) }
        try perform(verb, &step, &expected)
        guard ran == wanted else { throw ScenarioFailure("it ran \(ran), not \(wanted)") }
    }

    private func check(_ error: CormorantError, _ json: JSONValue) throws {
        var expected = try Members(json)
        func compare(_ what: String, _ found: String?, _ wanted: String?) throws {
            if found != wanted {
                throw ScenarioFailure("\(what) is \(found ?? "none"), not \(wanted ?? "none"), in \(error)")
            }
        }
        if let code = try expected.text("code") { try compare("code", "\(error.code.name)", code) }
        if let table = try expected.text("table") { try compare("table", error.table, table) }
        if let columns = try expected.text("columns") {
            try compare("columns", error.columns.joined(separator: ", "), columns)
        }
        if let constraint = expected.take("constraint") {
            if case .null = constraint {
                try compare("constraint", error.constraint, nil)
            } else {
                try compare("constraint", error.constraint, try constraint.string())
            }
        }
        if let index = try expected.take("recordIndex")?.integer() {
            try compare("index", "\(error.recordIndex ?? -1)", "\(index)")
        }
        if let offset = try expected.take("offset")?.integer() {
            try compare("offset", "\(error.offset ?? -1)", "\(offset)")
        }
        if let hasHint = try expected.take("hasHint")?.bool() {
            try compare("hint", error.hint == nil ? "" : "given", hasHint ? "given" : "")
        }
        for part in try expected.texts("messageContains") where !error.message.contains(inSwift(part)) {
            throw ScenarioFailure("the message lacks \"\(part)\": \(error)")
        }
        for part in try expected.texts("hintContains") where error.hint?.contains(inSwift(part)) != true {
            throw ScenarioFailure("the hint lacks \"\(part)\": \(error)")
        }
        try expected.end()
    }

    func model(_ step: inout Members) throws -> ScenarioModel { try model(named: step.required("model").string()) }

    func model(named name: String) throws -> ScenarioModel {
        if let ready = models[name] { return ready }
        guard let definition = modelDefinitions[name] else { throw ScenarioFailure("unknown model \"\(name)\"") }
        let model = try ScenarioModel(definition)
        // Known before its relations, which may lead back here.
        models[name] = model
        try addRelations(of: model)
        return model
    }

    func addRelations(of model: ScenarioModel) throws {
        let kinds: [String: RelationDescriptor.Kind] = [
            "toOne": .toOne, "toMany": .toMany, "manyToMany": .manyToMany,
        ]
        for json in model.relations {
            var members = try Members(json)
            let target = try members.required("target").string()
            let isOwn = target == model.descriptor.name
            let descriptor = isOwn ? model.descriptor : try self.model(named: target).descriptor
            let junction = try members.text("junction").map { name in try self.model(named: name).descriptor }
            guard let kind = kinds[try members.required("kind").string()] else { throw ScenarioFailure("unknown kind") }
            var relation = RelationDescriptor(
                try members.required("name").string(), kind, target: { [weak descriptor] in descriptor })
            if let junction { relation.junction = { [weak junction] in junction } }
            relation.columns = try members.texts("columns")
            relation.targetColumns = try members.texts("targetColumns")
            try model.descriptor.add(relation)
            try members.end()
        }
    }

    /// A file beside the database, or the database.
    func file(_ name: String) -> String { name == "test.db" ? place.path : folder.file(name) }

    func reopen(_ mode: OpenOptions.Mode, autoSync: Bool, untrusted: Bool) throws {
        try database.close()
        var options = OpenOptions(mode: mode, untrusted: untrusted)
        options.autoSync = autoSync
        database = try openDatabase(path: place.path, options: options)
    }
}

/// Of "from 3.44" or "before 3.44".
private func isThisSQLite(_ wanted: String) -> Bool {
    func minor(_ version: Substring) -> Int { version.split(separator: ".").dropFirst().first.flatMap { Int($0) } ?? 0 }
    let words = wanted.split(separator: " ")
    return (words.first == "from") == (minor(Substring(versionOfSQLite())) >= minor(words.last ?? ""))
}
