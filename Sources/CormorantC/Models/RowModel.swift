import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// A model that was made before.
func requireMade(_ place: UnsafePointer<OpaquePointer?>) throws -> ModelBox {
    guard place.pointee != nil else {
        throw CormorantError(
            .model, "the model of a record within a row is not made yet",
            hint: "make it first, or both with one corm_model_create_all")
    }
    return try requireModel(place.pointee)
}

/// The model of rows of several records: the columns of each stand side by side, called "buyer.name".
func rowModel(
    _ raw: corm_model_def, _ name: String, _ columns: [corm_column_def],
    _ find: (UnsafePointer<OpaquePointer?>) throws -> ModelBox
) throws -> (ModelDescriptor, StructLayout?) {
    guard raw.keys == nil, raw.references == nil, raw.checks == nil, raw.module == nil, raw.scope == nil,
        !raw.without_rowid, !raw.strict, raw.seed_sql == nil, raw.hooks == nil
    else {
        throw refuse(name, "it is of rows of several records and has what tables have", "keep name and columns alone")
    }
    var descriptors: [ColumnDescriptor] = []
    var fields: [StructLayout.Field] = []
    var choices: [[StructLayout.Choice]] = []
    var nested: [StructLayout.Nested] = []
    for column in columns {
        let property = try optionalString(column.name, "property name") ?? ""
        guard let place = column.record else {
            guard let kind = try fieldKind(column, of: name, recordSize: raw.record_size) else { continue }
            let descriptor = try columnDescriptor(column, kind)
            fields.append(try field(column, kind, descriptors.count, isChecked: descriptor.type == .decimal))
            descriptors.append(descriptor)
            choices.append(try CormorantC.choices(column))
            continue
        }
        let box = try find(place)
        guard let layout = box.layout else {
            throw refuse(
                name, "field \"\(property)\" is of model \(box.descriptor.name), which is over no struct of a table",
                "nest records of tables", [property])
        }
        let isPointer = try isPointer(column, property, layout, of: name, recordSize: raw.record_size)
        fields.append(try field(column, .nested, descriptors.count))
        nested.append(
            StructLayout.Nested(property, box.descriptor, layout, isPointer: isPointer, first: descriptors.count))
        descriptors += box.descriptor.columns.map { inner in
            ColumnDescriptor(
                "\(property).\(inner.name)", inner.type, column: "\(property).\(inner.column)", isOptional: true,
                isUnsigned: inner.isUnsigned)
        }
        choices += layout.choices
    }
    let descriptor = ModelDescriptor(
        name: name, table: try optionalString(raw.table, "table name"), columns: descriptors, view: true)
    try descriptor.validate()
    let layout = StructLayout(
        descriptor, fields, choices: choices, size: raw.record_size, hooks: nil, nested: nested)
    return (descriptor, layout)
}

private func field(
    _ column: corm_column_def, _ kind: StructLayout.Kind, _ place: Int, isChecked: Bool = false
) throws -> StructLayout.Field {
    StructLayout.Field(
        offset: column.offset, size: column.size, column: place, kind: kind, isChecked: isChecked, isComputed: false,
        cType: column.field,
        transform: try column.transform.map { try readStruct($0, $0.pointee.struct_size, "corm_transform") })
}

/// Whether the field of a nested record points to it.
private func isPointer(
    _ column: corm_column_def, _ property: String, _ layout: StructLayout, of model: String, recordSize: Int
) throws -> Bool {
    let isPointer = column.field == CORM_FIELD_RECORD_POINTER
    let size = isPointer ? MemoryLayout<UnsafeRawPointer>.size : layout.size
    guard column.field == CORM_FIELD_RECORD || isPointer, column.size == size, column.type == 0 else {
        throw refuse(
            model, "field \"\(property)\" is neither the struct of its record's model nor a pointer to one",
            "write it with CORM_NESTED", [property])
    }
    guard column.offset >= 0, column.offset <= recordSize - size else {
        throw refuse(
            model, "field \"\(property)\" lies at \(column.offset) with \(size) bytes, beyond the row's \(recordSize)",
            "name the row's own struct in CORM_NESTED and CORM_MODEL", [property])
    }
    return isPointer
}
