import Cormorant
import CormorantORM
import CormorantQuery

/// The models of a step's levels, and the relation of each to the next.
struct Graph {
    @TaskLocal static var current = Graph(models: [])

    var models: [ModelDescriptor]
    var relations: [(name: String, isToOne: Bool)] = []
    var removed = RemovedRecords.keep
    /// Whose models have hooks.
    nonisolated(unsafe) var scenario: Scenario?
}

/// A record of a model that is known at run time only, with the records that one of its relations leads to. Those of each
/// level are a type of their own, because relations lead from type to type.
protocol GraphRecord: RecordHooks where Columns == NamedColumns<Self> {
    associatedtype Next: GraphRecord

    static var depth: Int { get }
    var values: DynamicRecord { get set }
    var one: ToOne<Next> { get set }
    var many: ToMany<Next> { get set }

    init(_ values: DynamicRecord)
}

struct FirstRecord: GraphRecord {
    static let depth = 0
    var values: DynamicRecord
    var one = ToOne<SecondRecord>.notLoaded
    var many = ToMany<SecondRecord>.notLoaded

    init(_ values: DynamicRecord) { self.values = values }
}

struct SecondRecord: GraphRecord {
    static let depth = 1
    var values: DynamicRecord
    var one = ToOne<ThirdRecord>.notLoaded
    var many = ToMany<ThirdRecord>.notLoaded

    init(_ values: DynamicRecord) { self.values = values }
}

struct ThirdRecord: GraphRecord {
    static let depth = 2
    var values: DynamicRecord
    var one = ToOne<DeepestRecord>.notLoaded
    var many = ToMany<DeepestRecord>.notLoaded

    init(_ values: DynamicRecord) { self.values = values }
}

struct DeepestRecord: GraphRecord {
    static let depth = 3
    var values: DynamicRecord
    var one = ToOne<DeepestRecord>.notLoaded
    var many = ToMany<DeepestRecord>.notLoaded

    init(_ values: DynamicRecord) { self.values = values }
}

extension NamedColumns where Fetched: GraphRecord {
    subscript(one name: String) -> OptionalColumns<NamedColumns<Fetched.Next>> { recordSource.toOne(name) }
    subscript(many name: String) -> RelatedRecords<NamedColumns<Fetched.Next>> { recordSource.toMany(name) }
}

extension GraphRecord {
    static var model: ModelDescriptor { Graph.current.models[depth] }
    static var relation: (name: String, isToOne: Bool)? {
        Graph.current.relations.indices.contains(depth) ? Graph.current.relations[depth] : nil
    }

    init(from reader: RecordReader) throws {
        self.init(DynamicRecord(Self.model))
        try values.read(from: reader)
    }

    mutating func read(from reader: RecordReader) throws { try values.read(from: reader) }
    mutating func readBack(only columns: [Int], from reader: RecordReader) throws {
        try values.readBack(only: columns, from: reader)
    }
    func write(to writer: inout RecordWriter) throws { try values.write(to: &writer) }
    func columnValue(at column: Int) throws -> Value {
        let value = values.values[column]
        return try value.stored(as: values.model.columns[column].type) ?? value
    }
    mutating func setGeneratedKey(_ key: Int64) { values.setGeneratedKey(key) }
    mutating func clearGeneratedKey() { values.clearGeneratedKey() }

    mutating func visitRelations(_ visitor: inout some RelationVisitor) throws {
        guard let relation = Self.relation else { return }
        if relation.isToOne {
            try visitor.visit(relation.name, &one)
        } else {
            try visitor.visit(relation.name, &many, removed: Graph.current.removed)
        }
    }

    var isLoaded: Bool { one.isLoaded || many.isLoaded }

    /// What the relation leads to; of a relation to one, one or none.
    var related: [Next] {
        get throws { Self.relation?.isToOne == true ? try one.record.map { [$0] } ?? [] : try many.records }
    }

    /// What is loaded on this level and those below it.
    static func loading(_ levels: ArraySlice<RelatedOptions>, by query: RelatedQuery<Self>) -> RelatedQuery<Self> {
        var query = query
        guard let first = levels.first else { return query }
        query.options = first
        let below = levels.dropFirst()
        guard !below.isEmpty, let relation else { return query }
        return relation.isToOne
            ? query.load(\.[one: relation.name]) { Next.loading(below, by: $0) }
            : query.load(\.[many: relation.name]) { Next.loading(below, by: $0) }
    }
}
