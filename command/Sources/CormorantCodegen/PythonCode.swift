import CormorantBase
import CormorantQuery

/// Models as classes.
struct PythonCode: CodeWriter {
    let code: Code
    /// What `key` is called: in the body of a class, a column or a relation of that name would be meant.
    private let keyName: String

    init(_ code: Code) {
        self.code = code
        let taken = Set((code.naming.properties + code.naming.relations).joined())
        var name = "key"
        while taken.contains(name) { name += "_" }
        keyName = name
    }

    func type(_ column: ColumnSketch) -> String { plainType(column) + (column.isOptional ? " | None" : "") }

    private func plainType(_ column: ColumnSketch) -> String {
        guard !column.choices.isEmpty else { return typeName(column.type) }
        return "Literal[\(column.choices.map(pythonLiteral).joined(separator: ", "))]"
    }

    /// A class with a property called `date` has no other `date`: then the type has another name.
    private func typeName(_ type: ColumnType) -> String {
        var name = type.pythonName
        guard [.date, .time, .duration].contains(type) else { return name }
        let properties = code.naming.properties
        while properties.contains(where: { $0.contains(name) }) { name += name == type.pythonName ? "_type" : "_" }
        return name
    }

    /// The options of `key` where it says all of the column; nil where it does not.
    private func keyOptions(_ column: ColumnSketch, _ options: [String]) -> [String]? {
        guard column.isRowID else { return nil }
        let own = options.filter { !["default=None", "kw_only=True", "primary_key=True"].contains($0) }
        return own.allSatisfy { $0.hasPrefix("name=") || $0 == "auto_increment=True" } ? own : nil
    }

    func declaration(_ model: Int, _ column: Int) -> String {
        let sketch = code.sketch.models[model].columns[column]
        let name = code.naming.properties[model][column]
        let options = options(model, sketch, name)
        if let own = keyOptions(sketch, options) {
            // It is no parameter of the class, and for type checkers no None.
            return call("\(name): Column[int] = \(keyName)", own, indent: "    ", trailingComma: true)
        }
        let declaration = "\(name): Column[\(type(sketch))]"
        return options.isEmpty
            ? declaration : call("\(declaration) = column", options, indent: "    ", trailingComma: true)
    }

    private func options(_ model: Int, _ column: ColumnSketch, _ name: String) -> [String] {
        let metadata = column.metadata
        var options: [String] = []
        if metadata.generatedSQL != nil {
            options.append("init=False")
        } else if column.isOptional {
            options += ["default=None", "kw_only=True"]
        } else if let value = column.literalDefault {
            options += ["default=\(literal(value))", "kw_only=True"]
        }
        if !snakeCase(name).utf8.elementsEqual(metadata.name.utf8) {
            options.append("name=\(pythonLiteral(metadata.name))")
        }
        if column.type == .offsetDatetime { options.append("offset=True") }
        if column.type == .json { options.append("json=True") }
        if column.type == .float || column.type == .int32 { options.append("type=\"\(column.type.name)\"") }
        if case .varchar(let length) = column.type { options.append("length=\(length)") }
        if let scale = metadata.scale { options.append("scale=\(scale)") }
        if metadata.isKey, !code.sketch.models[model].keyHasOrder {
            options.append("primary_key=True")
            if column.isAutoIncrement { options.append("auto_increment=True") }
        }
        if column.isUnique { options.append("unique=True") }
        if column.isIndexed { options.append("index=True") }
        if let sql = metadata.defaultSQL { options.append("default_sql=\(pythonLiteral(sql))") }
        // Another check of such a column stands with those of the table.
        if !column.choices.isEmpty {
            options.append("check=True")
        } else if let sql = column.check {
            options.append("check=\(pythonLiteral(sql))")
        }
        if let collation = metadata.collation { options.append("collate=\(pythonLiteral(collation))") }
        if let sql = metadata.generatedSQL { options.append("computed=\(pythonLiteral(sql))") }
        if let reference = column.reference, !reference.needsReference {
            let target = ([reference.table] + reference.tableColumns).joined(separator: ".")
            options.append("references=\(pythonLiteral(target))")
            options += actions(reference)
        }
        return options
    }

    private func actions(_ reference: ReferenceSketch) -> [String] {
        var parts: [String] = []
        if reference.onDelete != .none { parts.append("on_delete=\"\(reference.onDelete.word)\"") }
        if reference.onUpdate != .none { parts.append("on_update=\"\(reference.onUpdate.word)\"") }
        return parts
    }

    private func literal(_ value: LiteralDefault) -> String {
        switch value {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .bool(let value): value ? "True" : "False"
        case .text(let value): pythonLiteral(value)
        }
    }

    private func tuple(_ names: [String]) -> String {
        "(\(names.map(pythonLiteral).joined(separator: ", "))\(names.count == 1 ? "," : ""))"
    }

    func declaration(_ model: Int, relation place: Int) -> String {
        let relation = code.sketch.models[model].relations[place]
        let target = code.naming.types[relation.target]
        let holder = relation.kind == .toOne ? model : relation.junction ?? relation.target
        // Functions, for a model may stand above those that it leads to; of a name type checkers know nothing. No
        // annotation, which would have to be a ClassVar: mypy lets nobody assign to that.
        var parts = ["lambda: \(target)"]
        if let junction = relation.junction { parts.append("through=lambda: \(code.naming.types[junction])") }
        if !relation.columns.isEmpty { parts.append("columns=\(tuple(code.columnNames(holder, relation.columns)))") }
        if !relation.targetColumns.isEmpty {
            parts.append("target_columns=\(tuple(code.columnNames(holder, relation.targetColumns)))")
        }
        let name = code.naming.relations[model][place]
        return call("\(name) = \(relation.kind.rawValue)", parts, indent: "    ", trailingComma: true)
    }

    func model(_ model: Int) -> String {
        let sketch = code.sketch.models[model]
        let properties = code.naming.properties[model]
        var parts = ["Model"]
        if !snakeCase(code.naming.types[model]).utf8.elementsEqual(sketch.table.name.utf8) {
            parts.append("table=\(pythonLiteral(sketch.table.name))")
        }
        if sketch.keyHasOrder { parts.append("primary_key=\(tuple(code.columnNames(model, sketch.key)))") }
        for isUnique in [true, false] {
            let keys = sketch.indexes.filter { $0.isUnique == isUnique }.map { index in
                let columns = tuple(index.terms(properties))
                var arguments = [columns]
                if let name = index.name { arguments.append("name=\(pythonLiteral(name))") }
                if let condition = index.condition { arguments.append("where=\(pythonLiteral(condition))") }
                return arguments.count == 1 ? columns : "Key(\(arguments.joined(separator: ", ")))"
            }
            if !keys.isEmpty {
                parts.append(
                    call(
                        isUnique ? "unique=" : "indexes=", keys, open: "[", close: "]", indent: "    ",
                        trailingComma: true))
            }
        }
        let references = sketch.references + sketch.columns.compactMap(\.reference).filter(\.needsReference)
        if !references.isEmpty {
            let list = references.map { reference in
                var arguments = [tuple(code.columnNames(model, reference.columns)), pythonLiteral(reference.table)]
                if !reference.tableColumns.isEmpty { arguments.append(tuple(reference.tableColumns)) }
                return "Reference(\((arguments + actions(reference)).joined(separator: ", ")))"
            }
            parts.append(call("references=", list, open: "[", close: "]", indent: "    ", trailingComma: true))
        }
        let checks = sketch.checks + sketch.columns.filter { !$0.choices.isEmpty }.compactMap(\.check)
        if !checks.isEmpty {
            parts.append(
                call(
                    "checks=", checks.map(pythonLiteral), open: "[", close: "]", indent: "    ",
                    trailingComma: true))
        }
        if sketch.table.isWithoutRowID { parts.append("without_rowid=True") }
        if sketch.table.isStrict { parts.append("strict=True") }
        if sketch.table.kind == .view { parts.append("view=True") }
        return call("class \(code.naming.types[model])", parts, trailingComma: true)
    }

    func finder(_ model: Int, _ finder: FinderSketch, _ members: inout NameScope) -> [String: Any] {
        let type = code.naming.types[model]
        let names = code.columnNames(model, finder.columns)
        let columns = finder.columns.map { code.sketch.models[model].columns[$0] }
        let isMany = finder.kind == .foreignKey
        let wanted =
            finder.kind == .key ? "find" : "\(isMany ? "fetch" : "find")_by_\(names.joined(separator: "_and_"))"
        let parameters = zip(names, columns).map { "\($0): \(plainType($1))" }
        let condition = names.map { "\(type).\($0) == \($0)" }.joined(separator: ", ")
        let body =
            finder.kind == .key
            ? "database.find(\(([type] + names).joined(separator: ", ")))"
            : "database.\(isMany ? "fetch_all" : "fetch_one")(\(type).where(\(condition)))"
        return [
            "declaration": call(
                "def \(members.take(wanted))", ["database: Database"] + parameters, indent: "    ", trailingComma: true)
                + " -> \(isMany ? "list[\(type)]" : "\(type) | None"):",
            "body": body,
        ]
    }

    /// Only what is used: type checkers frown upon the rest.
    func context() -> [String: Any] {
        let columns = code.sketch.models.flatMap(\.columns)
        let relations = code.sketch.models.flatMap(\.relations)
        let keys = code.sketch.models.flatMap(\.indexes)
        let references = code.sketch.models.flatMap {
            $0.references + $0.columns.compactMap(\.reference).filter(\.needsReference)
        }
        var names = ["Column", "Database"]
        if keys.contains(where: { $0.name != nil || $0.condition != nil }) { names.append("Key") }
        names.append("Model")
        if !references.isEmpty { names.append("Reference") }
        let declarations = code.sketch.models.indices.flatMap { model in
            code.sketch.models[model].columns.indices.map { declaration(model, $0) }
        }
        if declarations.contains(where: { $0.contains(" = column(") }) { names.append("column") }
        if declarations.contains(where: { $0.contains(": Column[int] = \(keyName)(") }) {
            names.append(keyName == "key" ? keyName : "key as \(keyName)")
        }
        for kind in [RelationMetadata.Kind.manyToMany, .toMany, .toOne]
        where relations.contains(where: { $0.kind == kind }) {
            names.append(kind.rawValue)
        }
        var lines: [String] = []
        let times: [ColumnType] = [.date, .datetime, .time, .duration]
        let used = times.filter { type in
            columns.contains { $0.type == type || type == .datetime && $0.type == .offsetDatetime }
        }.map { type in
            let name = typeName(type)
            return name == type.pythonName ? name : "\(type.pythonName) as \(name)"
        }
        if !used.isEmpty { lines.append("from datetime import \(used.joined(separator: ", "))") }
        if columns.contains(where: { $0.type == .decimal }) { lines.append("from decimal import Decimal") }
        let typing = [
            ("Any", columns.contains { $0.type == .json }), ("Literal", columns.contains { !$0.choices.isEmpty }),
        ]
        if typing.contains(where: \.1) {
            lines.append("from typing import \(typing.filter(\.1).map(\.0).joined(separator: ", "))")
        }
        if columns.contains(where: { $0.type == .uuid }) { lines.append("from uuid import UUID") }
        if !lines.isEmpty { lines.append("") }
        lines.append("from cormorant import \(names.joined(separator: ", "))")
        return ["imports": lines.joined(separator: "\n")]
    }
}

extension ReferenceSketch {
    /// Whether "table.column" would be read wrongly.
    fileprivate var needsReference: Bool { columns.count == 1 && table.contains(".") }
}

extension ForeignKeyAction {
    var word: String {
        switch self {
        case .none: "none"
        case .restrict: "restrict"
        case .setNull: "set_null"
        case .setDefault: "set_default"
        case .cascade: "cascade"
        }
    }
}
