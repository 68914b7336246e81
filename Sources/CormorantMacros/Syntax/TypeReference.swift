/// A type as code names it.
struct TypeReference {
    indirect enum Kind {
        /// `Int`, `Set<Int>`; without arguments nil.
        case named(String, arguments: [TypeReference]?)
        /// The last name of `Cormorant.ToOne<Artist>`.
        case member(String, arguments: [TypeReference]?)
        case optional(TypeReference)
        case implicitlyUnwrapped(TypeReference)
        case array(TypeReference)
        case dictionary
        /// And what stands in parentheses alone.
        case tuple([TypeReference])
        case function
        /// `some P`, `any P`.
        case existential
        /// One with attributes or specifiers, a composition, a metatype.
        case other
    }

    let kind: Kind
    let range: SourceRange

    var text: String { range.text }
}

extension TypeReference {
    /// Without parentheses around it.
    var bare: TypeReference {
        if case .tuple(let elements) = kind, elements.count == 1 { elements[0].bare } else { self }
    }

    /// What an optional is made of; nil for any other type.
    var wrapped: TypeReference? {
        switch bare.kind {
        case .optional(let wrapped), .implicitlyUnwrapped(let wrapped): wrapped.bare
        case .named("Optional", let arguments?), .member("Optional", let arguments?): arguments.first?.bare
        default: nil
        }
    }
}
