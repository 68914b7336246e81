import CormorantBase
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// How the records of one model belong to those of another, as it is declared.
public struct RelationDescriptor: Sendable {
    /// Where the foreign keys of a relation are.
    public enum Kind: Int32, Sendable, CaseIterable {
        /// The foreign key is here.
        case toOne = 1
        /// The foreign key is in the target.
        case toMany = 2
        /// A junction table has foreign keys to both.
        case manyToMany = 3
    }

    /// The relation's name, as its property has it.
    public var name: String
    /// Where the foreign keys are.
    public var kind: Kind
    /// Asked when the relation is first used, because models may refer to each other; nil when the model is gone.
    public var target: @Sendable () -> ModelDescriptor?
    /// The model of the junction table.
    public var junction: (@Sendable () -> ModelDescriptor?)?
    /// Foreign key properties: of this model, of the target, or of the junction to this model. Empty: the only foreign
    /// key that fits.
    public var columns: [String]
    /// The junction's properties to the target. Empty: the only foreign key that fits.
    public var targetColumns: [String]

    /// A relation; the properties of foreign keys are found where only one fits.
    public init(
        _ name: String, _ kind: Kind, target: @escaping @Sendable () -> ModelDescriptor?,
        junction: (@Sendable () -> ModelDescriptor?)? = nil, columns: [String] = [], targetColumns: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.target = target
        self.junction = junction
        self.columns = columns
        self.targetColumns = targetColumns
    }
}

/// A relation whose columns are known.
package struct Relation: Sendable {
    package let name: String
    package let kind: RelationDescriptor.Kind
    package let target: ModelDescriptor
    package let junction: ModelDescriptor?
    /// From the owner to the target; of a many-to-many relation, from the owner to the junction.
    package let step: RelationStep
    /// From the junction to the target.
    package let second: RelationStep?
}

/// The relations of a model by name, resolved when first used.
package final class RelationList: @unchecked Sendable {
    // Its lock guards both.
    private let lock = RecursiveLock(.relations, outlivesForks: true)
    private var declared: [RelationDescriptor]
    // Steps only: models that refer to each other must not keep each other alive.
    private var resolved: [String: (step: RelationStep, second: RelationStep?)] = [:]

    /// Of a model made of another one: the other's, which are its own as well.
    private let inherited: RelationList?
    private let origin: TableReference?
    private weak var owner: ModelDescriptor?
    private var foreignKeys: [@Sendable () -> ModelDescriptor?] = []
    private var namingKeys: [@Sendable () -> ModelDescriptor?] = []
    private var tell: (@Sendable () -> Void)?
    private weak var ownersWhole: ModelDescriptor?
    private let leadsToOne = AtomicFlag()
    /// Whether any of them leads to one record.
    var hasToOne: Bool { leadsToOne.isSet }

    init(_ relations: [RelationDescriptor]) {
        leadsToOne.isSet = relations.contains { $0.kind == .toOne }
        declared = relations
        inherited = nil
        origin = nil
    }

    /// For a model that is made of another one.
    init(of other: ModelDescriptor) {
        declared = []
        inherited = other.relations
        leadsToOne.isSet = other.relations.hasToOne
        origin = other.tableReference
    }

    /// Of a model of some rows of a table the model of all of them, where a binding has said it.
    var whole: ModelDescriptor? {
        get { lock.locked { ownersWhole } }
        set { lock.locked { ownersWhole = newValue } }
    }

    /// Says whose they are: relations to the model that it was made of lead to itself.
    func belong(to model: ModelDescriptor) { lock.locked { owner = model } }

    // Under the lock no other list is asked, and no model: those may be at this one at the same time.

    package var names: [String] { lock.locked { declared.map(\.name) } + (inherited?.names ?? []) }

    package func kind(of name: String) -> RelationDescriptor.Kind? { declaration(name)?.kind }

    var count: Int { lock.locked { declared.count } + (inherited?.count ?? 0) }

    fileprivate func declares(_ name: String) -> Bool { lock.locked { declared.contains { $0.name == name } } }

    func add(_ relation: RelationDescriptor) {
        lock.locked { declared.append(relation) }
        if relation.kind == .toOne { leadsToOne.isSet = true }
    }

    /// Says that a foreign key leads to a model, where a binding knows that.
    package func refer(to model: @escaping @Sendable () -> ModelDescriptor?) {
        lock.locked { foreignKeys.append(model) }
    }

    /// Says where the foreign keys lead that name a table alone, in place of what was said before.
    package func refer(byName models: [@Sendable () -> ModelDescriptor?]) { lock.locked { namingKeys = models } }

    /// Says how a binding adds what it has not told yet.
    package func onceAsked(_ tell: @escaping @Sendable () -> Void) { lock.locked { self.tell = tell } }

    /// Has all relations told that can be by now.
    package func complete() {
        inherited?.complete()
        lock.locked { tell }?()
    }

    /// Those that foreign keys are known to lead to.
    package var referred: [(model: ModelDescriptor, byName: Bool)] {
        let (direct, naming) = lock.locked { (foreignKeys, namingKeys) }
        var found: [(model: ModelDescriptor, byName: Bool)] = direct.compactMap { $0() }.map { ($0, false) }
        found += naming.compactMap { $0() }.map { ($0, true) }
        found += (inherited?.referred ?? []).filter { $0.model.tableReference !== origin }
        return found
    }

    private func declaration(_ name: String) -> RelationDescriptor? {
        if let own = lock.locked({ declared.first { $0.name == name } }) { return own }
        guard var found = inherited?.declaration(name) else { return nil }
        found.target = { [self, target = found.target] in
            let model = target()
            return model?.tableReference === origin ? lock.locked { owner } : model
        }
        return found
    }

    fileprivate func find(_ name: String, _ resolve: (RelationDescriptor) throws -> Relation) throws -> Relation? {
        guard let found = declaration(name) else { return nil }
        if let ready = lock.locked({ resolved[name] }), let target = found.target(),
            target.tableReference === (ready.second ?? ready.step).target
        {
            return Relation(
                name: name, kind: found.kind, target: target, junction: found.junction?(), step: ready.step,
                second: ready.second)
        }
        let made = try resolve(found)
        lock.locked { resolved[name] = (made.step, made.second) }
        return made
    }
}

extension ModelDescriptor {
    /// Adds a relation that can be resolved now.
    package func add(_ relation: RelationDescriptor) throws {
        try requireOwnFile()
        guard column(named: relation.name) == nil, !relations.declares(relation.name) else {
            throw wrong(relation, "has the name of another property", "give it a name of its own")
        }
        _ = try resolve(relation)
        relations.add(relation)
    }

    package func relation(named name: String) throws -> Relation {
        if let found = try relations.find(name, resolve) { return found }
        throw CormorantError(
            .misuse, "model \(self.name) has no relation \"\(name)\"",
            hint: relations.names.isEmpty
                ? "the model has no relations; add one" : nearestNames(to: name, relations.names),
            table: table)
    }

    private func resolve(_ relation: RelationDescriptor) throws -> Relation {
        guard let target = relation.target() else {
            throw wrong(relation, "leads to a model that is gone", "keep the model as long as the relation is used")
        }
        try target.validate()
        switch relation.kind {
        case .toOne:
            let pairs = try pairs(of: relation, from: self, relation.columns, to: target)
            return Relation(
                name: relation.name, kind: .toOne, target: target, junction: nil,
                step: RelationStep(
                    relation.name, from: tableReference, to: target.tableReference, pairs, refersToTarget: true,
                    target.collations(pairs)),
                second: nil)
        case .toMany:
            let pairs = try pairs(of: relation, from: target, relation.columns, to: self)
            return Relation(
                name: relation.name, kind: .toMany, target: target, junction: nil,
                step: RelationStep(
                    relation.name, from: tableReference, to: target.tableReference, pairs.map { ($0.to, $0.from) },
                    refersToTarget: false, collations(pairs)),
                second: nil)
        case .manyToMany:
            guard let junction = relation.junction?() else {
                throw wrong(relation, "has no junction model", "name the model of the table between the two")
            }
            try junction.validate()
            let first = try pairs(of: relation, from: junction, relation.columns, to: self)
            let second = try pairs(of: relation, from: junction, relation.targetColumns, to: target, except: first)
            return Relation(
                name: relation.name, kind: .manyToMany, target: target, junction: junction,
                step: RelationStep(
                    relation.name, from: tableReference, to: junction.tableReference, first.map { ($0.to, $0.from) },
                    refersToTarget: false, collations(first)),
                second: RelationStep(
                    relation.name, from: junction.tableReference, to: target.tableReference, second,
                    refersToTarget: true, target.collations(second)))
        }
    }

    /// The columns of a foreign key and those it refers to, as positions in their models.
    private func pairs(
        of relation: RelationDescriptor, from source: ModelDescriptor, _ given: [String], to target: ModelDescriptor,
        except taken: [(from: Int, to: Int)] = []
    ) throws -> [(from: Int, to: Int)] {
        let wanted = try given.map { try source.require($0) }
        var fitting = source.schema.foreignKeys.filter { sameIdentifier($0.table, target.table) }
            .compactMap { source.pairs(of: $0, to: target) }
        if !wanted.isEmpty { fitting = fitting.filter { $0.map(\.from) == wanted } }
        // A junction between a model and itself has two keys: the second is not the first.
        if !taken.isEmpty, fitting.count > 1 { fitting = fitting.filter { $0.map(\.from) != taken.map(\.from) } }
        if let only = fitting.first, fitting.count == 1 { return only }
        let where_ = "from \(source.name) to \(target.name)"
        guard fitting.isEmpty else {
            throw wrong(relation, "finds several foreign keys \(where_)", "name the properties of the one it follows")
        }
        guard !wanted.isEmpty, wanted.count == target.keyColumns.count else {
            throw wrong(
                relation, "finds no foreign key \(where_)",
                "declare one, or name as many properties as \(target.name)'s key has")
        }
        return zip(wanted, target.keyColumns).map { ($0, $1) }
    }

    /// By which the columns of this model that foreign keys refer to compare, as the model says.
    private func collations(_ pairs: [(from: Int, to: Int)]) -> [String?] {
        pairs.map { columns[$0.to].keyedBy }
    }

    func pairs(of key: ForeignKeySchema, to target: ModelDescriptor) -> [(from: Int, to: Int)]? {
        let there = key.tableColumns.isEmpty ? target.keyNames : key.tableColumns
        guard there.count == key.columns.count else { return nil }
        var pairs: [(from: Int, to: Int)] = []
        for (from, to) in zip(key.columns, there) {
            guard let from = columns.firstIndex(where: { sameIdentifier($0.column, from) }),
                let to = target.columns.firstIndex(where: { sameIdentifier($0.column, to) })
            else { return nil }
            pairs.append((from, to))
        }
        return pairs
    }

    private func wrong(_ relation: RelationDescriptor, _ what: String, _ hint: String) -> CormorantError {
        CormorantError(.model, "relation \(name).\(relation.name) \(what)", hint: hint, table: table)
    }
}
