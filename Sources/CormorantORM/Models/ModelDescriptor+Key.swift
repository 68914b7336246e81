import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

extension ModelDescriptor {
    /// A primary key as the file holds it.
    package func storedKey(_ key: [Value]) throws -> [Value] {
        let count = max(1, keyColumns.count)
        guard key.count == count else {
            throw CormorantError(
                .binding,
                "the primary key of \(name) has \(counted(count, "value")), \(countedWere(key.count, "value")) given",
                hint: "give one value for each column of the key, in its order", table: table)
        }
        return try zip(key, keyColumns.isEmpty ? [nil] : keyColumns.map { Optional($0) }).map { value, column in
            guard let column else { return value }
            let type = columns[column].type
            guard let stored = try value.stored(as: type) else {
                throw CormorantError(
                    .type, "\(name).\(columns[column].name) is of type \(type.name), its key is \(value.kindName)",
                    hint: "give a value of type \(type.name)", table: table)
            }
            if case .integer(let integer) = stored, type == .double || type == .float { return .real(Double(integer)) }
            return stored
        }
    }

    /// Whether the model's key is a table's, so that its rows are known by it.
    package func requireKey(of table: TrackedTable, hint: String) throws {
        let isKey =
            keyNames.count == table.columns.keyNames.count
            && zip(keyNames, table.columns.keyNames).allSatisfy { sameIdentifier($0, $1) }
        guard isKey, !table.isVirtual else {
            throw CormorantError(
                .misuse, "the key of \(name) is not the primary key of \"\(self.table)\"", hint: hint, table: self.table
            )
        }
    }

    /// A primary key as caches know it; nil where it has a form that no row has.
    package func rowKey(_ key: [Value]) -> RowKey? {
        if key.count == 1, case .integer(let integer) = key[0], keyColumns.count <= 1,
            keyColumns.first.map({ columns[$0].type == .int64 || columns[$0].type == .int32 }) ?? true
        {
            return .integer(integer)
        }
        return (try? storedKey(key)).map(RowKey.init)
    }
}
