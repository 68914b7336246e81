import CormorantBase
import CormorantEngine

/// Statements that were sent without waiting for their outcome.
final class Pipeline {
    /// Whether libpq is in the mode for it.
    var isEntered = false
    /// How many were sent in all.
    var sent = 0
    /// What was sent and not answered.
    var waiting: [ServerSQL] = []
    /// The rows that each changed.
    var changes: [Int64] = []
    var error: CormorantError?
}

extension PostgresConnection {
    /// So many wait for their outcome at most: neither side may have more to say than the other takes without reading.
    private static let depth = 256

    /// Outside a transaction all of it is one, as far as no statement with rows is among it.
    package func pipelined(_ body: () throws -> Void) throws -> [Int64] {
        guard pipeline == nil else { throw CormorantError(.internal, "a pipeline is open in this one") }
        try makeReady()
        let pipeline = Pipeline()
        self.pipeline = pipeline
        defer { self.pipeline = nil }
        do {
            try body()
        } catch {
            try? leavePipeline()
            // What the server refused is why the rest failed.
            throw pipeline.error ?? error
        }
        try leavePipeline()
        return pipeline.changes
    }

    /// Sends a statement without rows.
    func sendInPipeline(_ statement: PostgresStatement) throws {
        guard let pipeline else { return }
        if let error = pipeline.error { throw error }
        let prepared = statement.prepared
        if prepared.isStale {
            try leavePipeline()
            try describe(prepared)
        }
        if !pipeline.isEntered {
            try makeReady()
            began(prepared.sql.source)
            guard pq.enterPipeline(handle) == 1 else { throw lost(prepared.sql.words) }
            pipeline.isEntered = true
        }
        do {
            guard send(prepared, try statement.encodeParameters()) else { throw lost(prepared.sql.words) }
        } catch let error as CormorantError where error.code != .connection {
            throw error.at(record: pipeline.sent)
        }
        pipeline.waiting.append(prepared.sql)
        pipeline.sent += 1
        if pipeline.waiting.count == PostgresConnection.depth {
            guard pq.sendFlushRequest(handle) == 1, pq.flush(handle) >= 0 else { throw lost(prepared.sql.words) }
            try answer()
        }
    }

    /// Waits for the outcome of all that was sent, and ends the mode. Outside a pipeline it does nothing.
    func leavePipeline() throws {
        guard let pipeline, pipeline.isEntered else { return }
        pipeline.isEntered = false
        let words = pipeline.waiting.last?.words
        guard pq.sync(handle) == 1 else { throw lost(words) }
        let told = pipeline.error
        try answer()
        try collect(words) { _, _ in }
        _ = pq.exitPipeline(handle)
        ended()
        if told == nil, let error = pipeline.error { throw error }
    }

    /// Reads the outcome of what waits.
    private func answer() throws {
        guard let pipeline else { return }
        let first = pipeline.sent - pipeline.waiting.count
        for (index, sql) in pipeline.waiting.enumerated() {
            while let result = pq.getResult(handle) {
                switch pq.resultStatus(result) {
                case ResultStatus.command, ResultStatus.rows:
                    completed(result, sql.words)
                    pipeline.changes.append(sql.words.changesRows ? changes : 0)
                case ResultStatus.pipelineAborted: break
                default:
                    let failure = ServerFailure(result, pq)
                    if pipeline.error == nil { pipeline.error = error(failure, sql).at(record: first + index) }
                }
                pq.clear(result)
            }
            if pq.status(handle) != 0 { throw lost(sql.words) }
        }
        pipeline.waiting.removeAll(keepingCapacity: true)
    }

    /// Sends a prepared statement with its parameters; false where libpq does not.
    func send(_ prepared: Prepared, _ parameters: WireParameters) -> Bool {
        if let name = prepared.name {
            return pq.sendQueryPrepared(
                handle, name, parameters.count, parameters.values, parameters.lengths, parameters.formats,
                prepared.resultFormat) == 1
        }
        return prepared.parameterOIDs.withUnsafeBufferPointer { types in
            pq.sendQueryParams(
                handle, prepared.sql.text, parameters.count, types.baseAddress, parameters.values, parameters.lengths,
                parameters.formats, prepared.resultFormat) == 1
        }
    }
}
