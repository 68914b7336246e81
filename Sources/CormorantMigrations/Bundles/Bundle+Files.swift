import CormorantBase
import CormorantQuery
import CormorantSQLite

/// The files of a bundle's folder, as bundle.h describes them.
struct BundleFolder {
    static let manifest = "manifest.sha256"
    static let files = ["up.sql", "down.sql", "schema.sql", "models.sql", "models.postgresql.sql", "replaces.sha256"]

    let path: String

    func path(_ step: String, _ file: String) -> String { "\(path)/\(step)/\(file)" }

    /// The steps as the files have them, whatever the manifest says.
    func steps() throws -> [MigrationStep] {
        guard isFolder(path) else {
            throw CormorantError(
                .cannotOpen, "\"\(path)\" is no folder", hint: "give the folder of a bundle, or generate its first step"
            )
        }
        return try folderEntries(path).filter { isFolder("\(path)/\($0)") }.map(step)
    }

    private func step(_ id: String) throws -> MigrationStep {
        for name in try folderEntries("\(path)/\(id)") where !Self.files.contains(name) {
            throw CormorantError(
                .migration, "\"\(path)/\(id)/\(name)\" is no file of a bundle",
                hint: "remove it; a step has \(Self.files.joined(separator: ", "))")
        }
        guard let up = try readText(path(id, "up.sql")) else {
            throw CormorantError(
                .migrationMissing, "step \(id) has no up.sql", hint: "write it, or remove the folder \"\(path)/\(id)\"")
        }
        var step = MigrationStep(id, up: .sql(up), down: try readText(path(id, "down.sql")).map { .sql($0) })
        for action in [step.up, step.down].compactMap({ $0 }) { try action.checkEngines(of: id) }
        step.schemaSQL = try readText(path(id, "schema.sql"))
        step.modelsSQL = try readText(path(id, "models.sql"))
        step.serverModelsSQL = try readText(path(id, "models.postgresql.sql"))
        if let replaces = try readText(path(id, "replaces.sha256")) {
            step.replaces = try checksums(replaces, "\(id)/replaces.sha256").map { ($0.name, $0.sha256) }
        }
        return step
    }

    /// Refuses files that differ from the manifest.
    func checkManifest() throws {
        let expected = Dictionary(
            try checksums(readText("\(path)/\(Self.manifest)") ?? "", Self.manifest).map {
                (ExactText($0.name), $0.sha256)
            },
            uniquingKeysWith: { _, last in last })
        let actual = Dictionary(
            try manifestLines().map { (ExactText($0.name), $0.sha256) }, uniquingKeysWith: { first, _ in first })
        for (name, sum) in actual.sorted(by: { $0.key < $1.key }) where expected[name] != sum {
            throw CormorantError(
                .migrationModified,
                expected[name] == nil
                    ? "\"\(path)/\(name)\" is not in the manifest" : "\"\(path)/\(name)\" differs from the manifest",
                hint: "undo the change, or seal the bundle to accept it")
        }
        if let name = expected.keys.filter({ actual[$0] == nil }).min() {
            throw CormorantError(
                .migrationMissing, "\"\(path)/\(name)\" is in the manifest and not in the folder",
                hint: "bring it back, or seal the bundle to accept that it is gone")
        }
    }

    func writeManifest() throws {
        let lines = try manifestLines().map { "\($0.sha256)  \($0.name)\n" }
        try writeText(lines.joined(), to: "\(path)/\(Self.manifest)")
    }

    private func manifestLines() throws -> [(name: String, sha256: String)] {
        var lines: [(name: String, sha256: String)] = []
        for id in try folderEntries(path) where isFolder("\(path)/\(id)") {
            for name in try folderEntries("\(path)/\(id)") {
                lines.append(("\(id)/\(name)", sha256((try readText(path(id, name)) ?? "").utf8)))
            }
        }
        return lines
    }

    func write(_ step: MigrationStep) throws {
        try makeFolder(path)
        try makeFolder("\(path)/\(step.id)")
        func write(_ text: String?, _ name: String) throws {
            if let text { try writeText(text, to: path(step.id, name)) }
        }
        if case .sql(let sql) = step.up { try write(sql, "up.sql") }
        if case .sql(let sql)? = step.down { try write(sql, "down.sql") }
        try write(step.schemaSQL, "schema.sql")
        try write(step.modelsSQL, "models.sql")
        try write(step.serverModelsSQL, "models.postgresql.sql")
        if !step.replaces.isEmpty {
            try write(step.replaces.map { "\($0.sha256)  \($0.id)\n" }.joined(), "replaces.sha256")
        }
    }

    /// Puts one step in the place of others. It is written whole, under a hidden name, before they are moved aside, so that
    /// nothing is lost half-way.
    func replace(_ ids: [String], with step: MigrationStep) throws {
        var hidden = step
        hidden.id = ".new_\(step.id)"
        try write(hidden)
        for id in ids { try moveFile("\(path)/\(id)", to: "\(path)/.old_\(id)") }
        try moveFile("\(path)/\(hidden.id)", to: "\(path)/\(step.id)")
        try writeManifest()
        for id in ids {
            for name in Self.files { removeFile(path(".old_\(id)", name)) }
            // What else is in there is not ours to remove.
            try? removeFolder("\(path)/.old_\(id)")
        }
    }

    /// Lines of `sha256sum`: 64 digits, two spaces, a name.
    private func checksums(_ text: String, _ name: String) throws -> [(name: String, sha256: String)] {
        try text.split(separator: "\n").map { line in
            let digits = line.prefix(64)
            guard digits.utf8.count == 64, line.dropFirst(64).hasPrefix("  "), line.utf8.count > 66 else {
                throw CormorantError(
                    .migrationModified,
                    "\"\(path)/\(name)\" holds a line that is no checksum: \(oneLine(String(line)))",
                    hint: "bring the file back, or seal the bundle")
            }
            return (String(line.dropFirst(66)), String(digits))
        }
    }
}

extension MigrationBundle {
    /// Opens a folder of steps. A file that differs from the manifest is an error.
    public init(folder: String) throws {
        self.init()
        let files = BundleFolder(path: folder)
        let steps = try files.steps()
        for step in steps { try add(step) }
        try files.checkManifest()
    }
}
