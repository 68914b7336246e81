import CormorantBase
import CormorantEngine

/// A statement of a server's. Belongs to its connection's lock.
package final class PostgresStatement: EngineStatement {
    let connection: PostgresConnection
    let pq: LibPQ
    let prepared: Prepared
    /// One for each parameter, by SQLite's numbering.
    let bound: UnsafeMutablePointer<BoundValue>
    package let parameterCount: Int
    /// One for each column; they stay where they are.
    private let buffer: RowBuffer
    var encoder: ParameterEncoder
    private var rowVersion: Int
    private var isFinalized = false
    package var taking = RowTaking.streamed

    // The run.
    private var isRunning = false
    /// Whether the server sends results of it still.
    private var isStreaming = false
    /// Whether savepoints or settings were sent before it.
    private var isInPipeline = false
    /// Whether the server has told its outcome; an error after that is of its commit.
    private var isComplete = false
    private var results = ResultQueue()
    private var current: OpaquePointer?
    private var place: Int32 = 0
    private var count: Int32 = 0
    /// What a result told that was read for another statement's sake.
    private var failure: CormorantError?
    /// That the statement is to be described anew.
    private var stale: ServerFailure?

    init(_ connection: PostgresConnection, _ prepared: Prepared) {
        self.connection = connection
        pq = connection.pq
        self.prepared = prepared
        prepared.users += 1
        parameterCount = prepared.sql.parameterCount
        bound = .allocate(capacity: max(1, parameterCount))
        bound.initialize(repeating: BoundValue(), count: parameterCount)
        buffer = RowBuffer(prepared)
        encoder = ParameterEncoder(prepared.sql.numbers.count)
        rowVersion = prepared.version
    }

    deinit { finalize() }

    package func finalize() {
        guard !isFinalized else { return }
        reset()
        isFinalized = true
        prepared.users -= 1
        for index in 0..<parameterCount { bound[index].free() }
        bound.deallocate()
        encoder.free()
    }

    package func parameterName(_ index: Int) -> String? { prepared.sql.names[index] }

    package func parameterIndex(_ name: String) -> Int {
        let names = prepared.sql.names
        if let first = name.first, ":@$?".contains(first) { return names.first { $0.value == name }?.key ?? 0 }
        for sigil in [":", "@", "$"] {
            if let found = names.first(where: { $0.value == sigil + name }) { return found.key }
        }
        return 0
    }

    package var preparations: Int { isRunning ? rowVersion : prepared.version }

    /// Those of its rows: another run of the same SQL may have found other ones since.
    private var columns: [Prepared.Column] { isRunning ? buffer.columns : prepared.columns }

    package var columnCount: Int { columns.count }

    package func columnName(_ index: Int) -> String { columns.indices.contains(index) ? columns[index].name : "" }

    package func declaredType(_ index: Int) -> String? {
        columns.indices.contains(index) ? columns[index].declaredType : nil
    }

    package var isReadOnly: Bool { prepared.sql.words.isReadOnly }

    package var changesSchema: Bool { prepared.sql.words.changesSchema }

    package var transactionWord: String? { prepared.sql.words.transactionWord }

    package var row: (cells: UnsafePointer<RowCell>, count: Int32) {
        (UnsafePointer(buffer.cells), Int32(truncatingIfNeeded: buffer.count))
    }

    // Running --------------------------------------------------------------------------------------------------------

    package func step() throws -> Bool {
        if place &+ 1 < count {
            place &+= 1
        } else if try !nextResult() {
            return false
        }
        try fillRow()
        return true
    }

    private func fillRow() throws {
        do {
            try buffer.fill(pq, current, place, prepared)
        } catch {
            reset()
            throw error
        }
    }

    /// Goes to the first row of the next result. One result more is read ahead, so that what ends the statement, such as an
    /// error of its commit, is known before its last row is given.
    private func nextResult() throws -> Bool {
        if !isRunning { try start() }
        pq.clear(current)
        current = nil
        (place, count) = (0, 0)
        while isStreaming, results.count < 2 { readResult() }
        // The rows before it come first, unless it ended the statement as a whole.
        if let failure, isComplete || results.count == 0 {
            reset()
            throw failure
        }
        guard let next = results.next() else {
            isRunning = false
            return false
        }
        current = next
        count = pq.rowCount(next)
        return true
    }

    package func send(copying sql: String?, omitting omitted: Int32) throws -> Bool {
        try connection.send(self, copying: sql, omitting: omitted)
    }

    package func receive() throws -> Bool {
        reset()
        guard let result = try connection.receive() else { return false }
        (current, count) = (result, pq.rowCount(result))
        isRunning = true
        adoptColumns(result)
        try fillRow()
        return true
    }

    private func adoptColumns(_ result: OpaquePointer) {
        prepared.adoptColumns(result, pq)
        layOut()
    }

    private func layOut() {
        guard rowVersion != prepared.version else { return }
        buffer.layOut(prepared)
        rowVersion = prepared.version
    }

    private func start() throws {
        if prepared.isDirect { return try runDirect() }
        try connection.leavePipeline()
        // Whose rows come one by one goes by itself.
        try connection.makeReady(withSavepoints: taking.isStreamed && prepared.sql.words.isReadOnly)
        if prepared.isStale { try connection.describe(prepared) }
        try send()
        if let stale = try firstResult() {
            prepared.note(stale)
            // Where the types are the same it is an error for another reason.
            guard connection.transaction == .none, try stale.isStale || connection.describesOthers(prepared) else {
                throw connection.error(stale, prepared.sql)
            }
        } else if prepared.isStale, isReadOnly {
            reset()
        } else {
            return
        }
        if prepared.isStale { try connection.describe(prepared) }
        try send()
        if let failure = try firstResult() { throw connection.error(failure, prepared.sql) }
    }

    private func runDirect() throws {
        try connection.leavePipeline()
        if let failure = try connection.runDirect(prepared.sql.text, prepared.sql.words, prepared.sql.source) {
            throw connection.error(failure, prepared.sql)
        }
    }

    private func send() throws {
        let parameters = try encodeParameters()
        layOut()
        connection.began(prepared.sql.source)
        isInPipeline = connection.anythingGoesBefore
        if isInPipeline {
            try sendBehind(connection.takeWhatGoesBefore(prepared.sql.words), parameters)
        } else if !connection.send(prepared, parameters) {
            throw connection.lost(prepared.sql.words)
        }
        // What writes is read to its end at once. All else takes its rows while the server makes the next ones.
        if !taking.isOne, !isInPipeline || connection.transaction == .none, prepared.sql.words.isReadOnly {
            _ = pq.setChunkedRowsMode?(connection.handle, 256) ?? pq.setSingleRowMode(connection.handle)
        }
        isRunning = true
        isStreaming = true
        isComplete = false
        connection.streaming = self
    }

    private func sendBehind(_ before: [String], _ parameters: WireParameters) throws {
        isInPipeline = !before.isEmpty
        let sent = isInPipeline ? connection.send(before, prepared, parameters) : connection.send(prepared, parameters)
        guard sent else { throw connection.lost(prepared.sql.words) }
        if isInPipeline, let refused = connection.readWhatWentBefore(before.count) {
            failure = connection.error(refused, prepared.sql)
        }
    }

    /// Returns the failure of a statement that is to be described anew.
    private func firstResult() throws -> ServerFailure? {
        stale = nil
        readResult()
        if stale != nil {
            failure = nil
            isRunning = false
        } else if let first = results.first {
            adoptColumns(first)
        }
        return stale
    }

    /// Reads a result, or the end.
    private func readResult() {
        let result = pq.getResult(connection.handle)
        let status = pq.resultStatus(result)
        if status == ResultStatus.singleRow || status == ResultStatus.chunk, let result { return results.add(result) }
        readEnd(result)
    }

    /// Reads what the server says behind the rows.
    private func readEnd(_ first: OpaquePointer?) {
        var (next, told) = (first, ServerFailure?.none)
        while let result = next {
            var isKept = false
            switch pq.resultStatus(result) {
            case ResultStatus.rows, ResultStatus.command:
                connection.completed(result, prepared.sql.words)
                isComplete = true
                isKept = pq.rowCount(result) > 0
            case ResultStatus.copyIn, ResultStatus.copyOut, ResultStatus.copyBoth:
                connection.abortCopy(result)
                failure = failure ?? connection.copyRefused(prepared.sql.source)
            case ResultStatus.emptyQuery: break
            default: told = told ?? ServerFailure(result, pq)
            }
            if isKept { results.add(result) } else { pq.clear(result) }
            next = pq.getResult(connection.handle)
        }
        isStreaming = false
        if isInPipeline {
            isInPipeline = false
            do {
                let refused = try connection.leaveModeOfPipeline(prepared.sql.words)
                told = told ?? refused
            } catch { failure = failure ?? error }
        }
        if pq.status(connection.handle) != 0, connection.loss == nil { failure = connection.lost(prepared.sql.words) }
        connection.ended()
        guard let told else { return }
        failure = failure ?? connection.error(told, prepared.sql)
        if results.count == 0, told.isStale || told.isOutdated(prepared) { stale = told }
    }

    /// Reads what is still sent into memory, as another statement is to run.
    func keepRest() {
        while isStreaming { readResult() }
    }

    /// The connection is closed under it, or is another process's.
    func drop() {
        isStreaming = false
        results.clear(pq)
    }

    package func reset() {
        if isStreaming { connection.isForked ? drop() : skipRest() }
        pq.clear(current)
        current = nil
        (place, count) = (0, 0)
        results.clear(pq)
        failure = nil
        isRunning = false
    }

    /// Outside a transaction what is much is cancelled; inside, that would end the transaction.
    private func skipRest() {
        var read = 0
        while isStreaming {
            results.clear(pq)
            readResult()
            read += 1
            if read == 1000, connection.transaction == .none, isStreaming { connection.interrupter.cancel() }
        }
    }
}

/// Results that were read before they are asked for.
struct ResultQueue {
    /// Most often the only one.
    private(set) var first: OpaquePointer?
    private var others: [OpaquePointer] = []
    private var start = 0

    var count: Int { first == nil ? 0 : 1 + others.count - start }

    mutating func add(_ result: OpaquePointer) { if first == nil { first = result } else { others.append(result) } }

    mutating func next() -> OpaquePointer? {
        guard let result = first else { return nil }
        guard start < others.count else {
            first = nil
            return result
        }
        first = others[start]
        start += 1
        if start == others.count {
            others.removeAll(keepingCapacity: true)
            start = 0
        } else if start >= 1024 {
            others.removeFirst(start)
            start = 0
        }
        return result
    }

    mutating func clear(_ pq: LibPQ) {
        while let result = next() { pq.clear(result) }
    }
}
