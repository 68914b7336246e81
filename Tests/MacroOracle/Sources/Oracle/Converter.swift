import SwiftSyntax

/// Makes what the plug-in reads of the trees of swift-syntax.
struct Converter {
    private let source: SourceText

    init(_ source: SourceText) { self.source = source }

    /// From a node's first token to its last, without what stands around them.
    private func range(_ node: some SyntaxProtocol) -> SourceRange {
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        return SourceRange(source: source, bytes: start..<max(start, node.endPositionBeforeTrailingTrivia.utf8Offset))
    }
}

// Declarations

extension Converter {
    func attribute(_ node: AttributeSyntax) -> Attribute {
        let name = node.attributeName.as(MemberTypeSyntax.self)?.name.text ?? node.attributeName.trimmedDescription
        guard case .argumentList(let list)? = node.arguments else {
            return Attribute(name: name, arguments: [], range: range(node))
        }
        return Attribute(name: name, arguments: list.map(argument), range: range(node))
    }

    private func attributes(_ list: AttributeListSyntax) -> [Attribute] {
        list.flatMap { element in
            switch element {
            case .attribute(let node): return [attribute(node)]
            case .ifConfigDecl(let conditional):
                let inner = conditional.clauses.flatMap { clause -> [Attribute] in
                    if case .attributes(let list)? = clause.elements { attributes(list) } else { [] }
                }
                return inner.map {
                    Attribute(name: $0.name, arguments: $0.arguments, range: $0.range, isConditional: true)
                }
            }
        }
    }

    func declaration(_ node: DeclSyntax) -> Declaration {
        if let conditional = node.as(IfConfigDeclSyntax.self) {
            let members = conditional.clauses.flatMap { clause -> [Declaration] in
                guard case .decls(let members)? = clause.elements else { return [] }
                return members.map { declaration($0.decl) }
            }
            return Declaration(
                kind: .conditional(members), keyword: "#if", attributes: [], modifiers: [], range: range(node))
        }
        let kind = node.as(VariableDeclSyntax.self).map { Declaration.Kind.variable($0.bindings.map(binding)) }
        let group = node.asProtocol((any DeclGroupSyntax).self)
        let named = node.asProtocol((any NamedDeclSyntax).self)
        return Declaration(
            kind: kind ?? .other,
            keyword: node.as(VariableDeclSyntax.self)?.bindingSpecifier.text ?? group?.introducer.text ?? keyword(node),
            attributes: node.asProtocol((any WithAttributesSyntax).self).map { attributes($0.attributes) } ?? [],
            modifiers: node.asProtocol((any WithModifiersSyntax).self).map { modifiers($0.modifiers) } ?? [],
            name: named.map { range($0.name) } ?? node.as(ExtensionDeclSyntax.self).map { range($0.extendedType) },
            genericParameters: node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause.map(
                range),
            inherited: group?.inheritanceClause?.inheritedTypes.map { range($0.type) } ?? [],
            body: group.map { range($0.memberBlock) }, range: range(node))
    }

    private func modifiers(_ list: DeclModifierListSyntax) -> [String] {
        list.filter { $0.detail?.detail.text != "set" }.map(\.name.text)
    }

    private func keyword(_ node: DeclSyntax) -> String {
        switch node.kind {
        case .functionDecl: "func"
        case .initializerDecl: "init"
        case .deinitializerDecl: "deinit"
        case .subscriptDecl: "subscript"
        case .typeAliasDecl: "typealias"
        case .associatedTypeDecl: "associatedtype"
        case .macroDecl: "macro"
        default: ""
        }
    }

    private func binding(_ node: PatternBindingSyntax) -> Binding {
        let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier
        let accessors: Binding.Accessors =
            switch node.accessorBlock?.accessors {
            case nil: .none
            case .getter: .computed
            case .accessors(let list):
                list.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) } ? .observers : .computed
            }
        return Binding(
            name: name.map(range), type: node.typeAnnotation.map { type($0.type) },
            value: node.initializer.map { expression($0.value) }, accessors: accessors, range: range(node))
    }
}

// Types and expressions

extension Converter {
    func type(_ node: TypeSyntax) -> TypeReference {
        TypeReference(kind: typeKind(node), range: range(node))
    }

    private func typeKind(_ node: TypeSyntax) -> TypeReference.Kind {
        switch node.as(TypeSyntaxEnum.self) {
        case .identifierType(let named): .named(named.name.text, arguments: named.genericArgumentClause.map(arguments))
        case .memberType(let member): .member(member.name.text, arguments: member.genericArgumentClause.map(arguments))
        case .optionalType(let optional): .optional(type(optional.wrappedType))
        case .implicitlyUnwrappedOptionalType(let optional):
            .implicitlyUnwrapped(
                TypeReference(
                    kind: typeKind(optional.wrappedType),
                    range: SourceRange(
                        source: source,
                        bytes: range(optional.wrappedType).bytes
                            .lowerBound..<optional.wrappedType.endPosition.utf8Offset)))
        case .arrayType(let array): .array(type(array.element))
        case .dictionaryType: .dictionary
        case .tupleType(let tuple): .tuple(tuple.elements.map { type($0.type) })
        case .functionType: .function
        case .someOrAnyType: .existential
        default: .other
        }
    }

    private func arguments(_ clause: GenericArgumentClauseSyntax) -> [TypeReference] {
        clause.arguments.map { argument in
            switch argument.argument {
            case .type(let node): type(node)
            default: TypeReference(kind: .other, range: range(argument.argument))
            }
        }
    }

    private func argument(_ node: LabeledExprSyntax) -> Argument {
        Argument(label: node.label?.text ?? "", value: expression(node.expression))
    }

    private func expression(_ node: ExprSyntax) -> Expression {
        Expression(kind: expressionKind(node), range: range(node))
    }

    private func expressionKind(_ node: ExprSyntax) -> Expression.Kind {
        switch node.as(ExprSyntaxEnum.self) {
        case .nilLiteralExpr: .null
        case .booleanLiteralExpr: .boolean
        case .integerLiteralExpr: .integer
        case .floatLiteralExpr: .float
        case .stringLiteralExpr: .string
        case .prefixOperatorExpr(let prefixed):
            prefixed.operator.text == "-" ? .negative(expression(prefixed.expression)) : .other
        case .arrayExpr(let array): .array(array.elements.map { expression($0.expression) })
        case .declReferenceExpr: .name
        case .memberAccessExpr(let member):
            .member(base: member.base.map(expression), name: member.declName.baseName.text)
        case .functionCallExpr(let call):
            .call(expression(call.calledExpression), arguments: call.arguments.map(argument))
        case .genericSpecializationExpr: .specialized
        default: .other
        }
    }
}
