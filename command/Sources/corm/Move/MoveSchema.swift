import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// The tables of a database as another engine is to have them, and what of the schema it cannot have.
struct MoveSchema {
    private(set) var tables: [MovedTable] = []
    /// What would be missing there, each in a line.
    private(set) var leftOut: [String] = []
    private var indexNames: Set<ExactText>
    /// Tells whether a file takes what stands in another engine's words.
    private let sample = SampleFile()
    /// Whether it is compared with a server's, which has no words for how a file keeps its tables.
    private let isCompared: Bool

    init(_ metadata: Metadata, from source: Dialect, to target: Dialect, isCompared: Bool = false) {
        self.isCompared = isCompared
        indexNames = Set(metadata.tables.flatMap(\.indexes).compactMap(\.name).map(nameKey))
        for problem in metadata.problems { leftOut.append("\(problem.type) \(problem.name): \(problem.message)") }
        for table in metadata.tables {
            switch table.kind {
            case .view: leftOut.append("the view \(table.name)")
            case .virtual: leftOut.append("the virtual table \(table.name)")
            case .table: add(table, from: source, to: target)
            }
        }
    }

    private mutating func add(_ table: TableMetadata, from source: Dialect, to target: Dialect) {
        var schema = TableSchema(
            name: table.name, columns: table.columns.filter { !$0.isHidden }.map { ColumnSchema($0, of: table) },
            primaryKey: table.primaryKey, withoutRowID: target == .sqlite && table.isWithoutRowID && !isCompared,
            strict: target == .sqlite && table.isStrict && !isCompared)
        if isCompared { for place in schema.columns.indices { schema.columns[place].autoIncrement = false } }
        // A server has it in keys and indexes alone.
        let caseless = table.columns.filter { sameIdentifier($0.collation ?? "", "NOCASE") }.map(\.name)
        var key = table.primaryKey
        if key.isEmpty {
            // Rows without a key follow each other as they lie; the models' own key takes its place.
            key = [source == .sqlite ? freeRowID(table) : "ctid"]
            let hidden = ColumnSchema(name: hiddenKeyName, type: .int64, notNull: true, autoIncrement: !isCompared)
            schema.columns.insert(hidden, at: 0)
            schema.primaryKey = [hiddenKeyName]
        }
        func accepts(_ change: (inout TableSchema) -> Void) -> Bool {
            var changed = schema
            change(&changed)
            changed.foreignKeys = []
            guard let sql = try? SQLCompiler.createTables([changed], target).map(\.sql) else { return false }
            if target == .sqlite, !sample.takes(sql, of: table.name) { return false }
            change(&schema)
            return true
        }
        for column in table.columns.filter({ !$0.isHidden }) {
            func place(_ schema: TableSchema) -> Int? { schema.columns.firstIndex { isSame($0.name, column.name) } }
            if let sql = column.defaultSQL(in: target),
                !accepts({ schema in place(schema).map { schema.columns[$0].defaultSQL = sql } })
            {
                leftOut.append("the default of \(table.name).\(column.name): \(sql)")
            }
            if let sql = column.generatedSQL,
                !accepts({ schema in place(schema).map { schema.columns[$0].computedSQL = sql } })
            {
                leftOut.append("what computes \(table.name).\(column.name), of which the values are moved: \(sql)")
            }
            if let collation = column.collation, !(isCompared && caseless.has(column.name)),
                !accepts({ schema in place(schema).map { schema.columns[$0].collation = collation } })
            {
                leftOut.append("the collation of \(table.name).\(column.name): \(collation)")
            }
        }
        for (number, check) in table.checks.enumerated() {
            let name = check.name ?? "\(table.name)_check\(number + 1)"
            let made = CheckSchema(name: name, condition: check.sql)
            if !accepts({ $0.checks.append(made) }) { leftOut.append("the check of \(table.name): \(check.sql)") }
        }
        for index in table.indexes where index.origin != .primaryKey {
            let name = index.name ?? freeName(of: index, table.name)
            let terms = index.terms.compactMap { term in
                term.collation == nil ? term.column.map { OrderedColumn($0, descending: term.isDescending) } : nil
            }
            let made = IndexSchema(
                name: name, columns: terms, isUnique: index.isUnique, whereSQL: index.conditionSQL)
            let isCaseless = isCompared && terms.contains { caseless.has($0.name) }
            if isCaseless || terms.count != index.terms.count || !accepts({ $0.indexes.append(made) }) {
                leftOut.append("the index \(name) on \(table.name)")
            }
        }
        let compared = schema.primaryKey + schema.indexes.flatMap { $0.columns.map(\.name) }
        for name in caseless where isCompared || target == .postgres && !compared.has(name) {
            leftOut.append("the collation of \(table.name).\(name): NOCASE, by which models alone compare there")
        }
        for trigger in table.triggers { leftOut.append("the trigger \(trigger.name) on \(table.name)") }
        schema.foreignKeys = table.foreignKeys.map {
            var key = ForeignKeySchema(
                columns: $0.columns, table: $0.table, tableColumns: $0.tableColumns, onDelete: $0.onDelete,
                onUpdate: $0.onUpdate)
            key.isDeferred = $0.isDeferred
            return key
        }
        tables.append(MovedTable(schema, order: key, isKeyed: !table.primaryKey.isEmpty))
    }

    /// The name that models and the server give to what is unique and has none.
    private mutating func freeName(of index: IndexMetadata, _ table: String) -> String {
        let full = ([table] + index.terms.compactMap(\.column) + ["key"]).joined(separator: "_")
        // A server cuts names off behind 63 bytes.
        let plain = full.utf8.count > 60 ? "\(table)_key" : full
        var (name, number) = (plain, 1)
        while !indexNames.insert(nameKey(name)).inserted {
            name = "\(plain)\(number)"
            number += 1
        }
        return name
    }

    /// SQLite's name of the row number that no column has taken.
    private func freeRowID(_ table: TableMetadata) -> String {
        ["rowid", "_rowid_", "oid"].first { name in
            !table.columns.contains { sameIdentifier($0.name, name) }
        } ?? "rowid"
    }
}

extension ColumnMetadata {
    /// In a file a decimal is a text, of which SQLite would make a real.
    fileprivate func defaultSQL(in target: Dialect) -> String? {
        guard target == .sqlite, type == .decimal, let sql = defaultSQL, Double(sql) != nil else { return defaultSQL }
        return "'\(sql)'"
    }
}

/// A database in memory in which tables are tried.
private final class SampleFile {
    private lazy var database = try? Database(path: ":memory:")

    /// Whether the statements run, and rows can be inserted then.
    func takes(_ statements: [String], of table: String) -> Bool {
        do {
            return try database?.withConnection { connection in
                try connection.begin(.deferred)
                defer { try? connection.rollback() }
                for sql in statements { try connection.script(sql) }
                let insert = try Statement(connection, "INSERT INTO \(quoteIdentifier(table)) DEFAULT VALUES")
                insert.finalize()
                return true
            } ?? false
        } catch {
            return false
        }
    }
}

/// A table that is moved.
struct MovedTable {
    let schema: TableSchema
    /// What is read and written, in this order; what is computed is not.
    let columns: [ColumnSchema]
    /// What rows are read by.
    let order: [String]
    /// Whether it has a key of its own, by which it is known where to go on.
    let isKeyed: Bool

    init(_ schema: TableSchema, order: [String], isKeyed: Bool) {
        self.schema = schema
        self.order = order
        self.isKeyed = isKeyed
        columns = schema.columns.filter { $0.computedSQL == nil && (isKeyed || $0.name != hiddenKeyName) }
    }

    var name: String { schema.name }

    /// The key's places among `columns`.
    var keyPlaces: [Int] { isKeyed ? order.compactMap { name in columns.firstIndex { isSame($0.name, name) } } : [] }

    /// The SELECT of its rows, in an order that both engines have.
    /// - Parameters:
    ///   - isSource: of where they come from, which has no key of ours.
    ///   - isAfter: whether only those behind a key are read, whose values are its parameters.
    func select(_ dialect: Dialect, isSource: Bool, isAfter: Bool = false) -> String {
        let names = quotedNames(columns.map(\.name))
        let keys = isKeyed || isSource ? order : [hiddenKeyName]
        let terms = keys.map { self.term($0, dialect) }.joined(separator: ", ")
        var sql = "SELECT \(names.isEmpty ? "1" : names) FROM \(quoteIdentifier(name))"
        if isAfter {
            let values = keys.map { _ in "?" }.joined(separator: ", ")
            sql += " WHERE (\(terms)) > (\(values))"
        }
        return sql + " ORDER BY " + terms
    }

    /// A key as it is put in order: texts by their bytes, decimals as the texts that they are in files.
    func term(_ name: String, _ dialect: Dialect) -> String {
        guard let column = columns.first(where: { isSame($0.name, name) }) else {
            return name == "ctid" ? name : quoteIdentifier(name)
        }
        let quoted = quoteIdentifier(name)
        switch (dialect, column.type) {
        case (.sqlite, _): return quoted + " COLLATE BINARY"
        case (.postgres, .text), (.postgres, .varchar), (.postgres, .offsetDatetime): return quoted + #" COLLATE "C""#
        case (.postgres, .decimal): return #"CAST(\#(quoted) AS text) COLLATE "C""#
        default: return quoted
        }
    }
}

extension ColumnSchema {
    init(_ column: ColumnMetadata, of table: TableMetadata) {
        let type: ColumnType =
            switch column.affinity {
            case _ where column.type != nil: column.type ?? .text
            case .integer: .int64
            case .real, .numeric: .double
            case .text: .text
            case .blob: .blob
            }
        let isRowID = table.rowIDColumn.map { isSame($0, column.name) } ?? false
        // The row number of SQLite has 64 bits whatever is declared.
        self.init(
            name: column.name, type: isRowID ? .int64 : type,
            notNull: !column.isNullable || table.primaryKey.has(column.name),
            autoIncrement: table.isAutoIncrement && isRowID)
    }
}
