/// The text of what `@Model` makes.
struct ModelCode {
    let name: String
    /// As code in it names it.
    let type: String
    let access: Access
    let properties: [StoredProperty]
    let relations: [RelationProperty]
    let arguments: ModelArguments
    /// Whether the struct has the initializer that the compiler makes.
    let hasMemberwiseInitializer: Bool
    /// Whether it has constants, so that the program does not compile: nothing is assigned in code that never runs.
    let isRefused: Bool

    /// What names types: among the struct's own members, where those that stand beside the struct are found.
    var members: [String] { [descriptor, keySetting, keyClearing, columns] + validating }

    /// What goes into an extension, where an initializer leaves the memberwise one. It names no type of the program's.
    var conformance: String {
        ([initializer, reading] + takingBack + [writing, valuing] + (relations.isEmpty ? [] : [visiting]))
            .joined(separator: "\n\n")
    }

    private var descriptor: String {
        let columns = properties.map { "        \($0.descriptorCode)," }.joined(separator: "\n")
        var lines = ["name: \(swiftLiteral(name)),"]
        if let table = arguments.code("table") { lines.append("table: \(table),") }
        lines.append("columns: [\n\(columns)\n    ]")
        for label in [
            "keys", "references", "checks", "columnOrder", "withoutRowID", "strict", "module", "view", "scope",
            "distributedBy",
        ] {
            if let value = arguments.code(label) {
                lines[lines.count - 1] += ","
                lines.append("\(label): \(value)")
            }
        }
        if !relations.isEmpty {
            let list = relations.map { "        \($0.descriptorCode)," }.joined(separator: "\n")
            lines[lines.count - 1] += ","
            lines.append("relations: [\n\(list)\n    ]")
        }
        if let notes = arguments.migrationCode {
            lines[lines.count - 1] += ","
            lines.append("migration: \(notes)")
        }
        return
            "\(access)nonisolated static let model = Cormorant.ModelDescriptor(\n    \(lines.joined(separator: "\n    ")))"
    }

    private var validators: [(index: Int, property: StoredProperty, code: String)] {
        properties.enumerated().compactMap { index, property in
            property.columnArgument("validate").map { (index, property, $0.text) }
        }
    }

    /// Nothing where no property has a validator.
    private var validating: [String] {
        if validators.isEmpty { return [] }
        let lines = validators.map { "try validator.check(self.\($1.identifier), at: \($0), \($2))" }
        return [
            "\(access)nonisolated static var validatesProperties: Bool { true }",
            "\(using)nonisolated func validateProperties(_ validator: Cormorant.PropertyValidator) throws \(block(lines))",
        ]
    }

    /// By the memberwise initializer where there is one: the compiler copies a large struct that an initializer fills property by
    /// property, when it is done (Swift 6.3).
    private var initializer: String {
        let arguments = properties.enumerated().map { "        \($1.label): try reader.property(at: \($0))" }
        let lines = hasMemberwiseInitializer ? ["self.init(\n\(arguments.joined(separator: ",\n")))"] : reads
        return "\(using)init(from reader: Cormorant.RecordReader) throws \(assigning(lines))"
    }

    private var reading: String {
        "\(using)mutating func read(from reader: Cormorant.RecordReader) throws \(assigning(reads))"
    }

    private var reads: [String] {
        properties.enumerated().map { "self.\($1.identifier) = try reader.property(at: \($0))" }
    }

    /// Of what the database fills in by an update; nothing where that is nothing.
    private var takingBack: [String] {
        let filled = properties.enumerated().filter { $1.isFilledByUpdate }
        guard !filled.isEmpty else { return [] }
        let lines = filled.map { index, property in
            "if columns.contains(\(index)) { self.\(property.identifier) = try reader.property(at: \(index)) }"
        }
        return [
            "\(using)mutating func readBack(only columns: [Int], from reader: Cormorant.RecordReader) throws \(assigning(lines))"
        ]
    }

    private var writing: String {
        let lines = properties.enumerated().filter { !$1.isComputed }.map { index, property in
            "try writer.write(property: self.\(property.identifier), at: \(index))"
        }
        return "\(using)func write(to writer: inout Cormorant.RecordWriter) throws \(block(lines))"
    }

    private var valuing: String {
        let cases = properties.enumerated().map { index, property in
            "    case \(index):\n        return try Cormorant.Value(property: self.\(property.identifier))\n"
        }
        return "\(using)func columnValue(at column: Int) throws -> Cormorant.Value {\n    switch column {\n"
            + cases.joined() + "    default:\n        return .null\n    }\n}"
    }

    private var visiting: String {
        let lines = relations.map(\.visitCode)
        return
            "\(using)mutating func visitRelations(_ visitor: inout some Cormorant.RelationVisitor) throws \(block(lines))"
    }

    private var keySetting: String {
        let key = arguments.generatedKey
        let lines = key.map { ["self.\($0.identifier) = try \($0.type).generatedKey(key) ?? self.\($0.identifier)"] }
        return "\(using)nonisolated mutating func setGeneratedKey(_ key: Int64) throws \(assigning(lines ?? []))"
    }

    private var keyClearing: String {
        let key = arguments.generatedKey
        let lines = key.map { ["self.\($0.identifier) = \($0.type).missingKey ?? self.\($0.identifier)"] }
        return "\(using)nonisolated mutating func clearGeneratedKey() \(assigning(lines ?? []))"
    }

    /// Before a function that uses the properties: one that is deprecated may be used without a warning by what is so itself, and
    /// only the engine calls these, through `Record`, where nothing is said of it.
    private var using: String {
        let availability = properties.map(\.availability) + relations.map(\.availability)
        return (availability.contains(where: \.isDeprecated) ? "@available(*, deprecated)\n" : "") + "\(access)"
    }

    private func assigning(_ lines: [String]) -> String { block(isRefused ? ["fatalError()"] : lines) }

    private func block(_ lines: [String]) -> String {
        lines.isEmpty ? "{\n}" : "{\n" + lines.map { "    \($0)\n" }.joined() + "}"
    }
}

extension StoredProperty {
    /// `.init("id", Int64?.self, primaryKey: true)`
    fileprivate var descriptorCode: String {
        var parts = [swiftLiteral(name), "\(type).self"]
        func add(_ label: String, _ value: Expression?) {
            if let value { parts.append("\(label): \(value.text)") }
        }
        add("column", columnArgument(""))
        add("length", columnArgument("length"))
        add("notNull", columnArgument("notNull"))
        if let key = markers["Key"] {
            parts.append("primaryKey: true")
            add("autoIncrement", key.argument("autoIncrement"))
        }
        add("unique", columnArgument("unique"))
        add("indexed", columnArgument("indexed"))
        add("defaultSQL", columnArgument("default"))
        add("checkSQL", columnArgument("check"))
        add("computedSQL", columnArgument("computed"))
        add("collation", columnArgument("collate"))
        if let target = markers["References"] { parts.append("references: \(target.referenceCode)") }
        add("json", columnArgument("json"))
        add("renamedFrom", columnArgument("renamedFrom"))
        add("convertSQL", columnArgument("convert"))
        add("isVersion", columnArgument("version"))
        add("stamp", columnArgument("stamp"))
        add("scale", columnArgument("scale"))
        add("discriminator", columnArgument("discriminator"))
        let checksCases = columnArgument("checksCases")?.text == "true"
        return checksCases
            ? "Cormorant.ColumnDescriptor(\(parts.joined(separator: ", "))).checkingCases(of: \(type).self)"
            : ".init(\(parts.joined(separator: ", ")))"
    }
}

extension Attribute {
    /// `.init("department", nil, onDelete: .cascade)`
    fileprivate var referenceCode: String {
        let parts = arguments.map { argument in
            let value = argument.value.text
            return ["", "column"].contains(argument.label) ? value : "\(argument.label): \(value)"
        }
        return ".init(\(parts.joined(separator: ", ")))"
    }
}

/// A name as a literal of Swift. A raw identifier may have quotes in it, but no backslash.
func swiftLiteral(_ name: String) -> String {
    var literal = "\""
    for scalar in name.unicodeScalars { literal += scalar == "\"" ? "\\\"" : String(scalar) }
    return literal + "\""
}
