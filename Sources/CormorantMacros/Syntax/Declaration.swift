/// A declaration, known as far as macros look into it.
struct Declaration {
    enum Kind {
        case variable([Binding])
        /// `#if`, with the declarations of all its branches.
        case conditional([Declaration])
        /// A type, a function or anything else; its keyword says which.
        case other
    }

    let kind: Kind
    /// `struct`, `var`, `func`, `#if`; of a macro that stands alone its name.
    let keyword: String
    let attributes: [Attribute]
    /// Words only: of `unowned(unsafe)` the first. `private(set)` and the like are left out.
    let modifiers: [String]
    /// Of a type; in backticks where it is a keyword.
    var name: SourceRange?
    var genericParameters: SourceRange?
    var inherited: [SourceRange] = []
    /// The braces of a type with its members.
    var body: SourceRange?
    let range: SourceRange

    /// Whether it declares a name that could be a type's.
    var isNamed: Bool {
        ["struct", "class", "enum", "actor", "protocol", "typealias", "associatedtype", "macro"].contains(keyword)
    }
}

struct Attribute {
    /// Without the module: `Model` of `@Cormorant.Model`.
    let name: String
    /// Of the project's own macros only; others have arguments that are no expressions.
    let arguments: [Argument]
    let range: SourceRange
    /// Whether it stands in `#if`.
    var isConditional = false

    /// The value of an argument by its label; that of one without has the label "".
    func argument(_ label: String) -> Expression? {
        arguments.first { $0.label == label }?.value
    }
}

/// A property, of which one `var` may declare several.
struct Binding {
    enum Accessors {
        case none
        /// `willSet` and `didSet`.
        case observers
        case computed
    }

    /// nil for a tuple of names.
    let name: SourceRange?
    let type: TypeReference?
    let value: Expression?
    let accessors: Accessors
    let range: SourceRange
}

extension Declaration {
    /// The properties, if it declares some that take room in each value of the type.
    var storedProperties: [Binding]? {
        guard case .variable(let bindings) = kind, !modifiers.contains("static"), !modifiers.contains("class"),
            bindings.allSatisfy({ $0.accessors != .computed })
        else { return nil }
        return bindings
    }
}

/// What the parser did not expect.
struct NotUnderstood: Error {
    let range: SourceRange
}
