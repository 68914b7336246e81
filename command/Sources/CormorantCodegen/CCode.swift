import CormorantBase
import CormorantQuery

/// Models as structs with `static const` definitions.
struct CCode: CodeWriter {
    let code: Code

    init(_ code: Code) { self.code = code }

    /// What the functions and constants of the whole begin with.
    private var prefix: String { code.naming.prefix + Words(code.name).snake }

    /// A model's name, which its type has behind the prefix.
    private func modelName(_ model: Int) -> String {
        String(code.naming.types[model].dropFirst(code.naming.prefix.count))
    }

    /// A rowid is a plain integer, whose 0 asks for a key.
    private func isNullable(_ column: ColumnSketch) -> Bool { column.isOptional && !column.isRowID }

    private func plainType(_ column: ColumnSketch) -> String {
        switch column.type {
        case .int64: "int64_t"
        case .int32: "int32_t"
        case .bool: "bool"
        case .double: "double"
        case .float: "float"
        case .text, .varchar, .decimal, .json: "const char *"
        case .blob: "corm_blob"
        case .datetime: "corm_datetime"
        case .date: "corm_date"
        case .time: "corm_time"
        case .offsetDatetime: "corm_offset_datetime"
        case .duration: "corm_duration"
        case .uuid: "corm_uuid"
        }
    }

    func type(_ column: ColumnSketch) -> String {
        if !column.choices.isEmpty { return isNullable(column) ? "corm_optional_int32" : column.enumName }
        guard isNullable(column) else { return plainType(column) }
        return switch column.type {
        case .int64, .datetime, .time, .duration: "corm_optional_int64"
        case .int32, .date: "corm_optional_int32"
        case .bool: "corm_optional_bool"
        case .double: "corm_optional_double"
        case .float: "corm_optional_float"
        case .uuid: "corm_optional_uuid"
        case .offsetDatetime: "corm_optional_offset_datetime"
        case .text, .varchar, .decimal, .json, .blob: plainType(column)
        }
    }

    /// Whether its NULL is a field's own; a plain number is NOT NULL by its type.
    private func isPointer(_ column: ColumnSketch) -> Bool {
        switch column.type {
        case .text, .varchar, .decimal, .json, .blob: true
        default: false
        }
    }

    private func parameter(_ type: String, _ name: String) -> String {
        type.hasSuffix("*") ? type + name : "\(type) \(name)"
    }

    private func typeConstant(_ type: ColumnType) -> String {
        switch type {
        case .int64: "CORM_INT64"
        case .int32: "CORM_INT32"
        case .bool: "CORM_BOOL"
        case .double: "CORM_DOUBLE"
        case .float: "CORM_FLOAT"
        case .text: "CORM_TEXT"
        case .varchar: "CORM_VARCHAR"
        case .blob: "CORM_BLOB"
        case .datetime: "CORM_DATETIME"
        case .date: "CORM_DATE"
        case .time: "CORM_TIME"
        case .offsetDatetime: "CORM_OFFSET_DATETIME"
        case .duration: "CORM_DURATION"
        case .uuid: "CORM_UUID"
        case .decimal: "CORM_DECIMAL"
        case .json: "CORM_JSON"
        }
    }

    /// The field and, behind it, what the column's definition is.
    func declaration(_ model: Int, _ column: Int) -> String {
        parameter(type(code.sketch.models[model].columns[column]), code.naming.properties[model][column]) + ";"
    }

    func definition(_ model: Int, _ place: Int) -> String {
        let column = code.sketch.models[model].columns[place]
        let metadata = column.metadata
        let name = code.naming.properties[model][place]
        var parts = [code.naming.types[model], name, typeConstant(column.type)]
        // In the order of the struct, which C++ wants.
        if case .varchar(let length) = column.type { parts.append(".length = \(length)") }
        if let scale = metadata.scale { parts.append(".scale = \(scale == 0 ? "CORM_SCALE_0" : "\(scale)")") }
        if !snakeCase(name).utf8.elementsEqual(metadata.name.utf8) {
            parts.append(".column = \(cLiteral(metadata.name))")
        }
        if metadata.isKey, !code.sketch.models[model].keyHasOrder {
            parts.append(".primary_key = true")
            if column.isAutoIncrement { parts.append(".auto_increment = true") }
        } else if !column.isOptional, isPointer(column), column.choices.isEmpty {
            parts.append(".not_null = true")
        }
        if column.isUnique { parts.append(".unique = true") }
        if column.isIndexed { parts.append(".indexed = true") }
        if !column.choices.isEmpty { parts.append(".check_choices = true") }
        if let sql = metadata.defaultSQL { parts.append(".default_sql = \(cLiteral(sql))") }
        if let sql = column.check { parts.append(".check_sql = \(cLiteral(sql))") }
        if let sql = metadata.generatedSQL { parts.append(".computed_sql = \(cLiteral(sql))") }
        if let collation = metadata.collation { parts.append(".collation = \(cLiteral(collation))") }
        if let reference = column.reference {
            parts.append(".references_table = \(cLiteral(reference.table))")
            if let column = reference.tableColumns.first { parts.append(".references_column = \(cLiteral(column))") }
            parts += actions(reference)
        }
        if !column.choices.isEmpty {
            let choices = zip(column.choices, column.caseNames).map { "{\(cLiteral($0)), \($1)}" }
            parts.append("CORM_CHOICES(\(choices.joined(separator: ", ")))")
        }
        return filled("CORM_COLUMN", parts, indent: "    ")
    }

    private func actions(_ reference: ReferenceSketch) -> [String] {
        var parts: [String] = []
        if reference.onDelete != .none {
            parts.append(".on_delete = CORM_ACTION_\(reference.onDelete.word.uppercased())")
        }
        if reference.onUpdate != .none {
            parts.append(".on_update = CORM_ACTION_\(reference.onUpdate.word.uppercased())")
        }
        return parts
    }

    /// `.columns = "title, year"`
    private func list(_ names: [String], _ field: String) -> String {
        ".\(field) = \(cLiteral(nameList(names)))"
    }

    private func constant(_ model: Int) -> String { "\(prefix)_\(modelName(model))".uppercased() }

    func declaration(_ model: Int, relation place: Int) -> String {
        let relation = code.sketch.models[model].relations[place]
        let holder = relation.kind == .toOne ? model : relation.junction ?? relation.target
        var parts = [
            "\(constant(model)), \(constant(relation.target)), \(relation.junction.map(constant) ?? "-1")",
            ".name = \(cLiteral(code.naming.relations[model][place]))",
            ".kind = CORM_\(relation.kind.rawValue.uppercased())",
        ]
        if !relation.columns.isEmpty {
            parts.append(list(code.columnNames(holder, relation.columns), "columns"))
        }
        if !relation.targetColumns.isEmpty {
            parts.append(
                list(code.columnNames(holder, relation.targetColumns), "target_columns"))
        }
        parts.insert("{.struct_size = sizeof(corm_relation_def)", at: 1)
        return filled("", parts, open: "{", close: "}}", indent: "    ")
    }

    /// The definition of the model, of what its columns do not say.
    func model(_ model: Int) -> String {
        let sketch = code.sketch.models[model]
        let type = code.naming.types[model]
        let name = modelName(model)
        var parts = [type, cLiteral(name), "\(type)_columns"]
        if !snakeCase(name).utf8.elementsEqual(sketch.table.name.utf8) {
            parts.append(".table = \(cLiteral(sketch.table.name))")
        }
        for (name, count) in [("keys", keys(model).count), ("references", sketch.references.count)] where count > 0 {
            parts.append(".\(name) = \(type)_\(name), .\(name.dropLast())_count = \(count)")
        }
        if !sketch.checks.isEmpty {
            let checks = sketch.checks.map(cLiteral).joined(separator: ", ")
            parts.append(".checks = (const char *const[]){\(checks)}, .check_count = \(sketch.checks.count)")
        }
        if sketch.table.isWithoutRowID { parts.append(".without_rowid = true") }
        if sketch.table.isStrict { parts.append(".strict = true") }
        if sketch.table.kind == .view { parts.append(".view = true") }
        return filled("CORM_MODEL", parts, indent: "    ")
    }

    func keys(_ model: Int) -> [String] {
        let sketch = code.sketch.models[model]
        let properties = code.naming.properties[model]
        var keys: [String] = []
        if sketch.keyHasOrder {
            let columns = list(code.columnNames(model, sketch.key), "columns")
            keys.append(filled("", [".kind = CORM_KEY_PRIMARY", columns], open: "{", close: "}", indent: "    "))
        }
        for index in sketch.indexes {
            var parts = [
                ".kind = CORM_KEY_\(index.isUnique ? "UNIQUE" : "INDEX")",
                list(index.terms(properties), "columns"),
            ]
            if let name = index.name { parts.append(".name = \(cLiteral(name))") }
            if let condition = index.condition { parts.append(".where_sql = \(cLiteral(condition))") }
            keys.append(filled("", parts, open: "{", close: "}", indent: "    "))
        }
        return keys
    }

    func references(_ model: Int) -> [String] {
        code.sketch.models[model].references.map { reference in
            var parts = [list(code.columnNames(model, reference.columns), "columns")]
            parts.append(".table = \(cLiteral(reference.table))")
            if !reference.tableColumns.isEmpty {
                parts.append(list(reference.tableColumns, "table_columns"))
            }
            return filled("", parts + actions(reference), open: "{", close: "}", indent: "    ")
        }
    }

    private func value(_ column: ColumnSketch, _ name: String) -> String {
        switch column.type {
        case .int64, .int32, .bool, .datetime, .date, .time, .duration: "corm_value_int64(\(name))"
        case .offsetDatetime: "corm_value_offset_datetime(\(name))"
        case .double, .float: "corm_value_double(\(name))"
        case .blob: "corm_value_blob(\(name).data, \(name).size)"
        case .text, .varchar, .decimal, .json, .uuid: "corm_value_text(\(name))"
        }
    }

    func finder(_ model: Int, _ finder: FinderSketch, _ members: inout NameScope) -> [String: Any] {
        let type = code.naming.types[model]
        let names = code.columnNames(model, finder.columns)
        let columns = finder.columns.map { code.sketch.models[model].columns[$0] }
        let isMany = finder.kind == .foreignKey
        let verb = isMany ? "fetch" : "find"
        let function = members.take(
            finder.kind == .key ? "\(type)_find" : "\(type)_\(verb)_by_\(names.joined(separator: "_and_"))")
        // Parameters that every one of them has, and the type of the record, which a parameter would hide.
        let taken = ["database", "models", "out_record", "out_records", "arena", "out_error", "query", "values", type]
        let parameterNames = names.map { taken.contains($0) || $0.hasPrefix("corm_") ? "\($0)_value" : $0 }
        let inputs = zip(parameterNames, columns).map { name, column in
            // A UUID goes in as its text.
            parameter(column.type == .uuid ? "const char *" : plainType(column), name)
        }
        let outputs = isMany ? ["corm_records **out_records"] : ["\(type) *out_record", "corm_arena *arena"]
        let parameters =
            ["corm_database *database", "corm_model *const *models"] + inputs + outputs + ["corm_error **out_error"]
        let place = "models[\(constant(model))]"
        let body: String
        if finder.kind == .key {
            let values = zip(columns, parameterNames).map(value).joined(separator: ", ")
            body = "return corm_record_find(database, \(place), CORM_VALUES(\(values)), out_record, arena, out_error);"
        } else {
            let values = zip(names, zip(columns, parameterNames)).map { name, pair in
                "corm_value_named(\(cLiteral(name)), \(value(pair.0, pair.1)))"
            }
            body =
                filled("const corm_value values[] = ", values, open: "{", close: "}", indent: "    ") + ";\n"
                + "    const corm_query query = {.struct_size = sizeof query, .values = values, .value_count = \(values.count)};\n"
                + (isMany
                    ? "    return corm_query_fetch(database, \(place), &query, out_records, out_error);"
                    : "    return corm_query_first(database, \(place), &query, out_record, arena, out_error);")
        }
        return ["declaration": filled("corm_status \(function)", parameters), "body": body]
    }

    func context() -> [String: Any] {
        ["prefix": prefix, "guard": "\(prefix)_h".uppercased(), "countConstant": "\(prefix)_count".uppercased()]
    }

    /// Keys of a table that the other languages do not need.
    func context(_ model: Int) -> [String: Any] {
        [
            "constant": constant(model), "keyDefinitions": keys(model) as [Any],
            "referenceDefinitions": references(model) as [Any],
        ]
    }
}
