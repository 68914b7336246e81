import SwiftSyntax
import SwiftSyntaxMacros

/// `@Key`, `@Column`, `@References` and `@Ignored`: they make nothing; `@Model` reads them. What they see to is that
/// one that `@Model` cannot read does not go unnoticed.
public struct PropertyMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let isStored = declaration.as(VariableDeclSyntax.self)?.isStoredInInstance ?? false
        // Of a class, @Model says enough.
        let declaring = context.lexicalContext.first?.asProtocol((any DeclGroupSyntax).self)
        let isModel =
            declaring?.attributes.contains { element in
                if case .attribute(let attribute) = element { attribute.simpleName == "Model" } else { false }
            } ?? false
        if !isStored || !isModel { Problems(context).add(.misplaced(node.simpleName), at: node) }
        return []
    }
}
