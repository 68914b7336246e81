/// `@Model`: the conformance of a struct to `Record`.
struct ModelMacro {
    /// What goes into the struct, or the extension beside it; empty where something is wrong.
    private(set) var code = ""

    init(_ expansion: Message.Expansion, _ problems: Problems) {
        do {
            guard let (structure, model) = try Self.model(expansion, problems) else { return }
            switch expansion.role {
            case .member: code = model.members.joined(separator: "\n\n")
            case .extension: code = Self.extending(structure, with: model.conformance, expansion)
            case .peer: break
            }
        } catch {
            problems.add(.notUnderstood, at: error.range)
        }
    }

    /// - Returns: nil where something is wrong with the struct.
    private static func model(
        _ expansion: Message.Expansion, _ problems: Problems
    ) throws(NotUnderstood) -> (Declaration, ModelCode)? {
        var parser = Parser(expansion.attribute)
        let node = try parser.attribute()
        parser = Parser(expansion.declaration)
        let structure = try parser.declaration()
        guard structure.keyword == "struct", let typeName = structure.name else {
            problems.add(.notAStruct, at: node.range)
            return nil
        }
        // The compiler itself says that a local type has no extensions.
        if expansion.context.contains(where: \.isCode) { return nil }
        if let parameters = structure.genericParameters { problems.add(.generic, at: parameters) }
        if let outer = expansion.context.lazy.compactMap(\.nameIfGeneric).first {
            problems.add(.nestedInGeneric(outer), at: typeName)
        }
        let properties = try modelProperties(of: structure, named: typeName, problems)
        let name = typeName.text.withoutBackticks
        if isOutOfReach(structure, in: expansion.context) { problems.add(.privateInType(name), at: typeName) }
        // The name would not lead to the model in it.
        for member in try structure.members() where member.isNamed {
            guard let inner = member.name, inner.text.withoutBackticks == name else { continue }
            problems.add(.sameName(name), at: inner)
        }
        let arguments = ModelArguments(node, name, properties.columns)
        arguments.check(problems)
        if structure.inherited.contains(where: { $0.text == "~Copyable" }) { problems.add(.notCopyable, at: typeName) }
        let models = structure.attributes.filter { $0.name == "Model" && !$0.isConditional }
        if let second = models.dropFirst().first { problems.add(.twice, at: second.range) }
        let conformances = structure.inherited.map { $0.text.split(separator: ".").last }
        if conformances.contains("Identifiable"),
            let id = properties.columns.first(where: { $0.name == "id" && $0.isUnwrapped })
        {
            problems.add(.identifiable(id.type), at: id.range)
        }
        // Each use of the model would be another error without code.
        guard problems.leavesCode else { return nil }
        let code = ModelCode(
            name: name, type: typeName.text, access: access(of: structure, in: expansion.context.first?.declaration),
            properties: properties.columns, relations: properties.relations, arguments: arguments,
            hasMemberwiseInitializer: try structure.hasMemberwiseInitializer(), isRefused: problems.hasErrors)
        return (structure, code)
    }

    /// The extension belongs to no actor, whatever the module's default is: records are read and written on any thread.
    private static func extending(
        _ structure: Declaration, with members: String, _ expansion: Message.Expansion
    ) -> String {
        let availability = structure.attributes.filter { $0.name == "available" && !$0.isConditional }
        let type = expansion.extendedType ?? structure.name?.text ?? ""
        let conformance = expansion.addsConformance ? ": Cormorant.Record" : ""
        let lines = members.split(separator: "\n", omittingEmptySubsequences: false)
        return availability.map { $0.range.text + "\n" }.joined() + "nonisolated extension \(type)\(conformance) {\n"
            + lines.map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined() + "}"
    }

    /// What the members are declared with, so that they can be used wherever the struct can.
    private static func access(of structure: Declaration, in enclosing: Declaration?) -> Access {
        let outer = enclosing?.keyword == "extension" ? enclosing?.access : nil
        return max(structure.access ?? outer ?? .internal, .internal)
    }

    /// Whether the extension beside the model cannot name it: what is private in a type is so to what stands outside.
    private static func isOutOfReach(_ structure: Declaration, in context: [Message.Enclosing]) -> Bool {
        ([structure] + context.compactMap(\.declaration)).dropLast().contains { $0.modifiers.contains("private") }
    }
}

extension Message.Enclosing {
    /// nil for code that declares nothing, such as a closure.
    var declaration: Declaration? {
        guard isDeclaration else { return nil }
        var parser = Parser(source)
        return try? parser.declaration()
    }

    /// Whether what stands in it is local.
    fileprivate var isCode: Bool {
        guard let declaration else { return true }
        return ["func", "init", "deinit", "subscript", "var", "let"].contains(declaration.keyword)
    }

    /// The name of a generic type.
    fileprivate var nameIfGeneric: String? {
        guard let declaration, declaration.genericParameters != nil else { return nil }
        return declaration.name?.text
    }
}

extension String {
    /// The name itself where the code has to write it in backticks.
    var withoutBackticks: String {
        count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }
}
