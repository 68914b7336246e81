import CormorantBase

/// A SELECT as a value.
package struct Select: Sendable {
    package var commonTables: [CommonTable] = []
    package var isDistinct = false { didSet { if isDistinct { note(afterCompound: "DISTINCT") } } }
    /// Empty: every column of the first source's model, in the model's order.
    package var columns: [Expression] = []
    /// nil: a SELECT without FROM.
    package var source: Source?
    package var joins: [Join] = []
    /// Joined with AND.
    package var conditions: [Expression] = [] { didSet { note(afterCompound: "a condition") } }
    package var groupBy: [Expression] = [] { didSet { note(afterCompound: "GROUP BY") } }
    package var having: [Expression] = [] { didSet { note(afterCompound: "HAVING") } }
    package var compounds: [Compound] = [] {
        didSet { if compounds.count > oldValue.count { noteOrderBeforeCompound() } }
    }
    package var order: [Expression] = []
    package var limit: Expression?
    package var offset: Expression?

    /// Why it is not clear whether something is of the whole compound or of a part; thrown when it is compiled.
    private(set) var ambiguity: CormorantError?

    package init(from source: Source? = nil) { self.source = source }

    private mutating func note(afterCompound what: String) {
        guard !compounds.isEmpty else { return }
        ambiguity = CormorantError(
            .misuse, "\(what) after UNION, INTERSECT or EXCEPT would be of the first part alone",
            hint: "give it to that part before they are combined, or select from the whole as a subquery")
    }

    private mutating func noteOrderBeforeCompound() {
        guard !order.isEmpty || limit != nil || offset != nil else { return }
        ambiguity = CormorantError(
            .misuse, "the order or limit before UNION, INTERSECT or EXCEPT would be of the whole",
            hint: "give it after they are combined; for that part alone, select from it as a subquery")
    }

    package init(from table: TableReference, as alias: String? = nil) {
        self.init(from: Source(.table(table), alias: alias))
    }

    /// The SELECT by whose result columns SQLite compares what stands beside it: of a compound the last one.
    var compared: Select { compounds.last?.select ?? self }

    /// The greatest depth of what is inside.
    var depth: Int {
        let lists = [columns, conditions, groupBy, having, order, joins.compactMap(\.condition)]
        var deepest = lists.lazy.flatMap { $0 }.map(\.depth).max() ?? 0
        for join in joins { deepest = max(deepest, join.source.depth) }
        for compound in compounds { deepest = max(deepest, compound.depth) }
        for table in commonTables { deepest = max(deepest, table.depth) }
        return max(deepest, source?.depth ?? 0, limit?.depth ?? 0, offset?.depth ?? 0) + 1
    }
}

/// A place at which a statement reads from a table: tells its columns from those of the same table around or inside of it.
package final class SourceIdentity: Sendable {
    package init() {}
}

/// What a SELECT reads from.
package struct Source: Sendable {
    package indirect enum Kind: Sendable {
        case table(TableReference)
        case select(Select)
        /// A common table expression by its name.
        case name(String)
        /// The same, which brings its definition along: the statement gets a WITH for it, once.
        case common(CommonTable)
        /// What a table-valued function gives; its arguments may name the tables before it.
        case function(Call)
        case problem(CormorantError)
    }

    package let kind: Kind
    package let alias: String?
    /// nil: its columns are known by names alone.
    let identity: SourceIdentity?
    /// Whether a relation leads to it, so that nobody has written that it is read from.
    let isImplied: Bool
    let depth: Int

    package init(_ kind: Kind, alias: String? = nil, identity: SourceIdentity? = nil, isImplied: Bool = false) {
        self.alias = alias
        self.identity = identity
        self.isImplied = isImplied
        depth =
            switch kind {
            case .select(let select): select.depth
            case .common(let table): table.depth
            case .function(let call): call.arguments.map(\.depth).max() ?? 0
            case .table, .name, .problem: 0
            }
        self.kind = depth > Expression.greatestDepth ? .problem(tooDeep()) : kind
    }

    /// What columns are qualified with.
    var name: String {
        switch kind {
        case .table(let table): alias ?? table.name
        case .select, .problem: alias ?? ""
        case .name(let name): alias ?? name
        case .common(let table): alias ?? table.name
        case .function(let call): alias ?? call.name
        }
    }
}

/// Nesting has an end, as that of expressions.
package func tooDeep() -> CormorantError {
    CormorantError(
        .misuse, "the statement nests more than \(Expression.greatestDepth) deep",
        hint: "join many conditions with one \"all\" or \"any\", and combine SELECTs side by side")
}

extension Select {
    /// Itself or, when it is too deep to stand in another statement, what says so.
    fileprivate func nested() -> (select: Select, depth: Int) {
        let depth = depth
        return depth > Expression.greatestDepth ? (Select(from: Source(.problem(tooDeep()))), 1) : (self, depth)
    }
}

package enum JoinKind: Int32, Sendable, CaseIterable {
    case inner = 0
    case left = 1
    case cross = 2
    case right = 3
    case full = 4

    /// Whether rows without a match are kept, with NULLs in place of one.
    package var isOuter: Bool { self == .left || self == .right || self == .full }
}

package struct Join: Sendable {
    package let kind: JoinKind
    package let source: Source
    package let condition: Expression?

    package init(_ kind: JoinKind, _ source: Source, on condition: Expression?) {
        self.kind = kind
        self.source = source
        self.condition = condition
    }
}

package enum CompoundOperator: Int32, Sendable, CaseIterable {
    case union = 0
    case unionAll = 1
    case intersect = 2
    case except = 3
}

/// Another SELECT whose rows are combined with those before it.
package struct Compound: Sendable {
    package let operation: CompoundOperator
    package let select: Select
    let depth: Int

    package init(_ operation: CompoundOperator, _ select: Select) {
        self.operation = operation
        (self.select, depth) = select.nested()
    }
}

/// One table of a WITH clause. It is recursive where its SELECT reads from its own name.
package struct CommonTable: Sendable {
    /// Tells two of one name apart.
    package final class Identity: Sendable {
        package init() {}
    }

    package let name: String
    package let columns: [String]
    package let select: Select
    /// nil: it stands in a WITH that was written out.
    package let identity: Identity?
    let depth: Int

    package init(_ name: String, columns: [String] = [], _ select: Select, identity: Identity? = nil) {
        self.name = name
        self.columns = columns
        self.identity = identity
        (self.select, depth) = select.nested()
    }
}

/// UPDATE, DELETE and INSERT by expressions as values.
package struct Change: Sendable {
    package enum Kind: Sendable {
        case update
        case delete
        /// One row of `assignments`, or several `rows`.
        case insertValues
        case insertSelect([Int], Select)
    }

    package var kind: Kind
    package let table: TableReference
    /// Of the table; nil: its columns are known by names alone.
    package var identity: SourceIdentity?
    package var commonTables: [CommonTable] = []
    package var policy = ConflictPolicy.abort
    /// UPDATE: what else is read, beside the table.
    package var source: Source?
    package var assignments: [(column: Int, value: Expression)] = []
    /// INSERT: each sets the same columns, in any order.
    package var rows: [[(column: Int, value: Expression)]] = []
    package var conditions: [Expression] = []
    package var upsert: Upsert?
    /// Empty: none. `allColumns` lists the model's.
    package var returning: [Expression] = []

    package init(_ kind: Kind, _ table: TableReference) {
        self.kind = kind
        self.table = table
    }

    package var isInsert: Bool {
        switch kind {
        case .insertValues, .insertSelect: true
        case .update, .delete: false
        }
    }
}

/// ON CONFLICT: what an INSERT does when the row's unique columns are there already.
package struct Upsert: Sendable {
    /// Columns of the key or unique index in the way.
    package var target: [Int]
    /// Empty: DO NOTHING.
    package var assignments: [(column: Int, value: Expression)] = []

    package init(target: [Int]) { self.target = target }
}

/// Any statement that can be made of expressions.
package enum StatementTree: Sendable {
    case select(Select)
    case change(Change)
    case problem(CormorantError)
}
