import CormorantBase
import CormorantEngine
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// The table that records go into: one statement for each set of columns that records give.
final class ImportTable {
    let connection: Connection
    let table: TableMetadata
    /// The upsert's key; empty: rows are inserted.
    let key: [String]
    /// What a model says of the columns; nil where no model was synced.
    private let notes: Set<String>?
    /// The columns of the reader's names, as far as these were looked at; nil for a name without column.
    private(set) var columns: [ImportColumn?] = []
    /// By the names that a record gives.
    private var statements: [[Int]: Statement] = [:]
    private(set) var statement: Statement?
    private(set) var given: [Int] = []
    /// Those that a server has not been sent.
    var pending: [KeptRecord] = []

    init(_ connection: Connection, _ table: TableMetadata, key: [String]) throws {
        self.connection = connection
        self.table = table
        self.key = key
        notes = connection.engine == nil ? try connection.modelNotes(of: table.name) : nil
        guard table.kind != .view else {
            throw CormorantError(
                .misuse, "\"\(visible(table.name))\" is a view", hint: "import into a table", table: table.name)
        }
        for column in key where table.place(of: column) == nil {
            throw unknown(column, "--upsert names")
        }
        guard key.isEmpty || table.isUnique(key) else {
            throw CormorantError(
                .misuse, "\(key.map { "\"\(visible($0))\"" }.joined(separator: ", ")) is no key of the table",
                hint: "--upsert wants the columns of its primary key or of a unique index", table: table.name)
        }
    }

    /// Makes sure that the table has a column for each title.
    func check(_ titles: [String]) throws {
        for title in titles where table.place(of: title) == nil { throw unknown(title, "the data has") }
        for (index, title) in titles.enumerated() where titles[..<index].contains(where: { sameIdentifier($0, title) })
        {
            throw CormorantError(
                .type, "two columns are called \"\(visible(title))\"", hint: "give each column a title of its own")
        }
        for column in key where !titles.contains(where: { sameIdentifier($0, column) }) {
            throw CormorantError(
                .type, "the data has no column \"\(visible(column))\", which --upsert needs",
                hint: nearestNames(to: column, titles))
        }
    }

    /// The columns that a record without titles gives.
    var insertable: [String] { table.columns.filter { !$0.isHidden && !$0.isGenerated }.map(\.name) }

    /// Writes a record.
    /// - Returns: why it is refused; nil where it was written.
    func write(_ reader: any RecordReader) throws -> String? {
        if let refusal = try bind(reader) { return refusal }
        guard let statement else { return nil }
        let fields = reader.fields
        let before = connection.totalChanges
        do {
            defer { statement.reset() }
            while try statement.step() {}
        } catch let error as CormorantError where error.isRefusal {
            // A ROLLBACK of the table's own has taken all of it back.
            guard connection.isInTransaction else { throw error.prefixed("line \(reader.line): ") }
            guard connection.totalChanges == before else {
                throw CormorantError(
                    .constraint,
                    "line \(reader.line): a trigger refuses the record, and leaves a part of it in the file",
                    hint: "nothing was imported; let the trigger RAISE(ABORT), not RAISE(FAIL)", table: table.name)
            }
            return error.plainMessage
        }
        // A statement that a trigger or a constraint passes over does not fail.
        return connection.changes > 0 ? nil : try passedOver(fields)
    }

    /// Why a record is not there that no error has refused; nil where an upsert found its row.
    func passedOver(_ fields: [ImportField]) throws -> String? {
        try isThere(fields) ? nil : "a trigger or an ON CONFLICT clause of the table passed it over"
    }

    /// Binds the statement for a record to its values.
    /// - Returns: why it is refused.
    func bind(_ reader: any RecordReader) throws -> String? {
        if columns.count < reader.names.count { try addColumns(reader.names) }
        let fields = reader.fields
        if let refusal = try choose(fields, reader.names) { return refusal }
        for column in key where !given.contains(where: { isKey($0, column) && fields[$0].kind != .null }) {
            return "it has no value of \"\(visible(column))\", by which --upsert finds its row"
        }
        guard let statement else { return nil }
        for (parameter, index) in given.enumerated() {
            guard let column = columns[index] else { continue }
            if let problem = try column.bind(fields[index], statement, Int32(truncatingIfNeeded: parameter + 1)) {
                return "\(visible(column.name)): \(problem)"
            }
        }
        return nil
    }

    private func isKey(_ index: Int, _ column: String) -> Bool {
        columns[index].map { sameIdentifier($0.name, column) } ?? false
    }

    /// Whether an upsert that has nothing but the key to write found its row.
    private func isThere(_ fields: [ImportField]) throws -> Bool {
        let columns = given.compactMap { self.columns[$0] }
        guard !key.isEmpty, columns.allSatisfy({ column in key.contains { sameIdentifier($0, column.name) } }) else {
            return false
        }
        let condition = columns.map { "\(quoteIdentifier($0.name)) = ?" }.joined(separator: " AND ")
        let statement = try connection.statement("SELECT 1 FROM \(quoteIdentifier(table.name)) WHERE \(condition)")
        defer { connection.recycle(statement) }
        for (parameter, index) in given.enumerated() {
            _ = try self.columns[index]?.bind(fields[index], statement, Int32(truncatingIfNeeded: parameter + 1))
        }
        return try statement.step()
    }

    private func addColumns(_ names: [String]) throws {
        for name in names[columns.count...] {
            columns.append(
                try table.place(of: name).map {
                    let column = table.columns[$0]
                    return ImportColumn(
                        column, of: table, notes: notes, hasOtherTimes: try hasOtherTimes(column),
                        isOnServer: connection.engine != nil)
                })
        }
    }

    /// Whether a column that is declared as times, and that no model is known to read, holds them in another form than
    /// the library's: it is another program's.
    private func hasOtherTimes(_ column: ColumnMetadata) throws -> Bool {
        guard let form = column.type?.timeForm, notes == nil else { return false }
        let name = quoteIdentifier(column.name)
        let statement = try connection.statement(
            "SELECT \(name) FROM \(quoteIdentifier(table.name)) WHERE \(name) IS NOT NULL LIMIT 1000")
        defer { connection.recycle(statement) }
        while try statement.step() {
            let cell = Row(statement).cell(0)
            if cell.type != StorageType.text || form.value(stored: cell.text) == nil { return true }
        }
        return false
    }

    /// Finds the statement for what the record gives.
    private func choose(_ fields: [ImportField], _ names: [String]) throws -> String? {
        var isSame = statement != nil
        var next = 0
        for index in fields.indices where fields[index].kind != .missing {
            guard let column = columns[index] else { return "there is no column \"\(visible(names[index]))\"" }
            if column.isGenerated { continue }
            if isSame, next < given.count, given[next] == index { next += 1 } else { isSame = false }
        }
        if isSame, next == given.count { return nil }
        given = fields.indices.filter { fields[$0].kind != .missing && columns[$0]?.isGenerated == false }
        if let known = statements[given] {
            statement = known
        } else if let twice = given.first(where: { one in
            given.contains { $0 != one && columns[$0]?.name == columns[one]?.name }
        }) {
            statement = nil
            return "it has the column \"\(visible(columns[twice]?.name ?? ""))\" twice"
        } else {
            if statements.count == 100 { statements = [:] }
            let made = try connection.statement(sql(given.compactMap { columns[$0]?.name }))
            statements[given] = made
            statement = made
        }
        return nil
    }

    /// Keys that were exported come back also where a server makes all keys itself.
    private var overriding: String { isOnServer ? " OVERRIDING SYSTEM VALUE" : "" }

    private func sql(_ names: [String]) -> String {
        let list = names.map(quoteIdentifier)
        guard !list.isEmpty else { return "INSERT INTO \(quoteIdentifier(table.name)) DEFAULT VALUES" }
        var sql = "INSERT INTO \(quoteIdentifier(table.name)) (\(list.joined(separator: ", ")))\(overriding) VALUES ("
        sql += list.map { _ in "?" }.joined(separator: ", ") + ")"
        guard !key.isEmpty else { return sql }
        let others = names.filter { name in !key.contains { sameIdentifier($0, name) } }.map(quoteIdentifier)
        sql += " ON CONFLICT (\(key.map(quoteIdentifier).joined(separator: ", "))) DO "
        sql +=
            others.isEmpty
            ? "NOTHING" : "UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return sql
    }

    private func unknown(_ name: String, _ what: String) -> CormorantError {
        CormorantError(
            .type, "\(what) \"\(visible(name))\", which the table has no column for",
            hint: nearestNames(to: name, table.columns.map(\.name)), table: table.name)
    }
}

extension CormorantError {
    /// Whether the row is to blame: it breaks a rule of the table.
    var isRefusal: Bool {
        switch code {
        case .unique, .notNull, .check, .foreignKey, .constraint, .type, .range, .tooBig, .json,
            .encoding:
            true
        default: false
        }
    }
}
