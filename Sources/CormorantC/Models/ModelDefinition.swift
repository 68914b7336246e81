import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// Reads a corm_model_def, which may be of an older header with shorter structs.
struct ModelDefinition {
    let descriptor: ModelDescriptor
    let layout: StructLayout?
    /// What the columns that refer to other models call the relations.
    let links: [ModelLink]

    /// - Parameter nested: the models of records that fields are, by where their handles go.
    init(
        _ definition: UnsafePointer<corm_model_def>?,
        nested: (UnsafePointer<OpaquePointer?>) throws -> ModelBox = requireMade
    ) throws {
        guard let definition else {
            throw CormorantError(.misuse, "the definition is NULL", hint: "pass a corm_model_def made with CORM_MODEL")
        }
        let raw: corm_model_def = try readStruct(definition, definition.pointee.struct_size, "corm_model_def")
        let name = try optionalString(raw.name, "model name") ?? ""
        guard (0...greatestRecordSize).contains(raw.record_size) else {
            throw refuse(name, "a record of \(raw.record_size) bytes is too large", "set record_size by CORM_MODEL")
        }
        let columns: [corm_column_def] = try array(raw.columns, raw.column_count, raw.column_def_size, "columns")
        if columns.contains(where: { $0.record != nil }) {
            (descriptor, layout) = try rowModel(raw, name, columns, nested)
            links = []
            return
        }
        let keys: [corm_key_def] = try array(raw.keys, raw.key_count, raw.key_def_size, "keys")
        let references: [corm_reference_def] = try array(
            raw.references, raw.reference_count, raw.reference_def_size, "references")
        let choices = try columns.map(choices)
        let kinds = try columns.map { try fieldKind($0, of: name, recordSize: raw.record_size) }
        let hooks = try StructHooks(raw, columns)
        let descriptor = ModelDescriptor(
            name: name, table: try optionalString(raw.table, "table name"),
            columns: try zip(columns, kinds).map { try columnDescriptor($0, $1) },
            keys: try keys.map(keyDescriptor), references: try references.map(referenceDescriptor),
            checks: try strings(raw.checks, raw.check_count, "checks"),
            columnOrder: try names(raw.column_order, "column_order"),
            withoutRowID: raw.without_rowid, strict: raw.strict,
            module: try optionalString(raw.module, "module").map { name in
                ModuleSchema(name, try strings(raw.module_arguments, raw.module_argument_count, "module arguments"))
            }, view: raw.view, scope: try optionalString(raw.scope, "scope"),
            distributedBy: try optionalString(raw.distributed_by, "distributed_by"),
            migration: MigrationNotes(
                renamedFrom: try optionalString(raw.renamed_from, "former table name"),
                allowDrop: try names(raw.allow_drop, "allow_drop"),
                seedSQL: try optionalString(raw.seed_sql, "first rows")))
        try descriptor.validate()
        descriptor.hasHooks = hooks != nil
        self.descriptor = descriptor
        links = try columns.compactMap(ModelLink.init)
        layout =
            raw.record_size == 0
            ? nil
            : StructLayout(
                descriptor,
                try zip(columns, kinds).enumerated().compactMap { index, field in
                    try field.1.map {
                        StructLayout.Field(
                            offset: field.0.offset, size: field.0.size, column: index, kind: $0,
                            isChecked: descriptor.columns[index].type == .decimal,
                            isComputed: field.0.computed_sql != nil,
                            zeroIsNoKey: index == descriptor.generatedColumn
                                ? descriptor.zeroIsNoKey
                                : $0 == .datetime && descriptor.columns[index].stamp == .created,
                            isStamp: descriptor.columns[index].stamp != nil,
                            isConstant: descriptor.columns[index].discriminator != nil, cType: field.0.field,
                            transform: try field.0.transform.map {
                                try readStruct($0, $0.pointee.struct_size, "corm_transform")
                            })
                    }
                }, choices: choices, size: raw.record_size, hooks: hooks)
    }
}

/// Whether a definition is of rows of several records.
func nestsRecords(_ definition: UnsafePointer<corm_model_def>?) -> Bool {
    guard let definition,
        let raw = try? readStruct(definition, definition.pointee.struct_size, "corm_model_def"),
        let columns: [corm_column_def] = try? array(raw.columns, raw.column_count, raw.column_def_size, "columns")
    else { return false }
    return columns.contains { $0.record != nil }
}

/// Far beyond any struct; keeps the arithmetic over sizes and counts from the caller within bounds.
private let greatestRecordSize = 1 << 24

func refuse(_ model: String, _ message: String, _ hint: String, _ columns: [String] = []) -> CormorantError {
    CormorantError(.model, "model \(model): \(message)", hint: hint, columns: columns)
}

/// What a column's field is; nil for a model without records.
func fieldKind(_ column: corm_column_def, of model: String, recordSize: Int) throws -> StructLayout.Kind? {
    let name = try optionalString(column.name, "property name") ?? ""
    let type = try columnType(column)
    guard recordSize != 0 else { return nil }
    guard column.offset >= 0, column.size > 0, column.size <= recordSize, column.offset <= recordSize - column.size
    else {
        throw refuse(
            model,
            "column \"\(name)\" lies at \(column.offset) with \(column.size) bytes, beyond the record's \(recordSize)",
            "name the record's own struct in CORM_COLUMN and CORM_MODEL", [name])
    }
    if let given = column.transform {
        let transform = try readStruct(given, given.pointee.struct_size, "corm_transform")
        guard transform.encode != nil, transform.decode != nil else {
            throw refuse(
                model, "column \"\(name)\" has a transform that lacks a function", "set encode and decode", [name])
        }
        return .transform
    }
    guard column.field != 0 else {
        throw refuse(
            model, "column \"\(name)\" does not say of what C type its field is",
            "write it with CORM_COLUMN, or set field to one of the CORM_FIELD_ constants", [name])
    }
    let isUnsigned = column.is_unsigned || column.field == CORM_FIELD_UNSIGNED
    guard
        let kind = StructLayout.kind(
            type, field: column.field, size: column.size, isUnsigned: isUnsigned,
            hasChoices: column.choice_count > 0)
    else {
        throw refuse(
            model, "column \"\(name)\" of type \(type.name) has a field of \(column.size) bytes",
            "make the field \(StructLayout.fieldTypes(type, isUnsigned: isUnsigned))", [name])
    }
    guard kind.fits(column.field, type) else {
        throw refuse(
            model, "column \"\(name)\" of type \(type.name) has a field of a C type that cannot carry it",
            "make the field \(StructLayout.fieldTypes(type, isUnsigned: isUnsigned))", [name])
    }
    return kind
}

func columnType(_ column: corm_column_def) throws -> ColumnType {
    if let type = columnType(column.type, length: column.length) { return type }
    let name = try optionalString(column.name, "property name") ?? ""
    throw CormorantError(
        .model, "column \"\(name)\" has the unknown type \(column.type)", hint: "use CORM_INT64, CORM_TEXT, ...",
        columns: [name])
}

/// A type by its number; nil for a number that is none.
private func columnType(_ number: corm_type, length: UInt32) -> ColumnType? {
    switch number {
    case CORM_INT64: .int64
    case CORM_INT32: .int32
    case CORM_BOOL: .bool
    case CORM_DOUBLE: .double
    case CORM_FLOAT: .float
    case CORM_TEXT: .text
    case CORM_VARCHAR: .varchar(Int(length))
    case CORM_BLOB: .blob
    case CORM_DATETIME: .datetime
    case CORM_DATE: .date
    case CORM_TIME: .time
    case CORM_DURATION: .duration
    case CORM_OFFSET_DATETIME: .offsetDatetime
    case CORM_UUID: .uuid
    case CORM_DECIMAL: .decimal
    case CORM_JSON: .json
    default: nil
    }
}

/// The type of a value or a cast.
package func columnType(_ number: corm_type) throws -> ColumnType {
    if let type = columnType(number, length: 0) { return type }
    throw CormorantError(.misuse, "the type \(number) is unknown", hint: "use CORM_INT64, CORM_TEXT, ...")
}

/// The header's number of a type.
func typeNumber(_ type: ColumnType) -> corm_type {
    switch type {
    case .int64: CORM_INT64
    case .int32: CORM_INT32
    case .bool: CORM_BOOL
    case .double: CORM_DOUBLE
    case .float: CORM_FLOAT
    case .text: CORM_TEXT
    case .varchar: CORM_VARCHAR
    case .blob: CORM_BLOB
    case .datetime: CORM_DATETIME
    case .date: CORM_DATE
    case .time: CORM_TIME
    case .duration: CORM_DURATION
    case .offsetDatetime: CORM_OFFSET_DATETIME
    case .uuid: CORM_UUID
    case .decimal: CORM_DECIMAL
    case .json: CORM_JSON
    }
}

private func stamp(_ number: corm_stamp, of column: String) throws -> Stamp? {
    if number == 0 { return nil }
    if let stamp = Stamp(rawValue: number) { return stamp }
    throw CormorantError(
        .model, "column \"\(column)\" has the unknown stamp \(number)",
        hint: "use one of the CORM_STAMP_ constants", columns: [column])
}

func columnDescriptor(_ column: corm_column_def, _ kind: StructLayout.Kind?) throws -> ColumnDescriptor {
    let name = try optionalString(column.name, "property name") ?? ""
    let isOptional = kind?.isOptional ?? true
    let table = try optionalString(column.references_table, "referenced table")
    let target = try optionalString(column.references_column, "referenced column")
    if table == nil, target != nil {
        throw CormorantError(
            .model, "column \"\(name)\" refers to a column of no table", hint: "set references_table", columns: [name])
    }
    var descriptor = ColumnDescriptor(
        name, try columnType(column), column: try optionalString(column.column, "column name"), isOptional: isOptional,
        notNull: column.not_null || !isOptional, isUnsigned: column.is_unsigned || kind?.isPlainUnsigned == true,
        primaryKey: column.primary_key,
        autoIncrement: column.auto_increment,
        unique: column.unique, indexed: column.indexed, defaultSQL: try optionalString(column.default_sql, "default"),
        checkSQL: try optionalString(column.check_sql, "check"),
        computedSQL: try optionalString(column.computed_sql, "computed expression"),
        collation: try optionalString(column.collation, "collation"),
        references: try table.map {
            ReferenceTarget($0, target, onDelete: try action(column.on_delete), onUpdate: try action(column.on_update))
        }, jsonKey: try optionalString(column.json_key, "JSON key"),
        renamedFrom: try optionalString(column.renamed_from, "former column name"),
        convertSQL: try optionalString(column.convert_sql, "conversion"), isVersion: column.version,
        stamp: try stamp(column.stamp, of: name),
        scale: column.scale == 0 ? nil : column.scale == .max ? 0 : Int(column.scale),
        discriminator: try optionalString(column.discriminator, "discriminator"))
    descriptor.isJSONOptional = column.json_optional
    descriptor.zeroIsNoKey = kind?.isPlainInteger ?? false || kind == .datetime && descriptor.stamp == .created
    descriptor.bits = kind?.bits ?? 0
    descriptor.textSize = kind == .characterArray ? Int(column.size) : 0
    if column.check_choices {
        let choices = try choices(column)
        guard descriptor.type.isInteger || descriptor.type.isPlainText, !choices.isEmpty else {
            throw CormorantError(
                .model, "column \"\(name)\" has no choices to check",
                hint: "give it some with CORM_CHOICES, and the type of texts or integers", columns: [name])
        }
        descriptor.check(
            choices: descriptor.type.isInteger ? choices.map { .integer($0.value) } : choices.map { .text($0.name) })
    }
    return descriptor
}

func choices(_ column: corm_column_def) throws -> [StructLayout.Choice] {
    let choices = try array(column.choices, column.choice_count, "choices")
    return try choices.map { choice in
        let isNumber = column.type == CORM_INT64 || column.type == CORM_INT32
        let name = try optionalString(choice.name, "name of a choice")
        guard let name = name ?? (isNumber ? "" : nil) else {
            throw CormorantError(
                .model, "a choice of a column of texts has no name", hint: "give each the text that the file holds",
                columns: [try optionalString(column.name, "property name") ?? ""])
        }
        return StructLayout.Choice(name: name, value: choice.value)
    }
}

private func keyDescriptor(_ key: corm_key_def) throws -> KeyDescriptor {
    guard let kind = KeyDescriptor.Kind(rawValue: key.kind) else {
        throw CormorantError(
            .model, "a key has the unknown kind \(key.kind)", hint: "use CORM_KEY_PRIMARY, _UNIQUE or _INDEX")
    }
    return KeyDescriptor(
        kind, try names(key.columns, "key's columns"), name: try optionalString(key.name, "key name"),
        where: try optionalString(key.where_sql, "key condition"))
}

private func referenceDescriptor(_ reference: corm_reference_def) throws -> ReferenceDescriptor {
    ReferenceDescriptor(
        try names(reference.columns, "reference's columns"),
        table: try optionalString(reference.table, "referenced table") ?? "",
        tableColumns: try names(reference.table_columns, "reference's table_columns"),
        onDelete: try action(reference.on_delete), onUpdate: try action(reference.on_update))
}

private func action(_ number: Int32) throws -> ForeignKeyAction {
    guard let action = ForeignKeyAction(rawValue: number) else {
        throw CormorantError(.model, "the action \(number) is unknown", hint: "use one of the CORM_ACTION_ constants")
    }
    return action
}

/// Copies an array of structs whose size in the caller's header may be smaller; what they lack is zero.
private func array<T: BitwiseCopyable>(
    _ start: UnsafePointer<T>?, _ count: Int, _ size: UInt32, _ what: StaticString
) throws -> [T] {
    let step = Int(size)
    return try array(start, count, what).indices.map { index in
        let element = UnsafeRawPointer(start).unsafelyUnwrapped + index * step
        return try readStruct(element.assumingMemoryBound(to: T.self), size, what)
    }
}
