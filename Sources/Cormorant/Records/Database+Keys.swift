import CormorantBase

/// Records by their primary key. A key of several columns is given as several values, in the order of the key's
/// columns.
extension Database {
    /// The record with a key; nil when there is none.
    // Inlinable, so that the record is read and returned in code of its type (benchmarks: lookup_transaction).
    @inlinable
    public func find<R: Record, Key: ColumnValue>(_ type: R.Type, key: Key) throws -> R? {
        var found: R?
        try readRow(of: R.model, key: try key.columnValue) { found = try R(from: $0) }
        return found
    }

    @usableFromInline
    func readRow(of model: ModelDescriptor, key: Value, _ read: (RecordReader) throws -> Void) throws {
        _ = try withFindingPlan(model) { plan in
            try plan.find(
                cached: { plan.model.rowKey([key]) }, key: { try plan.write(key: key, to: &$0) }, read: read)
        }
    }

    /// The record with a key of several columns; nil when there is none.
    public func find<R: Record>(_ type: R.Type, key: any ColumnValue...) throws -> R? {
        let values = try key.map { try $0.columnValue }
        return try withFindingPlan(R.model) { plan in
            try plan.find(
                cached: { plan.model.rowKey(values) }, key: { try plan.write(key: values, to: &$0) },
                read: { try R(from: $0) })
        }
    }

    /// Whether there is a record with a key.
    public func exists<R: Record>(_ type: R.Type, key: any ColumnValue...) throws -> Bool {
        let values = try key.map { try $0.columnValue }
        return try withReadingPlan(R.model) { plan in
            try plan.one(plan.existence(), key: { try plan.write(key: values, to: &$0) }, read: { _ in true }) ?? false
        }
    }

    /// Deletes the row with a key.
    ///
    /// - Returns: false when there was none.
    @discardableResult
    public func delete<R: Record>(_ type: R.Type, key: any ColumnValue...) throws -> Bool {
        let values = try key.map { try $0.columnValue }
        return try withPlan(R.model) { plan in try plan.delete(key: { try plan.write(key: values, to: &$0) }) }
    }

    /// The greatest key of a table; nil for an empty one. A time is its microseconds since 1970.
    public func maxKey<R: Record>(_ type: R.Type) throws -> Value? { try maxKey(R.model) }
}

extension ModelPlan {
    /// Gives a key to the writer of a statement by key.
    package func write(key values: [Value], to writer: inout RecordWriter) throws {
        let count = max(1, model.keyColumns.count)
        guard values.count == count else {
            throw CormorantError(
                .binding,
                "the primary key of \(model.name) has \(counted(count, "value")), "
                    + "\(countedWere(values.count, "value")) given",
                hint: "give one value for each column of the key, in its order", table: model.table)
        }
        for (position, value) in values.enumerated() {
            let value = model.keyColumns.isEmpty ? value : model.attribute(value, for: model.keyColumns[position])
            try writer.writeKey(value, position: position)
        }
    }

    @inline(__always)
    fileprivate func write(key value: Value, to writer: inout RecordWriter) throws {
        if case .integer(let integer) = value, model.keyColumns.count <= 1 {
            try writer.writeKey(integer)
        } else {
            try write(key: [value], to: &writer)
        }
    }
}
