extension Value {
    /// The value as SQLite holds it: a time and a UUID are their text.
    public init(_ value: some ColumnValue) throws { self = try value.columnValue }

    /// Whether it is NULL.
    public var isNull: Bool { self == .null }

    /// The integer, if it is one.
    public var int64: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The real, if it is one.
    public var double: Double? {
        if case .real(let value) = self { value } else { nil }
    }

    /// The text, if it is one.
    public var string: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The blob, if it is one.
    public var bytes: [UInt8]? {
        if case .blob(let value) = self { value } else { nil }
    }
}

extension ParameterValue {
    /// A value as SQLite holds it: a time and a UUID are their text.
    public init(_ value: some ColumnValue) throws { self = .value(try value.columnValue) }

    /// The values of an IN, as SQLite holds them.
    public init(list values: some Sequence<some ColumnValue>) throws {
        self = .list(try values.map { try $0.columnValue })
    }
}

extension Bindings {
    /// Values by position: `Bindings(name, birthday, 42)`.
    public init(_ values: any ColumnValue...) throws { self = .positional(try values.map { try $0.columnValue }) }
}

extension ModelDescriptor {
    /// A value for a property as the engine takes it: times, which are text in SQL, as integers.
    func attribute(_ value: Value, for column: Int) -> Value {
        guard columns.indices.contains(column), let form = columns[column].type.timeForm,
            form != .offsetDatetime, case .text(var text) = value, let time = text.withUTF8(form.value(parsing:))
        else { return value }
        return .integer(time)
    }
}

extension Query {
    /// The same with its attributes as the engine takes them.
    func resolved(for model: ModelDescriptor) -> Query {
        guard !attributes.isEmpty else { return self }
        var query = self
        query.attributes = attributes.map { property, value in
            (property, model.column(named: property).map { model.attribute(value, for: $0) } ?? value)
        }
        return query
    }
}
