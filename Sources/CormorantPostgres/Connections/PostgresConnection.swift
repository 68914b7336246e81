import CormorantBase
import CormorantEngine
import CormorantPlatform
import CormorantThreads

/// One connection to a server, with what it has prepared there. Not safe to share, but for `interrupt`.
package final class PostgresConnection: EngineConnection {
    let pq: LibPQ
    let url: ServerURL
    let settings: [String]
    /// The same for one transaction, where it may have a server that the one before it had not.
    private let localSettings: [String]
    /// The same as a query, which the server runs outside a transaction's block without a warning in its log; nil: there are none.
    private let localSettingsQuery: String?
    /// A child of the process that has opened it has the same socket.
    let fork = ForkMark()
    /// nil once it is closed.
    private(set) var handle: OpaquePointer?
    let interrupter: Interrupter
    package let engineName: String
    /// As 150018 for 15.18.
    package let serverVersion: Int
    /// Whether the server is in recovery, or its default is to take no writes.
    package var isReadOnly: Bool { openedReadOnly && stillReadsOnly }
    private var openedReadOnly: Bool

    package var changes: Int64 = 0
    package internal(set) var totalChanges: Int64 = 0
    package internal(set) var schemaChanges = 0
    /// From a number on that no other connection had.
    package private(set) var writes = monotonicTime()
    package private(set) var hasOwnSettings = false
    package private(set) var hasTemporaryTable = false
    /// The program's set-up.
    private var setUp: (() throws -> Void)?
    /// While it runs.
    private var isSettingUp = false
    /// Whether it makes what RESET ALL leaves there, so that it may run but once in a session.
    private var isForNewSession = false
    /// Whether this transaction may have.
    var hasWritten = false
    var transaction = TransactionState.none
    /// Whether the schema was changed in this transaction.
    private var hasChangedSchema = false
    /// The statement whose rows the server is sending. It takes itself away.
    unowned(unsafe) var streaming: PostgresStatement?
    /// Why it is of no use any more.
    var loss: CormorantError?
    var statements = PreparedStatements()
    var constraints = ConstraintCatalog()
    var pipeline: Pipeline?
    var isCopying = false
    /// Savepoints that are sent with what is run next.
    var savepoints: [String] = []
    /// By `coarseTime`, when a statement last ended outside a transaction.
    private var restsSince: Int64 = 0
    private let marked: MarkedSessions
    /// Whether this session is known to be.
    private var isMarked = false
    /// Where the URL has readers on standbys.
    private let standbys: StandbyReads?
    private var trace: ((String, Int64) -> Void)?
    /// What runs now, for the trace.
    private var running: (sql: String, begin: Int64)?

    enum TransactionState {
        case none, open, failed
    }

    /// - Parameter settings: SET statements of the program's, for each connection that is opened.
    package convenience init(url: String, settings: [String] = []) throws {
        let url = try ServerURL(url)
        try self.init(
            url, settings, MarkedSessions(), url.readsStandbys ? StandbyReads(WrittenPosition(), isReader: false) : nil)
    }

    private init(
        _ url: ServerURL, _ settings: [String], _ marked: MarkedSessions, _ standbys: StandbyReads?
    ) throws {
        pq = try LibPQ.shared()
        self.marked = marked
        self.url = url
        self.settings = settings
        localSettings =
            url.keepsStatements
            ? []
            : settings.map {
                $0 == readOnlySetting ? "SET TRANSACTION READ ONLY" : "SET LOCAL \($0.dropFirst("SET ".count))"
            }
        localSettingsQuery = localSettings.isEmpty ? nil : queryMakingLocal(settings)
        self.standbys = standbys
        let opened = try OpenedServer(pq, url, settings, standbys?.wanted)
        handle = opened.handle
        engineName = opened.name
        serverVersion = opened.version
        openedReadOnly = opened.isReadOnly
        interrupter = Interrupter(pq, opened.handle)
    }

    deinit { close() }

    /// Whether a text is what `init(url:)` takes.
    package static func isURL(_ text: String) -> Bool { ServerURL.isOne(text) }

    /// The URL as messages may show it.
    package static func shown(_ url: String) -> String { ServerURL.withoutPassword(url) }

    package func another(isReader: Bool) throws -> any EngineConnection {
        try PostgresConnection(
            url, settings, marked, standbys.map { StandbyReads($0.written, isReader: isReader) })
    }

    package var isStreaming: Bool { streaming != nil }

    package func mark(_ number: Int64) { marked.number.store(number) }

    /// Has the server know the session by its name, which poolers keep as they keep no other setting.
    private func beMarked(_ number: Int64) throws {
        let mark = sessionMark(number)
        isMarked = true
        // Which the server tells whenever it is another.
        let name = parameter("application_name") ?? ""
        if !name.hasSuffix(mark) {
            do {
                // No query, before which SET TRANSACTION would have to stand.
                try run("SET application_name = \(textLiteral(String(name.prefix(50)) + mark))", isTold: false)
            } catch {
                isMarked = false
                throw error
            }
        }
        // What a transaction sets may be taken back.
        if transaction != .none { isMarked = false }
    }

    package var keepsSession: Bool { url.keepsStatements }
    package var watching: EngineWatching { url.watching }

    package func listener(_ channel: String) throws -> any EngineListener {
        try PostgresListener(pq, url, channel)
    }

    package func close() {
        streaming?.drop()
        streaming = nil
        // A child would tell the server that its parent goes.
        if !isForked { pq.close(handle) }
        handle = nil
        transaction = .none
    }

    /// Whether the socket is another process's, which alone reads from it and writes to it.
    var isForked: Bool { fork.isForked }

    package func setUp(_ body: @escaping () throws -> Void) throws {
        setUp = body
        try runSetUp()
    }

    private func runSetUp() throws {
        guard let setUp else { return }
        isSettingUp = true
        defer { (isSettingUp, hasOwnSettings, hasTemporaryTable) = (false, false, false) }
        try setUp()
    }

    /// Looks, without asking the server, whether that has ended the connection while nothing ran for long; if so, it is opened anew.
    package func wake() {
        guard transaction == .none, coarseTime() &- restsSince > 1_000_000_000, loss == nil, streaming == nil else {
            return
        }
        // A server that goes says why first.
        guard pq.consumeInput(handle) == 1, pq.consumeInput(handle) == 1, pq.status(handle) == 0 else {
            _ = lost(nil)
            return
        }
        // Of a session that listens libpq keeps them, and nobody reads them.
        while let notification = pq.notifies(handle) { pq.freeMemory(notification) }
    }

    package func interrupt() { interrupter.interrupt() }

    package func setTrace(_ callback: ((_ sql: String, _ nanoseconds: Int64) -> Void)?) { trace = callback }

    // Transactions ---------------------------------------------------------------------------------------------------

    package var isInTransaction: Bool { transaction != .none }

    package var hasFailedTransaction: Bool { transaction == .failed }

    /// Servers from 14 on tell when a standby has been promoted, or a default was set anew, with what is run next.
    private var stillReadsOnly: Bool {
        guard let recovers = parameter("in_hot_standby") else { return true }
        return recovers == "on" || parameter("default_transaction_read_only") == "on"
    }

    private func parameter(_ name: String) -> String? {
        pq.parameterStatus(handle, name).map { String(cString: $0) }
    }

    /// Writes are serializable, as SQLite's are: a program that reads and then writes would lose updates otherwise.
    package func begin(_ kind: EngineTransaction) throws {
        guard transaction == .none else {
            throw CormorantError(
                .transaction, "cannot start a transaction within a transaction",
                hint: "end the one that is open first, or use a SAVEPOINT inside it")
        }
        if kind != .read, isReadOnly, parameter("in_hot_standby") == "on" { try run("SELECT 1", isTold: false) }
        let settings = localSettings.map { "; \($0)" }.joined()
        do {
            switch kind {
            case .write where !isReadOnly: try run("BEGIN ISOLATION LEVEL SERIALIZABLE\(settings)")
            case .batch where !isReadOnly: try run("BEGIN ISOLATION LEVEL READ COMMITTED\(settings)")
            // In one message, so that what is read is as of now, not as of the first statement.
            case .write, .batch, .read:
                try run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY\(settings); SELECT 1")
            }
        } catch {
            // What stands behind BEGIN has failed.
            if transaction != .none { try? run("ROLLBACK", isTold: false) }
            throw error
        }
    }

    /// Behind a pooler that gives each transaction another server, settings would be those of whoever comes next: they go with each
    /// statement outside a transaction, too. A procedure ends transactions itself, which it cannot with something before it; a lock
    /// would be no mistake then.
    func settings(before words: StatementWords) -> [String] {
        localSettings.isEmpty || transaction != .none || words.first == "lock"
            || words.callsProcedure && !settings.contains(readOnlySetting)
            ? [] : localSettings
    }

    /// The same for a pipeline.
    func settingsQuery(before words: StatementWords) -> [String] {
        guard let localSettingsQuery, !settings(before: words).isEmpty else { return [] }
        return [localSettingsQuery]
    }

    // Statements -----------------------------------------------------------------------------------------------------

    package func prepare(_ sql: String) throws -> any EngineStatement {
        PostgresStatement(self, try described(sql))
    }

    /// With what the server tells of it.
    func described(_ sql: String) throws -> Prepared {
        if let known = statements.find(sql) {
            if known.isStale { try describe(known) }
            return known
        }
        let prepared = Prepared(try ServerSQL(sql), keepsStatements: url.keepsStatements)
        if !prepared.isDirect {
            do { try describe(prepared) } catch {
                if prepared.isOnServer { statements.keep(prepared) }
                throw error
            }
        }
        // One that goes can be dropped on the server only where that runs anything.
        if transaction != .failed, let old = statements.add(prepared), old.isOnServer, let name = old.name {
            try run("DEALLOCATE \(name)", isTold: false)
        }
        return prepared
    }

    // One statement at a time ----------------------------------------------------------------------------------------

    package func savepoint(_ sql: String) throws {
        guard transaction == .open, pipeline == nil, loss == nil else { return try script(sql) { _ in nil } }
        savepoints.append(sql)
        trace?(sql, 0)
    }

    /// Those to be sent now.
    func takeSavepoints() -> [String] {
        if savepoints.isEmpty { return [] }
        defer { savepoints.removeAll(keepingCapacity: true) }
        return savepoints
    }

    var anythingGoesBefore: Bool { !savepoints.isEmpty || !localSettings.isEmpty }

    /// What is sent in one message with a statement.
    func takeWhatGoesBefore(_ words: StatementWords) -> [String] {
        if !savepoints.isEmpty { return takeSavepoints() }
        return settingsQuery(before: words)
    }

    /// Before anything is sent: what another statement still gets is read into memory.
    /// - Parameter withSavepoints: whether those that wait are sent, too.
    func makeReady(withSavepoints: Bool = true) throws {
        guard handle != nil else {
            throw CormorantError(
                .misuse, "the database is closed", hint: "open it again, and close it after its last use")
        }
        wake()
        if let loss {
            // A transaction that was lost with it waits for its rollback.
            guard transaction == .none, !isSettingUp else { throw loss }
            try reopen()
        }
        guard !isCopying else {
            throw CormorantError(.internal, "rows are being copied into a table on this connection")
        }
        streaming?.keepRest()
        if let loss { throw loss }
        if !isMarked, transaction != .failed, pipeline == nil,
            case let number = withoutRetaining(marked, { $0.number.load() }), number != 0
        {
            try beMarked(number)
        }
        if let standbys, transaction == .none, pipeline == nil, !isSettingUp { try standbys.catchUp(self) }
        if withSavepoints, !savepoints.isEmpty { try run(takeSavepoints().joined(separator: "; "), isTold: false) }
    }

    /// What is sent from here on can be interrupted.
    /// - Parameter isTold: whether the trace is told; what is run for the sake of another statement is not.
    func began(_ sql: @autoclosure () -> String, isTold: Bool = true) {
        interrupter.begin()
        if isTold { standbys?.hasRun = true }
        if trace != nil, isTold { running = (sql(), monotonicTime()) }
    }

    /// When the last result has been read.
    func ended() {
        interrupter.end()
        streaming = nil
        switch loss == nil ? pq.transactionStatus(handle) : -1 {
        case -1: break
        case 2: transaction = .open
        case 3: transaction = .failed
        default: transaction = .none
        }
        if transaction == .none {
            restsSince = coarseTime()
            hasChangedSchema = false
            noteWrites()
            standbys?.note(self)
        }
        guard let (sql, begin) = running else { return }
        running = nil
        trace?(sql, monotonicTime() - begin)
    }

    private func noteWrites() {
        if hasWritten { writes &+= 1 }
        hasWritten = false
    }

    /// Takes the outcome of a command from its tag, such as `INSERT 0 3`.
    func completed(_ result: OpaquePointer, _ words: StatementWords) {
        if words.mayWrite { hasWritten = true }
        if words.changesSession {
            hasOwnSettings = true
            isMarked = false
            if words.makesTemporaryTable { hasTemporaryTable = true }
        }
        if isSettingUp, words.makesTemporaryTable || words.first == "prepare" { isForNewSession = true }
        if words.changesRows, let tag = pq.affectedRows(result), let count = Int64(String(cString: tag)) {
            changes = count
            totalChanges += count
        }
        if words.forgetsStatements { statements.forget() }
        guard words.changesSchema else { return }
        if words.takesBack, !hasChangedSchema { return }
        schemaChanges += 1
        hasChangedSchema = true
        constraints.removeAll()
        statements.invalidate()
    }

    /// The error of a failed result. The connection may have been lost with it.
    /// - Parameter start: how many characters were sent before the statement.
    func error(_ failure: ServerFailure, _ prepared: ServerSQL, behind start: Int = 0) -> CormorantError {
        if pq.status(handle) != 0 { return lost(prepared.words) }
        return failure.error(
            sql: prepared.source, offset: failure.character.map { prepared.offset(ofCharacter: $0 - start) },
            constraint(of: failure), wasAsked: interrupter.isAsked)
    }

    /// Notes that the connection is lost, and says what became of what ran. What is run next outside a transaction opens it anew.
    func lost(_ words: StatementWords?) -> CormorantError {
        let said = pq.errorMessage(handle).map { firstLine(String(cString: $0)) } ?? ""
        let wasOpen = transaction != .none
        transaction = wasOpen ? .failed : .none
        // What was known of the session is not known of the one after it.
        schemaChanges += 1
        noteWrites()
        isCopying = false
        savepoints = []
        streaming = nil
        interrupter.end()
        let isUnknown = words.map { $0.commits || !wasOpen && $0.mayWrite } ?? false
        let fate =
            isUnknown
            ? "; whether it has carried out the last statement is not known"
            : wasOpen ? "; the transaction is rolled back" : ""
        let message = "the connection to the server is lost"
        let hint =
            wasOpen
            ? "roll back and begin again, which connects anew"
            : isUnknown ? "look whether what it wrote is there, and try again" : "try again, which connects anew"
        loss = CormorantError(.connection, message, hint: hint)
        return CormorantError(
            .connection, "\(message)\(fate)\(said.isEmpty ? "" : ": \(said)")", hint: hint)
    }

    /// Sets anew what the session was opened with, and outside a transaction what the program sets up: behind RESET ALL beside temporary
    /// tables, a role and the like, which stay. What fails leaves no session without it.
    func settleAgain(_ words: StatementWords) throws {
        guard let handle else { return }
        let wasOpen = transaction != .none
        let stays = words.first == "reset"
        let hadTemporaryTable = stays && hasTemporaryTable
        if stays, isForNewSession, !wasOpen, !isSettingUp, !hadTemporaryTable {
            _ = lost(nil)
            return try reopen()
        }
        do {
            openedReadOnly = try OpenedServer.settle(pq, handle, url, settings)
            guard !wasOpen, !isSettingUp else { return }
            try runSetUp()
            if stays { (hasOwnSettings, hasTemporaryTable) = (true, hadTemporaryTable) }
        } catch {
            _ = lost(nil)
            if !wasOpen { transaction = .none }
            throw error
        }
    }

    /// Connects anew, and sets up what the program does. What else was set for the session is gone, as are temporary tables and what the
    /// server had prepared.
    func reopen() throws {
        let opened = try OpenedServer(pq, url, settings, standbys?.wanted)
        interrupter.replace(opened.handle)
        pq.close(handle)
        handle = opened.handle
        isMarked = false
        openedReadOnly = opened.isReadOnly
        (hasOwnSettings, hasTemporaryTable) = (false, false)
        loss = nil
        statements.forget()
        schemaChanges += 1
        standbys?.reopened(self)
        do { try runSetUp() } catch {
            // Without it nothing is to run here.
            _ = lost(nil)
            transaction = .none
            throw error
        }
    }
}

/// Of the options that have the server take no writes.
package let readOnlySetting = "SET default_transaction_read_only = on"

/// What makes settings those of one transaction.
private func queryMakingLocal(_ settings: [String]) -> String {
    let calls = settings.map { setting in
        let words = setting.split(separator: " ")
        let name = setting == readOnlySetting ? "transaction_read_only" : String(words[1])
        return "pg_catalog.set_config('\(name)', '\(words[3])', true)"
    }
    return "SELECT " + calls.joined(separator: ", ")
}

/// What the sessions of one database are marked with; 0: nothing.
final class MarkedSessions: Sendable {
    let number = AtomicNumber()

    deinit { number.deallocate() }
}

/// The first line of what libpq says, which has several on where it tried to connect.
func firstLine(_ text: String) -> String {
    String(text.split(whereSeparator: \.isNewline).first ?? "")
}
