import CormorantBase
import CormorantQuery
import CormorantSQLite

/// A batch of records of one model on an engine that sends statements without waiting for each: one for each record, and what
/// came of them is known when all were sent. Keys are reserved before, so that no record waits for its own.
package final class BatchPipeline {
    private let count: Int
    private var sent = 0
    /// Whether rows are to be there already.
    fileprivate var isUpdate = false
    private var keys: ArraySlice<Int64> = []

    fileprivate init(count: Int) { self.count = count }

    fileprivate func send(_ statement: Statement) throws {
        sent += 1
        _ = try statement.step()
        statement.reset()
    }

    /// A key that no other record has.
    fileprivate func nextKey(_ reserve: (Int64) throws -> [Int64]) throws -> Int64 {
        if keys.isEmpty { keys = try reserve(Int64(max(1, count - sent)))[...] }
        guard let key = keys.popFirst() else {
            throw CormorantError(.internal, "no key was reserved for a record of a batch")
        }
        return key
    }
}

extension ModelPlan {
    /// Sends a statement that writes a record, and does not wait for it.
    @inline(never)
    func send<Access: RecordAccess>(
        _ planned: PlannedStatement, _ record: inout Access, wantsKey: Bool, isUpdate: Bool
    ) throws -> Bool {
        guard let pipeline else { throw CormorantError(.internal, "a statement is not waited for outside of a batch") }
        pipeline.isUpdate = isUpdate
        if wantsKey {
            let key = try pipeline.nextKey(reserveKeys)
            try give(key, to: &record)
            planned.statement.bind(key, planned.parameters[model.generatedColumn])
        }
        try pipeline.send(planned.statement)
        return true
    }

    /// The same of a deletion.
    @inline(never)
    func sendDeletion(_ key: (inout RecordWriter) throws -> Void) throws -> Bool {
        let planned = try deletion()
        var writer = writer(planned, makesKey: false)
        scratch.reset()
        try key(&writer)
        try pipeline?.send(planned.statement)
        return true
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

    /// Keeps the key of a whole row that was written.
    func noteKey(_ row: RecordReader) {
        if model.generatedColumn >= 0, row.columns[model.generatedColumn] >= 0 {
            connection.newestKey = row.cell(at: model.generatedColumn).int64
        } else if model.keyColumns.isEmpty, row.row.count > model.columns.count {
            connection.newestKey = row.row.cell(Int32(truncatingIfNeeded: model.columns.count)).int64
        }
    }

    private func reserveKeys(_ count: Int64) throws -> [Int64] {
        let column = model.columns[model.generatedColumn].column
        let statement = try connection.statement(compiler.reserveKeys(of: model.table, column))
        defer { connection.recycle(statement) }
        statement.bind(count, 1)
        var keys: [Int64] = []
        keys.reserveCapacity(Int(clamping: count))
        while try statement.step() { keys.append(Row(statement).cell(0).int64) }
        return keys
    }
}

extension Database {
    /// `batch` for records that are written by a statement each, in their order: to a server they are sent without waiting for
    /// each, as far as nothing comes back of them.
    /// - Parameters:
    ///   - count: how many there are.
    ///   - mayChangeNothing: whether a record may have no row; `body` is told that it has one.
    ///   - body: writes each record from the index on.
    /// - Returns: and the records that had no row, where `body` was not told.
    package func batch<Result>(
        _ model: ModelDescriptor, sending count: Int, mayChangeNothing: Bool = false,
        _ body: (ModelPlan, inout Int) throws -> Result
    ) throws -> (result: Result, unchanged: [Int]) {
        try batch(model) { plan, index in
            // A version, and what hooks do, is known only when its statement has run.
            guard let engine = plan.connection.engine, count > 1, model.versionColumn == nil, !model.hasHooks,
                plan.pipeline == nil
            else { return (try body(plan, &index), []) }
            let pipeline = BatchPipeline(count: count)
            plan.pipeline = pipeline
            defer { plan.pipeline = nil }
            var result: Result?
            let changes: [Int64]
            do {
                changes = try engine.pipelined { result = try body(plan, &index) }
            } catch let error as CormorantError {
                index = error.recordIndex ?? index
                // What ended the body was explained in it.
                throw result == nil ? error : plan.explain(error, isWriting: !mayChangeNothing)
            }
            guard let result else { throw CormorantError(.internal, "a batch gave nothing") }
            let unchanged = changes.indices.filter { changes[$0] == 0 }
            if !mayChangeNothing, let lost = unchanged.first {
                index = lost
                throw pipeline.isUpdate ? plan.noRecord() : plan.skipped()
            }
            return (result, unchanged)
        }
    }
}
