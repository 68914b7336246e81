import CormorantBase

extension Metadata {
    /// What CREATE statements tell. The columns of virtual tables and views are known to a connection only.
    package init(_ schema: Schema, problems: [MetadataProblem] = []) {
        self.init(tables: [], problems: problems)
        for table in schema.tables { tables.append(TableMetadata(table)) }
        for table in schema.virtualTables { tables.append(TableMetadata(table)) }
        for view in schema.views {
            tables.append(TableMetadata(name: view.name, kind: .view, sql: withoutComments(view.sql)))
        }
        let places = placesByName
        for index in schema.indexes {
            if let place = places[foldedBytes(index.table)] { tables[place].add(index) }
        }
        for trigger in schema.triggers {
            if let place = places[foldedBytes(trigger.table)] { tables[place].triggers.append(.init(trigger)) }
        }
        finish()
    }

    /// Tells what follows from the keys of all tables: what is unique, where foreign keys lead, relations.
    package mutating func finish() {
        let keys = Dictionary(tables.map { (foldedBytes($0.name), $0.primaryKey) }) { first, _ in first }
        for place in tables.indices { tables[place].finishKeys(keys) }
        addRelations()
    }

    /// Positions of the tables by their names' folded bytes: to `String` two spellings of an accent are the same.
    package var placesByName: [[UInt8]: Int] {
        Dictionary(tables.indices.map { (foldedBytes(tables[$0].name), $0) }) { first, _ in first }
    }
}

package func foldedBytes(_ name: String) -> [UInt8] { name.utf8.map(foldASCII) }

extension TableMetadata {
    fileprivate init(_ table: VirtualTableDefinition) {
        self.init(name: table.name, kind: .virtual, sql: withoutComments(table.sql))
        module = ModuleSchema(table.module, table.arguments.map(\.text))
    }

    fileprivate init(_ table: TableDefinition) {
        let shape = TableShape(table)
        self.init(name: table.name, kind: .table, sql: withoutComments(table.sql))
        isStrict = table.strict
        isWithoutRowID = table.withoutRowID
        isAutoIncrement = shape.autoIncrement
        rowIDColumn = shape.rowIDColumn?.name
        columns = shape.columns.map { ColumnMetadata($0, isStrict: table.strict) }
        primaryKey = shape.primaryKey.compactMap { term in term.column.map { shape.column($0)?.name ?? $0 } }
        for (position, name) in primaryKey.enumerated() {
            guard let column = place(of: name) else { continue }
            columns[column].keyPosition = position + 1
            // A primary key may be NULL in a table with row numbers, unless that is its number
            // (https://www.sqlite.org/lang_createtable.html#the_primary_key).
            if isStrict || isWithoutRowID || rowIDColumn != nil { columns[column].isNullable = false }
        }
        if rowIDColumn == nil, !shape.primaryKey.isEmpty {
            let name = table.primaryKeyName
            indexes.append(.init(name: name, origin: .primaryKey, shape.primaryKey, isUnique: true, nil))
        }
        for unique in shape.uniques {
            guard case .unique(let terms, _) = unique.kind else { continue }
            indexes.append(.init(name: unique.name, origin: .unique, terms, isUnique: true, nil))
        }
        for column in table.columns {
            for constraint in column.constraints { add(constraint, of: column.name) }
        }
        for constraint in table.constraints { add(constraint, of: nil) }
        for column in columns.indices { columns[column].narrow(checks) }
    }

    private mutating func add(_ constraint: ConstraintDefinition, of column: String?) {
        switch constraint.kind {
        case .check(let condition):
            checks.append(CheckMetadata(name: constraint.name, sql: condition.text, column: column))
        case .foreignKey(let key):
            foreignKeys.append(
                ForeignKeyMetadata(
                    name: constraint.name, columns: key.columns, table: key.table, tableColumns: key.tableColumns,
                    onDelete: key.onDelete, onUpdate: key.onUpdate, isDeferred: key.isDeferred))
        default: break
        }
    }

    fileprivate mutating func add(_ index: IndexDefinition) {
        indexes.append(
            .init(name: index.name, origin: .index, index.terms, isUnique: index.isUnique, index.condition))
    }

    /// - Parameter keys: the primary keys of all tables.
    fileprivate mutating func finishKeys(_ keys: [[UInt8]: [String]]) {
        for index in foreignKeys.indices {
            let key = foreignKeys[index]
            if key.tableColumns.isEmpty, let target = keys[foldedBytes(key.table)], target.count == key.columns.count {
                foreignKeys[index].tableColumns = target
            }
            for name in key.columns {
                if let column = place(of: name) { columns[column].isForeignKey = true }
            }
        }
        for column in columns.indices { columns[column].isUnique = isUnique([columns[column].name]) }
    }

    package func place(of column: String) -> Int? { columns.firstIndex { sameIdentifier($0.name, column) } }

    /// Whether some key or index lets no two rows have one value of these columns, in whatever order.
    package func isUnique(_ names: [String]) -> Bool {
        let wanted = Set(names.map(foldedBytes))
        if let rowIDColumn, wanted == [foldedBytes(rowIDColumn)] { return true }
        return indexes.contains { index in
            guard index.isUnique, index.conditionSQL == nil, let columns = index.columns else { return false }
            return Set(columns.map(foldedBytes)) == wanted
        }
    }
}

extension TableDefinition {
    fileprivate var primaryKeyName: String? {
        let all = columns.flatMap(\.constraints) + constraints
        return all.lazy.compactMap { if case .primaryKey = $0.kind { $0.name } else { nil } }.first
    }
}

extension ColumnMetadata {
    /// What a declaration tells; a column of a virtual table or view has no more.
    package init(name: String, declaredType: String, isStrict: Bool = false) {
        let isAny = isStrict && sameIdentifier(declaredType, "ANY")
        let affinity = isAny ? .blob : Affinity(declaredType: declaredType)
        self.init(
            name: name, declaredType: declaredType, affinity: affinity,
            type: ColumnType(declaredType: declaredType, affinity: affinity))
    }

    fileprivate init(_ column: TableShape.Column, isStrict: Bool) {
        self.init(name: column.name, declaredType: column.definition.type, isStrict: isStrict)
        isNullable = column.notNull == nil
        defaultSQL = column.defaultValue?.text
        collation = column.collation
        generatedSQL = column.computed?.text
        isStored = column.isStored
    }

    /// Takes the type that a check of a model's column tells: its greatest length, or that it is JSON.
    fileprivate mutating func narrow(_ checks: [CheckMetadata]) {
        guard type == .text else { return }
        let quoted = quoteIdentifier(name)
        let length = "length(\(quoted)) <= "
        for check in checks where check.column.map({ sameIdentifier($0, name) }) ?? false {
            if check.sql.hasPrefix(length), let characters = Int(check.sql.dropFirst(length.count)) {
                type = .varchar(characters)
            } else if check.sql == "json_valid(\(quoted))" || check.sql == "\(quoted) IS NULL OR json_valid(\(quoted))"
            {
                type = .json
            }
        }
    }
}

extension IndexMetadata {
    fileprivate init(name: String?, origin: Origin, _ terms: [IndexTerm], isUnique: Bool, _ condition: SQLFragment?) {
        self.init(
            name: name, origin: origin, isUnique: isUnique,
            terms: terms.map {
                IndexTermMetadata(
                    column: $0.column, sql: $0.expression.text, collation: $0.collation, isDescending: $0.descending)
            }, conditionSQL: condition?.text)
    }
}

extension TriggerMetadata {
    fileprivate init(_ trigger: TriggerDefinition) {
        self.init(
            name: trigger.name, timing: trigger.timing, event: trigger.event, columns: trigger.columns,
            sql: withoutComments(trigger.sql))
    }
}

/// A statement with a space in place of each comment, or a line's end where one was.
func withoutComments(_ sql: String) -> String {
    var source = SQLTokenizer(sql)
    guard let tokens = try? source.all() else { return sql }
    var bytes: [UInt8] = []
    var end: Int?
    for token in tokens {
        let start = token.range.lowerBound
        if let end {
            let gap = source.bytes[end..<start]
            if gap.allSatisfy({ $0 <= 0x20 }) {
                bytes += gap
            } else {
                bytes.append(gap.contains(0x0A) ? 0x0A : 0x20)
            }
        }
        bytes += source.bytes[token.range]
        end = token.range.upperBound
    }
    return String(decoding: bytes, as: UTF8.self)
}
