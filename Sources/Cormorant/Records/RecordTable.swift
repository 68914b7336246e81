/// Another table that has the columns of a record: one of several with a suffix, or that of an attached file.
///
/// ```swift
/// let messages = try Message.table(suffix: "42")
/// try database.createTables([messages.model])
/// try database.insert(&message, into: messages)
/// let unread = try database.fetchAll(messages.where { !$0.isRead })
/// ```
public struct RecordTable<R: Record>: Sendable {
    /// How the record lies in this table.
    public let model: ModelDescriptor

    /// All records.
    public var all: SelectQuery<R, R.Columns> { source(nil) }

    /// The table under another name, where a query has it twice.
    public func alias(_ name: String) -> SelectQuery<R, R.Columns> { source(name) }

    /// The records that meet a condition.
    public func `where`(_ condition: (R.Columns) -> SQLExpression<Bool>) -> SelectQuery<R, R.Columns> {
        all.where(condition)
    }

    private func source(_ alias: String?) -> SelectQuery<R, R.Columns> {
        RecordSource<R>(of: model, alias: alias).all
    }
}

extension Record {
    /// The table of the same shape with a suffix: `message_42` for "42". See `ModelDescriptor.suffixed(_:)`.
    public static func table(suffix: String) throws -> RecordTable<Self> {
        RecordTable(model: try model.suffixed(suffix))
    }

    /// All rows of the record's table, those outside of its scope among them: `try Person.unscoped().where { $0.name == "Ada" }`.
    public static func unscoped() throws -> RecordTable<Self> { RecordTable(model: try model.unscoped()) }

    /// The record's table in a file that is attached under a name. See `ModelDescriptor.attached(as:)`.
    public static func table(attachedAs name: String) throws -> RecordTable<Self> {
        RecordTable(model: try model.attached(as: name))
    }
}

extension Optional {
    /// That of the table or, where there is none, of the record's own.
    func model<R: Record>() -> ModelDescriptor where Wrapped == RecordTable<R> { self?.model ?? R.model }
}

/// Records of another table by their primary key.
extension Reader {
    /// The record with a key; nil when there is none.
    @available(*, noasync)
    public func find<R: Record>(_ table: RecordTable<R>, key: any ColumnValue...) throws -> R? {
        try find(R.self, table.model, key: key.map { try $0.columnValue })
    }
}

extension Database {
    /// Deletes the row with a key; false when there was none.
    @available(*, noasync)
    @discardableResult
    public func delete<R: Record>(_ table: RecordTable<R>, key: any ColumnValue...) throws -> Bool {
        try delete(table.model, key: key.map { try $0.columnValue })
    }
}
