import SwiftSyntax
import SwiftSyntaxMacros

/// `@Model`: the conformance of a struct to `Record`.
public struct ModelMacro {
    /// `ModelCode` indents what it makes; to have it formatted would double the time that the macro takes.
    public static var formatMode: FormatMode { .disabled }

    /// - Returns: nil where something is wrong with the struct.
    private static func code(
        for declaration: some DeclGroupSyntax, _ node: AttributeSyntax, in context: some MacroExpansionContext,
        _ problems: Problems
    ) -> ModelCode? {
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            problems.add(.notAStruct, at: node)
            return nil
        }
        // The compiler itself says that a local type has no extensions.
        if context.lexicalContext.contains(where: { $0.isCode }) { return nil }
        if let parameters = structure.genericParameterClause { problems.add(.generic, at: parameters) }
        if let outer = context.lexicalContext.lazy.compactMap(\.nameIfGeneric).first {
            problems.add(.nestedInGeneric(outer), at: structure.name)
        }
        let properties = modelProperties(of: structure, problems)
        let name = structure.name.text.withoutBackticks
        // The name would not lead to the model in it.
        for member in structure.memberBlock.members {
            guard let inner = member.decl.asProtocol((any NamedDeclSyntax).self),
                !member.decl.is(FunctionDeclSyntax.self),
                inner.name.text.withoutBackticks == name
            else { continue }
            problems.add(.sameName(name), at: inner.name)
        }
        let arguments = ModelArguments(node, name, properties.columns)
        arguments.check(problems)
        if structure.isNotCopyable { problems.add(.notCopyable, at: structure.name) }
        let models = structure.attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { $0.simpleName == "Model" }
        if let second = models.dropFirst().first { problems.add(.twice, at: second) }
        guard problems.isEmpty else { return nil }
        return ModelCode(
            name: name, type: structure.name.text, access: access(of: structure, in: context),
            properties: properties.columns, relations: properties.relations, arguments: arguments)
    }
}

extension ModelMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let code = code(for: declaration, node, in: context, Problems(context))
        return code?.members.map { DeclSyntax(MissingDeclSyntax(placeholder: .identifier($0))) } ?? []
    }
}

extension ModelMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // What is wrong has been said of the members.
        guard let code = code(for: declaration, node, in: context, Problems(nil)),
            let structure = declaration.as(StructDeclSyntax.self)
        else { return [] }
        let conformance = protocols.isEmpty ? "" : ": Cormorant.Record"
        return [
            extending("\(type.trimmed)\(conformance)", with: code.conformance, availability: structure.availability)
        ]
    }

    /// The extension with its text as it is: the compiler parses it, and parsing it here too would double the time that the
    /// macro takes.
    ///
    /// It belongs to no actor, whatever the module's default is: records are read and written on any thread.
    private static func extending(
        _ type: String, with members: String, availability: AttributeListSyntax
    ) -> ExtensionDeclSyntax {
        let lines = members.split(separator: "\n", omittingEmptySubsequences: false)
        let indented = lines.map { $0.isEmpty ? "\n" : "\n    \($0)" }.joined()
        let text = MissingDeclSyntax(placeholder: .identifier(indented + "\n"))
        return ExtensionDeclSyntax(
            attributes: availability,
            modifiers: [DeclModifierSyntax(name: .keyword(.nonisolated, trailingTrivia: .space))],
            extensionKeyword: .keyword(.extension, trailingTrivia: .space),
            extendedType: IdentifierTypeSyntax(name: .identifier(type, trailingTrivia: .space)),
            memberBlock: MemberBlockSyntax(members: [MemberBlockItemSyntax(decl: text)]))
    }

    /// What the members are declared with, so that they can be used wherever the struct can.
    private static func access(of structure: StructDeclSyntax, in context: some MacroExpansionContext) -> String {
        let enclosing = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers
        for modifiers in [structure.modifiers, enclosing].compactMap({ $0 }) {
            for modifier in modifiers {
                switch modifier.name.tokenKind {
                case .keyword(.public): return "public "
                case .keyword(.package): return "package "
                case .keyword(.internal), .keyword(.fileprivate), .keyword(.private): return ""
                default: continue
                }
            }
        }
        return ""
    }
}

extension Syntax {
    /// Whether what stands in it is local.
    fileprivate var isCode: Bool {
        self.is(FunctionDeclSyntax.self) || self.is(InitializerDeclSyntax.self) || self.is(DeinitializerDeclSyntax.self)
            || self.is(SubscriptDeclSyntax.self) || self.is(AccessorDeclSyntax.self) || self.is(ClosureExprSyntax.self)
            || self.is(VariableDeclSyntax.self)
    }

    /// The name of a generic type.
    fileprivate var nameIfGeneric: String? {
        guard let type = asProtocol((any NamedDeclSyntax).self),
            asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
        else { return nil }
        return type.name.text
    }
}

extension StructDeclSyntax {
    /// Its `@available`, a line each.
    fileprivate var availability: AttributeListSyntax {
        AttributeListSyntax(
            attributes.compactMap { element in
                guard case .attribute(let attribute) = element, attribute.simpleName == "available" else { return nil }
                return .attribute(attribute.trimmed.with(\.trailingTrivia, .newline))
            })
    }

    fileprivate var isNotCopyable: Bool {
        inheritanceClause?.inheritedTypes.contains { $0.type.trimmedDescription == "~Copyable" } ?? false
    }
}

extension String {
    /// The name itself where the code has to write it in backticks.
    var withoutBackticks: String {
        count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }
}

extension AttributeSyntax {
    /// The attribute's name without a module in front of it.
    var simpleName: String {
        attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    /// The arguments by label; one without label has the label "".
    var argumentList: [(label: String, value: ExprSyntax)] {
        guard case .argumentList(let list)? = arguments else { return [] }
        return list.map { ($0.label?.text ?? "", $0.expression.trimmed) }
    }

    func argument(_ label: String) -> ExprSyntax? {
        guard case .argumentList(let list)? = arguments else { return nil }
        return list.first { ($0.label?.text ?? "") == label }?.expression.trimmed
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}
