import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Brings the rows of tables from one engine to the other. The target's table `corm_move` says that it is under way; a table's
/// own keys tell how far it has come, so that it goes on where it was ended.
struct Mover {
    let source: Connection
    let target: Connection
    let tables: [MovedTable]
    let bar = ProgressBar()

    /// What was found wrong with values, or between the two sides, each in a line; of a column the first ones.
    typealias Findings = [String]

    // Before anything is written --------------------------------------------------------------------------------------

    /// Values that the target would not have as they are, of each column the first ones and how many more.
    func misfits() throws -> Findings {
        var findings: Findings = []
        for table in tables {
            var found: [Int: (lines: [String], count: Int)] = [:]
            try rows(of: table, "checking") { row in
                for (place, column) in table.columns.enumerated() {
                    guard let fault = misfit(row.cell(Int32(place)), in: column, target.dialect) else { continue }
                    found[place, default: ([], 0)].count += 1
                    guard found[place, default: ([], 0)].lines.count < Mover.told else { continue }
                    found[place]?.lines.append("\(table.name).\(column.name), \(key(of: row, table)): \(fault)")
                }
            }
            for (place, (lines, count)) in found.sorted(by: { $0.key < $1.key }) {
                findings += lines
                if count > lines.count {
                    findings.append("\(table.name).\(table.columns[place].name): \(count - lines.count) more")
                }
            }
        }
        return findings
    }

    /// How many values of a column are told.
    private static let told = 10

    /// The tables of ours that the target has; those of another move that is under way count as none.
    /// - Returns: whether a move into it is under way.
    func beginsAnew() throws -> Bool {
        let there = try tables.filter { try has($0.name) }
        // After the tables, with which it comes: a server may commit what a move that was killed had begun.
        if try has(Mover.state) { return false }
        if let first = there.first {
            throw CormorantError(
                .schema,
                "the target has \(first.name) already\(there.count > 1 ? ", and \(there.count - 1) more" : "")",
                hint: "move into an empty database, or compare the two by --verify")
        }
        return true
    }

    static let state = "corm_move"

    private func has(_ table: String) throws -> Bool {
        let sql =
            target.dialect == .sqlite
            ? "SELECT count(*) FROM sqlite_schema WHERE name = ? COLLATE NOCASE"
            : "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass(?)"
        let statement = try target.statement(sql)
        defer { target.recycle(statement) }
        try statement.bind(.text(target.dialect == .sqlite ? table : quoteIdentifier(table)), 1)
        return try statement.step() && Row(statement).cell(0).int64 > 0
    }

    // Writing ---------------------------------------------------------------------------------------------------------

    /// The statements of the tables, and of what is made when they are filled: indexes and foreign keys.
    private func statements() throws -> (tables: [String], others: [String]) {
        let all = try SQLCompiler.createTables(tables.map(\.schema), target.dialect).map(\.sql)
        return (all.filter { $0.hasPrefix("CREATE TABLE ") }, all.filter { !$0.hasPrefix("CREATE TABLE ") })
    }

    func createTables() throws {
        try inTransaction {
            for sql in try statements().tables { try target.script(sql) }
            try target.script("CREATE TABLE \(Mover.state) (is_filled integer)")
        }
    }

    /// - Returns: how many rows were written.
    func fill() throws -> Int64 {
        guard try !isFilled() else { return 0 }
        var count: Int64 = 0
        for table in tables { count += try fill(table) }
        try inTransaction {
            for sql in try statements().others { try target.script(sql) }
            try setSequences()
            try checkReferences()
            try target.script("INSERT INTO \(Mover.state) VALUES (1)")
        }
        return count
    }

    private func isFilled() throws -> Bool {
        let statement = try target.statement("SELECT count(*) FROM \(Mover.state)")
        defer { target.recycle(statement) }
        return try statement.step() && Row(statement).cell(0).int64 > 0
    }

    private func fill(_ table: MovedTable) throws -> Int64 {
        // Without a key nobody knows how far it was: all or nothing.
        let last = try table.isKeyed ? lastKey(of: table) : nil
        if !table.isKeyed, try count(table, target) > 0 { return 0 }
        let statement = try source.statement(table.select(source.dialect, isSource: true, isAfter: last != nil))
        defer { source.recycle(statement) }
        for (index, value) in (last ?? []).enumerated() { try statement.bind(value, Int32(index + 1)) }
        let total = try total(table)
        var done: Int64 = 0
        var hasMore = try statement.step()
        while hasMore {
            try target.begin(.immediate)
            do {
                let sink = try Sink(target, table)
                try sink.filled {
                    var part = 0
                    repeat {
                        try sink.add(Row(statement))
                        part += 1
                        done += 1
                        if done % 1024 == 0 {
                            try Interruption.check()
                            bar.show("moving \(table.name)", done, of: total, "rows")
                        }
                        hasMore = try statement.step()
                    } while hasMore && (part < Mover.part || !table.isKeyed)
                }
                try target.commit()
            } catch {
                try? target.rollback()
                throw error
            }
        }
        return done
    }

    /// The rows of a transaction.
    private static let part = 50_000

    private func lastKey(of table: MovedTable) throws -> [Value]? {
        let names = table.order.map { table.term($0, target.dialect) + " DESC" }.joined(separator: ", ")
        let statement = try target.statement(
            "SELECT \(quotedNames(table.order)) FROM \(quoteIdentifier(table.name)) ORDER BY \(names) LIMIT 1")
        defer { target.recycle(statement) }
        guard try statement.step() else { return nil }
        let row = Row(statement)
        return try table.order.indices.map { try row.value(Int32($0)) }
    }

    /// The next key of each table is behind those that were moved, and those of AUTOINCREMENT that are gone.
    private func setSequences() throws {
        guard target.dialect == .postgres else { return }
        for table in tables {
            for column in table.schema.columns where table.schema.primaryKey == [column.name] && column.type.isInteger {
                let (name, key) = (quoteText(quoteIdentifier(table.name)), quoteIdentifier(column.name))
                let greatest = "greatest(max(\(key)), \(try lastGiven(table.name)))"
                try target.script(
                    "SELECT setval(pg_get_serial_sequence(\(name), \(quoteText(column.name))), \(greatest)) FROM "
                        + "\(quoteIdentifier(table.name)) HAVING \(greatest) > 0")
            }
        }
    }

    /// The greatest key that AUTOINCREMENT has made; 0 without it. https://www.sqlite.org/autoinc.html
    private func lastGiven(_ table: String) throws -> Int64 {
        let there = try source.statement("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'")
        defer { source.recycle(there) }
        guard try there.step() else { return 0 }
        let statement = try source.statement(
            "SELECT seq FROM sqlite_sequence WHERE name = \(quoteText(table)) COLLATE NOCASE")
        defer { source.recycle(statement) }
        return try statement.step() ? Row(statement).cell(0).int64 : 0
    }

    /// SQLite does not check the rows that are there; a server does when the foreign keys are made.
    private func checkReferences() throws {
        guard target.dialect == .sqlite else { return }
        let statement = try target.statement("PRAGMA foreign_key_check")
        defer { target.recycle(statement) }
        guard try statement.step() else { return }
        let row = Row(statement)
        throw CormorantError(
            .foreignKey,
            "a row of \(row.cell(0).string ?? "") refers to a row of \(row.cell(2).string ?? "") that is not there",
            hint: "mend it in the source")
    }

    /// When both sides were found equal.
    func finish() throws { try target.script("DROP TABLE \(Mover.state)") }

    private func inTransaction(_ body: () throws -> Void) throws {
        try target.begin(.immediate)
        do {
            try body()
            try target.commit()
        } catch {
            try? target.rollback()
            throw error
        }
    }

    // Comparing -------------------------------------------------------------------------------------------------------

    /// Reads both sides in the order of their keys, and compares value by value.
    /// - Returns: in what they differ, and how many rows were compared.
    func differences() throws -> (findings: Findings, rows: Int64) {
        var findings: Findings = []
        var rows: Int64 = 0
        for table in tables {
            let (one, other) = (
                try source.statement(table.select(source.dialect, isSource: true)),
                try target.statement(table.select(target.dialect, isSource: false))
            )
            defer {
                source.recycle(one)
                target.recycle(other)
            }
            let total = try total(table)
            var (done, differing) = (Int64(0), Int64(0))
            var (here, there) = (try one.step(), try other.step())
            while here && there {
                let (left, right) = (Row(one), Row(other))
                let place = table.columns.indices.first {
                    !isSame(left.cell(Int32($0)), right.cell(Int32($0)), table.columns[$0])
                }
                if let place {
                    differing += 1
                    if differing == 1 {
                        let (from, into) = (shown(left.cell(Int32(place))), shown(right.cell(Int32(place))))
                        let column = "\(table.name).\(table.columns[place].name)"
                        findings.append("\(column), \(key(of: left, table)): \(from) and \(into)")
                    }
                    // Behind another key nothing is beside its like any more.
                    if table.keyPlaces.contains(place) { break }
                }
                done += 1
                if done % 1024 == 0 {
                    try Interruption.check()
                    bar.show("comparing \(table.name)", done, of: total, "rows")
                }
                (here, there) = (try one.step(), try other.step())
            }
            if differing > 1 { findings.append("\(table.name): \(differing) rows differ") }
            if here != there {
                findings.append("\(table.name): there are more rows in the \(here ? "source" : "target")")
            }
            rows += done
        }
        return (findings, rows)
    }

    // Reading ---------------------------------------------------------------------------------------------------------

    private func rows(of table: MovedTable, _ doing: String, _ body: (Row) throws -> Void) throws {
        let statement = try source.statement(table.select(source.dialect, isSource: true))
        defer { source.recycle(statement) }
        let total = try total(table)
        var done: Int64 = 0
        while try statement.step() {
            try body(Row(statement))
            done += 1
            if done % 1024 == 0 {
                try Interruption.check()
                bar.show("\(doing) \(table.name)", done, of: total, "rows")
            }
        }
    }

    /// For the progress; nobody waits for it where none is shown.
    private func total(_ table: MovedTable) throws -> Int64 { Terminal.error.isThere ? try count(table, source) : 0 }

    private func count(_ table: MovedTable, _ connection: Connection) throws -> Int64 {
        let statement = try connection.statement("SELECT count(*) FROM \(quoteIdentifier(table.name))")
        defer { connection.recycle(statement) }
        return try statement.step() ? Row(statement).cell(0).int64 : 0
    }

    private func key(of row: Row, _ table: MovedTable) -> String {
        guard table.isKeyed else { return "in a row without a key" }
        return table.keyPlaces.map { "\(table.columns[$0].name) \(shown(row.cell(Int32($0))))" }.joined(separator: ", ")
    }
}

/// Where rows go: a prepared INSERT, which a server is handed as a COPY where that does the same.
private final class Sink {
    private let statement: Statement
    private let copySQL: String
    private let connection: Connection
    private let count: Int
    /// Rows that were sent by themselves, and whose outcome is not known.
    private var waiting = 0

    init(_ connection: Connection, _ table: MovedTable) throws {
        self.connection = connection
        count = table.columns.count
        let (name, columns) = (quoteIdentifier(table.name), quotedNames(table.columns.map(\.name)))
        let values = table.columns.map { _ in "?" }.joined(separator: ", ")
        statement = try connection.statement("INSERT INTO \(name) (\(columns)) VALUES (\(values))")
        copySQL = "COPY \(name) (\(columns)) FROM STDIN (FORMAT binary)"
    }

    /// Runs what adds the rows; when it returns they are there.
    func filled(_ body: () throws -> Void) throws {
        if let engine = connection.engine { try engine.pipelined(body) } else { try body() }
        connection.recycle(statement)
    }

    func add(_ row: Row) throws {
        for place in 0..<Int32(count) { try statement.bind(borrowing: row.cell(place), place + 1) }
        guard let sent = statement.engine else {
            _ = try statement.step()
            return statement.reset()
        }
        guard try sent.send(copying: copySQL) else { return }
        waiting += 1
        guard waiting == 256 else { return }
        waiting = 0
        try connection.engine?.settle()
    }
}
