import CormorantBase

/// A model's table as statements name it: made once with the model, so that a statement quotes nothing anew.
package final class TableReference: Sendable {
    package final class Column: Sendable {
        /// The property's name, for messages.
        package let property: String
        package let name: String
        package let quoted: String
        package let type: ColumnType
        package let isOptional: Bool
        package let isNotNull: Bool
        package let isUnsigned: Bool
        /// How wide an integer is; 0: as the type.
        package let bits: Int
        /// How many bytes a record has for a text and a NUL behind it; 0: as many as it has.
        package let textSize: Int
        /// Of a decimal: how many digits stand after its point; nil: any number of them.
        package let scale: Int?
        /// Written by SQLite only.
        package let isComputed: Bool
        package let stamp: Stamp?
        /// The SQL of what all rows of the model have in it.
        package let constant: String?
        /// What compares its texts; nil: their bytes.
        package let collation: String?
        /// The integers that it holds, where it holds some.
        package var integers: ClosedRange<Int64> { type.integers(isUnsigned: isUnsigned, bits: bits) }
        /// Whether its texts have one form.
        package var hasForm: Bool { type == .uuid || type.timeForm != nil }

        package init(
            property: String, name: String, type: ColumnType, isOptional: Bool, isNotNull: Bool = false,
            isUnsigned: Bool = false, bits: Int = 0, textSize: Int = 0, scale: Int? = nil, isComputed: Bool,
            stamp: Stamp? = nil, constant: String? = nil, collation: String? = nil
        ) {
            self.textSize = textSize
            self.collation = collation
            self.constant = constant
            self.property = property
            self.name = name
            self.type = type
            self.isOptional = isOptional
            self.isNotNull = isNotNull
            self.isUnsigned = isUnsigned
            self.bits = bits
            self.scale = scale
            self.isComputed = isComputed
            self.stamp = stamp
            quoted = quoteIdentifier(name)
        }
    }

    /// The model's name, for messages.
    package let model: String
    package let name: String
    /// The name that it has in its file, and that under which the file is attached, where it is.
    package let table: (name: String, schema: String?)
    package let quoted: String
    /// The same, followed by the name that columns stand with where that is not the table's.
    package let source: String
    package let columns: [Column]
    /// Positions of the primary key's columns; empty when the key is hidden.
    package let key: [Int]
    /// Positions of other columns that tell rows apart.
    package let uniques: [[Int]]
    /// Name of the hidden key's column, where the key is hidden.
    package let hiddenKey: String?
    /// The SQL of a condition that all rows of the model meet; its columns are the table's.
    package let scope: String?
    /// Whether it is a view, of whose changed rows SQLite counts none.
    package let isView: Bool
    /// Whether it has datetime or UUID columns, whose texts have one form.
    package let hasForms: Bool
    /// `"a", "b"`: what SELECT lists to get whole records.
    let columnList: String
    /// What is read from: the table, or those of its rows that are in the scope.
    let rows: String
    /// The position of the column whose value the table makes where a row has none; nil: of the hidden key, or of none.
    package let generated: Int?
    /// A name that PostgreSQL would cut off.
    let longName: String?
    /// What the layer above knows of the model.
    package let owner: (any TableOwner)?

    /// - Parameters:
    ///   - attachment: the name under which the table's file is attached; columns then stand with both names.
    ///   - owner: nil for a table of no model.
    package init(
        model: String, name: String, in attachment: String? = nil, columns: [Column], key: [Int],
        uniques: [[Int]] = [], hiddenKey: String?, generated: Int? = nil, isView: Bool = false, scope: String? = nil,
        owner: (any TableOwner)? = nil
    ) {
        self.owner = owner
        self.generated = generated
        longName = ([name] + columns.map(\.name)).first { $0.utf8.count > 63 }
        self.model = model
        self.name = attachment.map { "\($0).\(name)" } ?? name
        table = (name, attachment)
        self.columns = columns
        self.key = key
        self.uniques = uniques
        self.hiddenKey = hiddenKey
        self.isView = isView
        self.scope = scope
        hasForms = columns.contains(where: \.hasForm)
        let plain = quoteIdentifier(name)
        quoted = attachment.map { "\(quoteIdentifier($0)).\(plain)" } ?? plain
        source = attachment == nil ? plain : "\(quoted) AS \(quoteIdentifier(self.name))"
        rows = scope.map { [quoted] in "(SELECT * FROM \(quoted) WHERE \($0))" } ?? quoted
        columnList = columns.map(\.quoted).joined(separator: ", ")
    }

    /// Whether it is the other one, or of the same model with and without its scope.
    package func isSame(as other: TableReference) -> Bool {
        if self === other { return true }
        return (scope == nil) != (other.scope == nil) && model == other.model && name == other.name
            && columns.map(\.name) == other.columns.map(\.name)
    }

    /// What rows are inserted into, followed by the name that the row in the way stands with where that is not the table's.
    var target: String { isNamedAsNewRow(name) ? "\(quoted) AS \(quoteIdentifier(nameInTheWay))" : source }

    /// Of the row that is in the way of a new one.
    var nameInTheWay: String { isNamedAsNewRow(name) ? "\(name) in the way" : name }

    package func column(named property: String) -> Int? { columns.firstIndex { $0.property == property } }

    /// The position of a property, or an error that lists the nearest names.
    package func require(_ property: String) throws -> Int {
        if let index = column(named: property) { return index }
        throw CormorantError(
            .misuse, "model \(model) has no property \"\(property)\"",
            hint: ordered(property) ?? nearestNames(to: property, columns.map(\.property)), table: name)
    }

    /// What to write in place of a property with a direction of SQL behind it; nil for any other text.
    private func ordered(_ text: String) -> String? {
        let words = text.split(separator: Character(" ")).map { String($0) }
        guard words.count == 2, let index = column(named: words[0]) else { return nil }
        let direction = foldIdentifier(words[1])
        guard direction == "desc" || direction == "asc" else { return nil }
        return "write it as \"\(direction == "desc" ? "-" : "")\(columns[index].property)\""
    }
}

/// Whether a table has the name by which an upsert knows the new row: of the two, SQLite takes the table.
func isNamedAsNewRow(_ table: String) -> Bool { sameIdentifier(table, "excluded") }

/// What has a table: a model, of which this layer knows no more.
package protocol TableOwner: AnyObject, Sendable {}

/// One step along a relation: the table it leads to and the pairs of columns that must be equal.
package struct RelationStep: Sendable {
    package let name: String
    package let source: TableReference
    package let target: TableReference
    /// Positions here and there.
    package let columns: [(from: Int, to: Int)]
    /// Whether the foreign key is here, so that the key that it refers to is there.
    package let refersToTarget: Bool
    /// By which each column of that key compares, as its model says, in lower case; nil: by bytes. Decimals and offset datetimes always
    /// have one, because expressions compare them as numbers and moments where none is named.
    package let collations: [String?]

    package init(
        _ name: String, from source: TableReference, to target: TableReference, _ columns: [(from: Int, to: Int)],
        refersToTarget: Bool, _ collations: [String?]
    ) {
        self.name = name
        self.source = source
        self.target = target
        self.columns = columns
        self.refersToTarget = refersToTarget
        self.collations = collations
    }

    /// That the columns are equal. As a foreign key does, they compare by the collation of the key that is referred to:
    /// SQLite takes that of the left operand.
    package func matches(_ here: (Int) -> Expression, _ there: (Int) -> Expression) -> [Expression] {
        zip(columns, collations).map { pair, collation in
            let (here, there) = (here(pair.from), there(pair.to))
            let (key, other) = refersToTarget ? (there, here) : (here, there)
            let isNamed = collation == "binary" || collation == "corm_decimal"
            return .binary(.equal, isNamed ? .collate(key, collation ?? "") : key, other)
        }
    }
}
