import CormorantBase

/// Turns a statement, or a bare expression, into SQL text and its bindings. A class, which closures that write parts share.
package final class StatementCompiler {
    let dialect: Dialect
    let sql: SQLBuffer
    var bindings: [CompiledStatement.Binding] = []
    /// The SELECTs around the place that is written, outermost first.
    var scopes: [Scope] = []
    /// Inside the SET of an upsert: the table whose new row is `excluded`.
    var upserted: TableReference?
    /// The tables whose datetime columns stand in the statement.
    private(set) var timeTables: [TableReference] = []
    /// The columns that it writes, and where in the SQL their values stand.
    var assigned: [(column: ColumnReference, range: Range<Int>?)] = []
    /// Where in the SQL what checks these values stands.
    var checks: [Range<Int>] = []
    /// Whether an aggregate takes its rows in an order of its own.
    var ordersWithin = false
    /// Set when a relation's path was met where columns stand without their table's name.
    var needsNames = false
    /// The common table expressions that can be read from.
    var commonTables: [CommonTable] = []
    /// How many of them there are with those of each WITH, the outermost first.
    var ends: [Int] = []
    /// Those that sources brought along, and that stand in the outermost WITH.
    var brought: [CommonTable] = []
    /// Those that were met and do not stand there yet.
    var met: [CommonTable] = []
    /// How many subqueries deep types are looked for.
    var nesting = 0
    /// How many were written that nobody asked for.
    var collations = 0
    let lookups: Lookups
    /// Of PostgreSQL: what each parameter is cast to, whether equal values are one parameter, the types that the result columns of
    /// the next SELECT are made, the columns that they are inserted into, and how many subqueries stand around what is written.
    var boundAs: [PostgresType?] = []
    var sharesParameters = false
    var resultTypes: [PostgresType?]?
    var inserted: [ColumnReference]?
    var subqueries = 0
    var writesOut = false
    /// Whether every column stands with its table's name.
    let namesAll: Bool

    /// The tables of one SELECT, and how it writes their names.
    struct Scope {
        struct Table {
            let name: String
            let table: TableReference?
            /// Where its rows come from, if not from a model's table.
            var source: Source.Kind?
            /// What the SQL calls it: another name where a SELECT around it has one of the same name.
            let written: String
            var identity: SourceIdentity?

            func isNamed(_ wanted: String, _ other: TableReference) -> Bool {
                table === other && (name == wanted || sameIdentifier(name, wanted))
            }
        }

        var tables: [Table] = []
        /// What has the result columns.
        var select: Select?
        /// The usual case: its one table, under its own name and inside nothing.
        var only: TableReference?
        /// Whether columns stand with their table's name.
        var qualifies: Bool
        /// Whether what is written stands behind the result columns, so that a bare name may be a label.
        var seesLabels = false
        /// Whether it is a SELECT, which can join more tables.
        var canJoin = true
        /// LEFT JOINs along relations that columns asked for, by name.
        var paths: [(name: String, sql: String)] = []
    }

    /// Of an expression whose values stand in the SQL, which has no parameters.
    convenience init(writingOut dialect: Dialect) {
        self.init(dialect, namesAll: false)
        writesOut = true
    }

    private init(_ dialect: Dialect, namesAll: Bool) {
        self.dialect = dialect
        self.namesAll = namesAll
        sql = SQLBuffer()
        lookups = Lookups()
        bindings.reserveCapacity(8)
    }

    /// One that is asked what expressions are at a place deeper inside, and writes nothing.
    init(within outer: StatementCompiler) {
        dialect = outer.dialect
        namesAll = outer.namesAll
        sql = outer.sql
        lookups = outer.lookups
        scopes = outer.scopes
        upserted = outer.upserted
        commonTables = outer.commonTables
        ends = outer.ends
        nesting = outer.nesting + 1
    }

    package static func compile(_ tree: StatementTree, _ dialect: Dialect = .sqlite) throws -> CompiledStatement {
        switch tree {
        case .select(let select): return try compile(select, dialect)
        case .change(let change): return try compile(change, dialect)
        case .problem(let error): throw error
        }
    }

    package static func compile(_ select: Select, _ dialect: Dialect = .sqlite) throws -> CompiledStatement {
        let compiler = try run(dialect) { try $0.write(select.with($0.brought)) }
        var records: TableReference?
        if select.columns.isEmpty, case .table(let table)? = select.source?.kind { records = table }
        let types = select.columns.isEmpty ? [] : compiler.within(select).types(of: select.columns)
        // The members of a compound may differ in type.
        let columns = select.compounds.isEmpty ? types.map { $0?.column } : []
        return CompiledStatement(
            compiler.sql.text, compiler.bindings, of: select.firstTable, records: records, columns: columns,
            types: select.compounds.isEmpty ? types.map { $0?.type } : [], timeTables: compiler.timeTables,
            isSelect: true, ordersWithin: compiler.ordersWithin)
    }

    package static func compile(_ change: Change, _ dialect: Dialect = .sqlite) throws -> CompiledStatement {
        let compiler = try run(dialect) { try $0.write(change.with($0.brought)) }
        let checked = compiler.sql.text
        return CompiledStatement(
            compiler.checks.isEmpty ? checked : removing(compiler.checks, from: checked), checked: checked,
            compiler.bindings, of: change.table,
            columns: compiler.types(of: change.returning).map { $0?.column },
            types: compiler.types(of: change.returning).map { $0?.type }, timeTables: compiler.timeTables,
            assigned: compiler.assigned, viewProbe: dialect == .sqlite ? change.viewProbe : nil,
            ordersWithin: compiler.ordersWithin)
    }

    /// - Parameter ranges: of the bytes that go, none of which overlap.
    private static func removing(_ ranges: [Range<Int>], from sql: String) -> String {
        let bytes = Array(sql.utf8)
        var kept: [UInt8] = []
        var end = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            kept += bytes[end..<range.lowerBound]
            end = range.upperBound
        }
        return String(decoding: kept + bytes[end...], as: UTF8.self)
    }

    /// An expression apart from any statement: its columns stand alone.
    package static func compile(_ expression: Expression, _ dialect: Dialect = .sqlite) throws -> CompiledStatement {
        let compiler = StatementCompiler(dialect, namesAll: false)
        try compiler.write(expression, at: .any)
        return CompiledStatement(compiler.sql.text, compiler.bindings)
    }

    /// How many rows a SELECT has.
    package static func compileCount(_ select: Select, _ dialect: Dialect = .sqlite) throws -> CompiledStatement {
        var inner = select
        if inner.limit == nil && inner.offset == nil { inner.order = [] }
        var counting = Select()
        if inner.isPlain {
            inner.columns = [.call("count", [])]
            counting = inner
        } else {
            counting.source = Source(.select(inner), alias: "counted")
            counting.columns = [.call("count", [])]
        }
        return try compile(counting, dialect)
    }

    /// A SELECT that has a row when the given one has any.
    package static func compileExists(_ select: Select, _ dialect: Dialect = .sqlite) throws -> CompiledStatement {
        var inner = select
        inner.order = []
        if inner.limit == nil { inner.limit = .value(.integer(1)) }
        return try compile(inner, dialect)
    }

    func noteForms(of table: TableReference) {
        if table.hasForms, !timeTables.contains(where: { $0 === table }) { timeTables.append(table) }
    }

    private static func run(
        _ dialect: Dialect, _ body: (StatementCompiler) throws -> Void
    ) throws -> StatementCompiler {
        var compiler = StatementCompiler(dialect, namesAll: false)
        try body(compiler)
        // Written again with what was missing; a common table may bring others.
        while compiler.needsNames || !compiler.met.isEmpty {
            let brought = compiler.met + compiler.brought
            compiler = StatementCompiler(dialect, namesAll: compiler.namesAll || compiler.needsNames)
            compiler.brought = brought
            try body(compiler)
        }
        // Otherwise decimals could compare as texts, which nobody would see.
        guard compiler.lookups.left > 0 else {
            throw CormorantError(
                .tooBig, "the statement names too many columns of queries within queries",
                hint: "read a part of it at a time, or write it as SQL")
        }
        return compiler
    }
}

extension Select {
    /// The same with these in its WITH, before its own.
    fileprivate func with(_ tables: [CommonTable]) -> Select {
        guard !tables.isEmpty else { return self }
        var select = self
        select.commonTables = tables + commonTables
        return select
    }

    fileprivate var firstTable: TableReference? {
        switch source?.kind {
        case .table(let table): table
        case .select(let inner): inner.firstTable
        case .common(let table): table.select.firstTable
        default: nil
        }
    }

    /// Whether its rows are those of its sources, so that they can be counted in place.
    fileprivate var isPlain: Bool {
        !isDistinct && groupBy.isEmpty && having.isEmpty && compounds.isEmpty && limit == nil && offset == nil
            && columns.allSatisfy { !$0.mayAggregate }
    }
}

extension Change {
    fileprivate func with(_ tables: [CommonTable]) -> Change {
        guard !tables.isEmpty else { return self }
        var change = self
        change.commonTables = tables + commonTables
        return change
    }
}

extension Expression {
    /// Whether a SELECT of this may have fewer rows than its sources: function calls may be aggregates.
    fileprivate var mayAggregate: Bool {
        switch node {
        case .column, .name, .value, .parameter, .scalar, .exists: false
        case .labelled(let inner, _), .collate(let inner, _), .cast(let inner, _), .unary(_, let inner):
            inner.mayAggregate
        default: true
        }
    }
}
