import Dispatch

/// The calls for `async` code. They run on threads of the database's own, so that no thread of Swift's pool waits for a disk
/// or a lock: those that may write one after another, those that only read beside them. Inside `read`, `write`, `perform` and
/// `transaction` the body is plain synchronous code. A task that is cancelled has its call end at once, while it waits for its
/// turn as well as in it: with a `CormorantError` of the code `interrupted`, not with a `CancellationError`.
extension Database {
    /// Runs `body`, which may write, on the database's queue. It must end the transactions that it begins.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await run(body, reading: false)
    }

    /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
    @discardableResult
    public func transaction<Result: Sendable>(
        _ kind: TransactionKind = .immediate, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await run({ database in try database.transaction(kind) { try body(database) } }, reading: kind == .read)
    }

    /// Runs `body` on one snapshot, beside others that read or write. Writing in it throws.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await transaction(.read, body)
    }

    /// Runs `body` in a transaction that may write.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await transaction(.immediate, body)
    }

    /// Runs `body`, which is one call that reads.
    private func look<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await run(body, reading: true)
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result, reading isReading: Bool
    ) async throws -> Result {
        let queues = companion(Queues.init)
        let job = Job(self)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                job.wait { continuation.resume(throwing: $0) }
                queues.add(reading: isReading) {
                    guard job.begins() else { return }
                    continuation.resume(with: Swift.Result { try job.run { try body(self) } })
                }
            }
        } onCancel: {
            job.cancel()
        }
    }

    /// Runs `body` on a copy of a record, or of an array of them, which takes its place if it does not throw.
    func alter<Subject: Sendable, Result: Sendable>(
        _ subject: inout Subject, reading isReading: Bool = false,
        _ body: @escaping @Sendable (Database, inout Subject) throws -> Result
    ) async throws -> Result {
        let before = subject
        let (after, result) = try await run(
            { database in
                var copy = before
                let result = try body(database, &copy)
                return (copy, result)
            }, reading: isReading)
        subject = after
        return result
    }
}

/// Records, as the synchronous calls of the same names.
extension Database {
    /// Inserts a record; false: `onConflict: .ignore` skipped it. The generated key, defaults and computed columns come
    /// back into the record.
    @discardableResult
    public func insert<R: Record & Sendable>(
        _ record: inout R, onConflict policy: ConflictPolicy = .abort
    ) async throws -> Bool {
        try await alter(&record) { try $0.insert(&$1, onConflict: policy) }
    }

    /// Inserts a record and returns it as it then is: for a property of an actor, which cannot be given `inout`.
    public func inserted<R: Record & Sendable>(
        _ record: R, onConflict policy: ConflictPolicy = .abort
    ) async throws -> R {
        try await perform { try $0.inserted(record, onConflict: policy) }
    }

    /// Inserts the record or, when its primary key is there, updates that row, in one statement.
    public func save<R: Record & Sendable>(_ record: inout R) async throws {
        try await alter(&record) { try $0.save(&$1) }
    }

    /// Saves a record and returns it as it then is.
    public func saved<R: Record & Sendable>(_ record: R) async throws -> R {
        try await perform { try $0.saved(record) }
    }

    /// Writes the record, or only the properties, to the row with its key. Throws `noRecord` when there is none.
    public func update<R: Record & Sendable>(_ record: inout R, properties: [String] = []) async throws {
        try await alter(&record) { try $0.update(&$1, properties: properties) }
    }

    /// Saves a record with the loaded records of its relations, in one transaction.
    public func save<R: Record & Sendable>(graph record: inout R) async throws {
        try await alter(&record) { try $0.save(graph: &$1) }
    }

    /// Deletes the row with the record's key; false: there was none.
    @discardableResult
    public func delete<R: Record & Sendable>(_ record: R) async throws -> Bool {
        try await perform { try $0.delete(record) }
    }

    /// Reads the record anew by its key. Throws `noRecord` when there is none.
    public func refresh<R: Record & Sendable>(_ record: inout R) async throws {
        try await alter(&record, reading: true) { try $0.refresh(&$1) }
    }

    /// Inserts records in one transaction and returns how many went in. The first error takes back all.
    @discardableResult
    public func insert<R: Record & Sendable>(
        contentsOf records: inout [R], onConflict policy: ConflictPolicy = .abort
    ) async throws -> Int {
        try await alter(&records) { try $0.insert(contentsOf: &$1, onConflict: policy) }
    }

    /// Saves records in one transaction. The first error takes back all.
    public func save<R: Record & Sendable>(contentsOf records: inout [R]) async throws {
        try await alter(&records) { try $0.save(contentsOf: &$1) }
    }

    /// Updates records in one transaction. The first error takes back all.
    public func update<R: Record & Sendable>(contentsOf records: inout [R], properties: [String] = []) async throws {
        try await alter(&records) { try $0.update(contentsOf: &$1, properties: properties) }
    }

    /// Deletes records by their keys in one transaction and returns how many there were.
    @discardableResult
    public func delete<R: Record & Sendable>(contentsOf records: [R]) async throws -> Int {
        try await perform { try $0.delete(contentsOf: records) }
    }
}

/// Queries, as the synchronous calls of the same names.
extension Database {
    /// The record with a key; nil: there is none.
    public func find<R: Record & Sendable, Key: ColumnValue & Sendable>(_ type: R.Type, key: Key) async throws -> R? {
        try await look { try $0.find(type, key: key) }
    }

    /// All records of a query.
    public func fetchAll<R: Record & Sendable>(_ type: R.Type, _ query: Query = Query()) async throws -> [R] {
        try await look { try $0.fetchAll(type, query) }
    }

    /// The first record of a query; nil: there is none.
    public func fetchOne<R: Record & Sendable>(_ type: R.Type, _ query: Query = Query()) async throws -> R? {
        try await look { try $0.fetchOne(type, query) }
    }

    /// How many records a query has.
    public func fetchCount<R: Record & Sendable>(_ type: R.Type, _ query: Query = Query()) async throws -> Int64 {
        try await look { try $0.fetchCount(type, query) }
    }

    /// Runs one statement and returns how many rows it changed.
    @discardableResult
    public func execute(_ sql: String, _ bindings: Bindings = .none) async throws -> Int64 {
        try await run({ try $0.execute(sql, bindings) }, reading: StatementRouting.kind(of: sql) != .other)
    }

    /// The rows of a SELECT.
    public func query(_ sql: String, _ bindings: Bindings = .none) async throws -> [ResultRow] {
        try await run({ try $0.query(sql, bindings) }, reading: StatementRouting.kind(of: sql) != .other)
    }
}

/// Statements built of expressions, as the synchronous calls of the same names.
extension Database {
    /// All rows of a query, in the form that it selects.
    public func fetchAll<Request: FetchRequest>(
        _ request: Request, _ parameters: [String: Value] = [:]
    ) async throws -> [Request.Row] where Request.Row: Sendable {
        try await look { try $0.fetchAll(request, parameters) }
    }

    /// The first row of a query, in the form that it selects; nil: there is none.
    public func fetchOne<Query: RowQuery>(
        _ query: Query, _ parameters: [String: Value] = [:]
    ) async throws -> Query.Row? where Query.Row: Sendable {
        try await look { try $0.fetchOne(query, parameters) }
    }

    /// How many rows a query has.
    public func fetchCount(_ query: some RowQuery, _ parameters: [String: Value] = [:]) async throws -> Int64 {
        try await look { try $0.fetchCount(query, parameters) }
    }

    /// All rows of a query, as rows by name.
    public func fetchRows(
        _ request: some FetchRequest, _ parameters: [String: Value] = [:]
    ) async throws -> [ResultRow] {
        try await look { try $0.fetchRows(request, parameters) }
    }

    /// Whether a query has any row.
    public func exists(_ query: some RowQuery, _ parameters: [String: Value] = [:]) async throws -> Bool {
        try await look { try $0.exists(query, parameters) }
    }

    /// Runs an UPDATE, a DELETE or an INSERT and returns how many rows it changed.
    @discardableResult
    public func execute(
        _ statement: some WritingStatement, _ parameters: [String: Value] = [:]
    ) async throws -> Int64 {
        try await perform { try $0.execute(statement, parameters) }
    }
}

/// Related records, as the synchronous calls of the same name.
extension Database {
    /// Loads the records at the end of a relation into all of these; `which` narrows and orders them.
    public func load<R: Record & Sendable, End: RelationEnd>(
        _ relation: KeyPath<R.Columns, End> & Sendable, of records: inout [R],
        _ which:
            @escaping @Sendable (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) async throws {
        try await alter(&records, reading: true) { try $0.load(relation, of: &$1, which) }
    }

    /// Loads the records at the end of a relation into this one; `which` narrows and orders them.
    public func load<R: Record & Sendable, End: RelationEnd>(
        _ relation: KeyPath<R.Columns, End> & Sendable, of record: inout R,
        _ which:
            @escaping @Sendable (RelatedQuery<End.Target.Fetched>) -> RelatedQuery<End.Target.Fetched> = { $0 }
    ) async throws {
        try await alter(&record, reading: true) { try $0.load(relation, of: &$1, which) }
    }
}
