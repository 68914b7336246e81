extension ColumnDescriptor {
    /// A column for a property of the given type, which says how the file holds it and whether it can be NULL.
    ///
    /// - Parameters:
    ///   - name: the property's name.
    ///   - column: the column's name; nil: `name` in snake_case.
    ///   - length: for text, the greatest number of characters, checked by SQLite.
    ///   - notNull: nil: the column is NOT NULL where the property is not optional.
    ///   - json: the key in JSON; nil: by the names that are asked for. "": the column is not in JSON.
    public init<Property: ColumnValue>(
        _ name: String, _ type: Property.Type, column: String? = nil, length: Int? = nil, notNull: Bool? = nil,
        primaryKey: Bool = false, autoIncrement: Bool = false, unique: Bool = false, indexed: Bool = false,
        defaultSQL: String? = nil, checkSQL: String? = nil, computedSQL: String? = nil, collation: String? = nil,
        references: ReferenceTarget? = nil, json: String? = nil, renamedFrom: String? = nil, convertSQL: String? = nil
    ) {
        var stored = Property.columnType
        // A length on what is no text becomes the VARCHAR without length that the model's check refuses.
        if let length { stored = .varchar(stored == .text ? length : 0) }
        self.init(
            name, stored, column: column, isOptional: Property.isOptional, notNull: notNull, primaryKey: primaryKey,
            autoIncrement: autoIncrement, unique: unique, indexed: indexed, defaultSQL: defaultSQL, checkSQL: checkSQL,
            computedSQL: computedSQL, collation: collation, references: references, jsonKey: json,
            renamedFrom: renamedFrom, convertSQL: convertSQL)
    }
}
