import CormorantBase
import CormorantQuery

extension Record {
    /// The names of properties that are given as key paths of the record's columns: `\.age`.
    static func names<each Content>(
        _ paths: repeat KeyPath<Columns, SQLExpression<each Content>>
    ) throws -> [String] {
        let columns = Columns(recordSource: TableSource())
        var names: [String] = []
        for path in repeat each paths {
            guard case .column(let reference) = columns[keyPath: path].node.node, reference.path.isEmpty else {
                throw CormorantError(
                    .misuse, "a key path leads to no property of \(model.name)",
                    hint: "give columns of the record itself, such as \\.name", table: model.table)
            }
            names.append(reference.column.property)
        }
        return names
    }
}

/// Updates of properties that are given as key paths: `try database.update(&person, \.age, \.city)`.
extension Database {
    /// Writes properties of a record to the row with its key, which must be there.
    @available(*, noasync)
    public func update<R: Record, First, each Content>(
        _ record: inout R, in table: RecordTable<R>? = nil, _ property: KeyPath<R.Columns, SQLExpression<First>>,
        _ more: repeat KeyPath<R.Columns, SQLExpression<each Content>>
    ) throws {
        try update(&record, in: table, properties: R.names(property, repeat each more))
    }

    /// The same for `async` code.
    public func update<R: Record & Sendable, First, each Content>(
        _ record: inout R, in table: RecordTable<R>? = nil, _ property: KeyPath<R.Columns, SQLExpression<First>>,
        _ more: repeat KeyPath<R.Columns, SQLExpression<each Content>>
    ) async throws {
        try await update(&record, in: table, properties: R.names(property, repeat each more))
    }

    /// Writes properties of records to the rows with their keys in one transaction.
    @available(*, noasync)
    public func update<R: Record, First, each Content>(
        contentsOf records: inout [R], _ property: KeyPath<R.Columns, SQLExpression<First>>,
        _ more: repeat KeyPath<R.Columns, SQLExpression<each Content>>
    ) throws {
        try update(contentsOf: &records, properties: R.names(property, repeat each more))
    }

    /// The same for `async` code.
    public func update<R: Record & Sendable, First, each Content>(
        contentsOf records: inout [R], _ property: KeyPath<R.Columns, SQLExpression<First>>,
        _ more: repeat KeyPath<R.Columns, SQLExpression<each Content>>
    ) async throws {
        try await update(contentsOf: &records, properties: R.names(property, repeat each more))
    }
}

extension Record {
    /// Writes properties, given as key paths, to the row with the record's key; see `Database.update(_:in:_:_:)`.
    @available(*, noasync)
    public mutating func update<First, each Content>(
        in database: Database, _ property: KeyPath<Columns, SQLExpression<First>>,
        _ more: repeat KeyPath<Columns, SQLExpression<each Content>>
    ) throws {
        try database.update(&self, properties: Self.names(property, repeat each more))
    }
}
