import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// Which of the related records are loaded.
package struct RelatedOptions: Sendable {
    package var conditions: [Expression] = []
    package var order: [Expression] = []
    /// The greatest number for each record.
    package var limit: Int64?

    package init(conditions: [Expression] = [], order: [Expression] = [], limit: Int64? = nil) {
        self.conditions = conditions
        self.order = order
        self.limit = limit
    }
}

extension Relation {
    /// The properties of the owner that related records are found by.
    package var ownerColumns: [Int] { step.columns.map(\.from) }

    /// The SELECT of the related records of many owners: the target's columns, then those that must be equal to the owner's.
    /// - Parameters:
    ///   - keys: of each owner after the other, the values of `ownerColumns`.
    ///   - collations: that each column which is compared with them must be given; nil: its own.
    package func select(
        for keys: [Value], _ collations: [String?], _ options: RelatedOptions, _ dialect: Dialect
    ) throws -> CompiledStatement {
        var select = Select(from: target.tableReference)
        let matching: [Expression]
        if let second {
            let junction = step.target
            let alias = junction === target.tableReference ? "\(junction.name).\(name)" : nil
            let matches = second.matches({ .column(junction, $0, alias: alias) }) { .column(target.tableReference, $0) }
            select.joins = [Join(.inner, Source(.table(junction), alias: alias), on: .all(matches))]
            matching = step.columns.map { .column(junction, $0.to, alias: alias) }
        } else {
            matching = step.columns.map { .column(target.tableReference, $0.to) }
        }
        select.columns = target.columns.indices.map { .column(target.tableReference, $0) } + matching
        let compared = zip(matching, collations).map { column, collation in
            collation.map { Expression.collate(column, $0) } ?? column
        }
        select.conditions = [.isIn(compared, rows: keys)] + options.conditions
        select.order = options.order
        guard let limit = options.limit else { return try StatementCompiler.compile(select, dialect) }
        return try StatementCompiler.compile(limited(select, compared, limit), dialect)
    }

    /// By which the keys of owners compare, and what the columns beside them must be given to compare so.
    fileprivate typealias Collations = (keys: [String?], given: [String?])

    /// As the models say.
    fileprivate var collations: Collations {
        let matching = junction ?? target
        let given = zip(step.columns, step.collations).map { pair, collation in
            difference(of: matching.columns[pair.to].comparedBy, from: collation)
        }
        return (step.collations, given)
    }

    /// As the file does, which another program may have made: as its foreign keys, by the collation of the key that is referred to.
    fileprivate func collations(on connection: Connection) throws -> Collations {
        let referred = step.refersToTarget ? step.target : step.source
        var found = collations
        for (index, pair) in step.columns.enumerated() {
            let keyed = referred.columns[step.refersToTarget ? pair.to : pair.from]
            let key = connection.collation(of: keyed, in: referred, or: found.keys[index])
            guard isComparable(key) else {
                throw CormorantError(
                    .unsupported,
                    "related records cannot be loaded by \(keyed.property), whose texts the collation \(key ?? "") compares",
                    hint: "join the two in a query, which compares as the file does", table: referred.name)
            }
            let column = (junction ?? target).columns[pair.to]
            let own =
                column.type.hasOwnCollation
                ? column.comparedBy
                : connection.collation(of: step.target.columns[pair.to], in: step.target, or: column.comparedBy)
            found.keys[index] = key
            found.given[index] = difference(of: own, from: key)
        }
        return found
    }

    /// What a column that compares by `own` must be given to compare by another collation; nil: nothing.
    private func difference(of own: String?, from collation: String?) -> String? {
        own == collation ? nil : collation ?? "binary"
    }

    /// The first so many rows of each owner.
    private func limited(_ select: Select, _ matching: [Expression], _ limit: Int64) -> Select {
        var numbered = select
        let names = select.columns.indices.map { "c\($0)" }
        var number = Call("row_number", [])
        number.window = Window(partition: matching, order: select.order)
        numbered.columns = zip(select.columns, names).map { $0.labelled($1) } + [Expression.call(number).labelled("n")]
        numbered.order = []
        var outer = Select(from: Source(.select(numbered), alias: "related"))
        outer.columns = names.map { Expression(.name(source: nil, $0)) }
        outer.conditions = [.binary(.lessOrEqual, Expression(.name(source: nil, "n")), .value(.integer(limit)))]
        outer.order = [Expression(.name(source: nil, "n"))]
        return outer
    }
}

extension Database {
    /// Reads the related records of many, with one statement.
    /// - Parameters:
    ///   - keys: of each owner after the other, the values of the relation's `ownerColumns`; an owner with a NULL has no
    ///     related records.
    ///   - read: takes each related record.
    ///   - relate: takes the position of each owner of the record that was read.
    package func load(
        _ relation: Relation, _ keys: [Value], _ options: RelatedOptions, read: (RecordReader) throws -> Void,
        relate: (_ owner: Int) throws -> Void
    ) throws {
        if let limit = options.limit, limit < 0 {
            throw CormorantError(.misuse, "a limit of \(limit) records", hint: "give 0 or more, or none for all")
        }
        let width = relation.ownerColumns.count
        let hasTexts = keys.contains { if case .text = $0 { true } else { false } }
        let collations =
            hasTexts && dialect == .sqlite
            ? try withReader { try relation.collations(on: $0) } : relation.collations
        let owners = OwnerIndex(keys, width: width, collations.keys)
        guard !owners.keys.isEmpty else { return }
        let compiled = try relation.select(for: owners.keys, collations.given, options, dialect)
        let cursor = try cursor(relation.target, compiled, columnsInOrder: true)
        defer { cursor.close() }
        let first = Int32(truncatingIfNeeded: relation.target.columns.count)
        try cursor.readAll { reader in
            try read(reader)
            try owners.forEach(of: reader.row, at: first, relate)
        }
    }

    /// The values of some columns of records, as the file would hold them.
    /// - Parameter record: the one at a position below `count`.
    /// - Returns: those of each record after the other.
    package func values<R: RecordAccess>(
        of model: ModelDescriptor, _ columns: [Int], count: Int, _ record: (Int) throws -> R
    ) throws -> [Value] {
        try withReader { try $0.values(of: model, columns, count: count, record) }
    }

    /// Hands values to a record as if they were read from the file.
    package func assign(
        _ values: [Value], to model: ModelDescriptor, _ columns: [Int], _ read: (RecordReader) throws -> Void
    ) throws {
        try withReader { try $0.assign(values, to: model, columns, read) }
    }
}

extension Connection {
    /// By which keys of a column compare, in lower case; nil: by bytes.
    /// - Parameter said: what the model says, which counts where the file has no such table, as of a view.
    fileprivate func collation(
        of column: TableReference.Column, in table: TableReference, or said: String?
    ) -> String? {
        let (name, schema) = table.table
        guard let found = collation(of: column.name, in: name, of: schema) else { return said }
        return found == "binary" && !column.type.hasOwnCollation ? nil : found
    }

    /// As of a database, on the connection that is at hand.
    func values<R: RecordAccess>(
        of model: ModelDescriptor, _ columns: [Int], count: Int, _ record: (Int) throws -> R
    ) throws -> [Value] {
        try withCarrier(of: model, columns) { statement, parameters, scratch in
            var values: [Value] = []
            values.reserveCapacity(count * columns.count)
            for index in 0..<count {
                scratch.reset()
                var writer = RecordWriter(statement, parameters, model, scratch)
                try record(index).write(to: &writer)
                defer { statement.reset() }
                guard try statement.step() else { continue }
                for column in columns { values.append(try Row(statement).value(parameters[column] - 1)) }
            }
            return values
        }
    }

    fileprivate func assign(
        _ values: [Value], to model: ModelDescriptor, _ columns: [Int], _ read: (RecordReader) throws -> Void
    ) throws {
        try withCarrier(of: model, columns) { statement, _, _ in
            for (offset, value) in values.enumerated() {
                try statement.bind(value, Int32(truncatingIfNeeded: offset + 1))
            }
            guard try statement.step() else { return }
            var results = [Int32](repeating: 0, count: model.columns.count)
            for (offset, column) in columns.enumerated() { results[column] = Int32(truncatingIfNeeded: offset) }
            try results.withUnsafeBufferPointer { results in
                guard let base = results.baseAddress else { return }
                try read(RecordReader(statement, columns: base, model: model))
            }
        }
    }

    /// A statement that gives back what is bound to it: a record's own reading and writing is the one way to its values.
    private func withCarrier<T>(
        of model: ModelDescriptor, _ columns: [Int],
        _ body: (Statement, UnsafePointer<Int32>, ScratchMemory) throws -> T
    ) throws -> T {
        // In memory, where a server would be asked for what it was sent.
        let connection = try memory
        let statement = try connection.statement("SELECT " + columns.map { _ in "?" }.joined(separator: ", "))
        defer { connection.recycle(statement) }
        let scratch = ScratchMemory(firstSize: 256)
        var parameters = [Int32](repeating: 0, count: max(1, model.columns.count))
        for (offset, column) in columns.enumerated() { parameters[column] = Int32(truncatingIfNeeded: offset + 1) }
        return try withExtendedLifetime(scratch) {
            try parameters.withUnsafeBufferPointer { parameters in
                guard let base = parameters.baseAddress else {
                    throw CormorantError(.internal, "a model has no columns")
                }
                return try body(statement, base, scratch)
            }
        }
    }
}
