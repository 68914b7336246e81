import CormorantBase
import CormorantORM
import CormorantQuery

extension ModelSketch {
    /// The table by itself; what leads to other tables comes when all are there.
    init(_ table: TableMetadata, _ language: Language, hasEnums: Bool) {
        self.table = table
        columns = table.columns.map { column in
            let isRowID = table.rowIDColumn.map { sameIdentifier($0, column.name) } ?? false
            var sketch = ColumnSketch(
                metadata: column, type: column.modelType(table), isOptional: column.isNullable && !column.isKey)
            sketch.isRowID = isRowID
            sketch.isAutoIncrement = isRowID && table.isAutoIncrement
            if isRowID || column.isGenerated { sketch.isOptional = true }
            if isNull(column.defaultSQL) { sketch.metadata.defaultSQL = nil }
            sketch.metadata.generatedSQL = column.generatedSQL.map(onOneLine)
            return sketch
        }
        key = table.primaryKey.compactMap(table.place)
        noteTypes(language)
        addChecks(hasEnums)
        addIndexes()
        if key.isEmpty, table.kind != .view {
            notes.append("the table has no primary key: records can be inserted and fetched, not updated or deleted")
        }
    }

    private mutating func note(_ column: ColumnSketch, _ text: String) {
        notes.append("column \(quoteIdentifier(column.metadata.name)) \(text)")
    }

    private mutating func noteTypes(_ language: Language) {
        for (place, column) in columns.enumerated() {
            if let collation = column.metadata.collation, !isKnownCollation(collation) {
                columns[place].metadata.collation = nil
                note(
                    column,
                    "has the collation \(collation), of a program: a model cannot say it, the database keeps it")
            }
            let declared = column.metadata.declaredType
            if let other = column.metadata.otherTime {
                let reading = column.type == .text ? "text (corm check tells how to bring it to that form)" : "a number"
                note(column, "is declared \(declared) and \(other); it is read as \(reading)")
            } else if declared.isEmpty, column.metadata.type == nil {
                note(column, "has no type; it is read as text")
            } else if column.metadata.type == nil, column.type == .text {
                note(column, "is declared \(declared), which tells no type; it is read as text")
            }
            // In the other languages a record cannot be made without it.
            if language == .c, key.count == 1, column.metadata.isKey, column.type.isInteger, !column.isRowID,
                !table.isWithoutRowID
            {
                note(column, "is a key that the table does not make: set it in each record; 0 stands for no key")
            }
        }
    }

    private mutating func addChecks(_ hasEnums: Bool) {
        for check in table.checks {
            let place = check.column.flatMap(table.place)
            if let place, columns[place].metadata.typeCheck == check.sql, columns[place].type != .text { continue }
            if hasEnums, let place, columns[place].takesChoices, let choices = columns[place].choices(of: check.sql) {
                columns[place].choices = choices
            } else if let place, columns[place].check == nil {
                columns[place].check = onOneLine(check.sql)
            } else {
                checks.append(onOneLine(check.sql))
            }
        }
    }

    private mutating func addIndexes() {
        for index in table.indexes where index.origin != .primaryKey {
            let what = (index.isUnique ? "unique " : "") + (index.origin == .unique ? "key" : "index")
            let label = index.name.map { "\(what) \(quoteIdentifier($0))" } ?? what
            guard let names = index.columns else {
                notes.append("\(label) is over an expression: a model cannot say it, the database keeps it")
                continue
            }
            let places = names.compactMap(table.place)
            guard places.count == names.count, Set(places).count == places.count else {
                notes.append("\(label) lists a column twice: a model cannot say it, the database keeps it")
                continue
            }
            if index.terms.contains(where: { $0.collation != nil }) {
                notes.append("\(label) has a collation of its own: a model cannot say it, the database keeps it")
                continue
            }
            add(index, places)
        }
    }

    private mutating func add(_ index: IndexMetadata, _ places: [Int]) {
        let isPlain = places.count == 1 && index.conditionSQL == nil && !index.terms[0].isDescending
        let column = places[0]
        let made = "\(table.name)_\(columns[column].metadata.name)_\(index.isUnique ? "key" : "index")"
        let hasMadeName = index.origin == .unique || index.name.map { sameIdentifier($0, made) } ?? true
        if isPlain, hasMadeName, !columns[column].isUnique, !columns[column].isIndexed {
            if index.isUnique { columns[column].isUnique = true } else { columns[column].isIndexed = true }
            return
        }
        // A UNIQUE over the key, or one said twice, says nothing more.
        if index.origin == .unique {
            if Set(places) == Set(key) || isPlain && columns[column].isUnique { return }
        }
        indexes.append(
            IndexSketch(
                isUnique: index.isUnique, columns: zip(places, index.terms).map { ($0, $1.isDescending) },
                name: index.origin == .index ? index.name : nil, condition: index.conditionSQL.map(onOneLine)))
    }

    /// Gives a name to what has none of its own where the one that the model makes up is taken.
    mutating func nameIndexes(_ taken: inout NameScope) {
        for place in columns.indices where columns[place].isUnique {
            let made = "\(table.name)_\(columns[place].metadata.name)_key"
            let declared = table.indexes.contains {
                $0.origin == .index && $0.name.map { sameIdentifier($0, made) } ?? false
            }
            guard !declared else { continue }
            let free = taken.take(made)
            if free != made {
                columns[place].isUnique = false
                indexes.append(IndexSketch(isUnique: true, columns: [(place, false)], name: free))
            }
        }
        for place in indexes.indices where indexes[place].name == nil {
            let names = indexes[place].columns.map { columns[$0.column].metadata.name }
            let made = "\(table.name)_\(names.joined(separator: "_"))_\(indexes[place].isUnique ? "key" : "index")"
            let free = taken.take(made)
            if free != made { indexes[place].name = free }
        }
    }
}

/// `DEFAULT NULL` says nothing.
private func isNull(_ sql: String?) -> Bool { sql.map { sameIdentifier($0, "NULL") } ?? false }

extension ColumnMetadata {
    /// The type that a model gives the column so that the file's own stays, and values come back as they went in.
    fileprivate func modelType(_ table: TableMetadata) -> ColumnType {
        switch type {
        case nil:
            let declared = foldIdentifier(declaredType)
            let isNumber = ["dec", "num", "money", "currency"].contains { contains(declared, $0) }
            return affinity == .numeric && isNumber ? .double : .text
        // A number of a declared key without digits after its point, such as NUMERIC, which integers refer to.
        case .double where affinity == .numeric && (isKey || isForeignKey) && !holdsFractions && !declaresFractions:
            return .int64
        // A model's JSON brings its check with it.
        // A server's type needs none.
        case .json where declaredType == "jsonb": return .json
        case .json: return table.checks.contains { $0.sql == typeCheck && $0.column == name } ? .json : .text
        case let type?: return type
        }
    }

    /// Whether its declared type has digits after the point, as DECIMAL(10,2) does.
    private var declaresFractions: Bool {
        guard let comma = declaredType.firstIndex(of: ",") else { return false }
        return declaredType[comma...].contains { ("1"..."9").contains($0) }
    }

    /// The check that a model's column of this type makes by itself.
    fileprivate var typeCheck: String? {
        let quoted = quoteIdentifier(name)
        return switch type {
        case .varchar(let length): "length(\(quoted)) <= \(length)"
        case .decimal: checkedScale.map { "scale(\(quoted)) <= \($0)" }
        case .json: isNullable ? "\(quoted) IS NULL OR json_valid(\(quoted))" : "json_valid(\(quoted))"
        default: nil
        }
    }
}
