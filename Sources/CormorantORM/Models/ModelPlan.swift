import CormorantBase
import CormorantQuery
import CormorantSQLite

/// A prepared statement of one model, with which parameter each column binds to and where it comes back.
package final class PlannedStatement {
    let statement: Statement
    /// For each column of the model its parameter, 0 for none.
    let parameters: UnsafeMutablePointer<Int32>
    /// For each column of the model its place in the rows that come back, which are all columns or none.
    let results: UnsafeMutablePointer<Int32>
    let returnsRow: Bool
    /// Whether the record becomes the row that comes back, instead of taking from it what SQLite made.
    let replacesRecord: Bool

    init(
        _ statement: Statement, columnCount: Int, binds columns: [Int], returnsRow: Bool, replacesRecord: Bool = false
    ) {
        self.statement = statement
        self.replacesRecord = replacesRecord
        self.returnsRow = returnsRow
        parameters = .allocate(capacity: max(1, columnCount))
        parameters.initialize(repeating: 0, count: max(1, columnCount))
        for (index, column) in columns.enumerated() { parameters[column] = Int32(truncatingIfNeeded: index + 1) }
        results = .allocate(capacity: max(1, columnCount))
        results.initialize(repeating: 0, count: max(1, columnCount))
        for index in 0..<columnCount { results[index] = Int32(truncatingIfNeeded: index) }
    }

    deinit {
        parameters.deallocate()
        results.deallocate()
    }
}

/// What one connection keeps for one model: its statements, made when first used and kept until it closes.
package final class ModelPlan {
    package let model: ModelDescriptor
    /// Outlives the plan: both are the database's.
    unowned(unsafe) let connection: Connection
    let scratch = ScratchMemory()
    /// Those that write are of the schema as it was then: what its columns convert may be another thing.
    private var schemaChanges = 0
    private var inserts: [PlannedStatement?] = Array(repeating: nil, count: ConflictPolicy.allCases.count)
    private var saving: PlannedStatement?
    private var updating: PlannedStatement?
    private var partialUpdates: [[Int]: PlannedStatement] = [:]
    private var upserts: [UpsertTarget: PlannedStatement] = [:]
    private var lookups: [[Int]: PlannedStatement] = [:]
    private var deleting: PlannedStatement?
    private var deletingVersion: PlannedStatement?
    private var finding: PlannedStatement?
    private var testing: PlannedStatement?
    /// Whether the record written last got its key from SQLite.
    package var madeKey = false
    /// Whether the table is known to make the key that a record lacks.
    var tableMakesKeys = false
    /// Whether an error rolls back more than the record it is about.
    package var isInBatch = false
    private var lastNamedUpdate: (names: [String], planned: PlannedStatement)?
    /// The same by names that are C strings.
    package var lastUpdate: NamedUpdate? {
        get {
            checkSchema()
            return lastOfCStrings
        }
        set { lastOfCStrings = newValue }
    }
    private var lastOfCStrings: NamedUpdate?

    init(_ model: ModelDescriptor, _ connection: Connection) throws {
        try model.validate()
        self.model = model
        compiler = SQLCompiler(in: model.attachment)
        self.connection = connection
    }

    let compiler: SQLCompiler

    /// Indices of the columns that are written, the version last.
    private var stored: [Int] { bound + (model.versionColumn.map { [$0] } ?? []) }

    /// Those that take the record's values.
    private var bound: [Int] {
        model.columns.indices.filter { model.columns[$0].computedSQL == nil && $0 != model.versionColumn }
    }

    private func insertColumns() throws -> [SQLCompiler.WrittenColumn] {
        let kept = try connection.converted(model.tableReference)
        return stored.map { index in
            let column = model.columns[index]
            return SQLCompiler.WrittenColumn(
                column.column, defaultSQL: column.isOptional ? column.defaultSQL : nil, isNullable: !column.notNull,
                kept: kept[index], isVersion: column.isVersion)
        }
    }

    private var allNames: [String] { model.columns.map(\.column) }

    /// Forgets the statements that write where the schema may have changed.
    @inline(__always)
    private func checkSchema() {
        if schemaChanges != connection.schemaChanges { forgetWrites() }
    }

    @inline(never)
    private func forgetWrites() {
        schemaChanges = connection.schemaChanges
        inserts = Array(repeating: nil, count: inserts.count)
        saving = nil
        updating = nil
        partialUpdates = [:]
        upserts = [:]
        lastNamedUpdate = nil
        lastOfCStrings = nil
    }

    package func insertion(_ conflict: ConflictPolicy) throws -> PlannedStatement {
        checkSchema()
        let slot = Int(conflict.rawValue)
        if let ready = inserts[slot] { return ready }
        let sql = compiler.insert(
            into: model.table, try insertColumns(), conflict: conflict, returning: model.insertFillsIn ? allNames : [])
        let made = try prepare(sql, binds: bound, returnsRow: model.insertFillsIn)
        inserts[slot] = made
        return made
    }

    package func save() throws -> PlannedStatement {
        checkSchema()
        if let saving { return saving }
        try model.requireKey()
        let sql = compiler.save(
            into: model.table, try insertColumns(), key: model.keyNames, checksVersion: true,
            returning: model.insertFillsIn ? allNames : [])
        let made = try prepare(sql, binds: stored, returnsRow: model.insertFillsIn)
        saving = made
        return made
    }

    /// The whole row comes back: what it kept, and its key.
    func upsertion(_ target: UpsertTarget) throws -> PlannedStatement {
        checkSchema()
        if let ready = upserts[target] { return ready }
        let left = Set(target.key + target.kept + model.keyColumns).subtracting(model.versionColumn.map { [$0] } ?? [])
        let sql = compiler.save(
            into: model.table, try insertColumns(), key: target.key.map { model.columns[$0].column },
            keeping: Set(left.map { model.columns[$0].column }), returning: allNames)
        let made = try prepare(sql, binds: bound, returnsRow: true, replacesRecord: true)
        upserts[target] = made
        return made
    }

    func lookup(_ key: [Int]) throws -> PlannedStatement {
        if let ready = lookups[key] { return ready }
        let made = try prepare(
            compiler.select(allNames, from: model.table, key: key.map { model.columns[$0].column }), binds: key,
            returnsRow: true)
        lookups[key] = made
        return made
    }

    /// All columns but the key.
    package func update() throws -> PlannedStatement {
        checkSchema()
        if let updating { return updating }
        let made = try makeUpdate(bound.filter { !model.keyColumns.contains($0) })
        updating = made
        return made
    }

    package func update(_ properties: [Int]) throws -> PlannedStatement {
        checkSchema()
        if let ready = partialUpdates[properties] { return ready }
        let made = try makeUpdate(properties)
        partialUpdates[properties] = made
        return made
    }

    /// The update of properties by their names; none means all but the key. A loop of updates finds it at once.
    package func update(named names: [String]) throws -> PlannedStatement {
        checkSchema()
        if let last = lastNamedUpdate, last.names == names { return last.planned }
        guard let properties = try updatable(names) else { return try update() }
        let planned = try update(properties)
        lastNamedUpdate = (names, planned)
        return planned
    }

    private func makeUpdate(_ properties: [Int]) throws -> PlannedStatement {
        try model.requireKey()
        let kept = try connection.converted(model.tableReference)
        let sql = compiler.update(
            model.table, set: properties.map { .init(model.columns[$0].column, kept: kept[$0]) }, key: model.keyNames,
            version: model.versionColumn.map { model.columns[$0].column },
            returning: model.updateFillsIn ? allNames : [])
        return try prepare(
            sql, binds: properties + model.keyColumns + (model.versionColumn.map { [$0] } ?? []),
            returnsRow: model.updateFillsIn)
    }

    /// By key, whose parts are the parameters in order.
    package func deletion() throws -> PlannedStatement {
        if let deleting { return deleting }
        let made = try prepare(
            compiler.delete(from: model.table, key: model.keyNames), binds: model.keyColumns, returnsRow: false)
        deleting = made
        return made
    }

    /// By key and version.
    func deletion(version: Int) throws -> PlannedStatement {
        if let deletingVersion { return deletingVersion }
        let made = try prepare(
            compiler.delete(from: model.table, key: model.keyNames + [model.columns[version].column]),
            binds: model.keyColumns + [version], returnsRow: false)
        deletingVersion = made
        return made
    }

    /// As long as the plan; not counted as a reference, of which a lookup would notice each.
    @inline(__always)
    func find() throws -> Unmanaged<PlannedStatement> {
        if let finding { return .passUnretained(finding) }
        return .passUnretained(try makeFind())
    }

    @inline(never)
    private func makeFind() throws -> PlannedStatement {
        let made = try prepare(
            compiler.select(allNames, from: model.table, key: model.keyNames), binds: model.keyColumns, returnsRow: true
        )
        finding = made
        return made
    }

    package func existence() throws -> PlannedStatement {
        if let testing { return testing }
        let made = try prepare(
            compiler.exists(in: model.table, key: model.keyNames), binds: model.keyColumns, returnsRow: true)
        testing = made
        return made
    }

    private func prepare(
        _ sql: String, binds columns: [Int], returnsRow: Bool, replacesRecord: Bool = false
    ) throws -> PlannedStatement {
        do {
            return PlannedStatement(
                try Statement(connection, sql), columnCount: model.columns.count, binds: columns,
                returnsRow: returnsRow, replacesRecord: replacesRecord)
        } catch let error as CormorantError {
            throw schemaError(error)
        }
    }

    /// SQL made from a model does not compile when the file lacks the table or a column.
    package func schemaError(_ error: CormorantError) -> CormorantError {
        guard error.code == .sql else { return error }
        return CormorantError(
            .schema, "model \(model.name) does not fit the file: \(error.plainMessage)",
            hint: error.plainMessage.hasSuffix("because it is a view")
                ? "write to the tables that it reads, or give it an INSTEAD OF trigger"
                : "create its tables, or migrate the file", sqliteCode: error.sqliteCode, sql: error.sql,
            offset: error.offset, table: model.table)
    }
}
