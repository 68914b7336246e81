import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery

/// Metadata as C structs, which point at each other within its memory.
final class MetadataBox: HandleObject {
    static var kind: HandleKind { .metadata }
    let tables: UnsafeMutableBufferPointer<UnsafePointer<corm_table_metadata>?>
    let problems: UnsafeMutableBufferPointer<UnsafePointer<corm_metadata_problem>?>
    let info: UnsafePointer<corm_metadata_info>
    private let memory: MetadataMemory

    init(_ metadata: Metadata) {
        let memory = MetadataMemory()
        self.memory = memory
        tables = memory.list(metadata.tables) { memory.table($0) }
        problems = memory.list(metadata.problems) {
            corm_metadata_problem(
                type: memory.text($0.type), name: memory.text($0.name), table: memory.text($0.table),
                sql: memory.text($0.sql), message: memory.text($0.message))
        }
        info = memory.keep(
            corm_metadata_info(
                table_count: metadata.tables.count, problem_count: metadata.problems.count,
                json: memory.text(metadata.json)))
    }
}

/// Memory of texts, structs and arrays of pointers to them.
private final class MetadataMemory {
    private let memory = ScratchMemory(firstSize: 16_384)

    func text(_ text: String?) -> UnsafePointer<CChar>? { text.map { memory.copy($0) } }

    func keep<Raw>(_ raw: Raw) -> UnsafePointer<Raw> { memory.keep(raw) }

    func list<Element, Raw>(
        _ elements: [Element], _ raw: (Element) -> Raw
    ) -> UnsafeMutableBufferPointer<UnsafePointer<Raw>?> {
        let pointers = memory.allocateArray(of: UnsafePointer<Raw>?.self, count: elements.count)
        for (index, element) in elements.enumerated() {
            (pointers + index).initialize(to: keep(raw(element)))
        }
        return UnsafeMutableBufferPointer(start: pointers, count: elements.count)
    }

    private func names(_ names: [String]) -> (UnsafePointer<UnsafePointer<CChar>?>, Int) {
        let pointers = memory.allocateArray(of: UnsafePointer<CChar>?.self, count: names.count)
        for (index, name) in names.enumerated() { (pointers + index).initialize(to: text(name)) }
        return (UnsafePointer(pointers), names.count)
    }

    func table(_ table: TableMetadata) -> corm_table_metadata {
        var raw = corm_table_metadata()
        raw.name = text(table.name)
        raw.kind =
            switch table.kind {
            case .table: CORM_TABLE_ORDINARY
            case .virtual: CORM_TABLE_VIRTUAL
            case .view: CORM_TABLE_VIEW
            }
        raw.sql = text(table.sql)
        raw.module = text(table.module?.name)
        (raw.module_arguments, raw.module_argument_count) = names(table.module?.arguments ?? [])
        raw.is_strict = table.isStrict
        raw.is_without_rowid = table.isWithoutRowID
        raw.is_auto_increment = table.isAutoIncrement
        (raw.columns, raw.column_count) = pair(list(table.columns, column))
        (raw.primary_key, raw.primary_key_count) = names(table.primaryKey)
        raw.rowid_column = text(table.rowIDColumn)
        (raw.foreign_keys, raw.foreign_key_count) = pair(list(table.foreignKeys, foreignKey))
        (raw.indexes, raw.index_count) = pair(list(table.indexes, index))
        (raw.checks, raw.check_count) = pair(
            list(table.checks) {
                corm_check_metadata(name: text($0.name), sql: text($0.sql), column: text($0.column))
            })
        (raw.triggers, raw.trigger_count) = pair(list(table.triggers, trigger))
        (raw.relations, raw.relation_count) = pair(list(table.relations, relation))
        return raw
    }

    private func pair<Raw>(
        _ list: UnsafeMutableBufferPointer<UnsafePointer<Raw>?>
    ) -> (UnsafePointer<UnsafePointer<Raw>?>?, Int) {
        (UnsafePointer(list.baseAddress), list.count)
    }

    private func column(_ column: ColumnMetadata) -> corm_column_metadata {
        var raw = corm_column_metadata()
        raw.name = text(column.name)
        raw.declared_type = text(column.declaredType)
        raw.affinity = text(column.affinity.rawValue)
        raw.type = column.type.map(typeNumber) ?? 0
        raw.length = UInt32(clamping: column.length ?? 0)
        raw.default_sql = text(column.defaultSQL)
        raw.collation = text(column.collation)
        raw.generated_sql = text(column.generatedSQL)
        raw.key_position = UInt32(clamping: column.keyPosition)
        raw.is_nullable = column.isNullable
        raw.is_unique = column.isUnique
        raw.is_foreign_key = column.isForeignKey
        raw.is_hidden = column.isHidden
        raw.is_stored = column.isStored
        raw.is_simple_type = column.isSimpleType
        raw.swift_type = text(column.swiftType)
        raw.c_type = text(column.cType)
        raw.python_type = text(column.pythonType)
        return raw
    }

    private func foreignKey(_ key: ForeignKeyMetadata) -> corm_foreign_key_metadata {
        var raw = corm_foreign_key_metadata()
        raw.name = text(key.name)
        (raw.columns, raw.column_count) = names(key.columns)
        raw.table = text(key.table)
        (raw.table_columns, raw.table_column_count) = names(key.tableColumns)
        raw.on_delete = key.onDelete.rawValue
        raw.on_update = key.onUpdate.rawValue
        raw.is_deferred = key.isDeferred
        return raw
    }

    private func index(_ index: IndexMetadata) -> corm_index_metadata {
        var raw = corm_index_metadata()
        raw.name = text(index.name)
        raw.origin = text(index.origin.rawValue)
        raw.is_unique = index.isUnique
        (raw.terms, raw.term_count) = pair(
            list(index.terms) {
                corm_index_term_metadata(
                    column: text($0.column), sql: text($0.sql), collation: text($0.collation),
                    is_descending: $0.isDescending)
            })
        raw.condition_sql = text(index.conditionSQL)
        return raw
    }

    private func trigger(_ trigger: TriggerMetadata) -> corm_trigger_metadata {
        var raw = corm_trigger_metadata()
        raw.name = text(trigger.name)
        raw.timing = text(trigger.timing.rawValue)
        raw.event = text(trigger.event.rawValue)
        (raw.columns, raw.column_count) = names(trigger.columns)
        raw.sql = text(trigger.sql)
        return raw
    }

    private func relation(_ relation: RelationMetadata) -> corm_relation_metadata {
        var raw = corm_relation_metadata()
        raw.kind =
            switch relation.kind {
            case .toOne: CORM_TO_ONE
            case .toMany: CORM_TO_MANY
            case .manyToMany: CORM_MANY_TO_MANY
            }
        raw.table = text(relation.table)
        (raw.columns, raw.column_count) = names(relation.columns)
        (raw.table_columns, raw.table_column_count) = names(relation.tableColumns)
        raw.through = text(relation.through)
        (raw.through_columns, raw.through_column_count) = names(relation.throughColumns)
        (raw.through_table_columns, raw.through_table_column_count) = names(relation.throughTableColumns)
        raw.is_self = relation.isSelf
        raw.is_unique = relation.isUnique
        raw.is_optional = relation.isOptional
        return raw
    }
}
