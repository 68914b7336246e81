private let accessorNames: Set = [
    "get", "set", "willSet", "didSet", "init", "_read", "_modify", "read", "modify", "borrow", "mutate",
    "unsafeAddress", "unsafeMutableAddress", "addressWithOwner", "addressWithNativeOwner", "mutableAddressWithOwner",
    "mutableAddressWithNativeOwner",
]

/// What stands behind `var` and `let`.
extension Parser {
    mutating func bindings() throws(NotUnderstood) -> [Binding] {
        var bindings: [Binding] = []
        repeat { bindings.append(try binding()) } while consume(",")
        return bindings
    }

    private mutating func binding() throws(NotUnderstood) -> Binding {
        let start = start
        var name: SourceRange?
        if at("(") { try skipBrackets() } else if at("_") { advance() } else { name = try nameRange() }
        let type = consume(":") ? try type() : nil
        let value = consume("=") ? try expression() : nil
        var accessors = Binding.Accessors.none
        if at("{"), value == nil || !token.startsLine || !isAtTrailingClosure { accessors = try accessorBlock() }
        return Binding(name: name, type: type, value: value, accessors: accessors, range: range(from: start))
    }

    private mutating func accessorBlock() throws(NotUnderstood) -> Binding.Accessors {
        var behind = self
        try behind.skipBrackets()
        defer { self = behind }
        advance()
        var names: [String] = []
        while let name = try? accessor() { names.append(name) }
        return !names.isEmpty && names.allSatisfy { $0 == "willSet" || $0 == "didSet" } ? .observers : .computed
    }

    /// Consumes one accessor.
    ///
    /// - Returns: its name; it throws at anything else, such as the code of a getter.
    private mutating func accessor() throws(NotUnderstood) -> String {
        _ = try attributes()
        if at("mutating") || at("nonmutating") || at("__consuming") || at("consuming") || at("borrowing") { advance() }
        guard accessorNames.contains(token.text) else { throw notUnderstood }
        let name = token.text
        advance()
        if at("(") { try skipBrackets() }
        try skipEffects()
        if at("{") { try skipBrackets() }
        return name
    }
}
