import CormorantBase
import CormorantQuery
import Foundation

extension Metadata {
    /// Reads what `json` wrote: the document that docs/metadata.schema.json describes. What follows from the rest, such as
    /// the names of types, is not read.
    package init(json text: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            let data = Data(text.utf8)
            // `corm inspect --json` has it as a part.
            let document =
                try decoder.decode(InspectDocument.self, from: data).metadata
                ?? decoder.decode(MetadataDocument.self, from: data)
            guard document.version == 1 else {
                throw CormorantError(
                    .schema, "the metadata is of version \(document.version); this corm reads version 1",
                    hint: "write it anew, or use a newer corm")
            }
            self.init(tables: try document.tables.map { try $0.table }, problems: document.problems.map(\.problem))
        } catch let error as DecodingError {
            throw CormorantError(
                .schema, "the file is no metadata: \(error.place)",
                hint: "give what the metadata API or corm inspect --json wrote")
        }
    }
}

extension DecodingError {
    /// What is wrong, and where.
    fileprivate var place: String {
        func at(_ context: Context, _ last: (any CodingKey)? = nil) -> String {
            let path = (context.codingPath + (last.map { [$0] } ?? []))
                .map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
            return path.isEmpty ? "" : " at \(path)"
        }
        switch self {
        case .keyNotFound(let key, let context): return "something is missing\(at(context, key))"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "there is a value of another kind\(at(context))"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "it is no JSON" : "there is an unknown word\(at(context))"
        @unknown default: return "it cannot be read"
        }
    }
}

private struct InspectDocument: Decodable {
    var metadata: MetadataDocument?
}

private struct MetadataDocument: Decodable {
    var version: Int
    var tables: [Table]
    var problems: [Problem]

    struct Table: Decodable {
        var name: String
        var kind: String
        var sql: String
        var module: String?
        var moduleArguments: [String]
        var isStrict: Bool
        // As the decoder makes it of is_without_rowid.
        var isWithoutRowid: Bool
        var isAutoIncrement: Bool
        var columns: [Column]
        var primaryKey: [String]
        var rowidColumn: String?
        var foreignKeys: [ForeignKey]
        var indexes: [Index]
        var checks: [Check]
        var relations: [Relation]
    }

    struct Column: Decodable {
        var name: String
        var declaredType: String
        var affinity: String
        var type: String?
        var length: Int?
        var isNullable: Bool
        var defaultSql: String?
        var collation: String?
        var keyPosition: Int
        var isUnique: Bool
        var isForeignKey: Bool
        var isHidden: Bool
        var generatedSql: String?
        var isStored: Bool
    }

    struct ForeignKey: Decodable {
        var name: String?
        var columns: [String]
        var table: String
        var tableColumns: [String]
        var onDelete: String
        var onUpdate: String
        var isDeferred: Bool
    }

    struct Index: Decodable {
        var name: String?
        var origin: String
        var isUnique: Bool
        var terms: [Term]
        var conditionSql: String?
    }

    struct Term: Decodable {
        var column: String?
        var sql: String
        var collation: String?
        var isDescending: Bool
    }

    struct Check: Decodable {
        var name: String?
        var sql: String
        var column: String?
    }

    struct Relation: Decodable {
        var kind: String
        var table: String
        var columns: [String]
        var tableColumns: [String]
        var through: String?
        var throughColumns: [String]
        var throughTableColumns: [String]
        var isSelf: Bool
        var isUnique: Bool
        var isOptional: Bool
    }

    struct Problem: Decodable {
        var type: String
        var name: String
        var table: String
        var sql: String
        var message: String

        var problem: MetadataProblem {
            MetadataProblem(type: type, name: name, table: table, sql: sql, message: message)
        }
    }
}

private func unknown(_ what: String, _ word: String) -> CormorantError {
    CormorantError(
        .schema, "the metadata has an unknown \(what) \"\(word)\"", hint: "docs/metadata.schema.json has all")
}

extension MetadataDocument.Table {
    fileprivate var table: TableMetadata {
        get throws {
            guard let kind = TableMetadata.Kind(rawValue: kind) else { throw unknown("kind of table", kind) }
            var table = TableMetadata(name: name, kind: kind, sql: sql)
            table.module = module.map { ModuleSchema($0, moduleArguments) }
            table.isStrict = isStrict
            table.isWithoutRowID = isWithoutRowid
            table.isAutoIncrement = isAutoIncrement
            table.columns = try columns.map { try $0.column }
            table.primaryKey = primaryKey
            table.rowIDColumn = rowidColumn
            table.foreignKeys = try foreignKeys.map { try $0.key }
            table.indexes = try indexes.map { try $0.index }
            table.checks = checks.map { CheckMetadata(name: $0.name, sql: $0.sql, column: $0.column) }
            table.relations = try relations.map { try $0.relation }
            return table
        }
    }
}

extension MetadataDocument.Column {
    fileprivate var column: ColumnMetadata {
        get throws {
            guard let affinity = Affinity(rawValue: affinity) else { throw unknown("affinity", affinity) }
            var column = ColumnMetadata(
                name: name, declaredType: declaredType, affinity: affinity, type: try columnType)
            column.isNullable = isNullable
            column.defaultSQL = defaultSql
            column.collation = collation
            column.keyPosition = keyPosition
            column.isUnique = isUnique
            column.isForeignKey = isForeignKey
            column.isHidden = isHidden
            column.generatedSQL = generatedSql
            column.isStored = isStored
            return column
        }
    }

    private var columnType: ColumnType? {
        get throws {
            let plain: [ColumnType] = [
                .int64, .int32, .bool, .double, .float, .text, .blob, .datetime, .date, .time, .offsetDatetime,
                .duration,
                .uuid, .decimal, .json,
            ]
            guard let type else { return nil }
            if type == "varchar" { return length.map(ColumnType.varchar) ?? .text }
            guard let found = plain.first(where: { $0.name == type }) else { throw unknown("type", type) }
            return found
        }
    }
}

extension MetadataDocument.ForeignKey {
    fileprivate var key: ForeignKeyMetadata {
        get throws {
            func action(_ word: String) throws -> ForeignKeyAction {
                let all: [ForeignKeyAction] = [.none, .restrict, .setNull, .setDefault, .cascade]
                guard let found = all.first(where: { $0.name == word }) else { throw unknown("action", word) }
                return found
            }
            return ForeignKeyMetadata(
                name: name, columns: columns, table: table, tableColumns: tableColumns, onDelete: try action(onDelete),
                onUpdate: try action(onUpdate), isDeferred: isDeferred)
        }
    }
}

extension MetadataDocument.Index {
    fileprivate var index: IndexMetadata {
        get throws {
            guard let origin = IndexMetadata.Origin(rawValue: origin) else { throw unknown("origin", origin) }
            return IndexMetadata(
                name: name, origin: origin, isUnique: isUnique,
                terms: terms.map {
                    IndexTermMetadata(
                        column: $0.column, sql: $0.sql, collation: $0.collation, isDescending: $0.isDescending)
                }, conditionSQL: conditionSql)
        }
    }
}

extension MetadataDocument.Relation {
    fileprivate var relation: RelationMetadata {
        get throws {
            guard let kind = RelationMetadata.Kind(rawValue: kind) else { throw unknown("kind of relation", kind) }
            var relation = RelationMetadata(
                kind: kind, table: table, columns: columns, tableColumns: tableColumns, isSelf: isSelf,
                isUnique: isUnique, isOptional: isOptional)
            relation.through = through
            relation.throughColumns = throughColumns
            relation.throughTableColumns = throughTableColumns
            return relation
        }
    }
}
