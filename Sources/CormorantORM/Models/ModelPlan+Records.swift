import CormorantBase
import CormorantQuery
import CormorantSQLite

/// The record operations, run under the database's lock.
extension ModelPlan {
    /// False when the conflict policy or a trigger skipped the row.
    @discardableResult
    package func insert<Access: RecordAccess>(_ record: inout Access, _ conflict: ConflictPolicy = .abort) throws
        -> Bool
    {
        if record.hookKind != .none {
            return try calling(around: &record, .insert) { record, _ in
                try run(insertion(conflict), &record, makesKey: true, replaces: conflict == .replace)
            }
        }
        return try run(insertion(conflict), &record, makesKey: true, replaces: conflict == .replace)
    }

    package func save<Access: RecordAccess>(_ record: inout Access) throws {
        if record.hookKind == .none { return try saveRow(&record) }
        _ = try calling(around: &record, .save) { record, _ in
            try saveRow(&record)
            return true
        }
    }

    private func saveRow<Access: RecordAccess>(_ record: inout Access) throws {
        guard try run(save(), &record, makesKey: true) else {
            try refuseStale { try record.write(to: &$0) }
            throw skipped()
        }
    }

    /// - Parameter names: the properties to write; nil: all but the key.
    /// - Returns: false for a list of none, of which nothing is run.
    package func update<Access: RecordAccess>(_ record: inout Access, named names: [String]?) throws -> Bool {
        if let names, names.isEmpty { return false }
        try update(&record, with: update(named: names))
        return true
    }

    /// - Parameter planned: made by one of this plan's `update` functions.
    package func update<Access: RecordAccess>(_ record: inout Access, with planned: PlannedStatement) throws {
        if record.hookKind == .none { return try updateRow(&record, with: planned) }
        let columns = planned.taken == .part ? updated(by: planned) : nil
        _ = try calling(around: &record, .update, columns: columns) { record, write in
            let more = try write.columns == columns ? nil : write.columns.map { try self.update($0) }
            try updateRow(&record, with: more ?? planned)
            return true
        }
    }

    private func updateRow<Access: RecordAccess>(_ record: inout Access, with planned: PlannedStatement) throws {
        guard try run(planned, &record, makesKey: false) else {
            try refuseStale { try record.write(to: &$0) }
            throw noRecord(record)
        }
    }

    /// The columns that an update of some properties writes.
    private func updated(by planned: PlannedStatement) -> [Int] {
        model.columns.indices.filter {
            planned.parameters[$0] > 0 && $0 != model.versionColumn && !model.keyColumns.contains($0)
        }
    }

    /// False when there was no such row.
    package func delete<Access: RecordAccess>(_ record: inout Access) throws -> Bool {
        try model.requireKey()
        if record.hookKind == .none { return try deleteRow(&record) }
        return try calling(around: &record, .delete) { record, _ in try deleteRow(&record) }
    }

    private func deleteRow<Access: RecordAccess>(_ record: inout Access) throws -> Bool {
        if model.versionColumn == nil { return try run(deletion(), &record, makesKey: false, isDelete: true) }
        return try delete(versioned: { try record.write(to: &$0) })
    }

    package func refresh<Access: RecordAccess>(_ record: inout Access) throws {
        try model.requireKey()
        let found: Void? = try one(
            find().takeUnretainedValue(), key: { try record.write(to: &$0) }, read: { try record.read(from: $0) })
        guard found != nil else { throw noRecord(record) }
    }

    /// Binds, runs to the end, takes back what SQLite made. True when a row was changed.
    @inline(__always)
    func run<Access: RecordAccess>(
        _ planned: PlannedStatement, _ record: inout Access, makesKey: Bool, replaces: Bool = false,
        isDelete: Bool = false
    ) throws -> Bool {
        if planned.returnsRow, !isInBatch {
            return try runUndoing(planned, &record, makesKey: makesKey, replaces: replaces)
        }
        return try runOnce(planned, &record, makesKey: makesKey, replaces: replaces, isDelete: isDelete)
    }

    /// The record takes what comes back before all of it is known to fit, and before the commit.
    @inline(never)
    private func runUndoing<Access: RecordAccess>(
        _ planned: PlannedStatement, _ record: inout Access, makesKey: Bool, replaces: Bool
    ) throws -> Bool {
        try record.undoing {
            try runOnce(planned, &$0, makesKey: makesKey, replaces: replaces, isDelete: false)
        }
    }

    private func runOnce<Access: RecordAccess>(
        _ planned: PlannedStatement, _ record: inout Access, makesKey: Bool, replaces: Bool, isDelete: Bool
    ) throws -> Bool {
        var guarded = false
        var writer = writer(planned, makesKey: makesKey)
        do {
            scratch.reset()
            try record.write(to: &writer)
            if writer.wantsKey, planned.insertsNew { return try insertNew(&record) }
            // What comes back may not fit the record. In a batch all of it is undone then; elsewhere a savepoint sees to
            // it, but where only a key below 1 does not fit and no other row is lost.
            if planned.isGuarded || writer.wantsKey && (replaces || model.keyMayNotFit), !isInBatch {
                try connection.begin(.immediate)
                guarded = true
            }
            let changed = try step(planned, &record, writer, makesKey, isGuarded: guarded || isInBatch)
            if guarded { try connection.commit() }
            madeKey = writer.wantsKey
            return changed
        } catch {
            planned.statement.reset()
            let explained = explain(error, of: planned, wantsKey: writer.wantsKey, isWriting: !isDelete)
            if guarded { try? connection.rollback() }
            if writer.wantsKey { record.clearGeneratedKey() }
            throw explained
        }
    }

    @inline(never)
    func explain(_ error: any Error, of planned: PlannedStatement, wantsKey: Bool, isWriting: Bool) -> any Error {
        let error = connection.engine == nil ? error : named(error, planned)
        return wantsKey && isOfMissingKey(error) ? makesNoKeys() : explain(error, isWriting: isWriting)
    }

    /// Inserts the record that a save found without a key, where a server would take another row's.
    @inline(never)
    private func insertNew<Access: RecordAccess>(_ record: inout Access) throws -> Bool {
        try run(insertion(.abort), &record, makesKey: true)
    }

    @inline(__always)
    private func step<Access: RecordAccess>(
        _ planned: PlannedStatement, _ record: inout Access, _ writer: borrowing RecordWriter, _ makesKey: Bool,
        isGuarded: Bool
    ) throws -> Bool {
        if pipeline != nil { return try send(planned, &record, wantsKey: writer.wantsKey) }
        let statement = planned.statement
        if writer.wantsKey, !tableMakesKeys { try requireMadeKeys() }
        if planned.returnsRow {
            return try stepThrough(planned, &record, wantsKey: writer.wantsKey, isGuarded: isGuarded)
        }
        let before = connection.totalChanges
        _ = try statement.step()
        let changed = try hasChanged(since: before)
        if writer.wantsKey, statement.sqliteReprepareCount != planned.reprepareCount {
            try requireKeyMade(planned, isWritten: changed, isGuarded: isGuarded)
        }
        if changed, writer.wantsKey || (makesKey && model.keyColumns.isEmpty && !model.isView) {
            let key = connection.lastInsertID
            do {
                try record.setGeneratedKey(key)
                // Not every record knows the width of its key.
                guard model.madeKeys.contains(key) else { throw keyDoesNotFit(key) }
            } catch {
                // A row whose key its record cannot hold does not stay.
                statement.reset()
                if !isGuarded { _ = try delete(key: { $0.bind(key, 1) }) }
                throw error
            }
        }
        statement.reset()
        return changed
    }

    /// Runs a statement that gives the row back.
    @inline(never)
    private func stepThrough<Access: RecordAccess>(
        _ planned: PlannedStatement, _ record: inout Access, wantsKey: Bool, isGuarded: Bool
    ) throws -> Bool {
        let statement = planned.statement
        var changed = false
        while try statement.step() {
            if wantsKey, !changed, statement.sqliteReprepareCount != planned.reprepareCount {
                try requireKeyMade(planned, isWritten: true, isGuarded: isGuarded)
            }
            changed = true
            try take(planned, &record, wantsKey: wantsKey)
        }
        statement.reset()
        return changed
    }

    /// Takes what a record takes of the row that its statement stands on.
    @inline(__always)
    func take<Access: RecordAccess>(_ planned: PlannedStatement, _ record: inout Access, wantsKey: Bool) throws {
        let row = RecordReader(planned.statement, columns: planned.results, model: model)
        switch planned.taken {
        case .made: try record.readBack(from: row)
        case .part: try record.readBack(only: planned.returned, from: row)
        case .all, .allOrNew: try record.read(from: row)
        case .key: try take(key: row, &record, wantsKey: wantsKey || model.keyColumns.isEmpty)
        case .later: break
        }
        if connection.engine != nil, planned.taken != .allOrNew { noteKey(row) }
    }

    /// Runs a statement by key and reads its one row, if it is there.
    package func one<Result>(
        _ planned: PlannedStatement, isWriting: Bool = true, key: (inout RecordWriter) throws -> Void,
        read: (RecordReader) throws -> Result
    ) throws -> Result? {
        let statement = planned.statement
        var writer = writer(planned, makesKey: false)
        scratch.reset()
        do {
            try key(&writer)
            let found = try statement.step()
            let result = found ? try read(RecordReader(statement, columns: planned.results, model: model)) : nil
            statement.reset()
            return result
        } catch {
            statement.reset()
            throw explain(error, isWriting: isWriting)
        }
    }

    /// Deletes by key; false when there was no such row.
    package func delete(key: (inout RecordWriter) throws -> Void) throws -> Bool {
        if pipeline != nil { return try sendDeletion(deletion(), key) }
        let before = connection.totalChanges
        _ = try one(deletion(), isWriting: false, key: key, read: { _ in })
        return try hasChanged(since: before)
    }

    /// Deletes by key and, where the model has one, version; false when there was no such row.
    package func delete(versioned write: (inout RecordWriter) throws -> Void) throws -> Bool {
        guard let version = model.versionColumn else { return try delete(key: write) }
        if pipeline != nil { return try sendDeletion(deletion(version: version), write) }
        let before = connection.totalChanges
        _ = try one(deletion(version: version), isWriting: false, key: write, read: { _ in })
        if try hasChanged(since: before) { return true }
        try refuseStale(write)
        return false
    }

    /// Throws `staleRecord` where the row of a record that was not written is there, with another version.
    func refuseStale(_ write: (inout RecordWriter) throws -> Void) throws {
        guard model.versionColumn != nil else { return }
        let found: Void? = try one(existence(), key: write, read: { _ in })
        guard found != nil else { return }
        throw CormorantError(
            .staleRecord, "the row of \"\(model.table)\" was written since this record was read",
            hint: "read it anew, with refresh, and apply the change to what it is now", table: model.table,
            columns: model.keyNames)
    }

    /// Whether the newest statement did something. SQLite does not count what triggers do in place of a view, but in total.
    @inline(__always)
    private func hasChanged(since before: Int64) throws -> Bool {
        try connection.changes > 0 || (connection.totalChanges > before && isView())
    }

    @inline(never)
    private func isView() throws -> Bool {
        let schema = model.attachment.map { quoteIdentifier($0) + "." } ?? ""
        let statement = try connection.statement(
            "SELECT 1 FROM \(schema)sqlite_schema WHERE type = 'view' AND name = ?1 COLLATE NOCASE")
        defer { connection.recycle(statement) }
        try statement.bind(.text(model.table), 1)
        return try statement.step()
    }

    package func deleteAll() throws -> Int64 {
        let statement: Statement
        do {
            // With RETURNING SQLite 3.40 refuses no view that has no trigger.
            if model.isView { connection.recycle(try connection.statement(try compiler.deleteAll(from: model.table))) }
            statement = try connection.statement(try compiler.deleteAll(from: model.table, isView: model.isView))
        } catch let error as CormorantError {
            throw schemaError(error)
        }
        defer { connection.recycle(statement) }
        var rows: Int64 = 0
        do {
            while try statement.step() { rows += 1 }
        } catch {
            throw explain(error, isWriting: false)
        }
        return model.isView ? rows : connection.changes
    }

    /// The indices of properties to update.
    package func updatable(_ properties: [String]) throws -> [Int] {
        var columns: [Int] = []
        for property in properties {
            let index = try model.require(property)
            let why =
                model.keyColumns.contains(index)
                ? "part of the primary key"
                : index == model.versionColumn
                    ? "the version"
                    : model.columns[index].stamp == .updated
                        ? "the time of each update" : model.columns[index].computedSQL != nil ? "computed" : nil
            if let why {
                throw CormorantError(
                    .misuse, "\(model.name).\(property) is \(why) and cannot be updated",
                    hint: "leave it out of the properties to update", table: model.table, columns: [property])
            }
            // Named twice it is still one.
            if !columns.contains(index) { columns.append(index) }
        }
        return columns
    }

    @inline(__always)
    func writer(_ planned: PlannedStatement, makesKey: Bool) -> RecordWriter {
        RecordWriter(planned.statement, planned.parameters, model, scratch, makesKey: makesKey)
    }

    /// Another program has changed the schema since the table was last looked at, and the row is in it: where the table makes no
    /// keys any more, it does not stay.
    @inline(never)
    private func requireKeyMade(_ planned: PlannedStatement, isWritten: Bool, isGuarded: Bool) throws {
        planned.reprepareCount = planned.statement.sqliteReprepareCount
        tableMakesKeys = false
        do {
            try requireMadeKeys()
        } catch {
            planned.statement.reset()
            if isWritten, !isGuarded {
                let row = connection.lastInsertID
                _ = try Statement(connection, "DELETE FROM \(compiler.table(model.table)) WHERE rowid = \(row)").step()
            }
            throw error
        }
    }

    /// A file of another program may have made the table, and SQLite stores NULL in a key that it does not make.
    @inline(never)
    private func requireMadeKeys() throws {
        let key = model.columns[model.generatedColumn].column
        let table = model.attachment == nil ? "?1" : "?1, ?3"
        let there = model.attachment == nil ? "" : " AND schema = ?3"
        let statement = try connection.statement(
            """
            SELECT EXISTS (SELECT 1 FROM pragma_table_xinfo(\(table)) WHERE pk = 1 AND name = ?2 COLLATE NOCASE)
                AND NOT EXISTS (SELECT 1 FROM pragma_index_list(\(table)) WHERE origin = 'pk')
              OR EXISTS (SELECT 1 FROM pragma_table_list(?1) WHERE type = 'virtual'\(there))
              OR lower(?2) IN ('rowid', 'oid', '_rowid_')
                AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(\(table)) WHERE name = ?2 COLLATE NOCASE)
            """)
        defer { connection.recycle(statement) }
        try statement.bind(.positional(([model.table, key] + [model.attachment].compactMap { $0 }).map { .text($0) }))
        tableMakesKeys = try statement.step() && Row(statement).cell(0).int64 == 1
        guard tableMakesKeys else { throw makesNoKeys() }
    }

    func makesNoKeys() -> CormorantError {
        let key = model.columns[model.generatedColumn].column
        let (what, remedy) =
            connection.engine == nil
            ? ("INTEGER PRIMARY KEY", "make the table anew with one; sync leaves a key as it is")
            : ("identity column", "sync the model, which makes the column one")
        return CormorantError(
            .schema, "the record has no key, and the table makes none: \"\(model.table).\(key)\" is no \(what)",
            hint: "give the record its key, or \(remedy)",
            table: model.table,
            columns: [key])
    }

    /// Whether a server's table has refused that the key which it was to make is NULL.
    private func isOfMissingKey(_ error: any Error) -> Bool {
        guard connection.engine != nil, model.generatedColumn >= 0, let error = error as? CormorantError else {
            return false
        }
        return error.code == .notNull && error.columns == [model.columns[model.generatedColumn].column]
    }

    @inline(never)
    func keyDoesNotFit(_ key: Int64) -> CormorantError {
        let column = model.columns[model.generatedColumn]
        let type = column.type.name(isUnsigned: column.isUnsigned, bits: column.bits)
        return CormorantError(
            .range, "the generated key \(key) does not fit into \(model.name).\(column.name), \(type)",
            hint: "make the key a 64-bit integer with sign", table: model.table, columns: [column.name])
    }

    func noRecord<Access: RecordAccess>(_ record: Access) -> CormorantError {
        let key = try? connection.values(of: model, model.keyColumns, count: 1) { _ in record }
        guard let missing = key?.firstIndex(of: .null) else { return noRecord() }
        let column = model.columns[model.keyColumns[missing]]
        return CormorantError(
            .noRecord, "the record has no key, for \(model.name).\(column.name) is NULL",
            hint: "insert the record first, or save it, which inserts it", table: model.table, columns: [column.column])
    }

    func noRecord() -> CormorantError {
        CormorantError(
            .noRecord, "no row of \"\(model.table)\" has this record's key",
            hint: model.scope == nil
                ? "insert the record first, or save it, which inserts it where it is missing; a trigger may skip rows, too"
                : "insert the record first; a row outside of the model's scope is written by the unscoped model",
            table: model.table)
    }
}
