extension ColumnDescriptor {
    /// A column for a property of the given type, which says how the file holds it and whether it can be NULL.
    ///
    /// - Parameters:
    ///   - name: the property's name.
    ///   - type: the property's type, which gives the column's.
    ///   - column: the column's name; nil: `name` in snake_case.
    ///   - length: for text, the greatest number of characters, checked by SQLite.
    ///   - scale: for a decimal, how many digits stand after the point of each value; one with more is refused.
    ///   - notNull: nil: the column is NOT NULL where the property is not optional.
    ///   - primaryKey: it is the primary key, alone or with others.
    ///   - autoIncrement: keys are never used again.
    ///   - unique: no two rows have one value of it.
    ///   - indexed: it has an index of its own.
    ///   - defaultSQL: expression used when the property is NULL at insert.
    ///   - checkSQL: condition that must hold.
    ///   - computedSQL: expression that computes the column.
    ///   - collation: compares its texts; nil: BINARY.
    ///   - references: what a foreign key of this column refers to.
    ///   - json: the key in JSON; nil: by the names that are asked for. "": the column is not in JSON.
    ///   - renamedFrom: the column's former name, by which a migration finds its values.
    ///   - convertSQL: expression by which a migration makes the values of a changed type of the old ones.
    ///   - isVersion: it counts the writes of the row, by which a record that another write has overtaken is refused.
    ///   - stamp: which time it holds, which the database puts there.
    ///   - discriminator: the value that it has in all rows of the model, where rows of several models lie in one table.
    public init<Property: ColumnValue>(
        _ name: String, _ type: Property.Type, column: String? = nil, length: Int? = nil, notNull: Bool? = nil,
        primaryKey: Bool = false, autoIncrement: Bool = false, unique: Bool = false, indexed: Bool = false,
        defaultSQL: String? = nil, checkSQL: String? = nil, computedSQL: String? = nil, collation: String? = nil,
        references: ReferenceTarget? = nil, json: String? = nil, renamedFrom: String? = nil, convertSQL: String? = nil,
        isVersion: Bool = false, stamp: Stamp? = nil, scale: Int? = nil, discriminator: String? = nil
    ) {
        var stored = Property.columnType
        // A length on what is no text becomes the VARCHAR without length that the model's check refuses.
        if let length { stored = .varchar(stored == .text ? length : 0) }
        self.init(
            name, stored, column: column, isOptional: Property.isOptional, notNull: notNull, primaryKey: primaryKey,
            autoIncrement: autoIncrement, unique: unique, indexed: indexed, defaultSQL: defaultSQL, checkSQL: checkSQL,
            computedSQL: computedSQL, collation: collation, references: references, jsonKey: json,
            renamedFrom: renamedFrom, convertSQL: convertSQL, isVersion: isVersion, stamp: stamp, scale: scale,
            discriminator: discriminator)
        guard stored.isInteger, let range = Property.integerRange else { return }
        refusesIntegers = !(Property.Unwrapped.self is any FixedWidthInteger.Type)
        isUnsigned = range.lowerBound == 0
        let width = 64 - range.upperBound.leadingZeroBitCount + (isUnsigned ? 0 : 1)
        bits = width < 32 || width == 32 && stored == .int64 ? width : 0
    }

    /// For a property of a type that is no column's, so that the compiler says what to do.
    @available(
        *, unavailable,
        message: """
            no column type: import CormorantFoundation for Date, UUID, Decimal, arrays; conform it to ColumnValue or \
            JSONColumnValue; or mark it @Ignored
            """
    )
    public init<Property>(_ name: String, _ type: Property.Type) { self.init(name, ColumnType.int64) }

    /// For a property that is another record, so that the compiler says what to do.
    @available(*, unavailable, message: "a record is no column: keep its key, and mark a ToOne<...> of it @Relation")
    public init<R: Record>(_ name: String, _ type: R.Type) { self.init(name, ColumnType.int64) }

    /// For a property that may be another record, so that the compiler says what to do.
    @available(*, unavailable, message: "a record is no column: keep its key, and mark a ToOne<...> of it @Relation")
    public init<R: Record>(_ name: String, _ type: R?.Type) { self.init(name, ColumnType.int64) }
}

extension RecordReader {
    /// A property's value, of the column in this place of the model; `@Model` writes it.
    @inlinable @inline(__always)
    public func property<Property: ColumnValue>(at column: Int) throws -> Property {
        try Property(from: self, at: column)
    }
}

extension Value {
    /// A property's value as SQLite holds it; `@Model` writes it.
    public init(property value: some ColumnValue) throws { self = try value.columnValue }
}

extension RecordWriter {
    /// Writes a property's value to the column in this place of the model; `@Model` writes it.
    @inlinable @inline(__always)
    public mutating func write<Property: ColumnValue>(property value: Property, at column: Int) throws {
        try value.write(to: &self, at: column)
    }
}

// Of a property whose type is no column's the compiler says so once: of its descriptor, not of each use. -----------------

extension RecordReader {
    /// Stands for a type that is no column's, so that the compiler's message is about the property: it throws `type`.
    @_disfavoredOverload
    public func property<Property>(at column: Int) throws -> Property { throw noColumn(Property.self) }
}

extension RecordWriter {
    /// Stands for a type that is no column's, so that the compiler's message is about the property: it throws `type`.
    @_disfavoredOverload
    public mutating func write<Property>(property value: Property, at column: Int) throws {
        throw noColumn(Property.self)
    }
}

extension Value {
    /// Stands for a type that is no column's, so that the compiler's message is about the property: it throws `type`.
    @_disfavoredOverload
    public init<Property>(property value: Property) throws { throw noColumn(Property.self) }
}

private func noColumn(_ type: Any.Type) -> CormorantError {
    CormorantError(.type, "\(type) is no column type", hint: "conform it to ColumnValue")
}
