import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// A batch of records of one model on an engine that sends statements without waiting for each: one for each record, whose
/// outcome is received when many were sent. Keys are reserved before where nothing else comes back.
package final class BatchPipeline {
    /// So many records are under way at most.
    static let depth = 1024

    private let count: Int
    /// Whether all records are inserted and nothing else is written, so that they may be copied into the table.
    let isCopied: Bool
    /// Whether records get the keys that are made for them.
    let tellsKeys: Bool
    private var sent = 0
    /// The statement that copied the oldest records, of which nothing comes back, and how many of them are not received.
    private var copying: PlannedStatement?
    private var copied = 0
    /// Those that were sent after them.
    private var waiting: [Sent] = []
    private var received = 0
    private var keys: ArraySlice<Int64> = []
    /// The greatest key that a record brought and that has not moved what makes keys.
    fileprivate private(set) var greatest: Int64?

    fileprivate struct Sent {
        let planned: PlannedStatement
        /// That was reserved for the record.
        let key: Int64?
        let wantsKey: Bool
        let hasOutcome: Bool
    }

    fileprivate init(count: Int, isCopied: Bool, tellsKeys: Bool) {
        self.count = count
        self.isCopied = isCopied
        self.tellsKeys = tellsKeys
    }

    /// - Parameter omitted: the parameter of a key that the table makes and nobody is told.
    fileprivate func send(
        _ planned: PlannedStatement, key: Int64? = nil, wantsKey: Bool = false, omitting omitted: Int32 = 0
    ) throws {
        let copySQL = !isCopied ? nil : omitted == 0 ? planned.copySQL : planned.keylessCopySQL
        let hasOutcome = try planned.statement.engine?.send(copying: copySQL, omitting: omitted) ?? true
        sent += 1
        guard !hasOutcome, key == nil, waiting.isEmpty, copied == 0 || copying === planned else {
            return waiting.append(Sent(planned: planned, key: key, wantsKey: wantsKey, hasOutcome: hasOutcome))
        }
        if copying !== planned { copying = planned }
        copied += 1
    }

    /// Receives the oldest record where it was copied.
    fileprivate func receiveCopied() -> Bool {
        guard copied > 0 else { return false }
        copied -= 1
        if copied == 0 { copying?.statement.reset() }
        return true
    }

    fileprivate func next() throws -> Sent {
        guard received < waiting.count else { throw CormorantError(.internal, "a batch has sent nothing more") }
        defer {
            received += 1
            if received == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                received = 0
            }
        }
        return waiting[received]
    }

    /// A key that no other record has.
    /// - Parameter reserve: gets how many are wanted.
    fileprivate func nextKey(_ reserve: (Int64) throws -> [Int64]) throws -> Int64 {
        if keys.isEmpty { keys = try reserve(Int64(max(1, min(count - sent, 1 << 20))))[...] }
        guard let key = keys.popFirst() else {
            throw CormorantError(.internal, "no key was reserved for a record of a batch")
        }
        return key
    }

    /// Notes a key that a record brings: those that are made come after it.
    fileprivate func note(given key: Int64, movesOthers: Bool) {
        while let next = keys.first, next <= key { keys.removeFirst() }
        if !movesOthers { greatest = max(greatest ?? key, key) }
    }

    fileprivate func forgetGreatest() { greatest = nil }
}

extension ModelPlan {
    /// Sends a statement that writes a record, and does not wait for it.
    @inline(never)
    func send<Access: RecordAccess>(_ planned: PlannedStatement, _ record: inout Access, wantsKey: Bool) throws -> Bool
    {
        guard let pipeline else { throw CormorantError(.internal, "a statement is not waited for outside of a batch") }
        var (key, omitted): (Int64?, Int32) = (nil, 0)
        if model.generatedColumn >= 0, case let parameter = planned.parameters[model.generatedColumn], parameter > 0 {
            if wantsKey, !pipeline.tellsKeys {
                omitted = parameter
            } else if wantsKey, planned.taken == .later {
                let made = try pipeline.nextKey(reserveKeys)
                try give(made, to: &record)
                planned.statement.bind(made, parameter)
                key = made
            } else if !wantsKey, planned.isInsert, let given = planned.statement.engine?.boundInteger(parameter) {
                pipeline.note(given: given, movesOthers: planned.copySQL == nil)
            }
        }
        if lastOfBatch !== planned { lastOfBatch = planned }
        try pipeline.send(planned, key: key, wantsKey: wantsKey, omitting: omitted)
        return true
    }

    /// The same of a deletion.
    @inline(never)
    func sendDeletion(_ planned: PlannedStatement, _ key: (inout RecordWriter) throws -> Void) throws -> Bool {
        var writer = writer(planned, makesKey: false)
        scratch.reset()
        try key(&writer)
        try pipeline?.send(planned)
        return true
    }

    /// Takes what came of the oldest record of a batch that was sent.
    /// - Returns: whether a row was written: false for an insert that was ignored, a record whose row was found, and a deletion that
    ///   met no row.
    package func receive<Access: RecordAccess>(_ record: inout Access, _ kind: RecordWrite.Kind) throws -> Bool {
        var isFound = false
        let changed = try receive(isWriting: kind != .delete) { planned, wantsKey, key, hasRow in
            if let key { try record.setGeneratedKey(key) }
            guard hasRow else { return }
            try take(planned, &record, wantsKey: wantsKey)
            if planned.taken == .allOrNew { isFound = try take(new: planned) }
        }
        if isFound { return false }
        if !changed, let planned = lastOfBatch, planned.taken == .allOrNew {
            // Another has inserted it since the statement began.
            guard try fetch(&record, with: lookup(planned.key)) else { throw skipped() }
            return false
        }
        guard !changed, kind != .insert else { return changed }
        // An upsert asks for no version.
        if lastOfBatch?.taken != .all { try refuseStale { try record.write(to: &$0) } }
        switch kind {
        case .update: throw noRecord(record)
        case .delete: return false
        default: throw skipped()
        }
    }

    /// The same of a record that is only looked at.
    package func receive(deletionOf write: (inout RecordWriter) throws -> Void) throws -> Bool {
        if try receive(isWriting: false, { _, _, _, _ in }) { return true }
        try refuseStale(write)
        return false
    }

    private func receive(
        isWriting: Bool, _ take: (PlannedStatement, _ wantsKey: Bool, _ key: Int64?, _ hasRow: Bool) throws -> Void
    ) throws -> Bool {
        guard let pipeline else { throw CormorantError(.internal, "there is no batch to receive from") }
        if pipeline.receiveCopied() { return true }
        let sent = try pipeline.next()
        let planned = sent.planned
        lastOfBatch = planned
        do {
            let hasRow = sent.hasOutcome ? try planned.statement.engine?.receive() ?? false : false
            try take(planned, sent.wantsKey, sent.key, hasRow)
            planned.statement.reset()
            return hasRow || !sent.hasOutcome || connection.changes > 0
        } catch {
            planned.statement.reset()
            throw explain(error, of: planned, wantsKey: sent.wantsKey, isWriting: isWriting)
        }
    }

    /// Gives a record the key that its row got; nothing where it has one.
    func take<Access: RecordAccess>(key row: RecordReader, _ record: inout Access, wantsKey: Bool) throws {
        if wantsKey { try give(row.row.cell(0).int64, to: &record) }
    }

    private func give<Access: RecordAccess>(_ key: Int64, to record: inout Access) throws {
        connection.newestKey = key
        try record.setGeneratedKey(key)
        guard model.madeKeys.contains(key) else { throw keyDoesNotFit(key) }
    }

    /// Of the row that a statement has found or inserted whether it was found.
    private func take(new planned: PlannedStatement) throws -> Bool {
        let row = Row(planned.statement)
        guard row.cell(Int32(truncatingIfNeeded: row.count - 1)).int64 == 1 else { return true }
        if !model.keyColumns.isEmpty {
            noteKey(RecordReader(planned.statement, columns: planned.results, model: model))
        }
        return false
    }

    /// Keeps the key of a whole row that was written.
    func noteKey(_ row: RecordReader) {
        if model.generatedColumn >= 0, row.columns[model.generatedColumn] >= 0 {
            connection.newestKey = row.cell(at: model.generatedColumn).int64
        } else if model.keyColumns.isEmpty, row.row.count > model.columns.count {
            connection.newestKey = row.row.cell(Int32(truncatingIfNeeded: model.columns.count)).int64
        }
    }

    private func reserveKeys(_ count: Int64) throws -> [Int64] {
        try raiseKeys()
        let statement = try connection.statement(
            compiler.reserveKeys(of: model.table, model.columns[model.generatedColumn].column))
        defer { connection.recycle(statement) }
        statement.bind(count, 1)
        var keys: [Int64] = []
        keys.reserveCapacity(Int(clamping: count))
        while try statement.step() {
            let key = Row(statement).cell(0)
            guard key.type == StorageType.integer else { throw makesNoKeys() }
            keys.append(key.int64)
        }
        return keys
    }

    /// Moves what makes keys beyond those that records of the batch brought.
    fileprivate func raiseKeys() throws {
        guard let greatest = pipeline?.greatest else { return }
        pipeline?.forgetGreatest()
        let statement = try connection.statement(
            compiler.raiseKeys(of: model.table, model.columns[model.generatedColumn].column))
        defer { connection.recycle(statement) }
        statement.bind(greatest, 1)
        while try statement.step() {}
    }
}

extension Database {
    /// `batch` for records that are written by a statement each, in their order: to a server they are sent without waiting for
    /// each, and what came of them is received when many were sent.
    /// - Parameters:
    ///   - count: how many there are; `.max` where that is not known.
    ///   - isSent: whether nothing of a record need be known before the next is written.
    ///   - isInsert: whether all are inserted.
    ///   - tellsKeys: whether records get the keys that are made for them.
    ///   - isPart: as of the other `batch`.
    ///   - write: writes the records from the index on, up to `end`; it is the last call where it does not come to that.
    ///   - receive: of those that were sent, each in turn: calls `ModelPlan.receive`.
    package func batch(
        _ model: ModelDescriptor, _ count: Int, isSent: Bool = true, isInsert: Bool = false, tellsKeys: Bool = true,
        isPart: Bool = false, write: (ModelPlan, _ index: inout Int, _ end: Int) throws -> Void,
        receive: (ModelPlan, Int) throws -> Void
    ) throws {
        try batch(model, isPart: isPart) { plan, index in
            guard isSent, count > 1, let engine = plan.connection.engine, !engine.isPipelining else {
                return try write(plan, &index, count)
            }
            plan.pipeline = BatchPipeline(count: count, isCopied: isInsert, tellsKeys: tellsKeys)
            plan.lastOfBatch = nil
            defer { plan.pipeline = nil }
            try engine.pipelined {
                do {
                    var end = 0
                    while index == end, end < count {
                        let start = end
                        end = min(count - start, BatchPipeline.depth) + start
                        try write(plan, &index, end)
                        let reached = index
                        for place in start..<reached {
                            index = place
                            try receive(plan, place)
                        }
                        index = reached
                    }
                } catch {
                    // The server may have refused one before it.
                    if (error as? CormorantError)?.code != .connection { try settle(engine, plan, &index) }
                    index = (error as? CormorantError)?.recordIndex ?? index
                    throw error
                }
                try settle(engine, plan, &index)
                try plan.raiseKeys()
            }
        }
    }

    private func settle(_ engine: any EngineConnection, _ plan: ModelPlan, _ index: inout Int) throws {
        do {
            try engine.settle()
        } catch {
            index = (error as? CormorantError)?.recordIndex ?? index
            throw plan.explainSettled(error)
        }
    }
}
