/// The names that are taken where generated code puts its own. Case does not tell two apart: files are named for types,
/// and some file systems do not see it.
struct NameScope {
    private var taken: Set<String>
    /// What a number is joined with: `_` in snake_case.
    private let separator: String
    /// What names of other things end with that are made of a name here, and taken with it.
    private let endings: [String]

    init(_ taken: some Sequence<String> = [], separator: String = "", endings: [String] = []) {
        self.taken = Set(taken.map { $0.lowercased() })
        self.separator = separator
        self.endings = endings
    }

    /// The first of the names that is free; else the first one with a number.
    mutating func take(_ wanted: String...) -> String {
        for name in wanted where take(name) { return name }
        var number = 2
        while true {
            let name = "\(wanted[0])\(separator)\(number)"
            if take(name) { return name }
            number += 1
        }
    }

    private mutating func take(_ name: String) -> Bool {
        let names = ([""] + endings).map { (name + $0).lowercased() }
        guard taken.isDisjoint(with: names) else { return false }
        taken.formUnion(names)
        return true
    }
}
