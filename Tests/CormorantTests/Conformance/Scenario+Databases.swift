import Cormorant
import Foundation

/// Further databases, databases by name, and files.
extension Scenario {
    /// - Returns: false for a step that is about none of these.
    func performDatabases(_ verb: String, _ step: inout Members, _ expected: inout Members) throws -> Bool {
        switch verb {
        case "open":
            var path = try step.text("file").map(file) ?? ":memory:"
            if let name = try step.text("memory") { path = "file:\(file(name))?mode=memory&cache=shared" }
            try keep(openDatabase(path: path, options: options(&step)), &step)
        case "use":
            let lease = try openRegistry().use(step.take("name")?.string())
            leases[try keep(lease.database, &step)] = lease
        case "transactionDepth": try check("value", Int64(database.transactionDepth), &expected)
        case "checkPages": try check("count", Int64(database.pagesNotAuthentic().count), &expected)
        case "attach":
            let schema = try step.required("schema").string()
            let file = try path(&step)
            try database.attach(file, as: schema, encryption: encryption(&step, "cipher") ?? testEncryption(file))
        case "registerFunction": try registerFunction(&step)
        case "registerCollation":
            try database.registerCollation(step.required("name").string()) { $0.utf8.count < $1.utf8.count }
        case "backup":
            let progress = progress.map { progress in { (_: Int64, _: Int64) in progress.tell("copying") } }
            try database.backup(to: path(&step), encryption: encryption(&step, "cipher"), progress: progress)
        case "encrypt": try Database.encrypt(path(&step), with: cipher(&step, "cipher"))
        case "decrypt": try Database.decrypt(path(&step), with: cipher(&step, "cipher"))
        case "rekey":
            try Database.rekey(path(&step), from: cipher(&step, "cipher"), to: cipher(&step, "to"))
        case "vacuum": try database.vacuum()
        case "optimize": try database.optimize()
        case "checkpoint":
            let modes: [String: CheckpointMode] = [
                "passive": .passive, "full": .full, "restart": .restart, "truncate": .truncate,
            ]
            let pages = try database.checkpoint(modes[step.text("mode") ?? "passive"] ?? .passive)
            try check("log", Int64(pages.log), &expected)
            try check("copied", Int64(pages.copied), &expected)
        case "writeText":
            try step.required("text").string().write(toFile: path(&step), atomically: false, encoding: .utf8)
        case "isPlain":
            let head = try Data(contentsOf: URL(fileURLWithPath: path(&step))).prefix(16)
            try check("found", head == Data("SQLite format 3\0".utf8), &expected)
        case "damage":
            let url = try URL(fileURLWithPath: path(&step))
            var content = try Data(contentsOf: url)
            let at = Int(try step.required("at").integer())
            for place in at..<at + Int(try step.take("count")?.integer() ?? 1) { content[place] ^= 1 }
            try content.write(to: url)
        case "damages":
            let wanted = try expected.take("damages")?.strings() ?? []
            let told = damages.told(count: wanted.count)
            guard told == wanted else { throw ScenarioFailure("damages are \(told)") }
        case "repair":
            let report = try Database.repair(
                path(&step), to: file(step.required("to").string()), encryption: encryption(&step, "cipher"),
                schema: step.text("schema"))
            try check("unreadablePages", report.unreadablePages, &expected)
            try check("foundRows", report.foundRows, &expected)
            let tables = report.tables.map { "\($0.name) \($0.rows) \($0.lostRows) \($0.lostPages)" }
            try check("tables", tables, &expected)
        case "truncate":
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path(&step)))
            try file.truncate(atOffset: UInt64(step.required("size").integer()))
            try file.close()
        case "copyFile":
            let copy = try file(step.required("to").string())
            try Data(contentsOf: URL(fileURLWithPath: path(&step))).write(to: URL(fileURLWithPath: copy))
        default: return try performRegistry(verb, &step, &expected)
        }
        return true
    }

    private func performRegistry(_ verb: String, _ step: inout Members, _ expected: inout Members) throws -> Bool {
        switch verb {
        case "registry":
            let pattern = try step.text("pattern").map(file)
            let limit = try step.take("limit")?.integer() ?? 64
            registry = try Registry(pattern, limit: Int(limit), options: options(&step))
        case "register":
            let own = try step.take("mode").map { OpenOptions(mode: try mode($0.string())) }
            try openRegistry().register(step.required("name").string(), path: path(&step), options: own)
        case "setCurrent": try openRegistry().setCurrent(name(&step))
        case "setDefault": try openRegistry().setDefault(name(&step))
        case "registryState":
            let registry = try openRegistry()
            try check("names", registry.allNames(), &expected)
            try check("current", registry.currentName, &expected)
            try check("default", registry.defaultName, &expected)
            try check("openCount", Int64(registry.openCount), &expected)
        case "closeFile": try openRegistry().closeFile(step.required("name").string())
        case "closeRegistry":
            try openRegistry().close()
            registry = nil
        case "attachNamed":
            try openRegistry().attach(
                step.required("name").string(), to: database, as: step.required("schema").string())
        case "migrateAll": try migrateAll(&step, &expected)
        default: return false
        }
        return true
    }

    /// Ends what a step opened or used.
    func close(_ name: String) throws {
        if let lease = leases[name] { try lease.release() } else { try others[name]?.close() }
        others[name] = nil
        leases[name] = nil
    }

    private func openRegistry() throws -> Registry {
        guard let registry else { throw ScenarioFailure("there is no registry") }
        return registry
    }

    @discardableResult
    private func keep(_ database: Database, _ step: inout Members) throws -> String {
        let name = try step.required("as").string()
        others[name] = database
        return name
    }

    private func path(_ step: inout Members) throws -> String { file(try step.required("file").string()) }

    /// nil for null, too.
    private func name(_ step: inout Members) throws -> String? {
        guard let json = step.take("name") else { return nil }
        if case .null = json { return nil }
        return try json.string()
    }

    /// A text, or null.
    private func check(_ member: String, _ found: String?, _ expected: inout Members) throws {
        guard let json = expected.take(member) else { return }
        let wanted: String? = if case .null = json { nil } else { try json.string() }
        guard found == wanted else { throw ScenarioFailure("\(member) is \(found ?? "none")") }
    }

    func mode(_ name: String) throws -> OpenOptions.Mode {
        let modes: [String: OpenOptions.Mode] = ["create": .create, "readWrite": .readWrite, "readOnly": .readOnly]
        guard let mode = modes[name] else { throw ScenarioFailure("unknown mode \"\(name)\"") }
        return mode
    }

    private func options(_ step: inout Members) throws -> OpenOptions {
        var options = OpenOptions(mode: try mode(step.text("mode") ?? "create"))
        let journals: [String: OpenOptions.JournalMode] = [
            "wal": .wal, "delete": .delete, "truncate": .truncate, "persist": .persist, "memory": .memory, "off": .off,
        ]
        let syncs: [String: OpenOptions.Synchronous] = [
            "off": .off, "normal": .normal, "full": .full, "extra": .extra,
        ]
        if let name = try step.text("journalMode") { options.journalMode = journals[name] ?? options.journalMode }
        if let name = try step.text("synchronous") { options.synchronous = syncs[name] ?? options.synchronous }
        options.foreignKeys = try step.take("foreignKeys")?.bool() ?? true
        options.template = try step.text("template").map(file)
        if let timeout = try step.take("busyTimeout")?.integer() { options.busyTimeout = Int(timeout) }
        if let sql = try step.text("setUp") { options.setUp = { try $0.execute(script: sql) } }
        options.encryption = try encryption(&step, "cipher")
        options.heapLimit = try step.take("heapLimit")?.integer()
        options.keepsSchema = try step.flag("keepSchema")
        if try step.flag("damaged") {
            let list = DamageList()
            damages = list
            options.damaged = { list.add("\($0.error.code.name) \($0.page ?? 0)") }
        }
        return options
    }

    private func cipher(_ step: inout Members, _ member: String) throws -> Encryption {
        guard let encryption = try encryption(&step, member) else { throw ScenarioFailure("no \(member)") }
        return encryption
    }

    private func encryption(_ step: inout Members, _ member: String) throws -> Encryption? {
        guard let json = step.take(member) else { return nil }
        var members = try Members(json)
        let version = try members.take("compatibility")?.integer() ?? 4
        guard let compatibility = Encryption.Compatibility(rawValue: Int32(version)) else {
            throw ScenarioFailure("unknown compatibility \(version)")
        }
        guard case .text(let key) = try scenarioValue(members.required("key")) else {
            throw ScenarioFailure("a key is a text")
        }
        var encryption = try Encryption(key: CipherKey(key), compatibility: compatibility)
        encryption.pageSize = try members.take("pageSize").map { Int(try $0.integer()) }
        encryption.rounds = try members.take("rounds").map { Int(try $0.integer()) }
        encryption.plainHeaderSize = Int(try members.take("plainHeader")?.integer() ?? 0)
        let algorithms: [String: Encryption.Algorithm] = [
            "sha1": .sha1, "sha256": .sha256, "sha512": .sha512, "off": .off,
        ]
        encryption.kdfAlgorithm = try members.text("kdf").flatMap { algorithms[$0] }
        encryption.hmacAlgorithm = try members.text("hmac").flatMap { algorithms[$0] }
        try members.end()
        return encryption
    }

    private func migrateAll(_ step: inout Members, _ expected: inout Members) throws {
        let most = try step.take("most")?.integer() ?? 0
        var told: [String] = []
        let failures = try openRegistry().migrate(
            bundle, step.take("names")?.strings(), upTo: step.text("last"), allowLossy: step.flag("allowLossy")
        ) { migration in
            switch migration.result {
            case .success(let steps): told.append("\(migration.name) \(steps.count)")
            case .failure(let error): told.append("\(migration.name) 0 \(error.code.name)")
            }
            return told.count != Int(most)
        }
        try check("failed", Int64(failures.count), &expected)
        guard let wanted = try expected.take("told")?.array() else { return }
        let texts = try wanted.map { item in
            let parts = try item.array()
            let code = if case .null = parts[2] { "" } else { " \(try parts[2].string())" }
            return "\(try parts[0].string()) \(try parts[1].integer())\(code)"
        }
        guard told == texts else { throw ScenarioFailure("what was told is \(told)") }
    }
}

extension Scenario {
    private struct Failing: Error, CustomStringConvertible { let description: String }

    private func registerFunction(_ step: inout Members) throws {
        let name = try step.required("name").string()
        let isDeterministic = try step.take("deterministic")?.bool() ?? false
        let inSchema = try step.take("inSchema")?.bool() ?? false
        let database = database
        switch try step.required("body").string() {
        case "joined":
            try database.registerFunction(name, isDeterministic: isDeterministic, inSchema: inSchema) {
                (left: String?, right: String?) -> String? in
                if let left, let right { "\(left)+\(right)" } else { nil }
            }
        case "failing":
            try database.registerFunction(name) { () throws -> Int? in throw Failing(description: "it fails") }
        case "inward":
            try database.registerFunction(name) { [unowned database] () throws -> Int? in
                do {
                    try database.execute("CREATE TABLE inward (x)")
                } catch {
                    throw Failing(description: "\(error)")
                }
                return nil
            }
        default:
            try database.registerAggregate(
                name, initial: 1, step: { (product: inout Int, factor: Int) in product *= factor },
                inverse: { $0 /= $1 }, value: { $0 })
        }
    }
}

/// What was told of damage, on threads of the library's own.
final class DamageList: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ line: String) { lock.withLock { lines.append(line) } }

    /// So many, or what there is after five seconds.
    func told(count: Int) -> [String] {
        for _ in 0..<500 where lock.withLock({ lines.count }) < count { usleep(10_000) }
        return lock.withLock { lines }
    }
}
