import CormorantBase
import CormorantQuery

extension ModelSketch {
    /// The foreign keys that a model can declare.
    mutating func addReferences(_ models: [ModelSketch], _ places: [[UInt8]: Int]) {
        let lists = table.foreignKeys.map { $0.columns.map(foldIdentifier) }
        for (index, key) in table.foreignKeys.enumerated() {
            let label = "foreign key (\(key.columns.map(quoteIdentifier).joined(separator: ", ")))"
            if let reason = reasonForNoReference(
                key, models, places, isShared: lists.filter { $0 == lists[index] }.count > 1)
            {
                notes.append("\(label) \(reason): the model does not declare it, the database keeps it")
                continue
            }
            if key.isDeferred { notes.append("\(label) is deferred: a model cannot say it, the database keeps it") }
            let target = models[places[foldedBytes(key.table)]!]
            let isToKey = key.tableColumns.map(foldIdentifier) == target.table.primaryKey.map(foldIdentifier)
            let reference = ReferenceSketch(
                columns: key.columns.compactMap(column), table: target.table.name,
                tableColumns: isToKey ? [] : key.tableColumns, onDelete: key.onDelete, onUpdate: key.onUpdate)
            if reference.columns.count == 1 {
                columns[reference.columns[0]].reference = reference
            } else {
                references.append(reference)
            }
        }
    }

    private func reasonForNoReference(
        _ key: ForeignKeyMetadata, _ models: [ModelSketch], _ places: [[UInt8]: Int], isShared: Bool
    ) -> String? {
        guard let place = places[foldedBytes(key.table)] else {
            return "refers to \(quoteIdentifier(key.table)), which has no model"
        }
        let target = models[place]
        guard !key.tableColumns.isEmpty, key.columns.allSatisfy({ column($0) != nil }),
            key.tableColumns.allSatisfy({ target.column($0) != nil })
        else { return "refers to columns that are not there" }
        if isShared { return "is one of several over the same columns" }
        if key.onDelete == .setNull || key.onUpdate == .setNull,
            key.columns.contains(where: { name in column(name).map { !columns[$0].isOptional } ?? false })
        {
            return "sets NULL where NULL cannot be"
        }
        return nil
    }

    /// All foreign keys that the model declares.
    var declared: [ReferenceSketch] { columns.compactMap(\.reference) + references }

    /// The relations whose foreign keys models declare, or that lead to a primary key.
    mutating func addRelations(_ models: [ModelSketch], _ places: [[UInt8]: Int]) {
        for relation in table.relations {
            guard let target = places[foldedBytes(relation.table)] else { continue }
            switch relation.kind {
            case .toOne:
                guard let own = place(of: relation.columns, in: self),
                    let named = naming(own, of: self, to: models[target], relation.tableColumns)
                else { continue }
                relations.append(
                    RelationSketch(
                        kind: .toOne, target: target, columns: named, targetColumns: [],
                        names: names(toOne: own, models[target])))
            case .toMany:
                let source = models[target]
                guard let there = place(of: relation.tableColumns, in: source),
                    let named = source.naming(there, of: source, to: self, relation.columns)
                else { continue }
                relations.append(
                    RelationSketch(
                        kind: .toMany, target: target, columns: named, targetColumns: [],
                        names: names(toMany: there, of: source, isOnly: named.isEmpty)))
            case .manyToMany:
                addManyToMany(relation, target, models, places)
            }
        }
    }

    private mutating func addManyToMany(
        _ relation: RelationMetadata, _ target: Int, _ models: [ModelSketch], _ places: [[UInt8]: Int]
    ) {
        guard let through = relation.through, let junction = places[foldedBytes(through)] else { return }
        let between = models[junction]
        guard let near = place(of: relation.throughColumns, in: between),
            let far = place(of: relation.throughTableColumns, in: between),
            let nearNamed = naming(near, of: between, to: self, relation.columns),
            let farNamed = naming(far, of: between, to: models[target], relation.tableColumns)
        else { return }
        let plural = Words(models[target].table.name).plural
        relations.append(
            RelationSketch(
                kind: .manyToMany, target: target, junction: junction, columns: nearNamed, targetColumns: farNamed,
                names: [plural, plural + Words("through") + Words(through)]))
    }

    private func place(of names: [String], in model: ModelSketch) -> [Int]? {
        let places = names.compactMap(model.column)
        return places.count == names.count ? places : nil
    }

    /// The columns to name for a relation along these, none where the model finds them by itself; nil where it cannot find
    /// them at all.
    private func naming(
        _ columns: [Int], of source: ModelSketch, to target: ModelSketch, _ there: [String]
    ) -> [Int]? {
        let fitting = source.declared.filter { sameIdentifier($0.table, target.table.name) }
        if fitting.contains(where: { $0.columns == columns }) { return fitting.count == 1 ? [] : columns }
        let isKey = there.map(foldIdentifier) == target.table.primaryKey.map(foldIdentifier)
        return isKey ? columns : nil
    }

    /// `artist_id` leads to an `artist`; a column without such an ending to what its table has one of.
    private func names(toOne own: [Int], _ target: ModelSketch) -> [Words] {
        let one = Words(target.table.name).singular
        guard own.count == 1 else { return [one] }
        let name = Words(columns[own[0]].metadata.name)
        guard let short = name.withoutKeyEnding else { return [one, name + Words("record")] }
        return [short, one, short + Words("record")]
    }

    private func names(toMany there: [Int], of source: ModelSketch, isOnly: Bool) -> [Words] {
        let plural = Words(source.table.name).plural
        let by = there.map { Words(source.columns[$0].metadata.name) }.map { $0.withoutKeyEnding ?? $0 }
            .reduce(plural + Words("by")) { $0 + $1 }
        return isOnly ? [plural, by] : [by, plural]
    }

    // MARK: - Functions that find records

    mutating func addFinders() {
        var seen: Set<Set<Int>> = []
        func add(_ kind: FinderSketch.Kind, _ places: [Int]) {
            guard !places.isEmpty, seen.insert(Set(places)).inserted else { return }
            finders.append(FinderSketch(kind: kind, columns: places))
        }
        add(.key, key)
        for index in table.indexes where index.isUnique && index.conditionSQL == nil {
            guard let places = index.columns.flatMap({ place(of: $0, in: self) }) else { continue }
            add(.unique, places)
        }
        for key in table.foreignKeys {
            if let places = place(of: key.columns, in: self) { add(.foreignKey, places) }
        }
    }
}

extension Words {
    /// Without the word that says that it is a key; nil where it has none.
    fileprivate var withoutKeyEnding: Words? {
        guard parts.count > 1, ["id", "key", "code", "uuid", "fk", "ref"].contains(parts[parts.count - 1]) else {
            return nil
        }
        return Words(parts: Array(parts.dropLast()))
    }
}
