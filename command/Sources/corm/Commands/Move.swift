import ArgumentParser
import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Moves a database from one engine to the other.
struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move tables and rows between a SQLite file and a PostgreSQL database.",
        discussion: """
            One is a file, the other a postgresql:// URL. All values of the source are looked at before anything is written: what the \
            target would not have as it is ends the command. When all rows are there, both sides are read and compared, value by value. \
            A move that was ended goes on when it is started again.

            Exit status: 0 moved, or equal; 2 there is what does not fit, would be left out, or differs.
            """)

    @Argument(help: "The SQLite file or the postgresql:// URL to read.", completion: .file())
    var source: String

    @Argument(help: "The URL or the file to write, without these tables.", completion: .file())
    var target: String

    @OptionGroup var keys: KeyOptions

    @Flag(help: "Move nothing: compare the rows of both.")
    var verify = false

    @Flag(help: "Go on without the views, triggers, checks and the like that the target cannot have.")
    var leaveOut = false

    func run() throws {
        guard isServerURL(source) != isServerURL(target) else {
            throw CormorantError(
                .misuse, "\(isServerURL(source) ? "both are URLs" : "neither is a URL")",
                hint: "give a file and a postgresql:// URL; corm backup copies files, pg_dump databases of a server")
        }
        let place = Target(file: target, keys: keys)
        try place.withoutLeavings {
            let (from, into) = (try openSource(), try place.open(verify ? .read : .create))
            let metadata = try isServerURL(source) ? from.metadata() : typed(from)
            try from.withConnection { from in
                try into.withConnection { into in
                    // One state of the source, whatever others write meanwhile.
                    try from.begin(.read)
                    defer { try? from.rollback() }
                    try move(MoveSchema(metadata, from: from.dialect, to: into.dialect), from, into)
                }
            }
        }
    }

    private struct Target: DatabasePlace {
        let file: String
        let keys: KeyOptions

        func open(_ access: DatabaseAccess) throws -> Database {
            if !isServerURL(file) { return try openDatabase(file, access, keys, isMain: false) }
            return try interruptible(Database(path: file, options: OpenOptions()))
        }
    }

    /// The metadata of a file, where the values of a column tell its type if nothing else does.
    private func typed(_ file: Database) throws -> Metadata {
        var metadata = try file.metadataByValues()
        for (place, table) in metadata.tables.enumerated() where table.kind == .table {
            for (index, column) in table.columns.enumerated() where column.type == nil && !column.isHidden {
                metadata.tables[place].columns[index].type = try file.valueType(of: column.name, table.name)
            }
        }
        return metadata
    }

    private func openSource() throws -> Database {
        if !isServerURL(source) { return try openDatabase(source, .read, keys) }
        var options = OpenOptions()
        options.mode = .readOnly
        return try interruptible(Database(path: source, options: options))
    }

    private func move(_ schema: MoveSchema, _ from: Connection, _ into: Connection) throws {
        let mover = Mover(source: from, target: into, tables: schema.tables)
        let style = Style(of: .error)
        func tell(_ word: String, _ findings: [String]) {
            mover.bar.clear()
            for finding in findings { Output.error("\(style.yellow(word)) \(visible(finding))\n") }
        }
        if !verify {
            if into.dialect == .sqlite { try into.setForeignKeys(false) }
            tell("left out:", schema.leftOut)
            guard schema.leftOut.isEmpty || leaveOut else {
                Output.error("\(style.bold("hint:")) nothing was written; --leave-out goes on without these\n")
                throw ExitCode.findings
            }
            let isNew = try mover.beginsAnew()
            let unreadable = try mover.unreadable()
            let misfits = try unreadable + (unreadable.isEmpty ? mover.misfits() : []) + mover.breaches()
            tell("does not fit:", misfits)
            guard misfits.isEmpty else {
                Output.error("\(style.bold("hint:")) nothing was written; change these values in the source\n")
                throw ExitCode.findings
            }
            if try isNew && mover.beginsAnew() { try mover.createTables() }
            let rows = try mover.fill()
            mover.bar.clear()
            try Output.standard.line("moved \(rows) rows of \(schema.tables.count) tables")
        }
        let (differences, rows) = try mover.differences()
        tell("differs:", differences)
        guard differences.isEmpty else { throw ExitCode.findings }
        if !verify { try mover.finish() }
        mover.bar.clear()
        try Output.standard.line("compared \(rows) rows of \(schema.tables.count) tables: equal")
    }
}

/// A server's, whose statements end with the command.
private func interruptible(_ database: Database) -> Database {
    Interruption.onRequest { [weak database] in database?.interrupt() }
    Interruption.expectLeavings()
    return database
}
