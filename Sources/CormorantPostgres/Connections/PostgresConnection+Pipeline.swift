import CormorantBase
import CormorantEngine

/// Statements that were sent without waiting for their outcome.
final class Pipeline {
    /// Whether libpq is in the mode for it.
    fileprivate var isEntered = false
    /// Whether the server has been asked to answer all that was sent.
    fileprivate var isFlushed = true
    /// How many were sent in all, rows that are copied included.
    fileprivate var sent = 0
    /// Those whose outcome was not received, from `received` on; of those from `answered` on it was not read.
    fileprivate var outcomes: [Outcome] = []
    fileprivate var answered = 0
    fileprivate var received = 0
    /// What the server refused first.
    fileprivate var error: CormorantError?
    fileprivate var copy: PostgresCopy?
    /// Whether rows may be copied by what the transaction's snapshot shows.
    fileprivate var copies = true

    fileprivate struct Outcome {
        let prepared: Prepared
        /// Which of all that were sent.
        let place: Int
        var changes: Int64 = 0
        /// Where it has rows.
        var result: OpaquePointer?
    }
}

extension PostgresConnection {
    package var isPipelining: Bool { pipeline != nil }

    package func pipelined(_ body: () throws -> Void) throws {
        guard pipeline == nil else { throw CormorantError(.internal, "a pipeline is open in this one") }
        try makeReady()
        pipeline = Pipeline()
        defer { pipeline = nil }
        do {
            try body()
            try settle()
        } catch {
            // In a child of the process that has opened it all of it is the parent's.
            if isForked { throw error }
            pipeline?.copy?.cancel()
            pipeline?.copy = nil
            try? settle()
            throw error
        }
    }

    package func settle() throws {
        guard let pipeline else { return }
        defer { forget(pipeline) }
        try leavePipeline()
    }

    /// Drops what nobody has received.
    private func forget(_ pipeline: Pipeline) {
        for outcome in pipeline.outcomes[pipeline.received...] { pq.clear(outcome.result) }
        pipeline.outcomes.removeAll(keepingCapacity: true)
        (pipeline.answered, pipeline.received) = (0, 0)
    }

    /// - Returns: whether its outcome is to be received.
    func send(_ statement: PostgresStatement, copying copySQL: String?, omitting omitted: Int32) throws -> Bool {
        guard let pipeline else { throw CormorantError(.internal, "a statement is not waited for outside a pipeline") }
        if let error = pipeline.error { throw error }
        try fork.refuse()
        do {
            if let copy = pipeline.copy, copy.statement === statement, copy.omitted == omitted {
                try copy.addRow()
                pipeline.sent += 1
                return false
            }
            let isCopied = try begin(statement, copying: copySQL, omitting: omitted, pipeline)
            pipeline.sent += 1
            return !isCopied
        } catch let error as CormorantError where error.code != .connection {
            throw pipeline.error ?? (error.recordIndex == nil ? error.at(record: pipeline.sent) : error)
        }
    }

    private func begin(
        _ statement: PostgresStatement, copying copySQL: String?, omitting omitted: Int32, _ pipeline: Pipeline
    ) throws -> Bool {
        let prepared = statement.prepared
        if prepared.isStale {
            try leavePipeline()
            try describe(prepared)
        }
        guard let copySQL, pipeline.copies, constraints.copies(prepared.sql.words.target), !prepared.hasOtherTypes
        else {
            try send(statement, pipeline)
            return false
        }
        try leavePipeline()
        let copy = try PostgresCopy(statement, ServerSQL(copySQL), omitting: omitted, first: pipeline.sent)
        guard copy.hasBegun else {
            pipeline.copies = prepared.isStale
            return try begin(statement, copying: copySQL, omitting: omitted, pipeline)
        }
        pipeline.copy = copy
        try copy.addRow()
        return true
    }

    private func send(_ statement: PostgresStatement, _ pipeline: Pipeline) throws {
        if pipeline.copy != nil { try leavePipeline() }
        let prepared = statement.prepared
        let parameters = try statement.encodeParameters()
        if !pipeline.isEntered {
            try makeReady()
            began(prepared.sql.source)
            guard pq.enterPipeline(handle) == 1 else { throw lost(prepared.sql.words) }
            pipeline.isEntered = true
        }
        guard send(prepared, parameters) else { throw lost(prepared.sql.words) }
        pipeline.outcomes.append(.init(prepared: prepared, place: pipeline.sent))
        pipeline.isFlushed = false
    }

    /// Takes the outcome of the oldest statement that was sent.
    /// - Returns: its rows, where it has some, for the caller to clear.
    func receive() throws -> OpaquePointer? {
        guard let pipeline, pipeline.received < pipeline.outcomes.count else {
            throw CormorantError(.internal, "there is no outcome to receive")
        }
        if let error = pipeline.error { throw error }
        if pipeline.answered == pipeline.received {
            if !pipeline.isFlushed {
                guard pq.sendFlushRequest(handle) == 1, pq.flush(handle) >= 0 else { throw lost(nil) }
                pipeline.isFlushed = true
            }
            try answer(pipeline)
        }
        let outcome = pipeline.outcomes[pipeline.received]
        pipeline.received += 1
        if pipeline.received == pipeline.outcomes.count { forget(pipeline) }
        changes = outcome.changes
        return outcome.result
    }

    /// Waits for the outcome of all that was sent, and ends the mode. Outside a pipeline it does nothing.
    func leavePipeline() throws {
        guard let pipeline else { return }
        try fork.refuse()
        if let copy = pipeline.copy {
            pipeline.copy = nil
            do {
                try copy.finish()
            } catch let error as CormorantError {
                pipeline.error = error
                throw error
            }
        }
        guard pipeline.isEntered else { return }
        pipeline.isEntered = false
        let words = pipeline.outcomes.last?.prepared.sql.words
        guard pq.sync(handle) == 1 else { throw lost(words) }
        let told = pipeline.error
        while pipeline.answered < pipeline.outcomes.count { try answer(pipeline) }
        try collect(words) { _, _ in }
        _ = pq.exitPipeline(handle)
        pipeline.isFlushed = true
        ended()
        if told == nil, let error = pipeline.error { throw error }
    }

    /// Reads the outcome of the oldest statement of which it was not read.
    private func answer(_ pipeline: Pipeline) throws {
        let index = pipeline.answered
        let (prepared, place) = (pipeline.outcomes[index].prepared, pipeline.outcomes[index].place)
        let sql = prepared.sql
        pipeline.answered += 1
        while let result = pq.getResult(handle) {
            switch pq.resultStatus(result) {
            case ResultStatus.command, ResultStatus.rows, ResultStatus.singleRow, ResultStatus.chunk:
                completed(result, sql.words)
                pipeline.outcomes[index].changes = sql.words.changesRows ? changes : 0
                // libpq gives the first statement's row by itself where the one before the pipeline had its rows so.
                if pq.rowCount(result) > 0, pipeline.outcomes[index].result == nil {
                    pipeline.outcomes[index].result = result
                    continue
                }
            case ResultStatus.pipelineAborted: break
            default:
                let failure = ServerFailure(result, pq)
                prepared.note(failure)
                if pipeline.error == nil { pipeline.error = error(failure, sql).at(record: place) }
            }
            pq.clear(result)
        }
        if pq.status(handle) != 0 { throw lost(sql.words) }
        // While the mode is left, the rest is read first.
        if pipeline.isEntered, let error = pipeline.error { throw error }
    }

    /// Sends savepoints or settings with a statement behind them, all of it in one message.
    /// - Returns: false where libpq does not.
    func send(_ before: [String], _ prepared: Prepared, _ parameters: WireParameters) -> Bool {
        enterPipeline(sending: before) && send(prepared, parameters) && pq.sync(handle) == 1
    }

    func enterPipeline(sending before: [String]) -> Bool {
        guard pq.enterPipeline(handle) == 1 else { return false }
        return before.allSatisfy { pq.sendQueryParams(handle, $0, 0, nil, nil, nil, nil, 0) == 1 }
    }

    /// Reads what the server says to these, before what it says to the statement behind them.
    func readWhatWentBefore(_ count: Int) -> ServerFailure? {
        var failure: ServerFailure?
        for _ in 0..<count {
            while let result = pq.getResult(handle) {
                switch pq.resultStatus(result) {
                case ResultStatus.command, ResultStatus.rows, ResultStatus.singleRow, ResultStatus.chunk: break
                default: failure = failure ?? ServerFailure(result, pq)
                }
                pq.clear(result)
            }
        }
        return failure
    }

    /// Behind the results of such a statement. Returns what the server says against its commit, where it is one by itself.
    func leaveModeOfPipeline(_ words: StatementWords) throws(CormorantError) -> ServerFailure? {
        guard pq.status(handle) == 0 else { return nil }
        var failure: ServerFailure?
        try collect(words) { _, result in failure = failure ?? ServerFailure(result, pq) }
        _ = pq.exitPipeline(handle)
        return failure
    }

    /// Sends a prepared statement with its parameters; false where libpq does not.
    func send(_ prepared: Prepared, _ parameters: WireParameters) -> Bool {
        if let name = prepared.name, parameters.types == nil {
            // Without a copy for each run.
            return name.withCString { name in
                pq.sendQueryPrepared(
                    handle, name, parameters.count, parameters.values, parameters.lengths, parameters.formats,
                    prepared.resultFormat) == 1
            }
        }
        return pq.sendQueryParams(
            handle, prepared.sql.text, parameters.count, parameters.types, parameters.values, parameters.lengths,
            parameters.formats, prepared.resultFormat) == 1
    }
}
