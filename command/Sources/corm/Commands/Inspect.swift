import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery

/// A file, or a server's database, at a glance.
struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what is in a file or a PostgreSQL database: tables, rows, sizes, indexes, relations, settings.",
        discussion: "With names of tables their columns, keys, indexes, relations and triggers are shown too.")

    @OptionGroup var database: DatabaseSource

    @Argument(help: "Tables to show in full.")
    var tables: [String] = []

    @Flag(help: "Leave out what reads all of it: numbers of rows and sizes.")
    var fast = false

    @Flag(help: "Write JSON.")
    var json = false

    func run() throws {
        let database = try database.open()
        // One moment of it, whoever writes.
        let encryption = try self.database.encryption()?.formatName
        let summary = try database.transaction(.deferred) {
            try DatabaseSummary(database, encryption: encryption, fast: fast)
        }
        if json { return try Output.standard.data(summary.json(database.path)) }
        guard tables.isEmpty else {
            for (index, name) in tables.enumerated() {
                if index > 0 { try Output.standard.line() }
                try show(summary.table(name), summary)
            }
            return
        }
        try showAll(summary, database.path)
    }

    private func showAll(_ summary: DatabaseSummary, _ path: String) throws {
        let style = Style(of: .output)
        try Output.standard.line(style.bold(visible(path)))
        try Output.standard.line(visible(summary.place.description))
        try Output.standard.line()
        var list = TextTable(["table", "rows", "size", "columns", "indexes", "refers to"])
        for table in summary.metadata.tables {
            let kind =
                table.kind == .table ? "" : " (\(table.module.map { "virtual: \($0.name)" } ?? table.kind.rawValue))"
            try list.add([
                .init(table.name + kind), .init(summary.rows(of: table)),
                .init(summary.size(of: table).map(byteCount) ?? "", isNumber: true), .init(Int64(table.columns.count)),
                .init(Int64(table.indexes.count)),
                .init(table.parents.joined(separator: ", ")),
            ])
        }
        try list.end()
        if !summary.hasSizes, !fast, !summary.isServer {
            try Output.standard.line("\nsizes of tables are not known: this SQLite has no dbstat")
        }
        for problem in summary.metadata.problems {
            let title = summary.isServer ? style.bold("besides:") : style.yellow("not understood:")
            try Output.standard.line(
                "\n\(title) \(problem.type) \(visible(problem.name)): \(visible(problem.message))"
            )
        }
    }

    private func show(_ table: TableMetadata, _ summary: DatabaseSummary) throws {
        let style = Style(of: .output)
        var facts = [table.module.map { "virtual table of \($0.name)" } ?? table.kind.rawValue]
        if let rows = summary.rows(of: table) { facts.append(rows == 1 ? "1 row" : "\(rows) rows") }
        if let size = summary.size(of: table) { facts.append(byteCount(size)) }
        if table.isStrict { facts.append("STRICT") }
        if table.isWithoutRowID { facts.append("WITHOUT ROWID") }
        if table.isAutoIncrement { facts.append("AUTOINCREMENT") }
        try Output.standard.line("\(style.bold(visible(table.name)))  \(facts.joined(separator: ", "))\n")
        var columns = TextTable(["column", "type", "key", "null", "default"])
        for column in table.columns {
            var keys = column.keyPosition > 0 ? ["primary"] : []
            if column.isForeignKey { keys.append("foreign") }
            if column.isUnique, column.keyPosition == 0 { keys.append("unique") }
            try columns.add([
                .init(column.name), .init(column.declaredType), .init(keys.joined(separator: ", ")),
                .init(column.isNullable ? "yes" : "no"),
                .init(
                    column.generatedSQL.map { "= \($0)" } ?? column.defaultSQL ?? (column.isIdentity ? "identity" : "")),
            ])
        }
        try columns.end()
        let lines =
            table.indexes.map { describe($0, summary) } + table.foreignKeys.map(describe)
            + summary.referring(to: table).map { "referred to by \($0)" }
            + table.triggers.map { "trigger \($0.name)  \($0.timing.rawValue) \($0.event.rawValue)" }
            + table.checks.map { "check \($0.name.map { "\($0): " } ?? "")\(onOneLine($0.sql))" }
        if !lines.isEmpty { try Output.standard.line() }
        for line in lines { try Output.standard.line(visible(line)) }
    }

    private func describe(_ index: IndexMetadata, _ summary: DatabaseSummary) -> String {
        let terms = index.terms.map { ($0.column ?? $0.sql) + ($0.isDescending ? " DESC" : "") }.joined(separator: ", ")
        let kind = index.origin == .primaryKey ? "primary key" : index.isUnique ? "unique index" : "index"
        let size = summary.size(of: index).map { "  \(byteCount($0))" } ?? ""
        return "\(kind)\(index.name.map { " \($0)" } ?? "") (\(terms))"
            + (index.conditionSQL.map { " where \($0)" } ?? "") + size
    }

    private func describe(_ key: ForeignKeyMetadata) -> String {
        var text = "foreign key (\(key.columns.joined(separator: ", "))) to \(key.table)"
        if !key.tableColumns.isEmpty { text += " (\(key.tableColumns.joined(separator: ", ")))" }
        if key.onDelete != .none { text += ", on delete \(key.onDelete.name)" }
        if key.onUpdate != .none { text += ", on update \(key.onUpdate.name)" }
        return text
    }
}

/// Such as `1.5 MB`.
func byteCount(_ bytes: Int64) -> String {
    var value = Double(bytes)
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value < 1000 || unit == "GB" {
            return value == value.rounded() || value >= 100 || unit == "bytes"
                ? "\(Int64(value.rounded())) \(unit)" : "\((value * 10).rounded() / 10) \(unit)"
        }
        value /= 1000
    }
    return "\(bytes) bytes"
}

extension TableMetadata {
    /// The tables that foreign keys lead to, each once.
    fileprivate var parents: [String] {
        var seen = Set<[UInt8]>()
        return foreignKeys.map(\.table).filter { seen.insert(foldedBytes($0)).inserted }
    }
}
