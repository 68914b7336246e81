import CormorantBase
import CormorantCipher
import CormorantMigrations
import CormorantORM
import CormorantObservation
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// A file that is shown, with a database for each purpose, so that none waits for another.
final class StudioFile: @unchecked Sendable {  // `lock` guards what stands below it
    enum Purpose: Int {
        /// What the page shows.
        case pages
        /// SQL of a person's, and plans, which may take long.
        case console
        /// Looking through the whole file, which has its connection for minutes.
        case checks
        /// Being told of commits.
        case watch
        /// Edits and migrations.
        case writing
    }

    /// Of one value or one row, in bytes: greater ones are shown by their sizes.
    static let greatestValue: Int32 = 16 << 20

    let path: String
    let isWritable: Bool
    private let told: @Sendable () -> Void
    private let lock = RecursiveLock(.binding)
    private var databases: [Purpose: Database] = [:]
    private var encryption: Encryption?
    private var isUnlocked = false
    private var isUnlocking = false
    private var known: (version: Int64, metadata: Metadata)?
    private var observer: Observer?
    /// Sets of edits that can be taken back, the newest last.
    private var undoable: [EditSet] = []

    /// - Parameter told: called after each commit to the file, whoever made it.
    init(_ path: String, isWritable: Bool, told: @escaping @Sendable () -> Void) {
        self.path = path
        self.isWritable = isWritable
        self.told = told
    }

    var name: String { String(path.split(separator: "/").last ?? "") }
    var isLocked: Bool { lock.locked { !isUnlocked } }
    var formatName: String? { lock.locked { encryption?.formatName } }

    /// Opens it, with a key where it is encrypted.
    func unlock(_ encryption: Encryption?) throws {
        let isFirst = lock.locked {
            defer { isUnlocking = true }
            return !isUnlocking && !isUnlocked
        }
        guard isFirst else { throw CormorantError(.busy, "the file is being opened", hint: "wait a moment") }
        defer { lock.locked { isUnlocking = false } }
        let database = try openDatabase(path, .view, encryption)
        lock.locked {
            self.encryption = encryption
            isUnlocked = true
            databases[.pages] = database
        }
        try watch()
    }

    func database(_ purpose: Purpose) throws -> Database {
        let (open, encryption, isUnlocked) = lock.locked { (databases[purpose], self.encryption, self.isUnlocked) }
        if let open { return open }
        guard isUnlocked else {
            throw CormorantError(.keyMissing, "\"\(visible(path))\" is encrypted", hint: "give its key")
        }
        guard purpose != .writing || isWritable else { throw notWritable() }
        let made = try openDatabase(path, purpose == .writing ? .write : .view, encryption, isOpen: true)
        // Another request may have opened it meanwhile.
        return lock.locked {
            let kept = databases[purpose] ?? made
            databases[purpose] = kept
            return kept
        }
    }

    func notWritable() -> CormorantError {
        CormorantError(
            .readOnly, "the file is open for reading only", hint: "start corm studio with --write to change it")
    }

    /// Reads with a connection of the pool's.
    func read<T>(_ job: StudioJob, by purpose: Purpose = .pages, _ body: (Connection) throws -> T) throws -> T {
        try database(purpose).withReader { connection in
            connection.acceptForeignSchemas()
            connection.refuseLongValues(Self.greatestValue)
            return try job.run(on: connection, body)
        }
    }

    // Its schema ------------------------------------------------------------------------------------------------------

    /// Another number after each change of the schema.
    func schemaVersion() throws -> Int64 { try database(.pages).withReader { try $0.pragma("schema_version") } }

    func metadata() throws -> Metadata {
        let database = try database(.pages)
        let version = try schemaVersion()
        if let known = lock.locked({ known }), known.version == version { return known.metadata }
        let metadata = try database.metadata()
        lock.locked { known = (version, metadata) }
        return metadata
    }

    func table(_ name: String) throws -> TableShape {
        let tables = try metadata().tables
        guard let table = tables.first(where: { isSame($0.name, name) }) else {
            throw CormorantError(
                .schema, "there is no table \"\(visible(name))\"", hint: nearestNames(to: name, tables.map(\.name)))
        }
        return TableShape(table)
    }

    // Commits ---------------------------------------------------------------------------------------------------------

    private func watch() throws {
        guard lock.locked({ observer == nil }) else { return }
        let told = told
        let made = try database(.watch).observe(.tables([]), isLatestOnly: true) { event in
            if case .success = event { told() }
        }
        lock.locked { observer = made }
    }

    // Edits -----------------------------------------------------------------------------------------------------------

    /// - Parameter undo: nil: the set cannot be taken back, and what was before it no more.
    func keep(_ undo: EditSet?) {
        lock.locked {
            guard let undo else { return undoable = [] }
            undoable.append(undo)
            if undoable.count > 50 { undoable.removeFirst() }
        }
    }

    var undoCount: Int { lock.locked { undoable.count } }

    /// The newest set; it goes once it was taken back.
    var newestUndo: EditSet? { lock.locked { undoable.last } }

    func dropNewestUndo() { lock.locked { _ = undoable.popLast() } }
}

/// A table as SQL finds its rows.
struct TableShape {
    let table: TableMetadata
    /// In SQL, with the schema.
    let name: String
    /// What finds a row, in SQL; empty where nothing does, as in a view.
    let key: [String]
    /// Whether the key is the row number.
    let hasRowID: Bool

    init(_ table: TableMetadata) {
        self.table = table
        name = "main.\(quoteIdentifier(table.name))"
        if table.kind == .table, !table.isWithoutRowID {
            let words = ["rowid", "_rowid_", "oid"]
            let word =
                table.rowIDColumn.map(quoteIdentifier)
                ?? words.first { word in !table.columns.contains { sameIdentifier($0.name, word) } }
            key = word.map { [$0] } ?? []
            hasRowID = word != nil
        } else {
            key = table.kind == .table ? table.primaryKey.map(quoteIdentifier) : []
            hasRowID = false
        }
    }

    func column(_ name: String) throws -> ColumnMetadata {
        guard let column = table.columns.first(where: { isSame($0.name, name) }) else {
            throw CormorantError(
                .schema, "\"\(visible(table.name))\" has no column \"\(visible(name))\"",
                hint: nearestNames(to: name, table.columns.map(\.name)))
        }
        return column
    }

    /// `a = ? AND b = ?`, which finds one row.
    var keyCondition: String { key.map { "\($0) = ?" }.joined(separator: " AND ") }

    func requireKey(_ values: [Value]) throws {
        guard !key.isEmpty, values.count == key.count else {
            throw CormorantError(
                .misuse, "rows of \"\(visible(table.name))\" have no key",
                hint: "look at them in the tables they come from")
        }
    }

    /// What a blob's size alone is read of. In a view that would run what makes it twice.
    func shown(_ column: String) -> String {
        table.kind == .table ? Wire.sized(quoteIdentifier(column)) : quoteIdentifier(column)
    }

    var hasSizes: Bool { table.kind == .table }
}
