import CormorantBase
import CormorantQuery

extension Metadata {
    /// Whether there is a model of what is known in part.
    fileprivate func fate(of problem: MetadataProblem) -> String {
        let isThere = tables.contains { table in
            let owns = table.name == problem.table
            return switch problem.type {
            case "table", "view": owns && !table.columns.isEmpty
            case "index": owns && table.indexes.contains { $0.name == problem.name }
            case "foreign key": owns && table.foreignKeys.contains { $0.name == problem.name }
            case "trigger", "partition", "exclusion", "policy", "rule", "statistics", "sequence": false
            default: true
            }
        }
        return isThere ? "is in the models but for what they cannot say" : "was left out"
    }
}

/// What the models of a schema say, in no language yet. Whatever a model cannot say is in `notes`, of the schema or of the
/// model; migrations leave it in the file as it is.
struct Sketch {
    var models: [ModelSketch] = []
    var notes: [String] = []

    /// - Parameter hasEnums: a text whose CHECK lists its values is an enum.
    init(_ metadata: Metadata, _ language: Language, hasEnums: Bool) {
        notes = metadata.problems.map {
            "\($0.type) \(quoteIdentifier($0.name)) \(metadata.fate(of: $0)): \($0.message)"
        }
        for table in metadata.tables where !isOwnTable(table.name) {
            if let reason = table.reasonForNoModel {
                notes.append("\(table.kind.word) \(quoteIdentifier(table.name)) has no model: \(reason)")
            } else {
                models.append(ModelSketch(table, language, hasEnums: hasEnums))
            }
        }
        let places = Dictionary(models.indices.map { (foldedBytes(models[$0].table.name), $0) }) { first, _ in first }
        // Not `models` itself, of which each change would then make a copy.
        let tables = models
        for place in models.indices { models[place].addReferences(tables, places) }
        let referring = models
        for place in models.indices { models[place].addRelations(referring, places) }
        for place in models.indices { models[place].addFinders() }
        nameIndexes()
    }

    /// The names that models would make up can be those of other indexes of the file.
    private mutating func nameIndexes() {
        var taken = NameScope(
            models.flatMap { $0.table.indexes.compactMap { $0.origin == .index ? $0.name : nil } }, separator: "_")
        for place in models.indices { models[place].nameIndexes(&taken) }
    }
}

/// A table as a model says it.
struct ModelSketch {
    let table: TableMetadata
    var columns: [ColumnSketch]
    /// Positions of the key's columns, in the key's order.
    var key: [Int] = []
    /// Unique keys and indexes that are not said of a column.
    var indexes: [IndexSketch] = []
    /// Foreign keys that are not said of a column.
    var references: [ReferenceSketch] = []
    var checks: [String] = []
    var relations: [RelationSketch] = []
    var finders: [FinderSketch] = []
    var notes: [String] = []

    /// Whether the columns alone cannot tell the key's order.
    var keyHasOrder: Bool { key != key.sorted() }

    func column(_ name: String) -> Int? { table.place(of: name) }
}

struct ColumnSketch {
    var metadata: ColumnMetadata
    var type: ColumnType
    /// Whether a record may lack the value.
    var isOptional: Bool
    /// Whether SQLite makes it.
    var isRowID = false
    var isAutoIncrement = false
    var isUnique = false
    var isIndexed = false
    var check: String?
    var reference: ReferenceSketch?
    /// The values of an enum, as its CHECK lists them.
    var choices: [String] = []
    /// What the enum is called, and its cases; "" where the language has no names for them.
    var enumName = ""
    var caseNames: [String] = []

    /// The default where it is a number, a text or a truth value, and a record cannot lack the value.
    var literalDefault: LiteralDefault? {
        guard !isOptional, !metadata.isKey, let sql = metadata.defaultSQL else { return nil }
        return LiteralDefault(sql, type)
    }
}

struct IndexSketch {
    var isUnique: Bool
    /// Positions of columns.
    var columns: [(column: Int, isDescending: Bool)]
    /// nil: as models make it up.
    var name: String?
    var condition: String?
}

struct ReferenceSketch {
    var columns: [Int]
    var table: String
    /// Empty: the primary key.
    var tableColumns: [String]
    var onDelete: ForeignKeyAction
    var onUpdate: ForeignKeyAction
}

struct RelationSketch {
    var kind: RelationMetadata.Kind
    /// Positions of models.
    var target: Int
    var junction: Int?
    /// Columns of the foreign key, in this table, the target or the junction; empty where there is only one.
    var columns: [Int]
    var targetColumns: [Int]
    /// What it may be called, the best name first.
    var names: [Words]
}

/// A function that finds records.
struct FinderSketch {
    enum Kind: String {
        case key
        case unique
        case foreignKey = "foreign_key"
    }

    var kind: Kind
    var columns: [Int]
}

/// A default value that a language can write.
enum LiteralDefault: Equatable {
    case integer(Int64)
    case real(Double)
    case bool(Bool)
    case text(String)

    init?(_ sql: String, _ type: ColumnType) {
        switch type {
        case .int64, .int32:
            guard let value = Int64(sql) else { return nil }
            self = .integer(value)
        case .double, .float:
            guard let value = Double(sql), value.isFinite, sql.utf8.allSatisfy({ "+-.0123456789".utf8.contains($0) })
            else { return nil }
            self = .real(value)
        case .bool:
            switch foldIdentifier(sql) {
            case "0", "false": self = .bool(false)
            case "1", "true": self = .bool(true)
            default: return nil
            }
        case .text, .varchar:
            guard sql.utf8.count >= 2, sql.hasPrefix("'"), sql.hasSuffix("'") else { return nil }
            let inner = sql.dropFirst().dropLast()
            // An odd quote inside would end the text.
            let parts = inner.split(separator: "''", omittingEmptySubsequences: false)
            guard !parts.contains(where: { $0.contains("'") }) else { return nil }
            self = .text(parts.joined(separator: "'"))
        default: return nil
        }
    }
}

/// The library's own tables and those of SQLite's tools, which no one reads as records.
private func isOwnTable(_ name: String) -> Bool {
    let folded = foldIdentifier(name)
    return ["corm_models", "corm_migrations"].contains(folded) || folded.hasPrefix("sqlite_")
}

extension TableMetadata.Kind {
    var word: String { self == .virtual ? "virtual table" : rawValue }
}

extension TableMetadata {
    fileprivate var reasonForNoModel: String? {
        switch kind {
        case .virtual: return "its columns are its module's; declare it by hand with module"
        case .table, .view: break
        }
        if name.isEmpty { return "it has an empty name" }
        if columns.contains(where: { $0.name.isEmpty }) { return "a column has an empty name" }
        if columns.isEmpty { return "its columns are not known" }
        return nil
    }
}
