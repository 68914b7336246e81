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
    let access: Access
    let availability: Availability
    /// The type of the related records.
    let target: String
    /// The type of a junction's records.
    private let junction: String?
    private let marker: Attribute

    /// nil where it cannot be one, which is reported.
    init?(
        _ name: String, _ identifier: String, _ marker: Attribute, _ variable: Declaration, _ binding: Binding,
        _ problems: Problems
    ) {
        guard variable.keyword == "var", let (kind, target) = binding.typeOrCalled?.relation else {
            problems.add(.relationType(name), at: variable.range)
            return nil
        }
        if binding.value == nil { problems.add(.relationWithoutDefault(name), at: variable.range) }
        if kind == .toOne {
            for label in ["through", "removed"] where marker.argument(label) != nil {
                problems.add(.relationToOne(name, label), at: variable.range)
            }
        }
        let through = marker.argument("through")
        if let through, !through.isNull, through.namedType == nil { problems.add(.junction(name), at: through.range) }
        self.name = name
        self.identifier = identifier
        self.kind = kind
        self.access = variable.access ?? .internal
        self.availability = Availability(of: variable)
        self.junction = through?.namedType
        self.target = target
        self.marker = marker
    }

    /// `try visitor.visit("albums", &self.albums)`
    var visitCode: String {
        let removed = marker.argument("removed").map { ", removed: \($0.text)" } ?? ""
        return "try visitor.visit(\(swiftLiteral(name)), &self.\(identifier)\(removed))"
    }

    /// `.toMany("albums", Cormorant.ToMany<Album>.self, columns: ["artistID"])`
    var descriptorCode: String {
        let function = junction != nil ? "manyToMany" : kind == .toOne ? "toOne" : "toMany"
        var parts = [swiftLiteral(name), "Cormorant.\(kind == .toOne ? "ToOne" : "ToMany")<\(target)>.self"]
        if let junction { parts.append("through: Cormorant.ToMany<\(junction)>.self") }
        let columns = marker.arguments.prefix { $0.label.isEmpty }.map(\.value.text)
        if !columns.isEmpty { parts.append("columns: [\(columns.joined(separator: ", "))]") }
        if let columns = marker.argument("to") { parts.append("targetColumns: \(columns.text)") }
        return ".\(function)(\(parts.joined(separator: ", ")))"
    }
}

extension Binding {
    fileprivate var typeOrCalled: TypeReference? { type ?? value?.calledType }

    /// A relation's type, as that of an optional, too.
    var relationType: TypeReference? {
        guard let type = typeOrCalled else { return nil }
        let bare = type.wrapped ?? type.bare
        return bare.relation == nil ? nil : bare
    }
}

extension TypeReference {
    /// `ToOne<Artist>`, with or without its module.
    fileprivate var relation: (RelationProperty.Kind, target: String)? {
        let (name, arguments): (String, [TypeReference]?)
        switch kind {
        case .named(let type, let given), .member(let type, let given): (name, arguments) = (type, given)
        default: return nil
        }
        guard let target = arguments?.first?.text else { return nil }
        switch name {
        case "ToOne": return (.toOne, target)
        case "ToMany": return (.toMany, target)
        default: return nil
        }
    }
}

extension Expression {
    /// The type of `ToOne<Artist>()` and `ToOne<Artist>.notLoaded`.
    fileprivate var calledType: TypeReference? {
        switch kind {
        case .call(let called, _): return called.calledType
        case .member(let base, _): return base?.calledType
        case .specialized:
            var parser = Parser(SourceText(text))
            return try? parser.type()
        default: return nil
        }
    }

    /// The type of `AlbumTag.self`.
    fileprivate var namedType: String? {
        if case .member(let base?, "self") = kind { base.text } else { nil }
    }
}
