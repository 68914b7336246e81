/// Makes declarations that Swift allows and nobody writes, and some that it does not.
struct OddModels {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> String {
        let members = (0..<(1 + number(7))).map { _ in member() }
        let model = """
            \(one(OddParts.heads))@Model\(one(OddParts.modelArguments))\(one(OddParts.gaps))\
            \(one(OddParts.access))\(one(OddParts.kinds)) \(one(OddParts.typeNames))\(one(OddParts.clauses)) {
            \(members.joined(separator: one(["\n", "\n", ";\n", "\n\n// {\n"])))
            }\(one(OddParts.tails))
            """
        let around = one(OddParts.surroundings)
        let source = around.before + model + around.after
        return number(6) == 0 ? damaged(source) : source
    }

    private mutating func member() -> String {
        if number(4) == 0 { return one(OddParts.others) }
        let names = (0..<max(1, number(3))).map { _ in one(OddParts.attributes) + one(OddParts.gaps) }
        let property = names.joined() + one(OddParts.modifiers) + one(["var ", "var ", "var ", "var\n", "let "])
        return number(12) == 0 ? "#if DEBUG\n\(property + binding())\n#endif" : property + binding()
    }

    private mutating func binding() -> String {
        let name = one(OddParts.names)
        switch number(10) {
        case 0...3: return "\(name): \(one(OddParts.types))\(one(OddParts.accessors))"
        case 4...6: return "\(name) = \(one(OddParts.values))\(one(OddParts.observers))"
        case 7: return "\(name): \(one(OddParts.types)) = \(one(OddParts.values))\(one(OddParts.observers))"
        case 8: return "\(name) : /* type */ \(one(OddParts.types)) // { \" \n"
        default: return "\(name): \(one(OddParts.types)), \(one(OddParts.names)) = \(one(OddParts.values))"
        }
    }

    /// With a piece cut out or put in somewhere.
    private mutating func damaged(_ source: String) -> String {
        var characters = Array(source)
        let start = number(characters.count)
        if number(2) == 0 {
            characters.removeSubrange(start..<min(characters.count, start + 1 + number(8)))
        } else {
            characters.insert(
                contentsOf: one(["{", "}", "\"", "(", ")", "/*", "#if", "<", "@", "\\(", "\u{0}", "é", "`"]), at: start)
        }
        return String(characters)
    }

    private mutating func one<Element>(_ choices: [Element]) -> Element { choices[number(choices.count)] }

    private mutating func number(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}
