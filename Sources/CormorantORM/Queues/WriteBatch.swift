import CormorantBase
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// What is done with a record of a batch.
package enum RecordOperation: Sendable {
    case insert(ConflictPolicy)
    case save
    /// The properties to write; nil: all but the key.
    case update([String]?)
    case delete
}

/// Statements and records that are one write of a queue. They are copies: what they were made of may change or go.
package final class WriteBatch: @unchecked Sendable {  // `lock` guards `parts`
    package typealias Part = (Database) throws -> WriteResult

    package let queue: WriteQueue
    private let lock = RecursiveLock(.writeBatch)
    private var parts: [Part] = []

    package init(_ queue: WriteQueue) { self.queue = queue }

    package func add(_ part: @escaping Part) {
        lock.lock()
        defer { lock.unlock() }
        parts.append(part)
    }

    package func add(_ sql: String, bind: @escaping (Statement) throws -> Void) {
        add { WriteResult(changes: try $0.execute(sql, bind: bind)) }
    }

    package func add<Access: RecordAccess>(_ operation: RecordOperation, _ record: Access, of model: ModelDescriptor) {
        add(operation, of: model) { record }
    }

    /// - Parameter record: gives a record that hooks may change; called again where the batch is run again.
    package func add<Access: RecordAccess>(
        _ operation: RecordOperation, of model: ModelDescriptor, record: @escaping () throws -> Access
    ) {
        add { database in
            var record = try record()
            return try database.write(operation, &record, model)
        }
    }

    /// How many there are.
    package var count: Int {
        lock.lock()
        defer { lock.unlock() }
        return parts.count
    }

    /// Hands all to the queue as one write; the batch is empty then.
    /// - Parameters:
    ///   - continues: whether the others stay when one fails; else the first error rolls back the batch.
    ///   - add: adds the write to the queue, under no lock. Where it throws, the batch is as it was.
    package func commit(
        tag: String? = nil, continues: Bool = false, told: ((WriteCompletion) -> Void)? = nil,
        add: (QueuedWrite) throws -> Void
    ) throws {
        let (write, putBack) = take(tag: tag, continues: continues, told: told)
        do {
            try add(write)
        } catch {
            putBack()
            throw error
        }
    }

    /// Makes one write of all; the batch is empty then.
    /// - Returns: the write, and what puts all back before what has been added since, where the queue does not take it.
    package func take(
        tag: String?, continues: Bool, told: ((WriteCompletion) -> Void)?
    ) -> (QueuedWrite, putBack: () -> Void) {
        let taken = lock.locked {
            defer { parts = [] }
            return parts
        }
        let write = QueuedWrite(tag: tag, told: told) { database in
            try taken.enumerated().map { index, part in
                do {
                    // On a server an error ends the transaction, but for what stands in a savepoint.
                    guard continues, database.dialect != .sqlite else { return try part(database) }
                    return try database.inTransaction { try part(database) }
                } catch {
                    let error = plain(error)
                    // After what SQLite rolled back nothing can go on, and after a conflict all is run again.
                    guard continues, database.isTransactionOpen, !database.runsAgain(after: error) else {
                        throw error.at(record: index)
                    }
                    return WriteResult(error: error)
                }
            }
        }
        return (write, { self.lock.locked { self.parts.insert(contentsOf: taken, at: 0) } })
    }
}

extension Database {
    /// Does with a record what a batch says.
    package func write<Access: RecordAccess>(
        _ operation: RecordOperation, _ record: inout Access, _ model: ModelDescriptor
    ) throws -> WriteResult {
        try write(model) { plan in
            switch operation {
            case .insert(let policy): return try plan.insert(&record, policy) ? 1 : 0
            case .save: try plan.save(&record)
            case .update(let names): return try plan.update(&record, named: names) ? 1 : 0
            case .delete: return try plan.delete(&record) ? 1 : 0
            }
            return 1
        }
    }

    /// Runs one operation on a record, and tells the key that was made.
    package func write(_ model: ModelDescriptor, _ body: (ModelPlan) throws -> Int64) throws -> WriteResult {
        try withPlan(model) { plan in
            plan.madeKey = false
            plan.keyBeforeHooks = nil
            let changes = try body(plan)
            return WriteResult(
                changes: changes,
                generatedKey: plan.madeKey && changes > 0 ? plan.keyBeforeHooks ?? plan.connection.lastInsertID : nil)
        }
    }

    fileprivate func runsAgain(after error: CormorantError) -> Bool { dialect != .sqlite && error.code == .conflict }

    fileprivate var isTransactionOpen: Bool { ownWriter.connection?.isInTransaction ?? false }
}
