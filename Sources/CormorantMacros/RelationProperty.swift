import SwiftSyntax

/// A stored property that holds related records.
struct RelationProperty {
    enum Kind {
        case toOne
        case toMany
    }

    let name: String
    /// As code has it: in backticks where it is a keyword.
    let identifier: String
    let kind: Kind
    /// The type of the related records.
    let target: String
    /// The type of a junction's records.
    private let junction: String?
    private let marker: AttributeSyntax

    /// nil where it cannot be one, which is reported.
    init?(
        _ name: String, _ identifier: String, _ marker: AttributeSyntax, _ variable: VariableDeclSyntax,
        _ binding: PatternBindingSyntax, _ problems: Problems
    ) {
        guard variable.bindingSpecifier.tokenKind == .keyword(.var),
            let type = binding.typeAnnotation?.type ?? binding.initializer?.value.calledType,
            let (kind, target) = type.relation
        else {
            problems.add(.relationType(name), at: variable)
            return nil
        }
        if binding.initializer == nil { problems.add(.relationWithoutDefault(name), at: variable) }
        if kind == .toOne {
            for label in ["through", "removed"] where marker.argument(label) != nil {
                problems.add(.relationToOne(name, label), at: variable)
            }
        }
        let junction = marker.argument("through")?.as(MemberAccessExprSyntax.self)
        if let given = marker.argument("through"), !given.is(NilLiteralExprSyntax.self),
            junction?.declName.baseName.text != "self"
        {
            problems.add(.junction(name), at: given)
        }
        self.name = name
        self.identifier = identifier
        self.kind = kind
        self.junction = junction?.base?.trimmedDescription
        self.target = target
        self.marker = marker
    }

    /// `try visitor.visit("albums", &self.albums)`
    var visitCode: String {
        let removed = marker.argument("removed").map { ", removed: \($0)" } ?? ""
        return "try visitor.visit(\"\(name)\", &self.\(identifier)\(removed))"
    }

    /// `.toMany("albums", Cormorant.ToMany<Album>.self, columns: ["artistID"])`
    var descriptorCode: String {
        let function = junction != nil ? "manyToMany" : kind == .toOne ? "toOne" : "toMany"
        var parts = ["\"\(name)\"", "Cormorant.\(kind == .toOne ? "ToOne" : "ToMany")<\(target)>.self"]
        if let junction { parts.append("through: Cormorant.ToMany<\(junction)>.self") }
        let columns = marker.argumentList.prefix { $0.label.isEmpty }.map { "\($0.value)" }
        if !columns.isEmpty { parts.append("columns: [\(columns.joined(separator: ", "))]") }
        if let columns = marker.argument("to") { parts.append("targetColumns: \(columns)") }
        return ".\(function)(\(parts.joined(separator: ", ")))"
    }
}

extension TypeSyntax {
    /// `ToOne<Artist>`, with or without its module.
    fileprivate var relation: (RelationProperty.Kind, target: String)? {
        let (name, arguments): (String, GenericArgumentClauseSyntax?) =
            if let simple = self.as(IdentifierTypeSyntax.self) {
                (simple.name.text, simple.genericArgumentClause)
            } else if let member = self.as(MemberTypeSyntax.self) {
                (member.name.text, member.genericArgumentClause)
            } else {
                ("", nil)
            }
        guard let target = arguments?.arguments.first?.argument.trimmedDescription else { return nil }
        switch name {
        case "ToOne": return (.toOne, target)
        case "ToMany": return (.toMany, target)
        default: return nil
        }
    }
}

extension ExprSyntax {
    /// The type of `ToOne<Artist>()` and `ToOne<Artist>.notLoaded`.
    fileprivate var calledType: TypeSyntax? {
        if let call = self.as(FunctionCallExprSyntax.self) { return call.calledExpression.calledType }
        if let member = self.as(MemberAccessExprSyntax.self), let base = member.base {
            if base.is(DeclReferenceExprSyntax.self) { return "\(raw: trimmedDescription)" }
            return base.calledType
        }
        guard self.is(GenericSpecializationExprSyntax.self) else { return nil }
        return "\(raw: trimmedDescription)"
    }
}
