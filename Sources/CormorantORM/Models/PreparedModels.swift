import CormorantBase
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
    /// Those of the open transaction, with which what was done for them may be rolled back.
    private var ofTransaction: [ObjectIdentifier: Prepared] = [:]
    /// From how many models on those that are gone are forgotten: there may be one for each table of many.
    private var limit = 256

    private struct Prepared {
        /// Another model may be where a former one was.
        weak var model: ModelDescriptor?
        /// How many it had then; another one may lead to a model that was not prepared with it.
        let relationCount: Int

        init(_ model: ModelDescriptor) {
            self.model = model
            relationCount = model.relations.count
        }

        func isOf(_ other: ModelDescriptor) -> Bool { model === other && relationCount == other.relations.count }
    }

    init(_ preparation: @escaping ModelPreparation) { self.preparation = preparation }

    func prepare(_ model: ModelDescriptor, _ database: Database) throws {
        let isInTransaction = database.transactionDepth > 0
        if isReady(model, isInTransaction) { return }
        let done = try preparation(database, model)
        lock.lock()
        defer { lock.unlock() }
        for model in done {
            if isInTransaction {
                ofTransaction[ObjectIdentifier(model)] = Prepared(model)
            } else {
                models[ObjectIdentifier(model)] = Prepared(model)
            }
        }
        guard models.count > limit else { return }
        models = models.filter { $0.value.model != nil }
        limit = max(limit, models.count * 2)
    }

    private func isReady(_ model: ModelDescriptor, _ isInTransaction: Bool) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        if models[ObjectIdentifier(model)]?.isOf(model) == true { return true }
        return isInTransaction && ofTransaction[ObjectIdentifier(model)]?.isOf(model) == true
    }

    func forgetTransaction() {
        lock.lock()
        ofTransaction = [:]
        lock.unlock()
    }
}

/// Which model a table is of, as long as there is such a model.
package final class TableOwners: @unchecked Sendable {
    private struct Owner { weak var model: ModelDescriptor? }
    // Its lock guards what follows.
    private let lock = RecursiveLock(.tableOwners)
    private var owners: [String: Owner] = [:]
    /// From how many tables on those whose models are gone are forgotten.
    private var limit = 256

    package func note(_ models: [ModelDescriptor]) {
        lock.lock()
        defer { lock.unlock() }
        for model in models { owners[foldIdentifier(model.table)] = Owner(model: model) }
        guard owners.count > limit else { return }
        owners = owners.filter { $0.value.model != nil }
        limit = max(256, owners.count * 2)
    }

    package func model(of table: String) -> ModelDescriptor? {
        lock.lock()
        defer { lock.unlock() }
        return owners[foldIdentifier(table)]?.model
    }
}
