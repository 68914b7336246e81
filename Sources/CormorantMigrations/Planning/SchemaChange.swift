import CormorantBase
import CormorantQuery

/// One difference between two schemas.
public struct SchemaChange: Sendable, Hashable {
    /// What differs; the raw value is what descriptions call it.
    public enum Kind: String, Sendable {
        case createTable = "create table"
        case dropTable = "drop table"
        case renameTable = "rename table"
        case addColumn = "add column"
        case dropColumn = "drop column"
        case renameColumn = "rename column"
        case changeType = "change type"
        case changeNotNull = "change NOT NULL"
        case changeDefault = "change default"
        case changeCollation = "change collation"
        case changeComputed = "change computed column"
        case changePrimaryKey = "change primary key"
        case addUnique = "add UNIQUE"
        case dropUnique = "drop UNIQUE"
        case addCheck = "add CHECK"
        case dropCheck = "drop CHECK"
        case addForeignKey = "add foreign key"
        case dropForeignKey = "drop foreign key"
        case changeOptions = "change options"
        case createIndex = "create index"
        case dropIndex = "drop index"
        case createView = "create view"
        case dropView = "drop view"
        case createTrigger = "create trigger"
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
        if count == 80 { return line + "..." }
    }
    if wasSpace, !line.isEmpty { line.removeLast() }
    return line
}
