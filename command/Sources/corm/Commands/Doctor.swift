import CormorantBase
import CormorantCipher
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// The checks of `check`, each adding what it finds.
struct Doctor {
    private(set) var findings: [Finding] = []
    private var hasChecks = false

    /// Whether what the file says can be believed so far.
    var isReadable: Bool { !findings.contains { $0.severity == .damage } }

    mutating func add(
        _ severity: Finding.Severity, _ check: String, _ message: String, _ hint: String, table: String? = nil
    ) {
        findings.append(Finding(severity: severity, check: check, table: table, message: message, hint: hint))
    }

    mutating func addDamage(_ message: String) {
        add(
            .damage, "integrity", message,
            "restore a backup, or save what is left: corm repair FILE --out NEW")
    }

    /// What only a file with its key can tell: whether someone altered a page.
    mutating func checkPages(_ database: Database, _ encryption: Encryption) throws {
        let hint =
            "the page is not what was written: restore a backup, or save what is left: corm repair FILE --out NEW"
        let (pages, count) = try database.withConnection { try $0.pagesNotAuthentic(limit: 100) }
        for page in pages { add(.damage, "encryption", "page \(page) was altered or is damaged", hint) }
        if count > pages.count { add(.damage, "encryption", "so are \(count - pages.count) more pages", hint) }
        guard encryption.compatibility != .version4 else { return }
        let what = encryption.compatibility == .version1 ? ", which does not show whether a page was altered" : ""
        add(
            .note, "encryption", "the file is encrypted as \(encryption.formatName) did it\(what)",
            "corm rekey makes it a file of SQLCipher 4, with the same key if that is to stay")
    }

    /// https://www.sqlite.org/pragma.html#pragma_integrity_check
    mutating func checkIntegrity(_ database: Database, quick: Bool) throws {
        let lines = try database.withConnection { connection in
            let statement = try Statement(connection, "PRAGMA \(quick ? "quick_check" : "integrity_check")(100)")
            var lines: [String] = []
            while try statement.step() { lines.append(String(decoding: Row(statement).cell(0).text, as: UTF8.self)) }
            return lines
        }
        for line in lines where line != "ok" {
            if line.contains(" value in ") || line.hasPrefix("CHECK constraint failed") {
                add(
                    .warning, "constraints", line,
                    "mend the rows: they were written before the constraint was, or around it")
            } else if line.contains("missing from index") || line.hasPrefix("non-unique entry in index")
                || line.hasPrefix("wrong # of entries in index")
            {
                add(
                    .damage, "integrity", line,
                    "make the indexes anew and check again: corm query FILE REINDEX --write")
            } else {
                addDamage(line)
            }
        }
    }

    mutating func checkSchema(_ database: Database) throws {
        let metadata = try database.metadata()
        hasChecks = metadata.tables.contains { !$0.checks.isEmpty }
        let tables = Dictionary(metadata.tables.map { (nameKey($0.name), $0) }) { first, _ in first }
        for problem in metadata.problems {
            add(
                .warning, "schema", "the \(problem.type) \"\(problem.name)\" cannot be understood: \(problem.message)",
                "SQLite may still use it; migrations refuse it: create it anew", table: problem.table)
        }
        for table in metadata.tables where table.kind == .table {
            for key in table.foreignKeys { checkKey(key, of: table, tables) }
            try checkRows(of: table, database)
            for column in table.columns {
                guard let form = column.type?.timeForm else { continue }
                try checkTimes(form, in: column.name, of: table.name, database)
            }
        }
    }

    /// Models with a column of times there refuse them: they do not compare as time.
    private mutating func checkTimes(
        _ form: TimeForm, in column: String, of table: String, _ database: Database
    ) throws {
        let (count, first) = try database.otherTimes(than: form, in: column, of: table)
        guard count > 0, let first else { return }
        let rows = count == 1 ? "1 row" : "\(count) rows"
        add(
            .warning, "times", "\"\(table)\".\"\(column)\" \(first.what) (\(rows))",
            first.isTime
                ? "such values do not compare as time; bring them to the form: corm query FILE "
                    + "\(shellQuoted(first.rewrite(table, column))) --write"
                : "models read such values as numbers or texts; SQLite's datetime(...) makes times of many",
            table: table)
    }

    private mutating func checkKey(
        _ key: ForeignKeyMetadata, of table: TableMetadata, _ tables: [ExactText: TableMetadata]
    ) {
        let columns = key.columns.joined(separator: ", ")
        guard let parent = tables[nameKey(key.table)] else {
            add(
                .warning, "foreign_keys",
                "\"\(table.name)\" (\(columns)) refers to the table \"\(key.table)\", which is not there",
                "create it, or take the reference away: with foreign keys on, writing to \"\(table.name)\" fails",
                table: table.name)
            return
        }
        if key.tableColumns.isEmpty || !parent.isUnique(key.tableColumns) {
            add(
                .warning, "foreign_keys",
                "\"\(table.name)\" (\(columns)) refers to columns of \"\(parent.name)\" that are neither its key nor unique",
                "make them unique, or refer to the key: with foreign keys on, writing to either table fails",
                table: table.name)
        }
        if !table.hasIndex(beginningWith: key.columns) {
            let name = quoteIdentifier(([table.name] + key.columns).joined(separator: "_"))
            let list = key.columns.map(quoteIdentifier).joined(separator: ", ")
            add(
                .warning, "indexes",
                "\"\(table.name)\" has no index on (\(columns)), which refer\(key.columns.count == 1 ? "s" : "") to \"\(parent.name)\"",
                "joins and deleting from \"\(parent.name)\" read all rows: "
                    + "CREATE INDEX \(name) ON \(quoteIdentifier(table.name)) (\(list))",
                table: table.name)
        }
    }

    /// https://www.sqlite.org/pragma.html#pragma_foreign_key_check
    private mutating func checkRows(of table: TableMetadata, _ database: Database) throws {
        guard !table.foreignKeys.isEmpty else { return }
        let sql = "SELECT parent, count(*) FROM pragma_foreign_key_check(?) GROUP BY parent"
        let found: [(parent: String, count: Int64)]
        do {
            found = try database.withConnection { connection in
                let statement = try Statement(connection, sql)
                try statement.bind(.text(table.name), 1)
                var found: [(parent: String, count: Int64)] = []
                while try statement.step() {
                    let row = Row(statement)
                    found.append((String(decoding: row.cell(0).text, as: UTF8.self), row.cell(1).int64))
                }
                return found
            }
        } catch let error as CormorantError where error.plainMessage.hasPrefix("foreign key mismatch") {
            // Told above.
            return
        }
        for (parent, count) in found {
            let rows = count == 1 ? "1 row of \"\(table.name)\" refers" : "\(count) rows of \"\(table.name)\" refer"
            add(
                .warning, "foreign_keys", "\(rows) to rows of \"\(parent)\" that are not there",
                "mend or delete them; their rowids: corm query FILE \"SELECT rowid FROM pragma_foreign_key_check(?)\" "
                    + "--bind \(shellQuoted(table.name))",
                table: table.name)
        }
    }

    /// A connection that may only read knows no CHECK constraints.
    mutating func checkAccess(_ database: Database) throws {
        guard hasChecks, try database.withConnection({ $0.isReadOnly }) else { return }
        add(
            .note, "constraints",
            "rows were not compared with CHECK constraints: the file is in use, or cannot be written",
            "check it again when no program has it open, or check a copy made with corm backup")
    }

    mutating func checkJournal(_ database: Database) throws {
        let (pages, free, pageSize) = try database.withConnection { connection in
            (
                try connection.pragma("page_count"), try connection.pragma("freelist_count"),
                try connection.pragma("page_size")
            )
        }
        let commits = commitsBehindDamage(ofLogBeside: database.path)
        if commits > 0 {
            let what = commits == 1 ? "a transaction that is" : "\(commits) transactions that are"
            add(
                .warning, "wal",
                "the write-ahead log is damaged, and has \(what) not read: after a power cut, or because its file was altered",
                "they are gone with the next write; what is read is whole: restore a backup if something is missing, "
                    + "and keep the -wal file of now beside a copy of this one")
        }
        let wal = fileSize(database.path + "-wal")
        let limit = max(pages * pageSize, 64 << 20)
        if wal > limit {
            add(
                .warning, "wal", "the write-ahead log has grown to \(byteCount(wal)), and reading gets slower with it",
                "end programs that keep reading, then: corm query FILE \"PRAGMA wal_checkpoint(TRUNCATE)\" --write")
        } else if wal > 0 {
            add(
                .note, "wal", "the write-ahead log holds \(byteCount(wal)): a program has the file open, or was killed",
                "copy the file with corm backup, not with cp, or take its -wal along")
        }
        if fileSize(database.path + "-journal") > 0 {
            add(
                .note, "journal", "there is a rollback journal: a program is writing, or was killed while it wrote",
                "leave it beside the file: SQLite rolls back with it when the file is opened next")
        }
        if free > 1000, free * 2 > pages {
            add(
                .note, "space", "\(free) of \(pages) pages are free",
                "corm query FILE VACUUM --write makes the file smaller by \(byteCount(free * pageSize))")
        }
    }

    mutating func checkSteps(_ database: Database, _ bundle: MigrationBundle) throws {
        for state in try database.status(bundle) where state.state != .applied {
            add(.warning, "steps", "step \(state.id) is \(state.state.name)", state.state.hint)
        }
        for change in try database.drift(bundle).steps.flatMap(\.changes) {
            add(
                .warning, "drift", "changed by hand since the last step; undone by: \(change)",
                "undo it, or put it into a step", table: change.table)
        }
    }

    mutating func checkDrift(_ database: Database, _ source: SchemaSource) throws {
        let present = try SchemaSource.database(database).schema()
        for change in SchemaDifference(from: present, to: try source.schema()).changes {
            add(
                .warning, "drift", "the file differs from the schema, which needs: \(change)",
                "corm migrate brings the file to the schema; corm plan shows how", table: change.table)
        }
    }
}

extension TableMetadata {
    /// Whether rows can be found by these columns, in whatever order, without reading all.
    fileprivate func hasIndex(beginningWith names: [String]) -> Bool {
        let wanted = Set(names.map(foldedBytes))
        if let rowIDColumn, names.count == 1, wanted.contains(foldedBytes(rowIDColumn)) { return true }
        return indexes.contains { index in
            guard index.conditionSQL == nil, index.terms.count >= names.count else { return false }
            return Set(index.terms.prefix(names.count).map { foldedBytes($0.column ?? "") }) == wanted
        }
    }
}
