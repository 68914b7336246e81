import CormorantBase
import CormorantQuery

/// Everything in which two schemas differ, renames already made: tables are matched by name, and so are columns. Their
/// order is no difference, nor is the name of a constraint.
package struct SchemaDifference {
    let before: Schema
    let after: Schema
    package private(set) var changes: [SchemaChange] = []
    private let namedBefore: ObjectsByName
    private let namedAfter: ObjectsByName

    package init(from before: Schema, to after: Schema) {
        self.before = before
        self.after = after
        namedBefore = ObjectsByName(before)
        namedAfter = ObjectsByName(after)
        compareTables()
        compareIndexes()
        compareViews()
        compareTriggers()
    }

    private mutating func compareTables() {
        for table in after.tables {
            if let old = namedBefore.table(table.name) {
                changes += TableDifference(from: old, to: table, in: before, and: after).changes
            } else {
                changes.append(SchemaChange(.createTable, table.name, after: table.sql))
            }
        }
        for table in before.tables where namedAfter.table(table.name) == nil {
            changes.append(SchemaChange(.dropTable, table.name, before: table.sql))
        }
        for table in after.virtualTables {
            let old = namedBefore.virtualTable(table.name)
            if let old, old.isEqual(table) { continue }
            if let old { changes.append(SchemaChange(.dropTable, old.name, before: old.sql)) }
            changes.append(SchemaChange(.createTable, table.name, after: table.sql))
        }
        for table in before.virtualTables where namedAfter.virtualTable(table.name) == nil {
            changes.append(SchemaChange(.dropTable, table.name, before: table.sql))
        }
    }

    private mutating func compareIndexes() {
        for index in after.indexes {
            let old = namedBefore.index(index.name)
            if let old, old.isEqual(index) { continue }
            if let old { changes.append(SchemaChange(.dropIndex, old.table, old.name, before: old.sql)) }
            changes.append(SchemaChange(.createIndex, index.table, index.name, after: index.sql))
        }
        // The index of a table that goes, goes with it.
        for index in before.indexes where namedAfter.index(index.name) == nil && namedAfter.table(index.table) != nil {
            changes.append(SchemaChange(.dropIndex, index.table, index.name, before: index.sql))
        }
    }

    private mutating func compareViews() {
        for view in after.views {
            let old = namedBefore.view(view.name)
            if let old, old.body == view.body { continue }
            if let old { changes.append(SchemaChange(.dropView, old.name, before: old.sql)) }
            changes.append(SchemaChange(.createView, view.name, after: view.sql))
        }
        for view in before.views where namedAfter.view(view.name) == nil {
            changes.append(SchemaChange(.dropView, view.name, before: view.sql))
        }
    }

    private mutating func compareTriggers() {
        for trigger in after.triggers {
            let old = namedBefore.trigger(trigger.name)
            if let old, old.body == trigger.body { continue }
            if let old { changes.append(SchemaChange(.dropTrigger, old.table, old.name, before: old.sql)) }
            changes.append(SchemaChange(.createTrigger, trigger.table, trigger.name, after: trigger.sql))
        }
        for trigger in before.triggers where namedAfter.trigger(trigger.name) == nil {
            guard namedAfter.table(trigger.table) != nil || namedAfter.view(trigger.table) != nil else { continue }
            changes.append(SchemaChange(.dropTrigger, trigger.table, trigger.name, before: trigger.sql))
        }
    }
}

/// A schema whose objects are found by name at once: it may have thousands.
struct ObjectsByName {
    private let tables: [ExactText: TableDefinition]
    private let virtualTables: [ExactText: VirtualTableDefinition]
    private let indexes: [ExactText: IndexDefinition]
    private let views: [ExactText: ViewDefinition]
    private let triggers: [ExactText: TriggerDefinition]

    init(_ schema: Schema) {
        func byName<Object>(_ objects: [Object], _ name: (Object) -> String) -> [ExactText: Object] {
            Dictionary(objects.map { (nameKey(name($0)), $0) }, uniquingKeysWith: { first, _ in first })
        }
        tables = byName(schema.tables, \.name)
        virtualTables = byName(schema.virtualTables, \.name)
        indexes = byName(schema.indexes, \.name)
        views = byName(schema.views, \.name)
        triggers = byName(schema.triggers, \.name)
    }

    func table(_ name: String) -> TableDefinition? { tables[nameKey(name)] }
    func virtualTable(_ name: String) -> VirtualTableDefinition? { virtualTables[nameKey(name)] }
    func index(_ name: String) -> IndexDefinition? { indexes[nameKey(name)] }
    func view(_ name: String) -> ViewDefinition? { views[nameKey(name)] }
    func trigger(_ name: String) -> TriggerDefinition? { triggers[nameKey(name)] }
}

extension VirtualTableDefinition {
    func isEqual(_ other: VirtualTableDefinition) -> Bool {
        sameIdentifier(module, other.module) && arguments == other.arguments
    }
}

extension IndexDefinition {
    /// Whether both are the same but for their names.
    func isEqual(_ other: IndexDefinition) -> Bool {
        sameIdentifier(table, other.table) && terms == other.terms && isUnique == other.isUnique
            && condition == other.condition
    }
}
