import CormorantBase
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// What a database does to a model before it is first used, and those that were done at once with it; without the model
/// nothing could be done now.
package typealias ModelPreparation = @Sendable (Database, ModelDescriptor) throws -> [ModelDescriptor]

/// The models of one database that were prepared.
final class PreparedModels: @unchecked Sendable {
    private let preparation: ModelPreparation
    // Its lock guards what follows.
    private let lock = RecursiveLock(.preparedModels)
    private var models: [ObjectIdentifier: Prepared] = [:]
    /// Those of each thread's open transaction, with which what was done for them may be rolled back.
    private var ofTransaction: [Int64: [ObjectIdentifier: Prepared]] = [:]
    /// From how many models on those that are gone are forgotten: there may be one for each table of many.
    private var limit = 256
    /// Of each thread that asks: those for which nothing could be done.
    private var putOff: [Int64: [ModelDescriptor]] = [:]

    private struct Prepared {
        /// Of the model, and gone with it: those of another may be where they were.
        weak var relations: RelationList?
        /// How many there were then; another one may lead to a model that was not prepared with it.
        let relationCount: Int

        init(_ relations: RelationList) {
            self.relations = relations
            relationCount = relations.count
        }

        func isOf(_ other: RelationList) -> Bool { relations === other && relationCount == other.count }
    }

    init(_ preparation: @escaping ModelPreparation) { self.preparation = preparation }

    func prepare(_ model: ModelDescriptor, _ database: Database) throws {
        if !isReady(model.relations, database) { try makeReady(model, database) }
    }

    /// The same for the model of a table, where that is still there.
    func prepare(_ table: TableReference, _ database: Database) throws {
        guard let owner = table.modelTable, let relations = owner.relations, !isReady(relations, database),
            let model = owner.model(of: table)
        else { return }
        try makeReady(model, database)
    }

    private func makeReady(_ model: ModelDescriptor, _ database: Database) throws {
        let isInTransaction = database.transactionDepth > 0
        let done = try preparation(database, model)
        lock.lock()
        defer { lock.unlock() }
        if done.isEmpty { putOff[currentThread().pointee.id]?.append(model) }
        for relations in done.map(\.relations) {
            if isInTransaction {
                ofTransaction[currentThread().pointee.id, default: [:]][ObjectIdentifier(relations)] = Prepared(
                    relations)
            } else {
                models[ObjectIdentifier(relations)] = Prepared(relations)
            }
        }
        guard models.count > limit else { return }
        models = models.filter { $0.value.relations != nil }
        limit = max(limit, models.count * 2)
    }

    private func isReady(_ relations: RelationList, _ database: Database) -> Bool {
        let isInTransaction = database.transactionDepth > 0
        lock.lock()
        defer { lock.unlock() }
        if models[ObjectIdentifier(relations)]?.isOf(relations) == true { return true }
        guard isInTransaction, let prepared = ofTransaction[currentThread().pointee.id] else { return false }
        return prepared[ObjectIdentifier(relations)]?.isOf(relations) == true
    }

    func forgetTransaction() {
        lock.lock()
        ofTransaction = [:]
        lock.unlock()
    }

    /// - Returns: how `body` ended, and the models that it used for which nothing could be done.
    fileprivate func noting<T>(_ body: () throws -> T) -> (Result<T, any Error>, [ModelDescriptor]) {
        let thread = currentThread().pointee.id
        let outer = lock.locked { putOff.updateValue([], forKey: thread) }
        let outcome = Result(catching: body)
        return lock.locked {
            let found = putOff[thread] ?? []
            putOff[thread] = outer
            return (outcome, found)
        }
    }
}

extension Database {
    /// Makes reads on snapshots of their own, in which no model can be prepared: those that they used are prepared afterwards, and
    /// the reads made once more.
    package func preparingModels<T>(of reads: () throws -> T) throws -> T {
        guard let preparedModels else { return try reads() }
        var tried: Set<ObjectIdentifier> = []
        while true {
            let (outcome, putOff) = preparedModels.noting(reads)
            let models = putOff.filter { tried.insert(ObjectIdentifier($0.relations)).inserted }
            if models.isEmpty { return try outcome.get() }
            for model in models { try preparedModels.prepare(model, self) }
        }
    }
}

/// Which model a table is of, as long as there is such a model.
package final class TableOwners: @unchecked Sendable {
    private struct Owner {
        let model: String
        /// Gone with the model.
        weak var relations: RelationList?
    }
    // Its lock guards what follows.
    private let lock = RecursiveLock(.tableOwners)
    private var owners: [ExactText: Owner] = [:]
    /// From how many tables on those whose models are gone are forgotten.
    private var limit = 256

    package func note(_ models: [ModelDescriptor]) {
        lock.lock()
        defer { lock.unlock() }
        for model in models {
            owners[nameKey(model.table)] = Owner(model: model.name, relations: model.relations)
        }
        guard owners.count > limit else { return }
        owners = owners.filter { $0.value.relations != nil }
        limit = max(256, owners.count * 2)
    }

    /// The name of the model.
    package func model(of table: String) -> String? {
        lock.lock()
        defer { lock.unlock() }
        guard let owner = owners[nameKey(table)], owner.relations != nil else { return nil }
        return owner.model
    }
}
