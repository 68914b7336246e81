import CormorantQuery

/// A server's schema as lines, by which two are compared when one of them is there no more.
struct SchemaParts {
    /// What each object is, by its kind, table and name.
    private var lines: [[String]: String] = [:]

    init(_ schema: Schema) {
        for table in schema.tables {
            lines[["table", table.name, ""]] = ""
            for column in table.columns { lines[["column", table.name, column.name]] = column.canonical }
            for constraint in table.constraints {
                lines[["constraint", table.name, constraint.name ?? constraint.sql]] = constraint.canonical ?? ""
            }
        }
        for index in schema.indexes { lines[["index", index.table, index.name]] = index.canonical }
        for view in schema.views { lines[["view", view.name, ""]] = view.canonical }
        for trigger in schema.triggers { lines[["trigger", trigger.table, trigger.name]] = trigger.canonical }
    }

    init(text: String) {
        for line in text.split(separator: "\u{2}") {
            let parts = line.split(separator: "\u{1}", omittingEmptySubsequences: false).map(String.init)
            if parts.count == 4 { lines[Array(parts[..<3])] = parts[3] }
        }
    }

    /// Whether there is a table or a view of the name.
    func has(_ name: String) -> Bool { lines[["table", name, ""]] != nil || lines[["view", name, ""]] != nil }

    var text: String {
        lines.map { ($0.key + [$0.value]).joined(separator: "\u{1}") }.sorted().joined(separator: "\u{2}")
    }

    /// What leads to another.
    func changes(to other: SchemaParts) -> [SchemaChange] {
        var changes: [SchemaChange] = []
        for key in Set(lines.keys).union(other.lines.keys).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let (before, after) = (lines[key], other.lines[key])
            guard before != after else { continue }
            // What a table has comes and goes with it.
            let table = ["table", key[1], ""]
            if key != table, key[0] != "view", lines[table] == nil || other.lines[table] == nil { continue }
            let kind: SchemaChange.Kind =
                switch key[0] {
                case "table": before == nil ? .createTable : .dropTable
                case "column": before == nil ? .addColumn : after == nil ? .dropColumn : .changeType
                case "constraint": before == nil ? .addCheck : .dropCheck
                case "index": before == nil ? .createIndex : .dropIndex
                case "view": before == nil ? .createView : .dropView
                default: before == nil ? .createTrigger : .dropTrigger
                }
            changes.append(
                SchemaChange(kind, key[1], key[2].isEmpty ? nil : key[2], before: before, after: after))
        }
        return changes
    }
}
