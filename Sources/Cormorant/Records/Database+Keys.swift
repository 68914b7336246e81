import CormorantBase

/// Records by their primary key. A key of several columns is given as several values, in the order of the key's
/// columns.
extension Reader {
    /// The record with a key; nil when there is none.
    // Inlinable, so that the record is read and returned in code of its type (benchmarks: lookup_transaction).
    @available(*, noasync)
    @inlinable
    public func find<R: Record, Key: ColumnValue>(_ type: R.Type, key: Key) throws -> R? {
        var found: R?
        try readRow(of: R.model, key: try key.columnValue) { found = try R(from: $0) }
        return found
    }

    @usableFromInline
    func readRow(of model: ModelDescriptor, key: Value, _ read: (RecordReader) throws -> Void) throws {
        _ = try database.withFindingPlan(model) { plan in
            try plan.find(
                cached: { plan.model.rowKey([key]) }, key: { try plan.write(key: key, to: &$0) }, read: read)
        }
    }

    /// The record with a key of several columns; nil when there is none.
    @available(*, noasync)
    public func find<R: Record>(_ type: R.Type, key: any ColumnValue...) throws -> R? {
        try find(type, R.model, key: key.map { try $0.columnValue })
    }

    func find<R: Record>(_ type: R.Type, _ model: ModelDescriptor, key values: [Value]) throws -> R? {
        try database.withFindingPlan(model) { plan in
            try plan.find(
                cached: { plan.model.rowKey(values) }, key: { try plan.write(key: values, to: &$0) },
                read: { try R(from: $0) })
        }
    }

    /// Whether there is a record with a key.
    @available(*, noasync)
    public func exists<R: Record>(_ type: R.Type, key: any ColumnValue...) throws -> Bool {
        try exists(R.model, key: key.map { try $0.columnValue })
    }

    func exists(_ model: ModelDescriptor, key values: [Value]) throws -> Bool {
        try database.withReadingPlan(model) { plan in
            try plan.one(plan.existence(), key: { try plan.write(key: values, to: &$0) }, read: { _ in true }) ?? false
        }
    }

    /// The greatest key of a table; nil for an empty one. A time is its microseconds since 1970.
    @available(*, noasync)
    public func maxKey<R: Record>(_ type: R.Type) throws -> Value? { try database.maxKey(R.model) }
}

extension Database {
    /// Deletes the row with a key.
    ///
    /// - Returns: false when there was none.
    @available(*, noasync)
    @discardableResult
    public func delete<R: Record>(_ type: R.Type, key: any ColumnValue...) throws -> Bool {
        try delete(R.model, key: key.map { try $0.columnValue })
    }

    func delete(_ model: ModelDescriptor, key values: [Value]) throws -> Bool {
        try withPlan(model) { plan in try plan.delete(key: { try plan.write(key: values, to: &$0) }) }
    }
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
