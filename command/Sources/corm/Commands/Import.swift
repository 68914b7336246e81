import ArgumentParser
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Brings records into a table.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring records of CSV or JSON into a table.",
        discussion: """
            The first line of CSV has the columns' names; nothing between two commas is NULL, and "" an empty text. JSON is an \
            array of objects, NDJSON an object on each line. A table that is there gives the columns their types; another one \
            is made, with types that hold every value.

            A file is made if it is not there; of a server's database give the URL. All of it is one transaction: a failure or Ctrl-C leaves the file as it was. \
            Records that do not fit are left out and told. Exit status: 0 when all were imported, 2 when some were rejected.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case csv, tsv, json, ndjson

        /// The one that a file's name or a URL asks for.
        init?(name: String) {
            let path = name.prefix { $0 != "?" && $0 != "#" }
            switch path.split(separator: ".").last?.lowercased() {
            case "csv": self = .csv
            case "tsv", "tab": self = .tsv
            case "json": self = .json
            case "ndjson", "jsonl": self = .ndjson
            default: return nil
            }
        }
    }

    @OptionGroup var database: DatabaseSource

    @Argument(help: "The records: a file, an http or https URL, or - for standard input.", completion: .file())
    var source: String

    @Option(help: "The table; without it the name of the source, without its ending.")
    var table: String?

    @Option(help: "csv, tsv, json or ndjson; without it what the name of the source ends with.")
    var format: Format?

    @Option(help: "What stands between the fields of CSV, one character.")
    var separator: String?

    @Flag(
        name: .customLong("no-header"),
        help: "The first line of CSV is a record: its fields go into the columns in order.")
    var noHeader = false

    @Option(help: "Update the row that has the same values of these columns: COLUMN or COLUMN,COLUMN.")
    var upsert: String?

    @Option(help: "A file for the rejected records, as CSV: line, reason, record.", completion: .file())
    var rejects: String?

    @Option(
        name: .customLong("max-time"), help: ArgumentHelp("How long a URL may take in all.", valueName: "seconds"))
    var maxTime = 3600

    @Option(
        name: .customLong("max-filesize"), help: ArgumentHelp("How many bytes a URL may give.", valueName: "bytes"))
    var maxFileSize: Int64 = 4_000_000_000

    @Flag(help: "Write JSON.")
    var json = false

    func validate() throws {
        if maxTime < 1 || maxTime > 1_000_000 { throw ValidationError("--max-time is 1 to 1000000 seconds") }
        if maxFileSize < 1 { throw ValidationError("--max-filesize is 1 or more bytes") }
        if let separator, separator.utf8.count != 1 || ["\"", "\n", "\r"].contains(separator) {
            throw ValidationError("the separator must be one character of ASCII, and no quote or end of a line")
        }
        if format == nil, Format(name: source) == nil {
            throw ValidationError("the name \"\(visible(source))\" tells no format; add --format")
        }
        if table == nil, tableName.isEmpty {
            throw ValidationError("the name \"\(visible(source))\" tells no table; add --table")
        }
    }

    private var tableName: String {
        if let table { return table }
        if source == "-" { return "" }
        let path = URLSource.isURL(source) ? String(source.prefix { $0 != "?" && $0 != "#" }) : source
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        return last.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    }

    func run() throws {
        let isServer = isServerURL(database.file)
        let bar = ProgressBar()
        let format = format ?? Format(name: source) ?? .csv
        var data: any ImportSource
        if URLSource.isURL(source) {
            // Whole before the file is locked: a server may take its time.
            let remote = try URLSource(source, seconds: maxTime, mostBytes: maxFileSize)
            data = try FileSource(copying: remote) { bar.show("reading", $0, of: remote.size, "bytes") }
        } else {
            data = try FileSource(path: source)
        }
        let key = upsert?.split(separator: ",").map(String.init) ?? []
        var rejects = try ImportRejects(path: rejects, besides: database.files + [source])
        var count = 0
        try database.withoutLeavings {
            let database = try database.open(.create)
            // Ctrl-C while there is no statement to interrupt.
            try database.inTransaction {
                try Interruption.check()
                // Another import that failed may have taken away the file that both found not to be there.
                if self.database.file != ":memory:", !isServer { try refuseMissing(self.database.file) }
                let table = try self.table(of: database, format, &data, key, bar)
                count = try database.withConnection {
                    let table = try ImportTable($0, table, key: key)
                    let count = try load(table, reader(format, data), &rejects, bar, data)
                    try table.raiseSequences()
                    return count
                }
                try rejects.flush()
                try Interruption.check()
            }
        }
        bar.clear()
        try rejects.finish()
        try tell(count, rejects.count)
        if rejects.count > 0 { throw ExitCode.findings }
    }

    /// The table that records go into; made where it is not there.
    private func table(
        of database: Database, _ format: Format, _ data: inout any ImportSource, _ key: [String], _ bar: ProgressBar
    ) throws -> TableMetadata {
        if let table = try present(database) { return table }
        // The types are those of all records, so these are read twice.
        if !data.rewind() {
            let total = data
            data = try FileSource(copying: data) { bar.show("reading", $0, of: total.size, "bytes") }
        }
        let size = data.size
        let sql = try inferredTable(
            tableName, reader(format, data), isTyped: format == .json || format == .ndjson, key: key,
            isServer: isServerURL(self.database.file)
        ) { position in
            try Interruption.check()
            bar.show("looking at the types", position, of: size, "bytes")
        }
        guard data.rewind() else { throw CormorantError(.io, "the source cannot be read again") }
        try database.execute(script: sql)
        guard let table = try present(database) else {
            throw CormorantError(
                .misuse, "a table \"\(visible(tableName))\" cannot be made", hint: "give it another name with --table")
        }
        return table
    }

    private func present(_ database: Database) throws -> TableMetadata? {
        try database.metadata().tables.first { sameIdentifier($0.name, tableName) }
    }

    private func reader(_ format: Format, _ data: any ImportSource) throws -> any RecordReader {
        switch format {
        case .csv, .tsv:
            let separator = separator?.utf8.first ?? UInt8(ascii: format == .csv ? "," : "\t")
            return try CSVReader(data, separator: separator, hasTitles: !noHeader)
        case .json: return try JSONRecordReader(data, isLines: false)
        case .ndjson: return try JSONRecordReader(data, isLines: true)
        }
    }

    private func load(
        _ table: ImportTable, _ reader: any RecordReader, _ rejects: inout ImportRejects, _ bar: ProgressBar,
        _ data: any ImportSource
    ) throws -> Int {
        if let csv = reader as? CSVReader {
            if noHeader { csv.rename(table.insertable) }
            try table.check(csv.names)
        }
        var (count, seen) = (0, 0)
        while true {
            switch try reader.next() {
            case .end: return count + (try flush(table, &rejects))
            case .malformed(let reason): try rejects.add(reader, reason)
            case .record:
                if let base = reader.text.baseAddress, !isValidUTF8(base, count: reader.text.count) {
                    try rejects.add(reader, "it is not UTF-8")
                } else if table.isOnServer {
                    table.keep(reader)
                } else if let reason = try table.write(reader) {
                    try rejects.add(reader, reason)
                } else {
                    count += 1
                }
            }
            seen += 1
            guard seen % 1024 == 0 else { continue }
            count += try flush(table, &rejects)
            try Interruption.check()
            bar.show("importing, \(count) rows", reader.position, of: data.size, "bytes")
        }
    }

    /// Has a server write what waits.
    private func flush(_ table: ImportTable, _ rejects: inout ImportRejects) throws -> Int {
        var refused: [(record: KeptRecord, reason: String)] = []
        let count = try table.flush(&refused)
        for (record, reason) in refused { try rejects.add(record, reason) }
        return count
    }

    private func tell(_ count: Int, _ rejected: Int) throws {
        if json {
            var document = JSONDocument()
            document.object {
                $0.member("table", tableName)
                $0.member("imported", Int64(count))
                $0.member("rejected", Int64(rejected))
            }
            try Output.standard.data(document.text)
        } else {
            let rest = rejected > 0 ? ", \(rejected) rejected" : ""
            try Output.standard.line("\(count) \(count == 1 ? "row" : "rows") imported\(rest)")
        }
    }
}
