import CormorantBase

extension Metadata {
    /// Relations in the order of the foreign keys they follow, those of a table's own keys first.
    mutating func addRelations() {
        let places = placesByName
        for source in tables.indices {
            for key in tables[source].foreignKeys where !key.tableColumns.isEmpty {
                guard let target = places[foldedBytes(key.table)] else { continue }
                tables[source].relations.append(toOne(key, from: tables[source], to: tables[target]))
            }
        }
        // What leads here comes after what leads away, and what leads over a table after both.
        for source in tables.indices {
            for key in tables[source].foreignKeys where !key.tableColumns.isEmpty {
                guard let target = places[foldedBytes(key.table)] else { continue }
                tables[target].relations.append(toMany(key, from: tables[target], to: tables[source]))
            }
        }
        for junction in tables where junction.kind == .table {
            guard let (first, second) = junction.joinedKeys, let left = places[foldedBytes(first.table)],
                let right = places[foldedBytes(second.table)]
            else { continue }
            tables[left].relations.append(manyToMany(first, second, over: junction, to: tables[right]))
            tables[right].relations.append(manyToMany(second, first, over: junction, to: tables[left]))
        }
    }

    private func toOne(
        _ key: ForeignKeyMetadata, from source: TableMetadata, to target: TableMetadata
    ) -> RelationMetadata {
        RelationMetadata(
            kind: .toOne, table: target.name, columns: key.columns, tableColumns: key.tableColumns,
            isSelf: sameIdentifier(source.name, target.name), isUnique: true,
            isOptional: key.columns.contains { name in
                source.place(of: name).map { source.columns[$0].isNullable } ?? true
            })
    }

    private func toMany(
        _ key: ForeignKeyMetadata, from target: TableMetadata, to source: TableMetadata
    ) -> RelationMetadata {
        RelationMetadata(
            kind: .toMany, table: source.name, columns: key.tableColumns, tableColumns: key.columns,
            isSelf: sameIdentifier(source.name, target.name), isUnique: source.isUnique(key.columns),
            isOptional: true)
    }

    private func manyToMany(
        _ near: ForeignKeyMetadata, _ far: ForeignKeyMetadata, over junction: TableMetadata, to target: TableMetadata
    ) -> RelationMetadata {
        var relation = RelationMetadata(
            kind: .manyToMany, table: target.name, columns: near.tableColumns, tableColumns: far.tableColumns,
            isSelf: sameIdentifier(near.table, far.table), isUnique: false, isOptional: true)
        relation.through = junction.name
        relation.throughColumns = near.columns
        relation.throughTableColumns = far.columns
        return relation
    }
}

extension TableMetadata {
    /// The two foreign keys that make a table stand between two others: it has no third, and their columns together are
    /// its key or are unique.
    fileprivate var joinedKeys: (ForeignKeyMetadata, ForeignKeyMetadata)? {
        guard foreignKeys.count == 2, foreignKeys.allSatisfy({ !$0.tableColumns.isEmpty }) else { return nil }
        let (first, second) = (foreignKeys[0], foreignKeys[1])
        let names = first.columns + second.columns
        guard Set(names.map(foldedBytes)).count == names.count, isUnique(names) else { return nil }
        return (first, second)
    }
}
