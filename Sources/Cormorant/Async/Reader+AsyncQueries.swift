/// Queries, as the synchronous calls of the same names.
extension Reader {
    /// All records of a query.
    public func fetchAll<R: Record & Sendable>(_ type: R.Type, _ query: Query = Query()) async throws -> [R] {
        try await look { try $0.fetchAll(type, query) }
    }

    /// The first record of a query; nil: there is none.
    public func fetchOne<R: Record & Sendable>(_ type: R.Type, _ query: Query = Query()) async throws -> R? {
        try await look { try $0.fetchOne(type, query) }
    }

    /// The only record of a query; none, or several, are an error.
    public func one<R: Record & Sendable>(_ type: R.Type, _ query: Query = Query()) async throws -> R {
        try await look { try $0.one(type, query) }
    }

    /// How many records a query has.
    public func fetchCount<R: Record & Sendable>(_ type: R.Type, _ query: Query = Query()) async throws -> Int {
        try await look { try $0.fetchCount(type, query) }
    }

    /// How many pages of `pageSize` the records of a query fill.
    public func fetchPageCount<R: Record & Sendable>(
        _ type: R.Type, _ query: Query = Query(), pageSize: Int
    ) async throws -> Int {
        try await look { try $0.fetchPageCount(type, query, pageSize: pageSize) }
    }
}

/// Rows one by one, for `for try await` loops: `for try await person in try await database.cursor(Person.self)`.
extension Reader {
    /// The records of a query one by one, in constant memory.
    public func cursor<R: Record & Sendable>(_ type: R.Type, _ query: Query = Query()) async throws -> AsyncRows<R> {
        try await look { try AsyncRows($0) { try $0.cursor(type, query) } }
    }

    /// The rows of a statement one by one, in constant memory.
    public func rowCursor(_ sql: SQL, _ bindings: Bindings = .none) async throws -> AsyncRows<ResultRow> {
        try await run(sql) { try AsyncRows($0) { try $0.rowCursor(sql, bindings) } }
    }
}

/// SQL of one's own, as the synchronous calls of the same names.
extension Reader {
    /// Runs SQL that reads beside what writes, and other SQL in its turn.
    fileprivate func run<Result: Sendable>(
        _ sql: SQL, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await run(body, StatementRouting.kind(of: sql.text) == .other ? .writing : .reading)
    }

    /// The rows of a SELECT.
    public func query(_ sql: SQL, _ bindings: Bindings = .none) async throws -> [ResultRow] {
        try await run(sql) { try $0.query(sql, bindings) }
    }

    /// The values of the one column that a statement has, as a type.
    public func fetchAll<Column: ColumnValue & Sendable>(
        _ sql: SQL, _ bindings: Bindings = .none, as type: Column.Type
    ) async throws -> [Column] {
        try await run(sql) { try $0.fetchAll(sql, bindings, as: type) }
    }

    /// All rows, with the values of two columns or more, each as a type.
    public func fetchAll<
        First: ColumnValue & Sendable, Second: ColumnValue & Sendable, each Other: ColumnValue & Sendable
    >(
        _ sql: SQL, _ bindings: Bindings = .none, as first: First.Type, _ second: Second.Type,
        _ others: repeat (each Other).Type
    ) async throws -> [(First, Second, repeat each Other)] {
        try await run(sql) { try $0.fetchAll(sql, bindings, as: first, second, repeat (each Other).self) }
    }

    /// The value of the first row's one column, as a type; nil: there is no row.
    public func fetchOne<Column: ColumnValue & Sendable>(
        _ sql: SQL, _ bindings: Bindings = .none, as type: Column.Type
    ) async throws -> Column? {
        try await run(sql) { try $0.fetchOne(sql, bindings, as: type) }
    }

    /// The value of the first row's one column, as a type; nil: there is no row, or the value is NULL.
    public func fetchOne<Column: ColumnValue & Sendable>(
        _ sql: SQL, _ bindings: Bindings = .none, as type: Column?.Type
    ) async throws -> Column? {
        try await run(sql) { try $0.fetchOne(sql, bindings, as: type) }
    }

    /// The first row, with the values of two columns or more, each as a type; nil: there is none.
    public func fetchOne<
        First: ColumnValue & Sendable, Second: ColumnValue & Sendable, each Other: ColumnValue & Sendable
    >(
        _ sql: SQL, _ bindings: Bindings = .none, as first: First.Type, _ second: Second.Type,
        _ others: repeat (each Other).Type
    ) async throws -> (First, Second, repeat each Other)? {
        try await run(sql) { try $0.fetchOne(sql, bindings, as: first, second, repeat (each Other).self) }
    }

    /// The first column of all rows.
    public func fetchValues(_ sql: SQL, _ bindings: Bindings = .none) async throws -> [Value] {
        try await run(sql) { try $0.fetchValues(sql, bindings) }
    }

    /// How many rows a SELECT has.
    public func fetchCount(_ sql: SQL, _ bindings: Bindings = .none) async throws -> Int {
        try await run(sql) { try $0.fetchCount(sql, bindings) }
    }

    /// The value of the one column of the only row, as a type; no row, or several, are an error.
    public func one<Column: ColumnValue & Sendable>(
        _ sql: SQL, _ bindings: Bindings = .none, as type: Column.Type
    ) async throws -> Column {
        try await run(sql) { try $0.one(sql, bindings, as: type) }
    }

    /// The only row, with the values of two columns or more, each as a type; no row, or several, are an error.
    public func one<
        First: ColumnValue & Sendable, Second: ColumnValue & Sendable, each Other: ColumnValue & Sendable
    >(
        _ sql: SQL, _ bindings: Bindings = .none, as first: First.Type, _ second: Second.Type,
        _ others: repeat (each Other).Type
    ) async throws -> (First, Second, repeat each Other) {
        try await run(sql) { try $0.one(sql, bindings, as: first, second, repeat (each Other).self) }
    }

    /// How many pages of `pageSize` the rows of a SELECT fill.
    public func fetchPageCount(
        _ sql: SQL, _ bindings: Bindings = .none, pageSize: Int
    ) async throws -> Int {
        try await run(sql) { try $0.fetchPageCount(sql, bindings, pageSize: pageSize) }
    }

    /// The columns of a statement's rows.
    public func fetchColumns(_ sql: SQL, _ bindings: Bindings = .none) async throws -> ColumnTable {
        try await run(sql) { try $0.fetchColumns(sql, bindings) }
    }

    /// The rows of a statement as one JSON array of objects.
    public func fetchJSON(_ sql: SQL, _ bindings: Bindings = .none) async throws -> String {
        try await run(sql) { try $0.fetchJSON(sql, bindings) }
    }
}

/// Statements built of expressions, as the synchronous calls of the same names.
extension Reader {
    /// All rows of a query, in the form that it selects.
    public func fetchAll<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) async throws -> [Query.Row] where Query.Row: Sendable {
        try await look { try $0.fetchAll(query, parameters) }
    }

    /// The first row of a query, in the form that it selects; nil: there is none.
    public func fetchOne<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) async throws -> Query.Row? where Query.Row: Sendable {
        try await look { try $0.fetchOne(query, parameters) }
    }

    /// The first row of a query that selects one value; nil: there is no row, or the value is NULL.
    public func fetchOne<Query: RowQuery, Value: Sendable>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) async throws -> Value? where Query.Row == Value? {
        try await look { try $0.fetchOne(query, parameters) }
    }

    /// The only row of a query; none, or several, are an error.
    public func one<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) async throws -> Query.Row where Query.Row: Sendable {
        try await look { try $0.one(query, parameters) }
    }

    /// How many rows a query has.
    public func fetchCount(_ query: some RowQuery, _ parameters: QueryParameters = .none) async throws -> Int {
        try await look { try $0.fetchCount(query, parameters) }
    }

    /// How many pages of `pageSize` the rows of a query fill.
    public func fetchPageCount(
        _ query: some RowQuery, _ parameters: QueryParameters = .none, pageSize: Int
    ) async throws -> Int {
        try await look { try $0.fetchPageCount(query, parameters, pageSize: pageSize) }
    }

    /// The columns that a query selects.
    public func fetchColumns(
        _ query: some RowQuery, _ parameters: QueryParameters = .none
    ) async throws -> ColumnTable {
        try await look { try $0.fetchColumns(query, parameters) }
    }

    /// The rows that a query selects as one JSON array of objects.
    public func fetchJSON(
        _ query: some RowQuery, _ parameters: QueryParameters = .none
    ) async throws -> String {
        try await look { try $0.fetchJSON(query, parameters) }
    }

    /// The records that a query selects, as `writeJSON` writes them.
    public func fetchJSON<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) async throws -> String where Query.Row: Record {
        try await look { try $0.fetchJSON(query, parameters) }
    }

    /// All rows of a query, as rows by name.
    public func fetchRows(
        _ query: some RowQuery, _ parameters: QueryParameters = .none
    ) async throws -> [ResultRow] {
        try await look { try $0.fetchRows(query, parameters) }
    }

    /// Whether a query has any row.
    public func exists(_ query: some RowQuery, _ parameters: QueryParameters = .none) async throws -> Bool {
        try await look { try $0.exists(query, parameters) }
    }

    /// The engine's plan for a statement as rows of id, parent and detail.
    public func plan(of statement: some SQLStatement) async throws -> [ResultRow] {
        try await look { try $0.plan(of: statement) }
    }

    /// SQLite's plan for a statement as an indented tree, a line per step.
    public func explain(_ statement: some SQLStatement) async throws -> String {
        try await look { try $0.explain(statement) }
    }

    /// The rows of a query one by one, in constant memory, for a `for try await` loop.
    public func cursor<Query: RowQuery>(
        _ query: Query, _ parameters: QueryParameters = .none
    ) async throws -> AsyncRows<Query.Row> where Query.Row: Sendable {
        try await look { try AsyncRows($0) { try $0.cursor(query, parameters) } }
    }
}

/// What writes, as the synchronous calls of the same names.
extension Database {
    /// Runs one statement and returns how many rows it changed.
    @discardableResult
    public func execute(_ sql: SQL, _ bindings: Bindings = .none) async throws -> Int {
        try await run(sql) { try $0.execute(sql, bindings) }
    }

    /// Runs SQL text with any number of statements and no values, stopping at the first error.
    public func executeScript(_ sql: SQL) async throws { try await perform { try $0.executeScript(sql) } }

    /// Runs an UPDATE, a DELETE or an INSERT and returns how many rows it changed.
    @discardableResult
    public func execute(
        _ statement: some WritingStatement, _ parameters: QueryParameters = .none
    ) async throws -> Int {
        try await perform { try $0.execute(statement, parameters) }
    }

    /// All rows that a statement wrote.
    public func fetchAll<Columns, Row: Sendable>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) async throws -> [Row] {
        try await perform { try $0.fetchAll(statement, parameters) }
    }

    /// The first row that a statement wrote; nil of none.
    public func fetchOne<Columns, Row: Sendable>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) async throws -> Row? {
        try await perform { try $0.fetchOne(statement, parameters) }
    }

    /// The only row that a statement wrote; none, or several, are an error.
    public func one<Columns, Row: Sendable>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) async throws -> Row {
        try await perform { try $0.one(statement, parameters) }
    }

    /// The rows that a statement wrote, by the names of their columns.
    public func fetchRows<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) async throws -> [ResultRow] {
        try await perform { try $0.fetchRows(statement, parameters) }
    }

    /// The columns of what a statement wrote.
    public func fetchColumns<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) async throws -> ColumnTable {
        try await perform { try $0.fetchColumns(statement, parameters) }
    }

    /// What a statement wrote as one JSON array of objects.
    public func fetchJSON<Columns, Row>(
        _ statement: ReturningStatement<Columns, Row>, _ parameters: QueryParameters = .none
    ) async throws -> String {
        try await perform { try $0.fetchJSON(statement, parameters) }
    }
}

/// Related records, as the synchronous calls of the same name.
extension Reader {
    /// Loads the records at the end of a relation into all of these; `which` narrows and orders them.
    public func load<R: Record & Sendable, End: RelationEnd>(
        _ relation: KeyPath<R.Columns, End>, of records: inout [R],
        _ which:
            @escaping @Sendable (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) async throws {
        let name = try R.name(of: relation)
        try await alter(&records, reading: true) { try $0.load(name, of: &$1, which) }
    }

    /// Loads the records at the end of a relation into this one; `which` narrows and orders them.
    public func load<R: Record & Sendable, End: RelationEnd>(
        _ relation: KeyPath<R.Columns, End>, of record: inout R,
        _ which:
            @escaping @Sendable (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) async throws {
        let name = try R.name(of: relation)
        var records = [record]
        try await alter(&records, reading: true) { try $0.load(name, of: &$1, which) }
        record = records[0]
    }
}
