/// What the compiler asks.
///
/// Source: PluginMessages.swift of swift-syntax, protocol version 7.
enum Message {
    case capability
    case expansion(Expansion)

    struct Expansion {
        /// The type that `#externalMacro` names.
        let macro: String
        let role: Role
        let attribute: SourceText
        let declaration: SourceText
        /// What the declaration stands in, the innermost first.
        let context: [Enclosing]
        /// As code outside of everything names it.
        let extendedType: String?
        /// Whether the extension is to declare a conformance, for the type has none yet.
        let addsConformance: Bool
    }

    enum Role: String {
        case member
        case `extension`
        case peer
    }

    /// Something that encloses a declaration, without its own members.
    struct Enclosing {
        let isDeclaration: Bool
        let source: SourceText
    }

    /// nil for what no macro of ours is asked.
    init?(_ json: JSON) {
        if json["getCapability"] != nil {
            self = .capability
        } else if let expansion = json["expandAttachedMacro"].flatMap(Expansion.init) {
            self = .expansion(expansion)
        } else {
            return nil
        }
    }
}

extension Message.Expansion {
    fileprivate init?(_ json: JSON) {
        guard let macro = json["macro"]?["typeName"]?.string,
            let role = json["macroRole"]?.string.flatMap(Message.Role.init),
            let attribute = json["attributeSyntax"].flatMap(SourceText.init),
            let declaration = json["declSyntax"].flatMap(SourceText.init)
        else { return nil }
        self.macro = macro
        self.role = role
        self.attribute = attribute
        self.declaration = declaration
        context = (json["lexicalContext"]?.array ?? []).compactMap { syntax in
            SourceText(syntax).map {
                Message.Enclosing(isDeclaration: syntax["kind"]?.string == "declaration", source: $0)
            }
        }
        extendedType = json["extendedTypeSyntax"]?["source"]?.string
        addsConformance = json["conformanceListSyntax"] != nil
    }
}

extension SourceText {
    fileprivate convenience init?(_ json: JSON) {
        guard let text = json["source"]?.string else { return nil }
        let location = json["location"]
        self.init(text, file: location?["fileName"]?.string ?? "", offset: location?["offset"]?.integer ?? 0)
    }
}
