import CormorantBase
import CormorantQuery
import CormorantSQLite

/// What the keys are where a column has none of its own, and those of relations.
public enum JSONNames: Int32, Sendable {
    /// The names of properties, as they are.
    case properties = 0
    /// The names of columns; a relation's name in snake_case.
    case columns = 1
}

/// How JSON is read and written.
public struct JSONOptions: Sendable {
    /// What the keys of the objects are called.
    public var names: JSONNames
    /// Reading: where the records are, an array of objects or one object.
    public var path: String
    /// Reading: a key that the model does not have is an error.
    public var refusesUnknown: Bool
    /// One object after the other instead of an array.
    public var isLines: Bool
    /// Whether NOT NULL columns cannot be NULL in records either, which blocks of rows cannot.
    package var isStrict = false

    /// - Parameters:
    ///   - path: such as `$.data.items` or `$.pages[0].rows`.
    ///   - names: what the keys are where a column has none of its own.
    public init(
        path: String = "$", names: JSONNames = .properties, refusesUnknown: Bool = false, isLines: Bool = false
    ) {
        self.path = path
        self.names = names
        self.refusesUnknown = refusesUnknown
        self.isLines = isLines
    }
}

/// What the members of an object are to a model. One thread at a time, as is all that uses it.
package final class JSONMapping {
    enum Target {
        case column(Int)
        case relation(Int)
    }

    struct Member {
        let key: String
        let target: Target
    }

    /// A member, and what its column takes, for the loop over the members of an object: no reference is counted there.
    struct Fact {
        let key: UnsafeBufferPointer<UInt8>
        /// The key with its quotes and the colon.
        let quoted: UnsafeBufferPointer<UInt8>
        /// -1 for a relation.
        var column = -1
        var relation = -1
        var type = ColumnType.int64
        var integers = Int64.min ... .max
        var textSize = 0
    }

    package let model: ModelDescriptor
    let relations: [Relation]
    let members: [Member]
    let facts: UnsafeMutableBufferPointer<Fact>
    let columnCount: Int
    private let memory = ScratchMemory(firstSize: 512)
    /// Which columns may be null in the text, and which may be NULL in records.
    let takesNull: [Bool]
    let holdsNull: [Bool]
    /// A statement that gives back what is bound to it: a record's own reading and writing is the one way to its values.
    let carrier: PlannedStatement
    let scratch = ScratchMemory(firstSize: 1024)

    init(_ model: ModelDescriptor, _ options: JSONOptions, _ connection: Connection) throws {
        try model.validate()
        let names = options.names
        self.model = model
        let relations = try model.relations.names.map { try model.relation(named: $0) }
        self.relations = relations
        var members: [Member] = []
        for (index, column) in model.columns.enumerated() {
            let key = column.jsonKey ?? (names == .properties ? column.name : column.column)
            if !key.isEmpty { members.append(Member(key: key, target: .column(index))) }
        }
        for (index, relation) in relations.enumerated() {
            let key = names == .properties ? relation.name : snakeCase(relation.name)
            members.append(Member(key: key, target: .relation(index)))
        }
        if let twice = firstRepeated(members.map(\.key)) {
            throw CormorantError(
                .model, "model \(model.name): two properties have the JSON key \"\(twice)\"",
                hint: "give one of them a key of its own", table: model.table)
        }
        self.members = members
        columnCount = model.columns.count
        facts = .allocate(capacity: members.count)
        _ = facts.initialize(from: members.map { [memory] in Fact($0, model, memory) })
        let holdsNull = model.columns.enumerated().map { index, column in
            column.isOptional && (!(column.notNull && options.isStrict) || column.stamp != nil)
                || model.zeroIsNoKey && index == model.generatedColumn
        }
        self.holdsNull = holdsNull
        takesNull = model.columns.enumerated().map { index, column in
            !column.notNull || index == model.generatedColumn || column.computedSQL != nil
                || (holdsNull[index] && column.defaultSQL != nil) || column.stamp != nil || column.discriminator != nil
        }
        let all = Array(model.columns.indices)
        let sql = "SELECT " + all.map { _ in "?" }.joined(separator: ", ")
        carrier = PlannedStatement(
            try Statement(connection, sql), columnCount: all.count, binds: all, returns: all)
    }

    deinit { facts.deallocate() }

    /// The member of a key. Documents mostly have the order of the one before, so the search goes on from there.
    @inline(__always)
    func member(_ key: UnsafeBufferPointer<UInt8>, from guess: Int) -> Int? {
        for index in guess..<facts.count where matches(index, key) { return index }
        for index in 0..<min(guess, facts.count) where matches(index, key) { return index }
        return nil
    }

    @inline(__always)
    private func matches(_ index: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        let own = facts[index].key
        guard own.count == key.count else { return false }
        for position in 0..<key.count where own[position] != key[position] { return false }
        return true
    }

    /// How a column is called in paths.
    func step(_ column: Int) -> JSONStep {
        for member in members {
            if case .column(column) = member.target { return .key(member.key) }
        }
        return .key(model.columns[column].name)
    }

    package func relationIndex(_ name: String) throws -> Int {
        if let index = relations.firstIndex(where: { $0.name == name }) { return index }
        _ = try model.relation(named: name)
        throw CormorantError(
            .misuse, "relation \(model.name).\(name) was added after the JSON was begun", hint: "add relations first")
    }

    /// The key of a relation with its quotes and the colon.
    func quotedKey(ofRelation relation: Int) -> UnsafeBufferPointer<UInt8> {
        facts.first { $0.relation == relation }?.quoted ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    package func relation(_ index: Int) -> Relation { relations[index] }
}

extension JSONMapping.Fact {
    fileprivate init(_ member: JSONMapping.Member, _ model: ModelDescriptor, _ memory: ScratchMemory) {
        var text: [UInt8] = []
        appendJSONString(member.key.utf8, to: &text)
        text.append(UInt8(ascii: ":"))
        quoted = memory.copy(text)
        key = memory.copy(Array(member.key.utf8))
        switch member.target {
        case .relation(let index): relation = index
        case .column(let index):
            column = index
            type = model.columns[index].type
            integers = model.columns[index].integers
            textSize = model.columns[index].textSize
        }
    }
}

extension ScratchMemory {
    fileprivate func copy(_ bytes: [UInt8]) -> UnsafeBufferPointer<UInt8> {
        let start = bytes.withUnsafeBytes { copy($0.baseAddress, count: $0.count) }
        return UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }
}

private func firstRepeated(_ names: [String]) -> String? {
    var seen = Set<String>()
    return names.first { !seen.insert($0).inserted }
}

/// The mappings of the models that one document has, and the connection that their values go through.
package final class JSONMappings {
    let options: JSONOptions
    let connection: Connection
    private var byModel: [ObjectIdentifier: JSONMapping] = [:]

    package init(_ options: JSONOptions) throws {
        self.options = options
        connection = try Connection(path: ":memory:", options: OpenOptions())
    }

    deinit {
        byModel = [:]
        connection.close()
    }

    package func mapping(of model: ModelDescriptor) throws -> JSONMapping {
        if let ready = byModel[ObjectIdentifier(model)] { return ready }
        let made = try JSONMapping(model, options, connection)
        byModel[ObjectIdentifier(model)] = made
        return made
    }

    /// What a column's default is now.
    func defaultValue(_ sql: String) throws -> Value {
        let statement = try connection.statement("SELECT (\(sql))")
        defer { connection.recycle(statement) }
        return try statement.step() ? try Row(statement).value(0) : .null
    }
}
