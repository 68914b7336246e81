import CSQLite
import CormorantBase

/// Writes the new file.
final class SalvageWriter {
    private let target: Connection
    private let source: DamagedFile
    private let extra: [SchemaEntry]
    private let isPartial: Bool
    /// What is told of the schema itself, where some of it is lost.
    private(set) var schemaLoss: RepairedTable?
    /// Functions that entries call and only the program has.
    private var foreignFunctions: Set<String> = []
    private(set) var tables: [SalvagedTable] = []
    private var indexes: [SalvagedIndex] = []
    private(set) var foundRows: Int64 = 0
    private var foundName = ""
    private var foundColumns = 0
    private var foundStatements: [Int: Statement] = [:]

    /// - Parameters:
    ///   - extra: of the schema what the file itself may lack.
    ///   - isPartial: whether a copy has more than that.
    init(_ target: Connection, _ source: DamagedFile, _ extra: [SchemaEntry], isPartial: Bool) {
        (self.target, self.source, self.extra, self.isPartial) = (target, source, extra, isPartial)
    }

    func begin() throws {
        if let header = source.header {
            if target.codecs == nil { try target.script("PRAGMA page_size = \(source.pageSize)") }
            if header.number32(52) != 0 {
                try target.script("PRAGMA auto_vacuum = \(header.number32(64) == 0 ? 1 : 2)")
            }
        }
        switch source.encoding {
        case .utf8: break
        case .utf16LittleEndian: try target.script("PRAGMA encoding = 'UTF-16le'")
        case .utf16BigEndian: try target.script("PRAGMA encoding = 'UTF-16be'")
        }
        target.acceptForeignSchemas()
        // What the rows are is not for their checks to say.
        try target.script("PRAGMA ignore_check_constraints = ON; BEGIN")
        guard let header = source.header else { return }
        try target.script(
            "PRAGMA user_version = \(Int32(bitPattern: header.number32(60))); "
                + "PRAGMA application_id = \(Int32(bitPattern: header.number32(68)))")
    }

    // The schema --------------------------------------------------------------------------------------------------------

    func makeTables(_ schema: [SchemaEntry]) throws {
        let known = Set(schema.map(\.identity))
        var sequence: SchemaEntry?
        for entry in schema + extra.filter({ !known.contains($0.identity) }) where entry.type == "table" {
            if sameIdentifier(entry.name, "sqlite_sequence") { sequence = entry }
            guard let sql = entry.sql, !entry.isVirtual, !isOwn(entry.name) else { continue }
            do {
                try make(entry, sql)
                tables.append(try SalvagedTable(entry, target))
            } catch let error as CormorantError where !error.endsRepair {
                tables.append(SalvagedTable(entry, problem: error.plainMessage))
            }
        }
        try findIndexes(schema + extra.filter { !known.contains($0.identity) })
        // The last: the rows of the others change it.
        guard let sequence, tables.contains(where: { $0.isMade }),
            let table = try? SalvagedTable(sequence, target), !table.columns.isEmpty
        else { return }
        tables.append(table)
    }

    /// Tells that tables, indexes, views and triggers may be missing, where no copy says what there were.
    func noteSchemaLoss() {
        guard extra.isEmpty || isPartial else { return }
        var lost = RepairedTable(name: "sqlite_schema")
        lost.problem = "a part of the schema is lost, and with it indexes, views, triggers and tables without rows"
        schemaLoss = lost
    }

    /// Makes the indexes to see what they are; they are made for good when the tables have their rows.
    private func findIndexes(_ schema: [SchemaEntry]) throws {
        try target.script("SAVEPOINT indexes")
        for entry in schema where entry.type == "index" && !isOwn(entry.name) {
            guard let sql = entry.sql else { continue }
            do {
                try make(entry, sql)
            } catch let error as CormorantError where !error.endsRepair {
                // It is told when they are made for good.
            }
        }
        let all = try Statement(target, "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index'")
        while try all.step() {
            let row = Row(all)
            let (name, table) = (row.cell(0).string ?? "", row.cell(1).string ?? "")
            let made = tables.first { sameIdentifier($0.report.name, table) }
            indexes.append(try SalvagedIndex(name, of: made, target))
        }
        all.finalize()
        try target.script("ROLLBACK TO indexes; RELEASE indexes")
    }

    private func isOwn(_ name: String) -> Bool { sameIdentifier(String(name.prefix(7)), "sqlite_") }

    /// Runs the statement of an entry, with whatever functions it names, if that makes what the entry says and does nothing else.
    /// - Parameter isRun: false: it is looked at alone.
    private func make(_ entry: SchemaEntry, _ sql: String, isRun: Bool = true) throws {
        let authorizer = SchemaAuthorizer(entry)
        authorizer.watch(target)
        defer { withExtendedLifetime(authorizer) { target.restoreAuthorizer() } }
        var known = Set<String>()
        while true {
            do {
                let statement = try Statement(target, sql)
                defer { statement.finalize() }
                if isRun { _ = try statement.step() }
                break
            } catch let error as CormorantError {
                guard try target.defineMissingFunction(error, &known) else {
                    throw error.sqliteCode & 0xFF == SQLITE_AUTH ? notMade(entry) : error
                }
            }
        }
        foreignFunctions.formUnion(known.map(foldIdentifier))
        guard authorizer.isMade else { throw notMade(entry) }
    }

    private func notMade(_ entry: SchemaEntry) -> CormorantError {
        CormorantError(.corrupt, "its SQL is not that of \(entry.type) \(entry.name)")
    }

    func finish(_ schema: [SchemaEntry]) throws {
        let known = Set(schema.map(\.identity))
        let all = schema + extra.filter { !known.contains($0.identity) }
        for table in tables { table.statements = [:] }
        foundStatements = [:]
        indexes = []
        tables.removeAll { isOwn($0.report.name) }
        for type in ["index", "view", "trigger"] {
            for entry in all where entry.type == type {
                guard let sql = entry.sql, !isOwn(entry.name) else { continue }
                do {
                    try make(entry, sql)
                } catch let error as CormorantError where !error.endsRepair {
                    note("\(entry.type) \(entry.name): \(error.plainMessage)", entry)
                }
            }
        }
        for entry in all where entry.isVirtual {
            guard let sql = entry.sql else { continue }
            do {
                try make(entry, sql, isRun: false)
                try addVirtual(entry, sql)
            } catch let error as CormorantError where !error.endsRepair {
                tables.append(SalvagedTable(entry, problem: error.plainMessage))
            }
        }
        // Not where an index has a function of the program's.
        if all.contains(where: \.isStatistics) {
            do {
                try target.script("ANALYZE")
            } catch let error as CormorantError where !error.endsRepair {
                // It is for speed.
            }
        }
        try target.script("COMMIT")
        try noteForeign(all)
    }

    /// Tells which tables and indexes are computed or compared by what only the program has: they are made without it.
    private func noteForeign(_ schema: [SchemaEntry]) throws {
        var collations: Set<String> = []
        let listed = try Statement(target, "SELECT name FROM pragma_collation_list")
        while try listed.step() { collations.insert(foldIdentifier(Row(listed).cell(0).string ?? "")) }
        listed.finalize()
        collations = collations.filter { !$0.hasPrefix("corm_") && !["binary", "nocase", "rtrim"].contains($0) }
        guard !collations.isEmpty || !foreignFunctions.isEmpty else { return }
        for entry in schema where entry.type == "table" || entry.type == "index" {
            guard var sql = entry.sql else { continue }
            let names = sql.withUTF8 { bytes in
                var lexer = SQLLexer(bytes)
                var names: [String] = []
                while let token = lexer.next() {
                    guard [.identifier, .quotedIdentifier, .text].contains(token.kind) else { continue }
                    names.append(foldIdentifier(lexer.unquoted(token)))
                }
                return names
            }
            let called = names.first(where: foreignFunctions.contains)
            let compared = names.first(where: collations.contains)
            guard let name = called ?? compared else { continue }
            note(
                "\(entry.type) \(entry.name) is made by \(name)\(called == nil ? "" : "()"), which only its program has: "
                    + "make it anew there", entry)
        }
    }

    /// Their rows stand in tables of their own, which are there: what makes one would make those anew.
    private func addVirtual(_ entry: SchemaEntry, _ sql: String) throws {
        try target.script("PRAGMA writable_schema = ON")
        let statement = try Statement(
            target, "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', ?1, ?1, 0, ?2)")
        try statement.bind(.text(entry.name), 1)
        try statement.bind(.text(sql), 2)
        _ = try statement.step()
        statement.finalize()
        // The next one may have its name.
        try target.script("PRAGMA writable_schema = RESET")
    }

    private func note(_ problem: String, _ entry: SchemaEntry) {
        if let table = tables.first(where: { sameIdentifier($0.report.name, entry.table) }) {
            if table.report.problem == nil { table.report.problem = problem }
        } else {
            tables.append(SalvagedTable(entry, problem: problem))
        }
    }

    // Rows --------------------------------------------------------------------------------------------------------------

    func write(
        _ rowid: Int64?, _ values: [DamagedValue], _ isWhole: Bool, to table: SalvagedTable, _ page: UInt32
    ) throws {
        if sameIdentifier(table.report.name, "sqlite_sequence"), table.report.rows == 0 {
            try target.script("DELETE FROM sqlite_sequence")
        }
        if isWhole, table.isMade, rowid != nil || table.isWithoutRowid, try insert(rowid, values, table) {
            table.report.rows += 1
            return
        }
        table.report.lostRows += 1
        if !values.isEmpty { try keep(rowid, values, page) }
    }

    /// - Returns: whether the table took it.
    private func insert(_ rowid: Int64?, _ values: [DamagedValue], _ table: SalvagedTable) throws -> Bool {
        guard values.count <= table.columns.count, !values.isEmpty else { return false }
        // A record has NULL in the place of its rowid: one that has not is another table's.
        if let key = table.key, values.indices.contains(key) {
            guard case .null = values[key] else { return false }
        }
        let places = values.indices.filter { !table.columns[$0].isGenerated }
        let statement: Statement
        if let ready = table.statements[values.count] {
            statement = ready
        } else {
            let names = (table.rowidName.map { [$0] } ?? []) + places.map { quoteIdentifier(table.columns[$0].name) }
            statement = try Statement(
                target,
                "INSERT OR IGNORE INTO main.\(quoteIdentifier(table.report.name)) (\(names.joined(separator: ", "))) "
                    + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))")
            table.statements[values.count] = statement
        }
        defer { statement.reset() }
        var index: Int32 = 1
        if table.rowidName != nil {
            statement.bind(rowid ?? 0, index)
            index += 1
        }
        for place in places {
            if place == table.key, let rowid {
                statement.bind(rowid, index)
            } else {
                try bind(values[place], statement, index)
            }
            index += 1
        }
        do {
            _ = try statement.step()
            return target.changes > 0
        } catch let error as CormorantError where !error.endsRepair {
            return false
        }
    }

    private func bind(_ value: DamagedValue, _ statement: Statement, _ index: Int32) throws {
        switch value {
        case .null: statement.bindNull(index)
        case .integer(let integer): statement.bind(integer, index)
        case .real(let real): real.isNaN ? statement.bindNull(index) : statement.bind(real, index)
        case .blob(let bytes): try statement.bind(.blob(bytes), index)
        case .text(let bytes):
            try bytes.withUnsafeBytes {
                try statement.bindText(
                    $0.baseAddress ?? UnsafeRawPointer(emptyText), count: $0.count, index, borrowing: false)
            }
        case .brokenText(let bytes):
            try statement.bindText16(bytes, isBigEndian: source.encoding == .utf16BigEndian, index)
        }
    }

    /// Keeps a row that has no table.
    func keep(_ rowid: Int64?, _ values: [DamagedValue], _ page: UInt32) throws {
        do {
            try keepRow(rowid, values, page)
            foundRows += 1
        } catch let error as CormorantError where !error.endsRepair {
            // It is counted where it is missing.
        }
    }

    private func keepRow(_ rowid: Int64?, _ values: [DamagedValue], _ page: UInt32) throws {
        if foundName.isEmpty {
            var name = "lost_and_found"
            var number = 0
            while tables.contains(where: { sameIdentifier($0.report.name, name) }) {
                number += 1
                name = "lost_and_found_\(number)"
            }
            try target.script("CREATE TABLE \(name) (page INTEGER, id INTEGER)")
            foundName = name
        }
        while foundColumns < min(values.count, 1900) {
            try target.script("ALTER TABLE \(foundName) ADD COLUMN c\(foundColumns)")
            foundColumns += 1
        }
        let values = Array(values.prefix(1900))
        let statement: Statement
        if let ready = foundStatements[values.count] {
            statement = ready
        } else {
            let names = ["page", "id"] + values.indices.map { "c\($0)" }
            statement = try Statement(
                target,
                "INSERT INTO \(foundName) (\(names.joined(separator: ", "))) "
                    + "VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))")
            foundStatements[values.count] = statement
        }
        defer { statement.reset() }
        statement.bind(Int64(page), 1)
        if let rowid { statement.bind(rowid, 2) } else { statement.bindNull(2) }
        for (index, value) in values.enumerated() { try bind(value, statement, Int32(index + 3)) }
        _ = try statement.step()
    }

    var hasTablesWithoutRowid: Bool { tables.contains { $0.isWithoutRowid } }

    /// The one table that rows of a page can be of, which no tree leads to; nil where none or several can be it, an index, or one that the
    /// schema has lost.
    func table(for rows: [SalvagedRow]) -> SalvagedTable? {
        guard schemaLoss == nil, let first = rows.first else { return nil }
        let isWithoutRowid = first.rowid == nil
        let able = tables.filter { table in
            table.isMade && table.isWithoutRowid == isWithoutRowid && !table.gaps.isEmpty
                && rows.allSatisfy { !$0.isWhole || table.fits($0.rowid, $0.values) }
        }
        if isWithoutRowid,
            indexes.contains(where: { index in rows.allSatisfy { !$0.isWhole || index.fits($0.values) } })
        {
            return nil
        }
        if able.count <= 1 { return able.first }
        let exact = able.filter { table in rows.allSatisfy { $0.values.count == table.columns.count } }
        return exact.count == 1 ? exact.first : nil
    }

    /// Whether rows of a page are entries of an index of rows that the new file has.
    func areEntries(_ rows: [SalvagedRow]) throws -> Bool {
        guard !rows.isEmpty else { return false }
        return try indexes.contains { index in
            try rows.allSatisfy { row in try row.isWhole && index.fits(row.values) && has(row.values, index) }
        }
    }

    private func has(_ entry: [DamagedValue], _ index: SalvagedIndex) throws -> Bool {
        guard let lookup = index.lookup else { return false }
        defer { lookup.reset() }
        for (place, value) in entry.enumerated() { try bind(value, lookup, Int32(place + 1)) }
        return try lookup.step()
    }
}

extension CormorantError {
    /// Whether nothing more can be written, instead of this row alone.
    fileprivate var endsRepair: Bool { [.full, .io, .noMemory, .interrupted].contains(code) }
}
