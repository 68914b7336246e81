import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// A statement that is built step by step. What is wrong with a step becomes the statement, and is thrown when it is used.
package final class StatementBox: HandleObject {
    package static var kind: HandleKind { .statement }
    private(set) var tree: StatementTree
    /// The models it reads from, by alias or table name: what relations start from. nil: the first source is none.
    private var sourceModel: (name: String, model: ModelDescriptor)?
    private var joinedModels: [(name: String, model: ModelDescriptor)] = []
    // Threads may run one statement at once, though only one may build it.
    let forms = CompiledForms()

    package init(kind: Int32, model: ModelDescriptor?, alias: String?) {
        do {
            tree = try StatementBox.start(kind, model, alias)
            sourceModel = model.map { (alias ?? $0.table, $0) }
        } catch {
            tree = StatementBox.problem(error)
        }
    }

    init(copy other: StatementBox) {
        tree = other.tree
        sourceModel = other.sourceModel
        joinedModels = other.joinedModels
    }

    init(problem error: any Error) { tree = StatementBox.problem(error) }

    private static func problem(_ error: any Error) -> StatementTree {
        .problem(error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)"))
    }

    private static func start(_ kind: Int32, _ model: ModelDescriptor?, _ alias: String?) throws -> StatementTree {
        if kind == CORM_SELECT {
            guard let model else { return .select(Select()) }
            try model.validate()
            return .select(Select(from: model.tableReference, as: alias))
        }
        guard let model else {
            throw CormorantError(.misuse, "a statement that writes has no model", hint: "pass the model it writes")
        }
        try model.validate()
        guard alias == nil else {
            throw CormorantError(.misuse, "a statement that writes has an alias", hint: "pass NULL")
        }
        switch kind {
        case CORM_INSERT: return .change(Change(.insertValues, model.tableReference))
        case CORM_UPDATE: return .change(Change(.update, model.tableReference))
        case CORM_DELETE: return .change(Change(.delete, model.tableReference))
        default:
            throw CormorantError(
                .misuse, "the statement kind \(kind) is unknown", hint: "use CORM_SELECT, _INSERT, _UPDATE or _DELETE")
        }
    }

    /// Changes it, unless something is wrong with it already.
    func edit(_ change: (inout StatementTree) throws -> Void) {
        if case .problem = tree { return }
        do { try change(&tree) } catch { tree = StatementBox.problem(error) }
        forms.removeAll()
    }

    package func editSelect(_ change: (inout Select) throws -> Void) {
        edit { tree in
            guard case .select(var select) = tree else { throw wrongKind("a SELECT") }
            // The tree lets go of it, so that its arrays are not copied.
            tree = .select(Select())
            try change(&select)
            tree = .select(select)
        }
    }

    func editChange(_ change: (inout Change) throws -> Void) {
        edit { tree in
            guard case .change(var statement) = tree else { throw wrongKind("an INSERT, UPDATE or DELETE") }
            tree = .select(Select())
            try change(&statement)
            tree = .change(statement)
        }
    }

    private func wrongKind(_ wanted: String) -> CormorantError {
        CormorantError(.misuse, "the clause belongs to \(wanted)", hint: "create the statement with another kind")
    }

    /// The SELECT it is, to stand in another statement.
    package func select() throws -> Select {
        switch tree {
        case .select(let select): return select
        case .problem(let error): throw error
        case .change:
            throw CormorantError(.misuse, "a statement that writes is used as a subquery", hint: "use a SELECT")
        }
    }

    func noteSource(_ model: ModelDescriptor?, as name: String?) {
        sourceModel = model.map { (name ?? $0.table, $0) }
    }

    func noteJoined(_ model: ModelDescriptor, as name: String?) { joinedModels.append((name ?? model.table, model)) }

    /// The models it reads from, by alias or table name.
    var models: [(name: String, model: ModelDescriptor)] { [sourceModel].compactMap { $0 } + joinedModels }

    func model(named name: String?) throws -> ModelDescriptor {
        guard let name else {
            if let sourceModel { return sourceModel.model }
            throw CormorantError(
                .misuse, "the statement's first source is no model", hint: "name the one the relation starts from")
        }
        if let found = models.first(where: { sameIdentifier($0.name, name) }) { return found.model }
        throw CormorantError(
            .misuse, "the statement does not read from \"\(name)\"", hint: nearestNames(to: name, models.map(\.name)))
    }

    /// Its SQL and bindings, compiled once.
    package func statement(_ dialect: Dialect) throws -> CompiledStatement {
        try forms.form(.all, dialect) { try StatementCompiler.compile(tree, dialect) }
    }

    /// How many rows it has.
    package func count(_ dialect: Dialect) throws -> CompiledStatement {
        try forms.form(.count, dialect) { try StatementCompiler.compileCount(select(), dialect) }
    }

    /// Whether it has any.
    package func probe(_ dialect: Dialect) throws -> CompiledStatement {
        try forms.form(.exists, dialect) { try StatementCompiler.compileExists(select(), dialect) }
    }
}
