import CSQLite
import CormorantBase
import CormorantEngine
import CormorantPlatform

/// What the connection's open transaction has done to tracked tables, and what it committed. What is rolled back, by
/// whom and how far ever, goes. Guarded by the connection's lock; installed while a table is tracked.
package final class ChangeLog {
    /// Rows of a transaction that are told one by one; beyond, their tables are unknown.
    private static let greatestCount = 100_000

    /// Outlives the log, which it owns.
    private unowned(unsafe) let connection: Connection
    private var tables: [ExactText: TrackedTable] = [:]
    private var lastTable: TrackedTable?
    private var open: [RowChange] = []
    /// Tables of `open` that are unknown as a whole.
    private var unknown: Set<ObjectIdentifier> = []
    /// Where in `open` the running statement began.
    private var mark = 0
    private var savepoints: [(name: String, position: Int)] = []
    /// A statement on savepoints that has begun. It has done its work when the next one begins, unless it failed.
    private var pending: SavepointStatement?
    /// The statement that began last, and how many operations it had done by then.
    private var running: (statement: OpaquePointer?, operations: Int32) = (nil, 0)
    /// Looks something up itself.
    private var isLooking = false
    private var changesSchema = false
    /// COMMIT has begun; whether it succeeded shows afterwards.
    private var isCommitting = false
    /// How many statements may have changed the schema, and how many were PRAGMAs.
    package private(set) var schemaChanges = 0
    package private(set) var pragmas = 0
    private var committed: [CommittedChanges] = []
    /// By schema in lower case, how far its tables were described: what it shows of others' commits, and of changed schemas.
    private var versions: [ExactText: (data: UInt32, schema: Int64?)] = [:]
    /// A schema that they may have been described by was taken back.
    private var isDoubtful = false

    init(_ connection: Connection) throws {
        guard connection.capabilities.tellsChangedRows else {
            throw CormorantError(
                .sqlite, "this build of SQLite has no pre-update hook, by which changes are seen",
                hint: "use a libsqlite3 that was built with SQLITE_ENABLE_PREUPDATE_HOOK, as Debian's is")
        }
        self.connection = connection
    }

    // What SQLite tells ----------------------------------------------------------------------------------------------

    func install() {
        let this = Unmanaged.passUnretained(self).toOpaque()
        csqlite_set_preupdate_hook(connection.handle, { log($0).willChange($1, $2, $3, $4, $5, $6) }, this)
        connection.updateCommitHook()
        sqlite3_rollback_hook(connection.handle, { log($0).rolledBack() }, this)
        connection.updateTrace()
        // Statements are prepared anew: those before may delete all rows at once, without the hook.
        sqlite3_set_authorizer(connection.handle, { _, _, _, _, _, _ in SQLITE_OK }, nil)
        connection.restoreAuthorizer()
    }

    func uninstall() {
        csqlite_set_preupdate_hook(connection.handle, nil, nil)
        connection.updateCommitHook()
        sqlite3_rollback_hook(connection.handle, nil, nil)
        connection.updateTrace()
        forget()
    }

    /// A statement begins, one that is not part of another.
    func statementBegins(_ statement: OpaquePointer, _ sql: UnsafePointer<CChar>) {
        if isLooking || isAction(statement) { return }
        settle()
        mark = open.count
        switch StatementStart(sql) {
        case .savepoint(let statement): pending = statement
        case .schema:
            changesSchema = true
            schemaChanges &+= 1
            for table in tables.values { table.touch(.none) }
        case .pragma: pragmas &+= 1
        case .other: break
        }
    }

    /// Whether it is an action of a foreign key in the statement that runs: SQLite tells of both alike. One that runs again has counted
    /// operations since, which are added as it leaves off.
    private func isAction(_ statement: OpaquePointer) -> Bool {
        let operations = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0)
        let isFirst = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0) == 0
        defer { running = (statement, operations) }
        return !isFirst && running.statement == statement && running.operations == operations
    }

    func commitBegins() { isCommitting = true }

    /// All of the file was written over, and committed, without a statement.
    func contentWasReplaced() {
        for table in tables.values { table.touch(.none) }
        schemaChanges &+= 1
        committed.append(CommittedChanges(changes: [], changedSchema: true, isForeign: true, isUnknown: true))
    }

    /// What a statement that failed had done is undone, but for the rows before the one of an `OR FAIL` or a `RAISE(FAIL)`.
    func statementFailed(_ statement: OpaquePointer?) {
        // One that cannot be prepared anew has not begun.
        guard statement == running.statement else { return }
        pending = nil
        if sqlite3_get_autocommit(connection.handle) == 0 { isCommitting = false }
        guard sqlite3_stmt_readonly(statement) == 0, mark < open.count else { return }
        // SQLite counts the rows of the statement itself, and miscounts where the error is of a trigger or a foreign key's action.
        // SQLITE_CONSTRAINT_FOREIGNKEY and SQLITE_CONSTRAINT_TRIGGER, which are macros of C.
        let isOfTrigger = [3, 7].contains { sqlite3_extended_errcode(connection.handle) == SQLITE_CONSTRAINT | $0 << 8 }
        let areAllCounted = !isOfTrigger && sqlite3_changes64(connection.handle) == open.count - mark
        let touched = open[mark...].map(\.table)
        guard mayFailInPart(sqlite3_sql(statement)) else { return truncate(mark) }
        if areAllCounted { return }
        truncate(mark)
        for table in touched { logUnknown(table) }
    }

    /// Whether a conflict may be FAIL, as the statement, a constraint or a trigger says.
    private func mayFailInPart(_ sql: UnsafePointer<CChar>?) -> Bool {
        if let sql, sqlite3_strlike("%fail%", sql, 0) == 0 { return true }
        isLooking = true
        defer { isLooking = false }
        do {
            let schemas = try Statement(connection, "SELECT name FROM pragma_database_list")
            while try schemas.step() {
                let schema = quoteIdentifier(Row(schemas).cell(0).string ?? "")
                let found = "SELECT 1 FROM \(schema).sqlite_schema WHERE instr(lower(sql), 'fail')"
                if try Statement(connection, found).step() { return true }
            }
            return false
        } catch {
            // Nobody knows.
            return true
        }
    }

    /// Tables that were described meanwhile may be what they were before.
    private func rolledBack() {
        isDoubtful = isDoubtful || changesSchema
        forget()
    }

    private func forget() {
        open = []
        unknown = []
        mark = 0
        savepoints = []
        pending = nil
        changesSchema = false
        isCommitting = false
    }

    /// Brings the log to where the connection is, between two statements.
    private func settle() {
        if let pending { apply(pending) }
        pending = nil
        guard isCommitting, sqlite3_get_autocommit(connection.handle) != 0 else { return }
        if !open.isEmpty || changesSchema && tables.values.contains(where: { $0.watchers > 0 }) {
            committed.append(CommittedChanges(changes: open, changedSchema: changesSchema))
        }
        forget()
    }

    private func apply(_ statement: SavepointStatement) {
        let index = savepoints.lastIndex { isSame($0.name, statement.name) }
        switch statement.verb {
        case .savepoint: savepoints.append((statement.name, open.count))
        case .release: if let index { savepoints.removeSubrange(index...) }
        case .rollback:
            // One that is not known was made before anything was logged.
            truncate(index.map { savepoints[$0].position } ?? 0)
            if let index { savepoints.removeSubrange((index + 1)...) } else { savepoints = [] }
        }
    }

    private func truncate(_ position: Int) {
        guard position < open.count else { return }
        open.removeSubrange(position...)
        unknown = Set(open.lazy.filter { $0.kind == .unknown }.map { ObjectIdentifier($0.table) })
    }

    private func willChange(
        _ handle: OpaquePointer?, _ operation: Int32, _ schema: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
        _ oldID: Int64, _ newID: Int64
    ) {
        guard let schema, let name, let table = table(schema, name), table.isTracked || !table.owners.isEmpty else {
            return
        }
        for owner in table.owners {
            owner.touch(.none)
            logUnknown(owner)
        }
        if !table.isTracked { return }
        guard Int(sqlite3_preupdate_count(handle)) == table.columns.count else {
            // Somebody else has changed the table since it was looked at.
            table.touch(.none)
            return logUnknown(table)
        }
        let row = ChangingRow(
            handle: handle, operation: operation, columns: table.columns, oldID: oldID, newID: newID)
        let hasOld = operation != SQLITE_INSERT
        let hasNew = operation != SQLITE_DELETE
        let old = hasOld ? row.key(isNew: false) : nil
        let new = hasNew ? row.key(isNew: true) : nil
        guard (old != nil) == hasOld, (new != nil) == hasNew else {
            table.touch(.none)
            return logUnknown(table)
        }
        if let old { table.touch(old.key) }
        if let new { table.touch(new.key) }
        guard table.watchers > 0 else { return }
        if unknown.contains(ObjectIdentifier(table)) { return }
        guard open.count < ChangeLog.greatestCount else { return logUnknown(table) }
        let keeps = table.valueWatchers > 0
        let before, after: StoredRow?
        if keeps || table.columns.computed?.hasVirtual ?? false {
            before = hasOld ? row.stored(isNew: false) : nil
            after = hasNew ? row.stored(isNew: true) : nil
            // There is no memory for it, or no way to compute it.
            if keeps, (before != nil) != hasOld || (after != nil) != hasNew { return logUnknown(table) }
        } else {
            (before, after) = (nil, nil)
        }
        if let old, let new, old.key == new.key {
            let mask: UInt64
            if let before, let after { mask = row.mask(before, after) } else { mask = row.mask() }
            return open.append(
                RowChange(
                    .update, table, rowID: newID, new.key, new.values, mask: mask, old: keeps ? before : nil,
                    new: keeps ? after : nil))
        }
        if let old {
            open.append(
                RowChange(
                    .delete, table, rowID: oldID, old.key, old.values, mask: .max, old: keeps ? before : nil, new: nil))
        }
        if let new {
            open.append(
                RowChange(
                    .insert, table, rowID: newID, new.key, new.values, mask: .max, old: nil, new: keeps ? after : nil))
        }
    }

    private func logUnknown(_ table: TrackedTable) {
        if table.watchers > 0, unknown.insert(ObjectIdentifier(table)).inserted {
            open.append(RowChange(unknown: table))
        }
    }

    private func table(_ schema: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) -> TrackedTable? {
        if let lastTable, strcmp(name, lastTable.nameBytes) == 0, strcmp(schema, lastTable.schemaBytes) == 0 {
            return lastTable
        }
        let (schema, name) = (String(cString: schema), String(cString: name))
        let id = tableKey(schema, name)
        let found = tables[id] ?? TrackedTable(schema, name)
        // One that nobody tracks is remembered, too, so that its next row is passed by at once.
        lastTable = found
        return found
    }
}

// What is asked of it ------------------------------------------------------------------------------------------------

extension ChangeLog {
    /// What was committed since it was last asked for. Rows of a table whose columns are not those that it was known by are not
    /// told one by one.
    package func takeCommitted() -> [CommittedChanges] {
        settle()
        guard !committed.isEmpty else { return [] }
        var news = committed
        committed = []
        let own = news.firstIndex { $0.changedSchema }
        let others = othersHaveChangedSchema()
        guard let first = others ? 0 : own else { return news }
        let altered = describeAgain()
        if altered.isEmpty { return news }
        for index in first..<news.count {
            let isWhole = index == own
            let gone = altered.filter { change in
                isWhole || news[index].changes.contains { $0.table === change.table }
            }
            news[index].changes.removeAll { change in gone.contains { $0.table === change.table } }
            news[index].changes += gone
        }
        return news
    }

    /// Whether another connection may have changed the schema of a file with tracked tables since they were described. Costs
    /// next to nothing where nobody else has written.
    private func othersHaveChangedSchema() -> Bool {
        var have = isDoubtful
        isDoubtful = false
        for (schema, known) in versions {
            let data = dataVersion(schema.text)
            if data == known.data { continue }
            versions[schema]?.data = data
            have = have || known.schema != schemaVersion(schema.text)
        }
        return have
    }

    /// Before a table is described, so that what changes meanwhile is looked at again.
    private func note(_ schema: String) {
        versions[nameKey(schema)] = (dataVersion(schema), schemaVersion(schema))
    }

    private func dataVersion(_ schema: String) -> UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(connection.handle, schema, SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// nil where it cannot be read now.
    private func schemaVersion(_ schema: String) -> Int64? {
        try? connection.pragma("\(quoteIdentifier(schema)).schema_version")
    }

    /// Begins to log what changes in a table.
    /// - Returns: the table; its name must be one of the file's tables, virtual ones among them.
    func track(
        _ schema: String, _ name: String, values: Bool, listener: (id: ObjectIdentifier, call: (RowKey) -> Void)?
    ) throws -> TrackedTable {
        let id = tableKey(schema, name)
        let table = tables[id] ?? TrackedTable(schema, name)
        if !table.isTracked {
            if versions[nameKey(schema)] == nil { note(schema) }
            try connection.describe(table)
            table.isAltered = false
            try own(shadowsOf: table)
            tables[id] = table
        }
        lastTable = nil
        if let listener {
            table.listeners[listener.id] = listener.call
        } else {
            table.watchers += 1
            if values { table.valueWatchers += 1 }
        }
        return table
    }

    /// What changes in the tables of a virtual one changes it.
    private func own(shadowsOf table: TrackedTable) throws {
        disown(shadowsOf: table)
        guard table.isVirtual else { return }
        for part in try connection.shadowTables(of: table) {
            let id = tableKey(table.schema, part)
            let shadow = tables[id] ?? TrackedTable(table.schema, part)
            shadow.owners.append(table)
            tables[id] = shadow
        }
    }

    private func disown(shadowsOf table: TrackedTable) {
        for shadow in tables.values { shadow.owners.removeAll { $0 === table } }
    }

    func untrack(_ table: TrackedTable, values: Bool, listener: ObjectIdentifier?) {
        if let listener {
            table.listeners[listener] = nil
        } else {
            table.watchers -= 1
            if values { table.valueWatchers -= 1 }
        }
        lastTable = nil
        guard !table.isTracked else { return }
        disown(shadowsOf: table)
        tables = tables.filter { $0.value.isTracked || !$0.value.owners.isEmpty }
    }

    var isEmpty: Bool { tables.isEmpty }

    /// Looks at the tables anew, after the schema has changed. One that is gone keeps what was known of it.
    /// - Returns: what became of those that are not what they were.
    package func describeAgain() -> [RowChange] {
        lastTable = nil
        for schema in versions.keys { note(schema.text) }
        return tables.values.filter { table in
            guard table.isTracked else { return false }
            do {
                try connection.describe(table)
                if table.isAltered { try own(shadowsOf: table) }
            } catch {
                table.isGone()
            }
            defer { table.isAltered = false }
            if table.isAltered { table.touch(.none) }
            return table.isAltered
        }.map { RowChange(unknown: $0) }
    }
}

private func log(_ context: UnsafeMutableRawPointer?) -> ChangeLog {
    // SQLite hands back what `install` gave it, for as long as the log is installed.
    Unmanaged<ChangeLog>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
}
