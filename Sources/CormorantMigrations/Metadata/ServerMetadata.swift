import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

extension Metadata {
    /// What a server's catalogs tell of the tables that are found without the name of their schema, in one snapshot of them. What they
    /// have beyond it is among the problems, by its kind and name.
    init(server connection: Connection) throws {
        let isOpen = connection.isInTransaction || connection.transactionDepth > 0
        if !isOpen { try connection.begin(.read) }
        do {
            var reading = ServerMetadata(catalog: ServerCatalog(connection: connection))
            try reading.read()
            self = reading.metadata
        } catch {
            if !isOpen { try? connection.rollback() }
            throw error
        }
        if !isOpen { try connection.commit() }
    }
}

/// Makes metadata of what the catalogs say.
struct ServerMetadata {
    let catalog: ServerCatalog
    var metadata = Metadata(tables: [], problems: [])
    /// The places of tables, by their numbers.
    private var places: [Int64: Int] = [:]
    private var types: [Int64: ServerType] = [:]
    /// Of each table, by the numbers of its columns.
    private var columns: [Int64: [Int64: ServerColumn]] = [:]
    /// What stands within CREATE TABLE, in lines, and behind it.
    private var lines: [[String]] = []
    private var endings: [String] = []
    private var collations: [Int64: String] = [:]
    /// Of indexes that compare otherwise than their columns' types.
    private var comparisons: Set<Int64> = []

    private struct ServerType {
        let kind: String
        let base: Int64
        let modifier: Int64
    }

    private struct ServerColumn {
        let place: Int
        let collation: Int64
    }

    init(catalog: ServerCatalog) { self.catalog = catalog }

    mutating func read() throws {
        let catalog = catalog
        try catalog.forEach(ServerCatalog.collations) { collations[$0.int(0)] = $0.string(1) }
        try catalog.forEach(ServerCatalog.comparisons) { comparisons.insert($0.int(0)) }
        try catalog.forEach(catalog.types) { add(type: $0) }
        try catalog.forEach(catalog.tables) { add(table: $0) }
        noteCases()
        try catalog.forEach(catalog.columns) { add(column: $0) }
        try catalog.forEach(catalog.constraints) { add(constraint: $0) }
        try catalog.forEach(catalog.indexes) { add(index: $0) }
        try catalog.forEach(catalog.triggers) { add(trigger: $0) }
        try catalog.forEach(catalog.others) { add(other: $0) }
        for place in metadata.tables.indices { finish(place) }
        // Tables, then views, as a file's metadata has them.
        metadata.tables = metadata.tables.filter { $0.kind != .view } + metadata.tables.filter { $0.kind == .view }
        metadata.finish()
    }

    private mutating func note(_ type: String, _ name: String, _ table: String, _ sql: String, _ message: String) {
        metadata.problems.append(MetadataProblem(type: type, name: name, table: table, sql: sql, message: message))
    }

    // MARK: Types

    private mutating func add(type row: ServerCatalog.Row) {
        let kind = row.string(2)
        types[row.int(0)] = ServerType(kind: kind, base: row.int(3), modifier: row.int(4))
        guard row.bool(5) else { return }
        let (word, message): (String, String) =
            switch kind {
            case "d": ("domain", "columns of it have the type below it, without its conditions")
            case "e": ("enum", "columns of it are texts, without its list of values")
            case "r": ("range", "columns of it are texts")
            default: ("type", "columns of it are texts")
            }
        note(word, row.string(1), "", row.string(6), message)
    }

    private func columnType(_ number: Int64, _ modifier: Int64) -> ColumnType {
        var (number, modifier) = (number, modifier)
        while let type = types[number], type.kind == "d", type.base != number {
            (number, modifier) = (type.base, type.modifier)
        }
        return ColumnType(serverType: number, modifier: modifier)
    }

    // MARK: Tables

    private mutating func add(table row: ServerCatalog.Row) {
        let (name, kind) = (row.string(1), row.string(2))
        if [keyValueTable, History.table, ModelRegistry.table, versionTable].contains(name) { return }
        let parents = row.string(5)
        let quoted = quoteIdentifier(name)
        if row.bool(4) {
            let sql = "CREATE TABLE \(quoted) PARTITION OF \(parents) \(row.string(6))"
            note("partition", name, parents, sql, "its rows are those of \(parents)")
            return
        }
        var made =
            kind == "f" ? "CREATE FOREIGN TABLE" : row.string(3) == "u" ? "CREATE UNLOGGED TABLE" : "CREATE TABLE"
        var ending = ""
        if kind == "v" || kind == "m" {
            made = "CREATE \(kind == "m" ? "MATERIALIZED " : "")VIEW \(quoted) AS\(withoutEnd(row.string(8)))"
        } else {
            made += " \(quoted)"
        }
        if let key = row.text(7) {
            ending = " PARTITION BY \(key)"
            note("partitioned table", name, name, made + ending, "its rows are in partitions")
        } else if !parents.isEmpty {
            ending = " INHERITS (\(parents))"
            note("inheritance", name, name, made + ending, "its rows are rows of \(parents), too")
        }
        if kind == "f" { note("foreign table", name, name, made, "its rows are another server's") }
        if kind == "m" { note("materialized view", name, name, made, "it is as it was when it was refreshed") }
        if row.bool(9) {
            note(
                "row security", name, name, "ALTER TABLE \(quoted) ENABLE ROW LEVEL SECURITY",
                "other users see and write the rows that its policies let them")
        }
        places[row.int(0)] = metadata.tables.count
        metadata.tables.append(TableMetadata(name: name, kind: kind == "v" || kind == "m" ? .view : .table, sql: made))
        lines.append([])
        endings.append(ending)
    }

    /// To us two names that differ in the case of letters are one.
    private mutating func noteCases() {
        var known: [[UInt8]: String] = [:]
        for table in metadata.tables {
            guard let other = known.updateValue(table.name, forKey: foldedBytes(table.name)) else { continue }
            note(
                "table", table.name, table.name, table.sql,
                "its name differs from \(quoteIdentifier(other)) in case alone")
        }
    }

    private mutating func finish(_ place: Int) {
        guard metadata.tables[place].kind == .table else { return }
        let inner = lines[place].isEmpty ? "" : "\n  " + lines[place].joined(separator: ",\n  ") + "\n"
        metadata.tables[place].sql += " (\(inner))\(endings[place])"
    }

    // MARK: Columns

    private mutating func add(column row: ServerCatalog.Row) {
        guard let place = places[row.int(0)] else { return }
        let (name, declared) = (row.string(2), row.string(3))
        let type = columnType(row.int(4), row.int(5))
        let affinity = Affinity(declaredType: Dialect.sqlite.typeName(type, strict: false))
        var column = ColumnMetadata(name: name, declaredType: declared, affinity: affinity, type: type)
        column.isNullable = !row.bool(6)
        let (written, identity, generated) = (row.text(7), row.string(8), row.string(9))
        var line = "\(quoteIdentifier(name)) \(declared)"
        let collation = row.int(10)
        if collation != row.int(11), let name = collations[collation] { line += " COLLATE \(quoteIdentifier(name))" }
        if row.bool(6) { line += " NOT NULL" }
        let table = metadata.tables[place].name
        if !generated.isEmpty {
            column.generatedSQL = written.map { CatalogSQL($0).withoutParentheses } ?? ""
            column.isStored = generated == "s"
            line += " GENERATED ALWAYS AS (\(written ?? ""))" + (generated == "s" ? " STORED" : "")
        } else if !identity.isEmpty {
            line += " GENERATED \(identity == "a" ? "ALWAYS" : "BY DEFAULT") AS IDENTITY"
            column.isIdentity = true
            if identity == "a" {
                note("identity", name, table, line, "it is ALWAYS made: a value that is given is refused")
            }
        } else if let written {
            line += " DEFAULT \(written)"
            column.isIdentity = row.bool(12)
            column.defaultSQL = CatalogSQL(written).asDefault
        }
        if let name = collations[collation], collation != row.int(11), name != "C", name != "POSIX" {
            note("collation", column.name, table, line, "it compares by \(name), and models by the bytes of texts")
        }
        columns[row.int(0), default: [:]][row.int(1)] = ServerColumn(
            place: metadata.tables[place].columns.count, collation: collation)
        metadata.tables[place].columns.append(column)
        lines[place].append(line)
    }

    private func names(_ numbers: [Int64], of table: Int64) -> [String] {
        guard let place = places[table], let known = columns[table] else { return [] }
        return numbers.compactMap { number in known[number].map { metadata.tables[place].columns[$0.place].name } }
    }

    // MARK: Constraints

    private mutating func add(constraint row: ServerCatalog.Row) {
        let number = row.int(0)
        guard let place = places[number] else { return }
        let (name, definition) = (row.string(1), row.string(10))
        let keys = names(row.ints(3), of: number)
        let table = metadata.tables[place].name
        lines[place].append("CONSTRAINT \(quoteIdentifier(name)) \(definition)")
        switch row.string(2) {
        case "p": metadata.tables[place].setPrimaryKey(keys)
        case "c": metadata.tables[place].add(check: name, row.string(11), keys)
        case "f": addForeignKey(row, name, keys, place)
        case "x": note("exclusion", name, table, definition, "it lets no two rows be that exclude each other")
        default: break
        }
        if row.bool(13), ["p", "u"].contains(row.string(2)) {
            note("unique", name, table, definition, "it is DEFERRABLE: rows may be alike until the transaction ends")
        }
        if !row.bool(9) {
            note(
                row.string(2) == "f" ? "foreign key" : "check", name, table, definition,
                "it is NOT VALID: rows from before it may break it")
        }
    }

    private mutating func addForeignKey(_ row: ServerCatalog.Row, _ name: String, _ keys: [String], _ place: Int) {
        guard let target = places[row.int(4)] else {
            let message = "it leads to \(row.string(12)), which is none of the tables that are found"
            return note("foreign key", name, metadata.tables[place].name, row.string(10), message)
        }
        let parts = [
            row.bool(14) ? "it is MATCH FULL: of its columns some may not be NULL where others are not" : nil,
            row.isNull(15) ? nil : "it sets some of its columns alone when the other row goes",
        ]
        for message in parts.compactMap(\.self) {
            note("foreign key", name, metadata.tables[place].name, row.string(10), message)
        }
        metadata.tables[place].foreignKeys.append(
            ForeignKeyMetadata(
                name: name, columns: keys, table: metadata.tables[target].name,
                tableColumns: names(row.ints(5), of: row.int(4)), onDelete: .init(server: row.string(6)),
                onUpdate: .init(server: row.string(7)), isDeferred: row.bool(8)))
    }

    // MARK: Indexes

    private mutating func add(index row: ServerCatalog.Row) {
        let number = row.int(0)
        guard let place = places[number] else { return }
        let (name, sql, constraint) = (row.string(1), row.string(12), row.string(13))
        // An exclusion constraint's is told with it.
        guard constraint != "x" else { return }
        let table = metadata.tables[place].name
        guard row.bool(5) else {
            let message = "it is not valid: making it was cut off; drop it, and make it anew"
            return note("index", name, table, sql, message)
        }
        guard row.string(2) == "btree" else {
            return note("index", name, table, sql, "it is of the kind \(row.string(2)), which models do not know")
        }
        let origin: IndexMetadata.Origin = row.bool(4) ? .primaryKey : constraint == "u" ? .unique : .index
        metadata.tables[place].indexes.append(
            IndexMetadata(
                name: name, origin: origin, isUnique: row.bool(3), terms: terms(row, place),
                conditionSQL: row.text(11).map { CatalogSQL($0).withoutParentheses }))
        if row.int(6) < row.int(7) { note("index", name, table, sql, "it INCLUDEs columns beside its own") }
        if !comparisons.isDisjoint(with: row.ints(15)) {
            note("index", name, table, sql, "it compares by other operators than its columns' types")
        }
        if contains(sql, " NULLS NOT DISTINCT") { note("index", name, table, sql, "to it NULL is equal to NULL") }
    }

    private func terms(_ row: ServerCatalog.Row, _ place: Int) -> [IndexTermMetadata] {
        let (keys, collations, options) = (row.ints(8), row.ints(9), row.ints(10))
        let texts = row.string(14).split(separator: "\u{1}", omittingEmptySubsequences: false)
        return (0..<Int(clamping: row.int(6))).filter { keys.indices.contains($0) }.map { index in
            let known = columns[row.int(0)]?[keys[index]]
            let column = known.map { metadata.tables[place].columns[$0.place].name }
            let text = texts.indices.contains(index) ? CatalogSQL(String(texts[index])).withoutParentheses : ""
            let collation = collations.indices.contains(index) ? collations[index] : 0
            let isOwn = known.map { $0.collation == collation } ?? (self.collations[collation] == "C")
            return IndexTermMetadata(
                column: column, sql: column.map(quoteIdentifier) ?? text,
                collation: isOwn || collation == 0 ? nil : self.collations[collation],
                isDescending: options.indices.contains(index) && options[index] & 1 != 0)
        }
    }

    // MARK: What else there is

    /// Source of the bits: PostgreSQL's pg_trigger.h.
    private mutating func add(trigger row: ServerCatalog.Row) {
        guard let place = places[row.int(0)] else { return }
        let (name, bits, sql) = (row.string(1), row.int(2), row.string(4))
        let timing: TriggerTiming = bits & 64 != 0 ? .insteadOf : bits & 2 != 0 ? .before : .after
        for (bit, event) in [(Int64(4), TriggerEvent.insert), (16, .update), (8, .delete)] where bits & bit != 0 {
            metadata.tables[place].triggers.append(
                TriggerMetadata(
                    name: name, timing: timing, event: event,
                    columns: event == .update ? names(row.ints(3), of: row.int(0)) : [], sql: sql))
        }
        if bits & 32 != 0 { note("trigger", name, metadata.tables[place].name, sql, "it runs for TRUNCATE, too") }
    }

    private mutating func add(other row: ServerCatalog.Row) {
        let (type, name, sql) = (row.string(0), row.string(1), row.string(3))
        let place = places[row.int(2)]
        guard place != nil || row.int(2) == 0 else { return }
        let message =
            switch type {
            case "policy": "it says which rows other users see and write"
            case "rule": "it has other statements run in the place of those that are given"
            case "statistics": "the planner's, beyond those of columns"
            default: "no column has it for its own"
            }
        note(type, name, place.map { metadata.tables[$0].name } ?? "", sql, message)
    }
}

/// A view's SELECT without what ends it.
private func withoutEnd(_ sql: String) -> String {
    var sql = sql
    while let last = sql.last, last == ";" || last == "\n" || last == " " { sql.removeLast() }
    return sql.hasPrefix(" ") ? sql : " " + sql
}

extension ForeignKeyAction {
    /// Source: the letters in PostgreSQL's pg_constraint.
    init(server letter: String) {
        switch letter {
        case "r": self = .restrict
        case "c": self = .cascade
        case "n": self = .setNull
        case "d": self = .setDefault
        default: self = .none
        }
    }
}

extension TableMetadata {
    fileprivate mutating func setPrimaryKey(_ names: [String]) {
        primaryKey = names
        for (position, name) in names.enumerated() {
            guard let column = columns.firstIndex(where: { isSame($0.name, name) }) else { continue }
            columns[column].keyPosition = position + 1
            guard names.count == 1, columns[column].isIdentity else { continue }
            rowIDColumn = name
            // What makes the key is not what a model says.
            columns[column].defaultSQL = nil
        }
    }

    /// A condition; one on the length or scale of a column tells its type.
    fileprivate mutating func add(check name: String, _ sql: String, _ names: [String]) {
        let condition = CatalogSQL(sql)
        var text = condition.withoutParentheses
        if names.count == 1, let column = columns.firstIndex(where: { isSame($0.name, names[0]) }) {
            let quoted = quoteIdentifier(names[0])
            if columns[column].type == .text, let length = condition.limit(of: "length", of: names[0]) {
                columns[column].type = .varchar(length)
                text = "length(\(quoted)) <= \(length)"
            } else if columns[column].type == .decimal, let scale = condition.limit(of: "scale", of: names[0]) {
                columns[column].checkedScale = scale
                text = "scale(\(quoted)) <= \(scale)"
            }
        }
        checks.append(CheckMetadata(name: name, sql: text, column: names.count == 1 ? names[0] : nil))
    }
}
