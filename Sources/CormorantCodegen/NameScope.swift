/// The names that are taken where generated code puts its own. Case does not tell two apart: files are named for types,
/// and some file systems do not see it.
struct NameScope {
    private var taken: Set<String>
    /// What a number is joined with: `_` in snake_case.
    private let separator: String

    init(_ taken: some Sequence<String> = [], separator: String = "") {
        self.taken = Set(taken.map { $0.lowercased() })
        self.separator = separator
    }

    /// The first of the names that is free; else the first one with a number.
    mutating func take(_ wanted: String...) -> String {
        for name in wanted where taken.insert(name.lowercased()).inserted { return name }
        var number = 2
        while true {
            let name = "\(wanted[0])\(separator)\(number)"
            if taken.insert(name.lowercased()).inserted { return name }
            number += 1
        }
    }
}
