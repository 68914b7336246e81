import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// The tables of a server as migrations compare them: what its catalogs say, in its own words. Of models it is what the server makes of
/// them, so that two texts are one to it exactly where they are one here.
struct ServerSchema {
    private(set) var schema = Schema()
    /// Constraints that rows from before them may break, by table and name.
    private(set) var unvalidated: Set<[ExactText]> = []
    /// Indexes whose making was cut off.
    private(set) var invalidIndexes: Set<ExactText> = []
    /// Tables with a check of a migration under way, that a column holds no NULL, by table and column.
    private(set) var notNullChecks: Set<[ExactText]> = []
    /// What a table has that no model knows, by its folded name: it goes along with it.
    private(set) var companions: [ExactText: [String]] = [:]
    /// Tables that inherit columns of others, and change with them.
    private(set) var heirs: Set<ExactText> = []
    /// Tables whose rows are in partitions, which are no tables of their own here.
    private(set) var partitioned: Set<ExactText> = []
    /// Tables that a crash of the server empties, which only others like them can refer to.
    private(set) var unlogged: Set<ExactText> = []
    private var places: [Int64: Int] = [:]
    private var columns: [Int64: [Int64: Int]] = [:]
    private var names: [Int64: String] = [:]
    private var collations: [Int64: String] = [:]
    private var ownCollations: [Int64: [Int64: Int64]] = [:]

    /// The name of the check by which a column of many rows becomes NOT NULL.
    static func notNullCheck(_ column: String) -> String { "corm_not_null_" + column }

    /// One that was read before, of whose state nothing is known.
    init(of schema: Schema) { self.schema = schema }

    /// - Parameter isScratch: whether it is of temporary tables alone.
    init(_ connection: Connection, isScratch: Bool = false) throws {
        let catalog = ServerCatalog(connection: connection, isScratch: isScratch)
        schema.dialect = .postgres
        try catalog.forEach(ServerCatalog.collations) { collations[$0.int(0)] = $0.string(1) }
        try catalog.forEach(catalog.tables) { add(table: $0) }
        try catalog.forEach(catalog.columns) { add(column: $0) }
        try catalog.forEach(catalog.constraints) { add(constraint: $0) }
        try catalog.forEach(catalog.indexes) { add(index: $0) }
        try catalog.forEach(catalog.triggers) { add(trigger: $0) }
        if !isScratch { try catalog.forEach(catalog.others) { add(other: $0) } }
        for place in schema.tables.indices { schema.tables[place].sql = schema.tables[place].onServer }
    }

    /// What SQL that makes temporary tables makes; nothing of it stays. Inside a transaction.
    static func made(by sql: String, _ connection: Connection) throws -> Schema {
        guard !sql.isEmpty else { return Schema() }
        try connection.begin(.immediate)
        do {
            try connection.script(sql)
            let made = try ServerSchema(connection, isScratch: true).schema
            try connection.rollback()
            return made
        } catch {
            try? connection.rollback()
            throw error
        }
    }

    private mutating func accompany(_ table: Int64, _ what: String) {
        guard let name = names[table] else { return }
        companions[nameKey(name), default: []].append(what)
    }

    private mutating func add(table row: ServerCatalog.Row) {
        let (number, name, kind) = (row.int(0), row.string(1), row.string(2))
        if [keyValueTable, History.table, ModelRegistry.table, versionTable].contains(name) { return }
        if row.bool(4) {
            companions[nameKey(row.string(5)), default: []].append("partition \"\(name)\"")
            return
        }
        if kind == "v" || kind == "m" {
            let made = kind == "m" ? "CREATE MATERIALIZED VIEW" : "CREATE VIEW"
            schema.views.append(
                ViewDefinition(
                    name: name, body: serverFragment(row.string(8)),
                    sql: "\(made) \(quoteIdentifier(name)) AS \(row.string(8))"))
            return
        }
        names[number] = name
        if !row.string(5).isEmpty { heirs.insert(nameKey(name)) }
        if kind == "p" { partitioned.insert(nameKey(name)) }
        if row.string(3) == "u" { unlogged.insert(nameKey(name)) }
        if row.bool(9) { accompany(number, "row security") }
        places[number] = schema.tables.count
        // None of them has SQLite's row numbers.
        schema.tables.append(
            TableDefinition(name: name, columns: [], constraints: [], withoutRowID: true, strict: false, sql: ""))
    }

    private mutating func add(column row: ServerCatalog.Row) {
        guard let place = places[row.int(0)] else { return }
        let (name, type) = (row.string(2), row.string(3))
        // The name of a type that has a sequence made.
        let isSerial = row.bool(12) && row.string(8).isEmpty
        var line = "\(quoteIdentifier(name)) \(isSerial ? serialType(type) : type)"
        var constraints: [ConstraintDefinition] = []
        func add(_ kind: ConstraintDefinition.Kind, _ sql: String) {
            constraints.append(ConstraintDefinition(name: nil, kind: kind, sql: sql))
            if !(isSerial && sql.hasPrefix("DEFAULT ")) { line += " " + sql }
        }
        if row.int(10) != row.int(11), let collation = collations[row.int(10)] {
            add(.collate(collation), "COLLATE \(quoteIdentifier(collation))")
        }
        if row.bool(6) { add(.notNull(onConflict: nil), "NOT NULL") }
        let value = row.string(7)
        if !row.string(9).isEmpty {
            add(.generated(serverFragment(value), stored: true), "GENERATED ALWAYS AS (\(value)) STORED")
        } else if !row.string(8).isEmpty {
            let identity = "GENERATED \(row.string(8) == "a" ? "ALWAYS" : "BY DEFAULT") AS IDENTITY"
            add(.defaultValue(SQLFragment(text: identity, canonical: foldIdentifier(identity))), identity)
        } else if row.text(7) != nil {
            let fragment = isSerial ? SQLFragment(text: value, canonical: ownSequence) : serverFragment(value)
            add(.defaultValue(fragment), "DEFAULT \(value)")
        }
        columns[row.int(0), default: [:]][row.int(1)] = schema.tables[place].columns.count
        ownCollations[row.int(0), default: [:]][row.int(1)] = row.int(10)
        schema.tables[place].columns.append(
            ColumnDefinition(name: name, type: type, constraints: constraints, sql: line))
    }

    private func names(_ numbers: [Int64], of table: Int64) -> [String] {
        guard let place = places[table], let known = columns[table] else { return [] }
        return numbers.compactMap { known[$0].map { schema.tables[place].columns[$0].name } }
    }

    private mutating func add(constraint row: ServerCatalog.Row) {
        let number = row.int(0)
        guard let place = places[number] else { return }
        let (name, definition) = (row.string(1), row.string(10))
        let table = schema.tables[place].name
        let keys = names(row.ints(3), of: number)
        var terms = keys.map {
            IndexTerm(expression: serverFragment(quoteIdentifier($0)), column: $0, collation: nil, descending: false)
        }
        // INCLUDE, DEFERRABLE, NULLS NOT DISTINCT.
        let plain = " KEY (\(keys.map(quoteIdentifier).joined(separator: ", ")))"
        let said = serverFragment(definition).canonical
        if ["p", "u"].contains(row.string(2)), let last = terms.indices.last,
            !["PRIMARY" + plain, "UNIQUE" + plain.dropFirst(4)].contains(where: { serverFragment($0).canonical == said }
            )
        {
            terms[last].expression = SQLFragment(text: terms[last].expression.text, canonical: said)
        }
        let kind: ConstraintDefinition.Kind
        switch row.string(2) {
        case "p":
            kind = .primaryKey(terms, autoIncrement: false, onConflict: nil)
        case "u": kind = .unique(terms, onConflict: nil)
        case "c":
            if keys.count == 1, name == Self.notNullCheck(keys[0]) {
                notNullChecks.insert([nameKey(table), nameKey(keys[0])])
                return
            }
            kind = .check(serverFragment(row.string(11)))
        case "f":
            var key = ForeignKeyDefinition(
                columns: keys, table: names[row.int(4)] ?? row.string(12),
                tableColumns: names(row.ints(5), of: row.int(4)), onDelete: .init(server: row.string(6)),
                onUpdate: .init(server: row.string(7)), match: nil, isDeferred: row.bool(8))
            key.isDeferrable = row.bool(13) && !row.bool(8)
            key.isFull = row.bool(14)
            key.setColumns = names(row.ints(15), of: number)
            kind = .foreignKey(key)
        default: return accompany(number, "exclusion constraint \"\(name)\"")
        }
        if !row.bool(9) { unvalidated.insert([nameKey(table), ExactText(name)]) }
        schema.tables[place].constraints.append(
            ConstraintDefinition(name: name, kind: kind, sql: "CONSTRAINT \(quoteIdentifier(name)) \(definition)"))
    }

    private mutating func add(index row: ServerCatalog.Row) {
        let number = row.int(0)
        guard let place = places[number], row.string(13).isEmpty, !row.bool(4) else { return }
        let name = row.string(1)
        guard row.bool(5) else {
            invalidIndexes.insert(nameKey(name))
            return
        }
        let (keys, options, collations) = (row.ints(8), row.ints(10), row.ints(9))
        let texts = row.string(14).split(separator: "\u{1}", omittingEmptySubsequences: false).map(String.init)
        var terms = (0..<Int(clamping: row.int(6))).filter { keys.indices.contains($0) }.map { index -> IndexTerm in
            let column = names([keys[index]], of: number).first
            let text = column.map(quoteIdentifier) ?? (texts.indices.contains(index) ? texts[index] : "")
            let option = options.indices.contains(index) ? options[index] : 0
            var canonical = serverFragment(text).canonical + (option & 2 != 0 ? " nulls first" : "")
            if collations.indices.contains(index), let column, collations[index] != ownCollations[number]?[keys[index]]
            {
                canonical += " collate \(self.collations[collations[index]] ?? column)"
            }
            return IndexTerm(
                expression: SQLFragment(text: text, canonical: canonical), column: column, collation: nil,
                descending: option & 1 != 0)
        }
        let definition = row.string(12)
        // What an index of ours has not.
        if row.string(2) != "btree" || row.int(6) < row.int(7) || contains(definition, " NULLS NOT DISTINCT"),
            let last = terms.popLast()
        {
            terms.append(
                IndexTerm(
                    expression: SQLFragment(text: last.expression.text, canonical: definition), column: nil,
                    collation: nil, descending: last.descending))
        }
        schema.indexes.append(
            IndexDefinition(
                name: name, table: schema.tables[place].name, terms: terms, isUnique: row.bool(3),
                condition: row.text(11).map(serverFragment), sql: definition))
    }

    private mutating func add(trigger row: ServerCatalog.Row) {
        guard let place = places[row.int(0)] else { return }
        schema.triggers.append(
            TriggerDefinition(
                name: row.string(1), timing: .after, event: .update, columns: [], table: schema.tables[place].name,
                body: serverFragment(row.string(4)), sql: row.string(4)))
    }

    private mutating func add(other row: ServerCatalog.Row) {
        if row.int(2) != 0 { accompany(row.int(2), "\(row.string(0)) \"\(row.string(1))\"") }
    }
}

extension TableDefinition {
    /// A CREATE TABLE for the server, without foreign keys, which follow when all tables are there.
    var onServer: String {
        let others = constraints.filter { if case .foreignKey = $0.kind { false } else { true } }
        let lines = columns.map(\.sql) + others.map(\.sql)
        return "CREATE TABLE \(quoteIdentifier(name)) (\n  \(lines.joined(separator: ",\n  "))\n)"
    }
}
