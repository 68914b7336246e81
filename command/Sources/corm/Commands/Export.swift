import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Writes the rows of a table.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the rows of a table or view as CSV or JSON.",
        discussion: """
            What is written, corm import reads back into a table with the same columns as it was, but for rows with values \
            that are not of their column's type; where CSV cannot say a value, a warning names the column. A file is whole or not there. For some columns or rows, give the SQL to corm query.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv, json, ndjson

        var rows: RowFormat {
            switch self {
            case .csv: .csv
            case .json: .json
            case .ndjson: .ndjson
            }
        }
    }

    @OptionGroup var database: DatabaseSource

    @Argument(help: "The table or view.")
    var table: String

    @Option(help: "csv, json or ndjson; without it what the name of --out ends with, or csv.")
    var format: Format?

    @Option(help: "The file to write, instead of standard output.", completion: .file())
    var out: String?

    func run() throws {
        let database = try database.open()
        let tables = try database.metadata().tables
        guard let table = tables.first(where: { sameIdentifier($0.name, table) }) else {
            throw CormorantError(
                .sql, "there is no table or view \"\(visible(table))\"",
                hint: nearestNames(to: table, tables.map(\.name)))
        }
        let file = try out.map {
            try OutputFile($0, besides: self.database.files)
        }
        try database.transaction(.deferred) {
            try database.withConnection { try write(table, $0, file?.output ?? .standard) }
        }
        try file?.finish()
    }

    private func write(_ table: TableMetadata, _ connection: Connection, _ output: Output) throws {
        let bar = ProgressBar()
        let total = try count(table.name, connection)
        let statement = try connection.statement("SELECT * FROM \(quoteIdentifier(table.name))")
        defer { connection.recycle(statement) }
        let names = (0..<statement.columnCount).map(statement.columnName)
        let storages = names.map { name in
            table.place(of: name).map { ImportColumn.storage(table.columns[$0]) } ?? .any
        }
        var writer = try (format ?? out.flatMap(Self.format) ?? .csv).rows.writer(names, of: storages, to: output)
        var done: Int64 = 0
        while try statement.step() {
            try writer.add(Row(statement))
            done += 1
            if done % 1024 == 0 {
                try Interruption.check()
                bar.show("exporting", done, of: total, "rows")
            }
        }
        try writer.end()
        bar.clear()
        let style = Style(of: .error)
        if writer.longest >= ImportBuffer.greatestRecord {
            Output.error("\(style.yellow("warning:")) a row is longer than 64 MB, which corm import does not read\n")
        }
        for (column, count) in writer.ambiguous.sorted(by: { $0.key < $1.key }) {
            Output.error(
                "\(style.yellow("warning:")) \"\(visible(column))\" has \(count) \(count == 1 ? "value" : "values") that CSV cannot say "
                    + "for a column of the type \(type(of: column, table)); --format json can\n")
        }
    }

    private func type(of column: String, _ table: TableMetadata) -> String {
        visible(table.place(of: column).map { table.columns[$0].declaredType } ?? "")
    }

    /// How many rows there are, for the progress; nobody waits for that where none is shown.
    private func count(_ table: String, _ connection: Connection) throws -> Int64 {
        guard Terminal.error.isThere else { return 0 }
        let statement = try connection.statement("SELECT count(*) FROM \(quoteIdentifier(table))")
        defer { connection.recycle(statement) }
        return try statement.step() ? Row(statement).cell(0).int64 : 0
    }

    private static func format(_ file: String) -> Format? {
        switch file.split(separator: ".").last?.lowercased() {
        case "json": .json
        case "ndjson", "jsonl": .ndjson
        case "csv": .csv
        default: nil
        }
    }
}
