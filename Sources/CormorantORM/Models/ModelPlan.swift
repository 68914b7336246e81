import CormorantBase
import CormorantQuery
import CormorantSQLite

/// A prepared statement of one model, with which parameter each column binds to and where it comes back.
package final class PlannedStatement {
    let statement: Statement
    /// For each column of the model its parameter, 0 for none.
    let parameters: UnsafeMutablePointer<Int32>
    /// For each column of the model its place in the rows that come back, -1 for none.
    let results: UnsafeMutablePointer<Int32>
    /// The columns that come back.
    let returned: [Int]
    let returnsRow: Bool
    let taken: Taken
    /// Whether what comes back may not fit the record, so that what was written must be undone then.
    let isGuarded: Bool
    /// Whether a record without a key is inserted instead: a key that is made now must not be one of a row that is there.
    var insertsNew = false
    /// Whether it may make a row.
    var isInsert = false
    /// Of an INSERT of the values alone the COPY that does the same for many.
    var copySQL: String?
    /// The same without the key, which the table makes.
    var keylessCopySQL: String?
    /// Of one that finds or inserts the unique key.
    var key: [Int] = []
    /// That of the statement when the table was last looked at.
    var reprepareCount: Int32 = 0

    /// What a record takes of the row that comes back.
    enum Taken {
        /// Of a whole row what SQLite made.
        case made
        /// What is in it, which is not the whole row.
        case part
        /// All of it: the record becomes the row.
        case all
        /// The same, and whether it is a new one.
        case allOrNew
        /// The key, of an engine that tells it in no other way: the row's one value.
        case key
        /// Nothing: of a batch that reserves its keys, `BatchPipeline`.
        case later
    }

    init(
        _ statement: Statement, columnCount: Int, binds columns: [Int], returns: [Int], taken: Taken = .made,
        isGuarded: Bool = true
    ) {
        self.statement = statement
        self.taken = taken
        returned = returns
        returnsRow = !returns.isEmpty || taken == .key || taken == .later
        self.isGuarded = isGuarded && returnsRow
        parameters = .allocate(capacity: max(1, columnCount))
        parameters.initialize(repeating: 0, count: max(1, columnCount))
        for (index, column) in columns.enumerated() { parameters[column] = Int32(truncatingIfNeeded: index + 1) }
        results = .allocate(capacity: max(1, columnCount))
        results.initialize(repeating: -1, count: max(1, columnCount))
        for (index, column) in returns.enumerated() { results[column] = Int32(truncatingIfNeeded: index) }
    }

    deinit {
        parameters.deallocate()
        results.deallocate()
    }
}

/// Of a `ModelPlan` the statements that write whole records or parts of them.
private struct WritingStatements {
    var inserts: [PlannedStatement?]
    var saving: PlannedStatement?
    var updating: PlannedStatement?
    var partial: [[Int]: PlannedStatement] = [:]
}

/// What one connection keeps for one model: its statements, made when first used and kept until it closes.
package final class ModelPlan {
    package let model: ModelDescriptor
    /// Outlives the plan: both are the database's.
    unowned(unsafe) let connection: Connection
    /// That of the connection.
    unowned(unsafe) let pooled: PooledConnection
    let scratch = ScratchMemory()
    /// Those that write are of the schema as it was then: what its columns convert may be another thing.
    private var schemaChanges = 0
    private var inserts = ModelPlan.noInserts
    private static var noInserts: [PlannedStatement?] { Array(repeating: nil, count: untold + 1) }
    /// The place of the one whose keys are told to nobody.
    private static var untold: Int { ConflictPolicy.allCases.count }
    private var saving: PlannedStatement?
    private var updating: PlannedStatement?
    private var partialUpdates: [[Int]: PlannedStatement] = [:]
    /// Those that are not waited for, while others are in the places above, and the other way round.
    private var others: WritingStatements?
    /// Of a batch on an engine that sends statements without waiting for each.
    package var pipeline: BatchPipeline? {
        didSet { if (oldValue == nil) != (pipeline == nil) { changePlaces() } }
    }
    /// Which statement the batch has sent, or received an outcome of, last.
    var lastOfBatch: PlannedStatement?
    private var upserts: [UpsertTarget: PlannedStatement] = [:]
    private var lookups: [[Int]: PlannedStatement] = [:]
    private var deleting: PlannedStatement?
    private var deletingVersion: PlannedStatement?
    private var finding: PlannedStatement?
    private var testing: PlannedStatement?
    /// Whether the record written last got its key from SQLite.
    package var madeKey = false
    /// That key, where hooks ran after the write, which may have inserted others.
    package var keyBeforeHooks: Int64?
    /// Whether the table is known to make the key that a record lacks.
    var tableMakesKeys = false
    /// Whether an error rolls back more than the record it is about.
    package var isInBatch = false
    /// Updates of properties as they were named, in few ways by a program: no name is looked up again.
    private var namedUpdates: [(names: [String], planned: PlannedStatement)] = []
    /// The same by names that are C strings.
    private var updatesOfCStrings: [NamedUpdate] = []
    private static let mostNamed = 16
    private static let mostPartial = 64

    init(_ model: ModelDescriptor, _ pooled: PooledConnection) throws {
        try model.validate()
        self.model = model
        self.pooled = pooled
        connection = try pooled.connected()
        if model.attachment != nil { try connection.requireSQLite("attached files") }
        // What a server's table lacks is told by the write itself.
        tableMakesKeys = connection.engine != nil
        compiler = SQLCompiler(
            connection.dialect, in: model.attachment, scope: model.scope, of: model.tableReference)
    }

    let compiler: SQLCompiler

    /// Indices of the columns that are written, the version and times last.
    private var stored: [Int] { bound + versions + model.updatedColumns }

    /// Those that take the record's values.
    private var bound: [Int] {
        model.columns.indices.filter { place in
            let column = model.columns[place]
            return column.computedSQL == nil && !column.isVersion && column.stamp != .updated
        }
    }

    private var versions: [Int] { model.versionColumn.map { [$0] } ?? [] }

    private func insertColumns() throws -> [SQLCompiler.WrittenColumn] {
        let kept = try connection.converted(model.tableReference)
        return stored.map { index in
            let column = model.columns[index]
            return SQLCompiler.WrittenColumn(
                column.column, defaultSQL: column.isOptional ? column.defaultSQL : nil, isNullable: !column.notNull,
                kept: kept[index], isVersion: column.isVersion, stamp: column.stamp, scale: model.scale(index),
                constant: column.discriminatorSQL)
        }
    }

    private var all: [Int] { Array(model.columns.indices) }

    private func names(_ columns: [Int]) -> [String] { columns.map { model.columns[$0].column } }

    /// Forgets the statements that write where the schema may have changed.
    @inline(__always)
    private func checkSchema() {
        if schemaChanges != connection.schemaChanges { forgetWrites() }
    }

    @inline(never)
    private func forgetWrites() {
        schemaChanges = connection.schemaChanges
        inserts = ModelPlan.noInserts
        others = nil
        saving = nil
        updating = nil
        partialUpdates = [:]
        upserts = [:]
        namedUpdates = []
        updatesOfCStrings = []
    }

    /// Puts the statements that are not waited for where the others were, or back.
    private func changePlaces() {
        let now = WritingStatements(inserts: inserts, saving: saving, updating: updating, partial: partialUpdates)
        let next = others ?? WritingStatements(inserts: ModelPlan.noInserts)
        (inserts, saving, updating, partialUpdates) = (next.inserts, next.saving, next.updating, next.partial)
        (namedUpdates, updatesOfCStrings) = ([], [])
        others = now
    }

    package func insertion(_ conflict: ConflictPolicy) throws -> PlannedStatement {
        checkSchema()
        let isUntold = pipeline?.tellsKeys == false && conflict == .abort && model.generatedColumn >= 0
        let slot = isUntold ? ModelPlan.untold : Int(conflict.rawValue)
        if let ready = inserts[slot] { return ready }
        let (returned, taken) = insertReturns(conflict: conflict)
        let columns = try insertColumns()
        let copying = taken == .later ? try compiler.copying(into: model.table, columns) : nil
        let sql =
            try (isUntold ? nil : copying?.insert)
            ?? compiler.insert(
                into: model.table, columns, conflict: conflict, returning: names(returned, taken))
        let made = try prepare(
            sql, binds: bound, returns: returned, taken: taken, isGuarded: connection.engine == nil || fillsInOthers)
        made.isInsert = true
        if isUntold { made.keylessCopySQL = copying?.keyless } else { made.copySQL = copying?.copy }
        inserts[slot] = made
        return made
    }

    /// What comes back of a new row.
    private func insertReturns(conflict: ConflictPolicy = .abort) -> (columns: [Int], taken: PlannedStatement.Taken) {
        if model.insertFillsIn { return (all, .made) }
        guard connection.engine != nil else { return ([], .made) }
        // A reserved key would be lost where the row is ignored.
        if pipeline != nil, conflict == .abort { return ([], .later) }
        return ([], model.generatesKey ? .key : .made)
    }

    private func names(_ columns: [Int], _ taken: PlannedStatement.Taken) -> [String] {
        // With what lies behind a hidden key.
        taken == .key || connection.engine != nil && model.keyColumns.isEmpty && !columns.isEmpty
            ? names(columns) + model.keyNames : names(columns)
    }

    /// Whether the database makes values beside keys, versions and times, which alone fit any record.
    private var fillsInOthers: Bool {
        model.columns.contains { $0.computedSQL != nil || $0.isOptional && $0.defaultSQL != nil }
    }

    package func save() throws -> PlannedStatement {
        checkSchema()
        if let saving { return saving }
        try model.requireKey()
        try refuseSavingView()
        let (returned, taken) = insertReturns()
        let sql = try compiler.save(
            into: model.table, insertColumns(), key: model.keyNames, checksVersion: true,
            returning: names(returned, taken))
        let made = try prepare(
            sql, binds: bound + versions, returns: returned, taken: taken,
            isGuarded: connection.engine == nil || fillsInOthers)
        made.insertsNew = connection.engine != nil
        made.isInsert = true
        saving = made
        return made
    }

    /// The whole row comes back: what it kept, and its key.
    func upsertion(_ target: UpsertTarget) throws -> PlannedStatement {
        checkSchema()
        if let ready = upserts[target] { return ready }
        try refuseSavingView()
        let left = Set(target.key + target.kept + model.keyColumns).subtracting(versions)
        let sql = try compiler.save(
            into: model.table, try insertColumns(), key: target.key.map { model.columns[$0].column },
            keeping: left.map { model.columns[$0].column }, returning: names(all))
        let made = try prepare(sql, binds: bound, returns: all, taken: .all)
        made.insertsNew = connection.engine != nil && target.key == model.keyColumns
        made.isInsert = true
        upserts[target] = made
        return made
    }

    /// The row with the record's values of a unique key or, where there is none, the record as a new one: one statement of a batch
    /// that is sent.
    func findOrInsert(_ key: [Int]) throws -> PlannedStatement {
        checkSchema()
        let target = UpsertTarget(key: key, kept: all, isFetched: true)
        if let ready = upserts[target] { return ready }
        let places = key.compactMap { stored.firstIndex(of: $0) }
        let sql = try compiler.findOrInsert(
            into: model.table, try insertColumns(), key: places, returning: names(all))
        let made = try prepare(sql, binds: bound, returns: all, taken: .allOrNew)
        made.insertsNew = key == model.keyColumns
        made.isInsert = true
        made.key = key
        upserts[target] = made
        return made
    }

    /// SQLite looks for a row in the way in tables only.
    private func refuseSavingView() throws {
        guard model.isView else { return }
        throw CormorantError(
            .misuse, "records of model \(model.name) cannot be saved, because it reads a view",
            hint: "insert or update them, which INSTEAD OF triggers of the view take", table: model.table)
    }

    func lookup(_ key: [Int]) throws -> PlannedStatement {
        if let ready = lookups[key] { return ready }
        let made = try prepare(
            try compiler.select(
                names(all), from: model.table,
                written: key.map { .init(model.columns[$0].column, scale: model.scale($0)) }), binds: key, returns: all)
        lookups[key] = made
        return made
    }

    /// All columns but the key.
    package func update() throws -> PlannedStatement {
        checkSchema()
        if let updating { return updating }
        let made = try makeUpdate(
            bound.filter { !model.keyColumns.contains($0) }, returns: model.updateFillsIn ? all : [], .made)
        updating = made
        return made
    }

    package func update(_ properties: [Int]) throws -> PlannedStatement {
        checkSchema()
        if let ready = partialUpdates[properties] { return ready }
        let made = try makeUpdate(properties, returns: model.filledByUpdate, .part)
        // Programs that write what has changed have up to a set for each subset of the columns.
        if partialUpdates.count >= ModelPlan.mostPartial { partialUpdates = [:] }
        partialUpdates[properties] = made
        return made
    }

    /// The update of properties by their names, of which there is one at least; nil: all but the key.
    package func update(named names: [String]?) throws -> PlannedStatement {
        guard let names else { return try update() }
        checkSchema()
        for known in namedUpdates where known.names == names { return known.planned }
        let planned = try update(updatable(names))
        if namedUpdates.count >= ModelPlan.mostNamed { namedUpdates = [] }
        namedUpdates.append((names, planned))
        return planned
    }

    /// The update of properties by their names as a C string has them, where one was kept.
    package func keptUpdate(_ list: UnsafePointer<CChar>) -> PlannedStatement? {
        checkSchema()
        for known in updatesOfCStrings where known.matches(list) { return known.planned }
        return nil
    }

    package func keep(_ update: NamedUpdate) {
        if updatesOfCStrings.count >= ModelPlan.mostNamed { updatesOfCStrings = [] }
        updatesOfCStrings.append(update)
    }

    /// The same of columns that have changed.
    package func update(changed columns: [Int]) throws -> PlannedStatement {
        checkSchema()
        if let ready = partialUpdates[columns] { return ready }
        return try update(named: columns.map { model.columns[$0].name })
    }

    private func makeUpdate(
        _ properties: [Int], returns returned: [Int], _ taken: PlannedStatement.Taken
    ) throws -> PlannedStatement {
        try model.requireKey()
        let kept = try connection.converted(model.tableReference)
        let isLater = pipeline != nil && returned.isEmpty
        let sql = try compiler.update(
            model.table,
            set: properties.map {
                .init(
                    model.columns[$0].column, kept: kept[$0], stamp: model.columns[$0].stamp, scale: model.scale($0),
                    constant: model.columns[$0].discriminatorSQL)
            },
            stamps: names(model.updatedColumns), key: model.keyNames,
            version: model.versionColumn.map { model.columns[$0].column }, returning: names(returned))
        return try prepare(
            sql, binds: properties + model.keyColumns + versions, returns: returned, taken: isLater ? .later : taken,
            isGuarded: connection.engine == nil || fillsInOthers)
    }

    /// By key, whose parts are the parameters in order.
    package func deletion() throws -> PlannedStatement {
        if let deleting { return deleting }
        try model.requireAnyKey()
        let made = try prepare(
            try compiler.delete(from: model.table, key: model.keyNames), binds: model.keyColumns, returns: [])
        deleting = made
        return made
    }

    /// By key and version.
    func deletion(version: Int) throws -> PlannedStatement {
        if let deletingVersion { return deletingVersion }
        let made = try prepare(
            try compiler.delete(from: model.table, key: model.keyNames + [model.columns[version].column]),
            binds: model.keyColumns + [version], returns: [])
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
        try model.requireAnyKey()
        let made = try prepare(
            try compiler.select(names(all), from: model.table, key: model.keyNames), binds: model.keyColumns,
            returns: all)
        made.statement.engine?.taking = .one
        finding = made
        return made
    }

    package func existence() throws -> PlannedStatement {
        if let testing { return testing }
        try model.requireAnyKey()
        let made = try prepare(
            try compiler.exists(in: model.table, key: model.keyNames), binds: model.keyColumns, returns: [])
        testing = made
        return made
    }

    private func prepare(
        _ sql: String, binds columns: [Int], returns: [Int], taken: PlannedStatement.Taken = .made,
        isGuarded: Bool = true
    ) throws -> PlannedStatement {
        do {
            return PlannedStatement(
                try Statement(connection, sql), columnCount: model.columns.count, binds: columns, returns: returns,
                taken: taken, isGuarded: isGuarded)
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
                : error.plainMessage == "cannot UPSERT a view"
                    ? "insert or update its records, which INSTEAD OF triggers of the view take"
                    : model.isView
                        ? "make the view, with the columns that the model has; views are made by SQL, not of models"
                        : model.isPart
                            ? "create the table of the model of all its rows, or sync that first"
                            : "create its tables, or migrate the file", sqliteCode: error.sqliteCode, sql: error.sql,
            offset: error.offset, table: model.table)
    }
}

extension ModelDescriptor {
    /// The scale of a decimal's column, with what messages call it.
    fileprivate func scale(_ column: Int) -> (digits: Int, property: String)? {
        columns[column].scale.map { ($0, "\(name).\(columns[column].name)") }
    }
}
