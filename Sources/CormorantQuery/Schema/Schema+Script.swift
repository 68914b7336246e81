import CormorantBase

extension Schema {
    /// What a script of CREATE statements makes, such as `sql` gives and SQLite's shell writes (`.schema`). Anything else in
    /// it is an error, and so is what would be temporary.
    public init(script: String) throws(CormorantError) {
        let statements = try SQLScript(script)
        var parser = statements.parser
        self.init()
        for range in statements.ranges {
            let object = try parser.object(range)
            guard !parser.isTemporary else {
                let offset = parser.tokens[range.lowerBound].range.lowerBound
                throw CormorantError(
                    .schema, "what is temporary is no part of a file's schema: \"\(object.name)\" at byte \(offset)",
                    hint: "take TEMP away, or the statement", sql: script, offset: offset)
            }
            // SQLite's shell also writes what SQLite makes by itself.
            if !foldIdentifier(object.name).hasPrefix("sqlite_") { append(object) }
        }
        removeShadows()
    }

    /// Takes away the tables behind virtual tables, which come with those.
    private mutating func removeShadows() {
        let shadows = Set(
            virtualTables.flatMap { table in
                (shadowParts(of: table.module) ?? []).map { nameKey(table.name + "_" + $0) }
            }
        ).subtracting(virtualTables.compactMap(\.foreignContent))
        if !shadows.isEmpty { tables.removeAll { shadows.contains(nameKey($0.name)) } }
    }

    package init(objects: some Sequence<SchemaObject>) {
        self.init()
        for object in objects { append(object) }
    }

    package mutating func append(_ object: SchemaObject) {
        switch object {
        case .table(let table): tables.append(table)
        case .virtualTable(let table): virtualTables.append(table)
        case .index(let index): indexes.append(index)
        case .view(let view): views.append(view)
        case .trigger(let trigger): triggers.append(trigger)
        }
    }

    /// All of them in an order in which an empty file takes them.
    package var objects: [SchemaObject] {
        tables.map(SchemaObject.table) + virtualTables.map(SchemaObject.virtualTable)
            + indexes.map(SchemaObject.index) + views.map(SchemaObject.view) + triggers.map(SchemaObject.trigger)
    }

    /// A script that makes all of it in an empty file, and that `init(script:)` reads.
    public var sql: String {
        var script = ""
        for object in objects { script += terminated(object.sql) + "\n" }
        return script
    }

    package func table(_ name: String) -> TableDefinition? { tables.first { sameIdentifier($0.name, name) } }

    package func virtualTable(_ name: String) -> VirtualTableDefinition? {
        virtualTables.first { sameIdentifier($0.name, name) }
    }

    package func index(_ name: String) -> IndexDefinition? { indexes.first { sameIdentifier($0.name, name) } }

    package func view(_ name: String) -> ViewDefinition? { views.first { sameIdentifier($0.name, name) } }

    package func trigger(_ name: String) -> TriggerDefinition? { triggers.first { sameIdentifier($0.name, name) } }
}

extension VirtualTableDefinition {
    /// The folded name of its table of texts, where it has none: the texts are elsewhere or nowhere, and a table of that name
    /// is the user's. https://www.sqlite.org/fts5.html#external_content_and_contentless_tables
    package var foreignContent: ExactText? {
        guard ["fts4", "fts5"].contains(foldIdentifier(module)) else { return nil }
        let isElsewhere = arguments.contains { argument in
            let parts = argument.text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return false }
            // FTS5 takes the beginning of an option's name for it.
            let option = foldIdentifier(String(parts[0].prefix { !$0.isWhitespace && $0 != "/" }))
            return !option.isEmpty && "content".hasPrefix(option)
        }
        return isElsewhere ? nameKey(name + "_content") : nil
    }
}

extension SchemaObject {
    package var name: String {
        switch self {
        case .table(let table): table.name
        case .virtualTable(let table): table.name
        case .index(let index): index.name
        case .view(let view): view.name
        case .trigger(let trigger): trigger.name
        }
    }

    /// The statement as the file has it.
    package var sql: String {
        switch self {
        case .table(let table): table.sql
        case .virtualTable(let table): table.sql
        case .index(let index): index.sql
        case .view(let view): view.sql
        case .trigger(let trigger): trigger.sql
        }
    }
}

/// A statement with its semicolon, which a comment at its end must not take in.
private func terminated(_ sql: String) -> String {
    var source = SQLTokenizer(sql)
    var end = 0
    do {
        while let token = try source.next() { end = token.range.upperBound }
    } catch {
        return sql + ";"
    }
    if source.endsInComment { return sql + " */;" }
    return end == source.bytes.count ? sql + ";" : sql + "\n;"
}
