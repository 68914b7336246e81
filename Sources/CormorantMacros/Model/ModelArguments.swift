/// The arguments of `@Model`, and what they say about the properties.
struct ModelArguments {
    private let node: Attribute
    private let name: String
    private let properties: [StoredProperty]

    /// - Parameter name: the struct's name.
    init(_ node: Attribute, _ name: String, _ properties: [StoredProperty]) {
        self.node = node
        self.name = name
        self.properties = properties
    }

    /// The code of an argument, if it was given.
    func code(_ label: String) -> String? { node.argument(label)?.text }

    /// `.init(renamedFrom: "people", allowDrop: ["age"])`; nil where nothing is said about migrations.
    var migrationCode: String? {
        let parts = [("renamedFrom", "renamedFrom"), ("allowDrop", "allowDrop"), ("seed", "seedSQL")].compactMap {
            argument, label in code(argument).map { "\(label): \($0)" }
        }
        return parts.isEmpty ? nil : ".init(\(parts.joined(separator: ", ")))"
    }

    /// The property that insert gives a key: the only one of the key.
    var generatedKey: StoredProperty? {
        let keys = properties.filter(\.isKey)
        return keys.count == 1 ? keys[0] : nil
    }

    func check(_ problems: Problems) {
        let keys = properties.filter(\.isKey)
        for key in keys where key.markers["Key"]?.argument("autoIncrement")?.text == "true" {
            if keys.count > 1 || key.isKnownNotInteger { problems.add(.autoIncrement(key.name), at: key.range) }
        }
        let primary = checkKeys(hasKey: !keys.isEmpty, problems)
        if code("withoutRowID") == "true" && keys.isEmpty && !primary { problems.add(.withoutRowID, at: node.range) }
        for name in node.argument("columnOrder")?.elements ?? [] { checkProperty(name, isIndex: false, problems) }
        checkColumnNames(problems)
        checkMigration(problems)
    }

    /// True when one of the keys is a primary key.
    private func checkKeys(hasKey: Bool, _ problems: Problems) -> Bool {
        guard let keys = node.argument("keys") else { return false }
        guard let list = keys.elements else {
            problems.add(.keyForm, at: keys.range)
            return false
        }
        var primary = false
        for key in list {
            guard case .call(let called, let arguments) = key.kind, case .member(_, let kind) = called.kind,
                ["primary", "unique", "index"].contains(kind)
            else {
                problems.add(.keyForm, at: key.range)
                continue
            }
            let columns = arguments.filter { $0.label.isEmpty }
            for column in columns { checkProperty(column.value, isIndex: kind != "primary", problems) }
            guard kind == "primary" else { continue }
            primary = true
            if hasKey { problems.add(.twoKeys, at: key.range) }
            if columns.count == 1 { problems.add(.primaryOfOne, at: key.range) }
        }
        return primary
    }

    /// A name that is a literal must be one of a property; any other expression is checked when the model is made.
    private func checkProperty(_ expression: Expression, isIndex: Bool, _ problems: Problems) {
        guard let name = expression.literalText else { return }
        let names = properties.map(\.name)
        if names.contains(name) { return }
        if isIndex && name.hasPrefix("-") && names.contains(String(name.dropFirst())) { return }
        problems.add(.noSuchProperty(name, names), at: expression.range)
    }

    private func checkColumnNames(_ problems: Problems) {
        var owners: [String: String] = [:]
        for (property, column) in columnNames {
            if let other = owners.updateValue(property.name, forKey: foldIdentifier(column)) {
                problems.add(.sharedColumn(other, property.name, column), at: property.range)
            }
        }
    }

    /// The properties whose column's name can be read here, with that name.
    private var columnNames: [(property: StoredProperty, column: String)] {
        properties.compactMap { property in
            guard let given = property.columnArgument("") else { return (property, snakeCase(property.name)) }
            return given.literalText.map { (property, $0) }
        }
    }

    /// What the model was is not what it is.
    private func checkMigration(_ problems: Problems) {
        let columns = Set(columnNames.map { foldIdentifier($0.column) })
        var sources: [String: String] = [:]
        for property in properties {
            guard let former = property.columnArgument("renamedFrom")?.literalText else { continue }
            if columns.contains(foldIdentifier(former)) {
                problems.add(.renamedFromColumn(property.name, former), at: property.range)
            }
            if let other = sources.updateValue(property.name, forKey: foldIdentifier(former)) {
                problems.add(.renamedTwice(other, property.name, former), at: property.range)
            }
        }
        for name in node.argument("allowDrop")?.elements ?? [] {
            guard let dropped = name.literalText, columns.contains(foldIdentifier(dropped)) else { continue }
            problems.add(.dropOfColumn(dropped), at: name.range)
        }
        if let argument = node.argument("renamedFrom"), let former = argument.literalText, sameIdentifier(former, table)
        {
            problems.add(.renamedFromItself(former), at: argument.range)
        }
    }

    /// The table's name; empty where it cannot be read here.
    private var table: String {
        guard let given = node.argument("table"), !given.isNull else { return snakeCase(name) }
        return given.literalText ?? ""
    }
}
