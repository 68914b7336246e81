import CormorantBase
import CormorantQuery

/// Models as `@Model` structs.
struct SwiftCode: CodeWriter {
    let code: Code

    init(_ code: Code) { self.code = code }

    private func identifier(_ name: String) -> String { swiftKeywords.contains(name) ? "`\(name)`" : name }

    func type(_ column: ColumnSketch) -> String { plainType(column) + (column.isOptional ? "?" : "") }

    private func plainType(_ column: ColumnSketch) -> String {
        column.choices.isEmpty ? column.type.swiftName : column.enumName
    }

    /// The cases of an enum, one a line.
    func cases(_ column: ColumnSketch) -> [String] {
        zip(column.caseNames, column.choices).map { name, value in
            identifier(name) + (name == value ? "" : " = \(swiftLiteral(value))")
        }
    }

    func declaration(_ model: Int, _ column: Int) -> String {
        let sketch = code.sketch.models[model].columns[column]
        let name = code.naming.properties[model][column]
        var attributes: [String] = []
        if sketch.metadata.isKey, !code.sketch.models[model].keyHasOrder {
            attributes.append(sketch.isAutoIncrement ? "@Key(autoIncrement: true)" : "@Key")
        }
        let options = options(sketch, name)
        if !options.isEmpty { attributes.append("@Column(\(options.joined(separator: ", ")))") }
        if let reference = sketch.reference {
            var parts = [swiftLiteral(reference.table)]
            if let column = reference.tableColumns.first { parts.append("column: \(swiftLiteral(column))") }
            parts += actions(reference)
            attributes.append("@References(\(parts.joined(separator: ", ")))")
        }
        var value = sketch.literalDefault.map { " = \(literal($0))" } ?? ""
        if !sketch.choices.isEmpty, case .text(let text)? = sketch.literalDefault {
            value = sketch.choices.firstIndex(of: text).map { " = .\(sketch.caseNames[$0])" } ?? ""
        }
        return (attributes + ["var \(identifier(name)): \(type(sketch))\(value)"]).joined(separator: " ")
    }

    private func options(_ column: ColumnSketch, _ name: String) -> [String] {
        let metadata = column.metadata
        var options: [String] = []
        if !snakeCase(name).utf8.elementsEqual(metadata.name.utf8) { options.append(swiftLiteral(metadata.name)) }
        if column.isUnique { options.append("unique: true") }
        if column.isIndexed { options.append("indexed: true") }
        if let sql = metadata.defaultSQL { options.append("default: \(swiftLiteral(sql))") }
        if let sql = column.check { options.append("check: \(swiftLiteral(sql))") }
        if !column.choices.isEmpty { options.append("checksCases: true") }
        if let collation = metadata.collation { options.append("collate: \(swiftLiteral(collation))") }
        if case .varchar(let length) = column.type { options.append("length: \(length)") }
        if let scale = metadata.scale { options.append("scale: \(scale)") }
        if let sql = metadata.generatedSQL { options.append("computed: \(swiftLiteral(sql))") }
        return options
    }

    private func actions(_ reference: ReferenceSketch) -> [String] {
        var parts: [String] = []
        if reference.onDelete != .none { parts.append("onDelete: .\(reference.onDelete)") }
        if reference.onUpdate != .none { parts.append("onUpdate: .\(reference.onUpdate)") }
        return parts
    }

    private func literal(_ value: LiteralDefault) -> String {
        switch value {
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .text(let value): swiftLiteral(value)
        }
    }

    private func list(_ names: [String]) -> String { names.map(swiftLiteral).joined(separator: ", ") }

    func declaration(_ model: Int, relation place: Int) -> String {
        let relation = code.sketch.models[model].relations[place]
        var parts: [String] = []
        let holder = relation.kind == .toOne ? model : relation.junction ?? relation.target
        if !relation.columns.isEmpty { parts.append(list(code.columnNames(holder, relation.columns))) }
        if let junction = relation.junction { parts.append("through: \(code.naming.types[junction]).self") }
        if !relation.targetColumns.isEmpty {
            parts.append("to: [\(list(code.columnNames(holder, relation.targetColumns)))]")
        }
        let attribute = parts.isEmpty ? "@Relation" : "@Relation(\(parts.joined(separator: ", ")))"
        let kind = relation.kind == .toOne ? "ToOne" : "ToMany"
        let name = identifier(code.naming.relations[model][place])
        return "\(attribute) var \(name) = \(kind)<\(code.naming.types[relation.target])>.notLoaded"
    }

    func model(_ model: Int) -> String {
        let sketch = code.sketch.models[model]
        let properties = code.naming.properties[model]
        var parts: [String] = []
        if !snakeCase(code.naming.types[model]).utf8.elementsEqual(sketch.table.name.utf8) {
            parts.append("table: \(swiftLiteral(sketch.table.name))")
        }
        var keys: [String] = []
        if sketch.keyHasOrder { keys.append(".primary(\(list(code.columnNames(model, sketch.key))))") }
        for index in sketch.indexes {
            var arguments = [list(index.terms(properties))]
            if let name = index.name { arguments.append("name: \(swiftLiteral(name))") }
            if let condition = index.condition { arguments.append("where: \(swiftLiteral(condition))") }
            keys.append(".\(index.isUnique ? "unique" : "index")(\(arguments.joined(separator: ", ")))")
        }
        if !keys.isEmpty {
            parts.append(call("keys: ", keys, open: "[", close: "]", indent: "    ", trailingComma: true))
        }
        if !sketch.references.isEmpty {
            let references = sketch.references.map { reference in
                var arguments = ["[\(list(code.columnNames(model, reference.columns)))]"]
                arguments.append("table: \(swiftLiteral(reference.table))")
                if !reference.tableColumns.isEmpty {
                    arguments.append("tableColumns: [\(list(reference.tableColumns))]")
                }
                return ".init(\((arguments + actions(reference)).joined(separator: ", ")))"
            }
            parts.append(call("references: ", references, open: "[", close: "]", indent: "    ", trailingComma: true))
        }
        if !sketch.checks.isEmpty {
            parts.append(
                call(
                    "checks: ", sketch.checks.map(swiftLiteral), open: "[", close: "]", indent: "    ",
                    trailingComma: true))
        }
        if sketch.table.isWithoutRowID { parts.append("withoutRowID: true") }
        if sketch.table.isStrict { parts.append("strict: true") }
        if sketch.table.kind == .view { parts.append("view: true") }
        return parts.isEmpty ? "@Model" : call("@Model", parts)
    }

    func finder(_ model: Int, _ finder: FinderSketch, _ members: inout NameScope) -> [String: Any] {
        let type = code.naming.types[model]
        let names = code.columnNames(model, finder.columns)
        let columns = finder.columns.map { code.sketch.models[model].columns[$0] }
        // The parameter that every one of them has.
        let inner = names.map { $0 == "database" ? "databaseValue" : identifier($0) }
        let parameters = zip(zip(names, inner), columns).map { names, column in
            (names.0 == "database" ? "database " : "") + "\(names.1): \(plainType(column))"
        }
        let condition = zip(names, inner).map { "$0.\(identifier($0)) == \($1)" }.joined(separator: " && ")
        let isMany = finder.kind == .foreignKey
        func body(_ isAsync: Bool) -> String {
            let effects = isAsync ? "try await" : "try"
            return finder.kind == .key
                ? call(
                    "\(effects) database.find",
                    ["\(type).self"] + inner.enumerated().map { $0 == 0 ? "key: \($1)" : $1 }, indent: "        ")
                : "\(effects) database.\(isMany ? "fetchAll" : "fetchOne")(\(type).where { \(condition) })"
        }
        func declaration(_ isAsync: Bool) -> String {
            let effects = isAsync ? "async throws" : "throws"
            return call(
                "static func \(isMany ? "fetchAll" : "find")", parameters + ["in database: Database"], indent: "    ")
                + " \(effects) -> \(isMany ? "[\(type)]" : "\(type)?")"
        }
        return [
            "declaration": declaration(false), "body": body(false),
            "asyncDeclaration": declaration(true), "asyncBody": body(true),
        ]
    }

    func context() -> [String: Any] { ["imports": "import Cormorant"] }
}
