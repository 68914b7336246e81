import ArgumentParser
import CormorantBase
import CormorantCipher
import CormorantMigrations
import CormorantORM

/// A doctor for files.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for damage, rows that refer to nothing, missing indexes and drift, and say what to do.",
        discussion:
            "Of a server's database, by its URL: sequences that are behind their keys, invalid indexes, constraints that were never "
            + "validated, foreign keys without an index.\n\nExit status: 0 when nothing was found, 2 when there is something to see to, 3 when the file is damaged."
    )

    @OptionGroup var database: DatabaseSource

    @Option(help: "The folder of the bundle that the file is to have the steps of.", completion: .directory)
    var bundle: String?

    @Option(
        help: "The schema that the file is to have: a script of CREATE statements, or another file.",
        completion: .file())
    var schema: String?

    @Flag(help: "Do not compare indexes with their tables, which takes most of the time.")
    var quick = false

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        if isServerURL(database.file) { return try checkServer() }
        var doctor = Doctor()
        var encryption: Encryption?
        do {
            let database = try database.open()
            encryption = try self.database.encryption()
            try database.transaction(.deferred) {
                if let encryption { try doctor.checkPages(database, encryption) }
                if doctor.isReadable { try doctor.checkIntegrity(database, quick: quick) }
                if doctor.isReadable {
                    try doctor.checkSchema(database)
                    try doctor.checkAccess(database)
                    try doctor.checkJournal(database)
                }
            }
            if doctor.isReadable {
                if let bundle { try doctor.checkSteps(database, openBundle(bundle)) }
                if let schema { try doctor.checkDrift(database, SchemaSource(schema, self.database.keys)) }
            }
        } catch let error as CormorantError where [.corrupt, .altered, .truncated].contains(error.code) {
            doctor.addDamage(error.plainMessage)
        }
        try conclude(doctor, encryption)
    }

    private func checkServer() throws {
        guard bundle == nil, schema == nil else {
            throw CormorantError(
                .unsupported, "--bundle and --schema are compared with SQLite files",
                hint: "leave them out; corm status and corm diff say what they know of a server")
        }
        var doctor = Doctor()
        let database = try database.open()
        try database.transaction(.read) { try doctor.checkServer(database) }
        try conclude(doctor, nil)
    }

    private func conclude(_ doctor: Doctor, _ encryption: Encryption?) throws {
        try json ? write(doctor.findings, encryption) : show(doctor.findings, encryption)
        if doctor.findings.contains(where: { $0.severity == .damage }) { throw ExitCode.damaged }
        if doctor.findings.contains(where: { $0.severity == .warning }) { throw ExitCode.findings }
    }

    private func show(_ findings: [Finding], _ encryption: Encryption?) throws {
        let style = Style(of: .output)
        for finding in findings {
            let severity =
                switch finding.severity {
                case .damage: style.red("damage")
                case .warning: style.yellow("warning")
                case .note: style.dim("note")
                }
            try Output.standard.line("\(severity): \(visible(finding.message))")
            try Output.standard.line("    \(visible(finding.hint))")
        }
        let count = findings.count { $0.severity != .note }
        if count == 0 {
            try Output.standard.line(style.green("nothing is wrong with \(visible(shownURL(database.file)))"))
        }
        if isServerURL(database.file) { return }
        try Output.standard.line(encryption.map { "encrypted as \($0.formatName)" } ?? "not encrypted")
    }

    private func write(_ findings: [Finding], _ encryption: Encryption?) throws {
        var document = JSONDocument()
        document.object {
            $0.member("encryption", encryption?.formatName)
            $0.array("findings", findings) { json, finding in
                json.object {
                    $0.member("severity", finding.severity.rawValue)
                    $0.member("check", finding.check)
                    $0.member("table", finding.table)
                    $0.member("message", finding.message)
                    $0.member("hint", finding.hint)
                }
            }
        }
        try Output.standard.data(document.text)
    }
}

/// One thing that `check` has found.
struct Finding {
    enum Severity: String {
        /// The file is not what SQLite wrote.
        case damage
        case warning
        /// Nothing is wrong with it.
        case note
    }

    var severity: Severity
    /// What found it, such as `foreign_keys`.
    var check: String
    var table: String?
    var message: String
    /// What to do.
    var hint: String
}
