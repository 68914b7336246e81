import CormorantBase
import CormorantQuery
import CormorantSQLite

/// The table that records go into: one statement for each set of columns that records give.
final class ImportTable {
    /// What a column takes, and how a text becomes that.
    private enum Storage {
        case integer
        case number
        case bool
        case text
        case blob
        /// Whatever the value is.
        case any
    }

    private struct Column {
        var name: String
        var storage: Storage
        var isNotNull: Bool
        var isGenerated: Bool
    }

    private let connection: Connection
    private let table: TableMetadata
    /// The upsert's key; empty: rows are inserted.
    private let key: [String]
    /// The columns of the reader's names, as far as these were looked at; nil for a name without column.
    private var columns: [Column?] = []
    /// By the names that a record gives.
    private var statements: [[Int]: Statement] = [:]
    private var statement: Statement?
    private var given: [Int] = []

    init(_ connection: Connection, _ table: TableMetadata, key: [String]) throws {
        self.connection = connection
        self.table = table
        self.key = key
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
        if columns.count < reader.names.count { addColumns(reader.names) }
        let fields = reader.fields
        if let refusal = try choose(fields, reader.names) { return refusal }
        guard let statement else { return nil }
        for (parameter, index) in given.enumerated() {
            guard let column = columns[index] else { continue }
            if let problem = try bind(fields[index], column, statement, Int32(truncatingIfNeeded: parameter + 1)) {
                return "\(visible(column.name)): \(problem)"
            }
        }
        do {
            defer { statement.reset() }
            while try statement.step() {}
            return nil
        } catch let error as CormorantError where error.isRefusal && connection.isInTransaction {
            return error.plainMessage
        }
    }

    private func addColumns(_ names: [String]) {
        for name in names[columns.count...] {
            let column = table.place(of: name).map { table.columns[$0] }
            columns.append(
                column.map {
                    Column(
                        name: $0.name, storage: Self.storage($0),
                        isNotNull: !$0.isNullable && table.rowIDColumn.map { !sameIdentifier(name, $0) } ?? true,
                        isGenerated: $0.isGenerated)
                })
        }
    }

    private static func storage(_ column: ColumnMetadata) -> Storage {
        switch column.type {
        case .int64, .int32: .integer
        case .double, .float: .number
        case .bool: .bool
        case .blob: .blob
        case nil: column.affinity == .blob ? .any : .text
        default: .text
        }
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
        } else {
            if statements.count == 100 { statements = [:] }
            let made = try connection.statement(sql(given.compactMap { columns[$0]?.name }))
            statements[given] = made
            statement = made
        }
        return nil
    }

    private func sql(_ names: [String]) -> String {
        let list = names.map(quoteIdentifier)
        guard !list.isEmpty else { return "INSERT INTO \(quoteIdentifier(table.name)) DEFAULT VALUES" }
        var sql = "INSERT INTO \(quoteIdentifier(table.name)) (\(list.joined(separator: ", "))) VALUES ("
        sql += list.map { _ in "?" }.joined(separator: ", ") + ")"
        guard !key.isEmpty else { return sql }
        let others = names.filter { name in !key.contains { sameIdentifier($0, name) } }.map(quoteIdentifier)
        sql += " ON CONFLICT (\(key.map(quoteIdentifier).joined(separator: ", "))) DO "
        sql +=
            others.isEmpty
            ? "NOTHING" : "UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return sql
    }

    /// - Returns: why the column cannot take the value.
    private func bind(
        _ field: ImportField, _ column: Column, _ statement: Statement, _ parameter: Int32
    ) throws -> String? {
        switch field.kind {
        case .missing: return nil
        case .null:
            // CSV has no other way to write an empty text in a column that must have one.
            if column.isNotNull, column.storage == .text, field.bytes.baseAddress != nil, field.bytes.isEmpty {
                try bindText(field, statement, parameter)
            } else {
                statement.bindNull(parameter)
            }
            return nil
        case .bool:
            if column.storage == .text {
                try bindText(field, statement, parameter)
            } else {
                statement.bind(field.bytes.first == UInt8(ascii: "t") ? Int64(1) : 0, parameter)
            }
            return nil
        case .json where column.storage != .text && column.storage != .any:
            return "it cannot hold an array or object"
        case .json:
            try bindText(field, statement, parameter)
            return nil
        case .number, .plain, .text: break
        }
        switch column.storage {
        case .integer: return try bindInteger(field, statement, parameter)
        case .number:
            guard let form = NumberForm(field.bytes) else { return "\(shown(field)) is no number" }
            if case .integer(let value) = form {
                statement.bind(value, parameter)
            } else {
                // SQLite reads it as it reads numbers in SQL.
                try bindText(field, statement, parameter)
            }
        case .bool: return bindBool(field, statement, parameter)
        case .blob: return try bindBlob(field, statement, parameter)
        case .any: try bindAny(field, statement, parameter)
        case .text: try bindText(field, statement, parameter)
        }
        return nil
    }

    private func bindInteger(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws -> String? {
        switch NumberForm(field.bytes) {
        case .integer(let value): statement.bind(value, parameter)
        case .real:
            guard let value = Double(field.string.trimmingPrefix(" ")), let whole = Int64(exactly: value),
                whole.magnitude <= 1 << 53
            else { return "\(shown(field)) is no 64-bit integer" }
            statement.bind(whole, parameter)
        case nil: return "\(shown(field)) is no integer"
        }
        return nil
    }

    private func bindBool(_ field: ImportField, _ statement: Statement, _ parameter: Int32) -> String? {
        let truths: [StaticString] = ["true", "yes", "t", "y", "on"]
        let lies: [StaticString] = ["false", "no", "f", "n", "off"]
        if case .integer(let value)? = NumberForm(field.bytes), value == 0 || value == 1 {
            statement.bind(value, parameter)
        } else if truths.contains(where: { isWord(field.bytes, $0) }) {
            statement.bind(Int64(1), parameter)
        } else if lies.contains(where: { isWord(field.bytes, $0) }) {
            statement.bind(Int64(0), parameter)
        } else {
            return "\(shown(field)) is neither true nor false"
        }
        return nil
    }

    private func bindBlob(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws -> String? {
        if field.kind == .plain, let blob = bytes(blobLiteral: field.bytes) {
            try statement.bind(.blob(blob), parameter)
        } else if field.kind == .text {
            guard let blob = bytes(base64: field.bytes) else { return "\(shown(field)) is no base64" }
            try statement.bind(.blob(blob), parameter)
        } else {
            return "\(shown(field)) is no blob; write it as x'00ff'"
        }
        return nil
    }

    private func bindAny(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws {
        if field.kind != .text, isPlainNumber(field.bytes), let form = NumberForm(field.bytes) {
            switch form {
            case .integer(let value): return statement.bind(value, parameter)
            case .real:
                if let value = Double(field.string), value.isFinite { return statement.bind(value, parameter) }
            }
        }
        if field.kind == .plain, let blob = bytes(blobLiteral: field.bytes) {
            return try statement.bind(.blob(blob), parameter)
        }
        try bindText(field, statement, parameter)
    }

    @inline(__always)
    private func bindText(_ field: ImportField, _ statement: Statement, _ parameter: Int32) throws {
        try statement.bindText(
            borrowing: UnsafeRawPointer(
                field.bytes.baseAddress ?? UnsafeRawPointer(emptyText).assumingMemoryBound(to: UInt8.self)),
            count: field.bytes.count, parameter)
    }

    private func shown(_ field: ImportField) -> String {
        let text = visible(String(decoding: field.bytes.prefix(40), as: UTF8.self))
        return "\"\(text)\(field.bytes.count > 40 ? "…" : "")\""
    }

    private func unknown(_ name: String, _ what: String) -> CormorantError {
        CormorantError(
            .type, "\(what) \"\(visible(name))\", which the table has no column for",
            hint: nearestNames(to: name, table.columns.map(\.name)), table: table.name)
    }
}

extension CormorantError {
    /// Whether the row is to blame: it breaks a rule of the table.
    fileprivate var isRefusal: Bool {
        switch code {
        case .unique, .notNull, .check, .foreignKey, .constraint, .type, .range, .tooBig: true
        default: false
        }
    }
}
