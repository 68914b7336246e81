import CormorantBase
import CormorantQuery

/// One difference between two schemas.
public struct SchemaChange: Sendable, Hashable {
    /// What differs; the raw value is what descriptions call it.
    public enum Kind: String, Sendable {
        /// A table is added.
        case createTable = "create table"
        /// A table goes.
        case dropTable = "drop table"
        /// A table gets another name.
        case renameTable = "rename table"
        /// A column is added.
        case addColumn = "add column"
        /// A column goes.
        case dropColumn = "drop column"
        /// A column gets another name.
        case renameColumn = "rename column"
        /// A column gets another type.
        case changeType = "change type"
        /// A column becomes NOT NULL, or nullable.
        case changeNotNull = "change NOT NULL"
        /// A column's default becomes another, comes or goes.
        case changeDefault = "change default"
        /// A column's collation becomes another.
        case changeCollation = "change collation"
        /// What computes a column becomes another, comes or goes.
        case changeComputed = "change computed column"
        /// The primary key gets other columns.
        case changePrimaryKey = "change primary key"
        /// A UNIQUE constraint is added.
        case addUnique = "add UNIQUE"
        /// A UNIQUE constraint goes.
        case dropUnique = "drop UNIQUE"
        /// A CHECK constraint is added.
        case addCheck = "add CHECK"
        /// A CHECK constraint goes.
        case dropCheck = "drop CHECK"
        /// A foreign key is added.
        case addForeignKey = "add foreign key"
        /// A foreign key goes.
        case dropForeignKey = "drop foreign key"
        /// STRICT or WITHOUT ROWID comes or goes.
        case changeOptions = "change options"
        /// An index is added.
        case createIndex = "create index"
        /// An index goes.
        case dropIndex = "drop index"
        /// A view is added.
        case createView = "create view"
        /// A view goes.
        case dropView = "drop view"
        /// A trigger is added.
        case createTrigger = "create trigger"
        /// A trigger goes.
        case dropTrigger = "drop trigger"
    }

    /// What differs.
    public var kind: Kind
    /// The table, or the view of `createView` and `dropView`, by its name before the change.
    public var table: String
    /// The column, index or trigger; nil for changes of the table itself.
    public var name: String?
    /// What was there, as SQL; nil for nothing.
    public var before: String?
    /// What is to be there, as SQL; nil for nothing.
    public var after: String?

    package init(_ kind: Kind, _ table: String, _ name: String? = nil, before: String? = nil, after: String? = nil) {
        self.kind = kind
        self.table = table
        self.name = name
        self.before = before
        self.after = after
    }
}

extension SchemaChange: CustomStringConvertible {
    /// One line, such as `change type "person.age": TEXT -> INTEGER`.
    public var description: String {
        let subject = name.map { kind.isOfTable ? "\(table).\($0)" : $0 } ?? table
        switch (before, after) {
        case (let before?, let after?):
            return "\(kind.rawValue) \"\(subject)\": \(oneLine(before)) -> \(oneLine(after))"
        case (nil, let after?) where kind == .renameTable || kind == .renameColumn:
            return "\(kind.rawValue) \"\(subject)\" to \"\(after)\""
        case (nil, let after?) where kind.showsText: return "\(kind.rawValue) \"\(subject)\": \(oneLine(after))"
        case (let before?, nil) where kind.showsText: return "\(kind.rawValue) \"\(subject)\": \(oneLine(before))"
        default: return "\(kind.rawValue) \"\(subject)\""
        }
    }
}

extension SchemaChange.Kind {
    /// Whether the name is one within the table.
    fileprivate var isOfTable: Bool {
        switch self {
        case .createIndex, .dropIndex, .createTrigger, .dropTrigger: false
        default: true
        }
    }

    /// Whether nothing but a table changes, with its indexes.
    var staysInTable: Bool {
        switch self {
        case .renameTable, .renameColumn, .createView, .dropView, .createTrigger, .dropTrigger: false
        default: true
        }
    }

    /// Whether the text says more than the name.
    fileprivate var showsText: Bool {
        switch self {
        case .createTable, .dropTable, .dropColumn, .createIndex, .dropIndex, .createView, .dropView, .createTrigger,
            .dropTrigger:
            false
        default: true
        }
    }
}

/// SQL on one line, shortened to what a list of changes can bear.
func oneLine(_ sql: String) -> String {
    var line = ""
    var count = 0
    var wasSpace = true
    for character in sql {
        if character.isWhitespace {
            if wasSpace { continue }
            wasSpace = true
            line.append(" ")
        } else {
            wasSpace = false
            line.append(character)
        }
        count += 1
        if count == 160 { return line + "..." }
    }
    if wasSpace, !line.isEmpty { line.removeLast() }
    return line
}
