import Cormorant

/// A model of a scenario, built at run time.
struct ScenarioModel {
    let descriptor: ModelDescriptor
    /// Added when all models that they lead to are there.
    let relations: [JSONValue]
    /// The greatest value of each unsigned property.
    let unsigned: [String: UInt64]
    /// What its hooks do; nil: it has none.
    let hooks: [JSONValue]?
    /// The values that validators of columns refuse.
    let refused: [Int: [Value]]

    init(_ json: JSONValue) throws {
        var members = try Members(json)
        var unsigned: [String: UInt64] = [:]
        var refused: [Int: [Value]] = [:]
        let columns = try members.required("columns").array().enumerated().map { index, column in
            let (descriptor, limit, values) = try columnDescriptor(column)
            unsigned[descriptor.name] = limit
            refused[index] = values
            return descriptor
        }
        let scoped = ModelDescriptor(
            name: try members.required("name").string(), table: try members.text("table"), columns: columns,
            keys: try members.take("keys")?.array().map(keyDescriptor) ?? [],
            references: try members.take("references")?.array().map(referenceDescriptor) ?? [],
            checks: try members.texts("checks"), columnOrder: try members.texts("columnOrder"),
            withoutRowID: try members.flag("withoutRowid"), strict: try members.flag("strict"),
            module: try moduleSchema(&members), view: try members.flag("view"),
            scope: try members.text("scope"), distributedBy: try members.text("distributedBy"),
            migration: MigrationNotes(
                renamedFrom: try members.text("renamedFrom"), allowDrop: try members.texts("allowDrop"),
                seedSQL: try members.text("seed")))
        let origin = try members.flag("unscoped") ? scoped.unscoped() : scoped
        relations = try members.take("relations")?.array() ?? []
        let suffix = try members.text("suffix")
        let attachment = try members.text("attachedAs")
        let suffixed = try suffix.map { try origin.suffixed($0) } ?? origin
        descriptor = try attachment.map { try origin.attached(as: $0) } ?? suffixed
        self.unsigned = unsigned
        self.refused = refused
        hooks = try members.take("hooks")?.array()
        descriptor.hasHooks = hooks != nil || !refused.isEmpty
        try members.end()
    }
}

private func moduleSchema(_ members: inout Members) throws -> ModuleSchema? {
    let arguments = try members.texts("moduleArguments")
    return try members.text("module").map { ModuleSchema($0, arguments) }
}

private func columnDescriptor(
    _ json: JSONValue
) throws -> (ColumnDescriptor, unsignedLimit: UInt64?, refused: [Value]?) {
    var members = try Members(json)
    let isUnsigned = try members.flag("unsigned")
    let length = Int(try members.take("length")?.integer() ?? 0)
    let typeName = try members.required("type").string()
    var type = try columnType(typeName)
    if typeName == "varchar" { type = .varchar(length) }
    let limit = isUnsigned ? (type == .int32 ? UInt64(UInt32.max) : UInt64(Int64.max)) : nil
    let target = try members.text("referencesTable")
    let targetColumn = try members.text("referencesColumn")
    let onDelete = try action(members.text("onDelete"))
    let onUpdate = try action(members.text("onUpdate"))
    // A dynamic record can leave any property unset, so each is optional here.
    var column = ColumnDescriptor(
        try members.required("name").string(), type, column: try members.text("column"), isOptional: true,
        notNull: try members.flag("notNull"), isUnsigned: isUnsigned, primaryKey: try members.flag("primaryKey"),
        autoIncrement: try members.flag("autoIncrement"), unique: try members.flag("unique"),
        indexed: try members.flag("indexed"), defaultSQL: try members.text("default"),
        checkSQL: try members.text("check"), computedSQL: try members.text("computed"),
        collation: try members.text("collation"),
        references: target.map { ReferenceTarget($0, targetColumn, onDelete: onDelete, onUpdate: onUpdate) },
        jsonKey: try members.text("jsonKey"),
        renamedFrom: try members.text("renamedFrom"), convertSQL: try members.text("convert"),
        isVersion: try members.flag("version"), stamp: try stamp(members.text("stamp")),
        scale: try members.take("scale").map { Int(try $0.integer()) }, discriminator: try members.text("discriminator")
    )
    if let choices = try members.take("choices").map(scenarioValues) { column.check(choices: choices) }
    let refused = try members.take("refuses").map(scenarioValues)
    try members.end()
    return (column, limit, refused)
}

private func stamp(_ name: String?) throws -> Stamp? {
    switch name {
    case nil: return nil
    case "created": return .created
    case "updated": return .updated
    case let other?: throw ScenarioFailure("unknown stamp \(other)")
    }
}

private let types: [String: ColumnType] = [
    "int64": .int64, "int32": .int32, "bool": .bool, "double": .double, "float": .float, "text": .text,
    "varchar": .varchar(0), "blob": .blob, "datetime": .datetime, "date": .date, "time": .time,
    "offset_datetime": .offsetDatetime, "duration": .duration, "uuid": .uuid, "decimal": .decimal, "json": .json,
]

func columnType(_ name: String) throws -> ColumnType {
    guard let type = types[name] else { throw ScenarioFailure("unknown type \"\(name)\"") }
    return type
}

private func action(_ name: String?) throws -> ForeignKeyAction {
    switch name {
    case nil, "none": return .none
    case "restrict": return .restrict
    case "setNull": return .setNull
    case "setDefault": return .setDefault
    case "cascade": return .cascade
    case let other?: throw ScenarioFailure("unknown action \"\(other)\"")
    }
}

private func keyDescriptor(_ json: JSONValue) throws -> KeyDescriptor {
    var members = try Members(json)
    let kinds: [String: KeyDescriptor.Kind] = ["primary": .primary, "unique": .unique, "index": .index]
    guard let kind = kinds[try members.required("kind").string()] else {
        throw ScenarioFailure("unknown kind in \(json)")
    }
    let key = KeyDescriptor(
        kind, try members.texts("columns"), name: try members.text("name"), where: try members.text("where"))
    try members.end()
    return key
}

private func referenceDescriptor(_ json: JSONValue) throws -> ReferenceDescriptor {
    var members = try Members(json)
    let reference = ReferenceDescriptor(
        try members.texts("columns"), table: try members.text("table") ?? "",
        tableColumns: try members.texts("tableColumns"), onDelete: try action(members.text("onDelete")),
        onUpdate: try action(members.text("onUpdate")))
    try members.end()
    return reference
}
