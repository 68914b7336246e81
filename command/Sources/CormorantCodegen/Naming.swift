import CormorantBase

/// What everything of a schema is called in a language. The same schema gives the same names; those that lost something of
/// what the file calls it are in `notes`.
struct Naming {
    var types: [String] = []
    /// In the plural, for lists of its records.
    var plurals: [String] = []
    var properties: [[String]] = []
    var relations: [[String]] = []
    /// Of columns that are enums.
    var enums: [[EnumNames?]] = []
    var notes: [String] = []
    /// What the names of types begin with; "" but for C.
    let prefix: String
    private let habits: Habits
    private var takenProperties: Set<String> = []

    /// - Parameter name: of the generated code as a whole, which no type can have.
    init(_ sketch: Sketch, _ language: Language, name: String, prefix: String = "") {
        habits = language.habits
        self.prefix = prefix
        let whole = [name, habits.type(Words(name))] + habits.wholeEndings.map { prefix + name + $0 }
        var scope = NameScope(whole, separator: habits.separator, endings: habits.typeEndings)
        for model in sketch.models {
            let wanted = Words(model.table.name)
            let type = typeName(wanted, &scope)
            types.append(type.name)
            report("table", model.table.name, type.name, type.isChanged || wanted.lostCharacters)
            plurals.append(habits.property(wanted.isEmpty ? Words(type.name) : wanted.plural))
        }
        var constants = NameScope(
            types.map { "\(name)_\($0)" } + ["\(name)_count", "\(name)_h"], separator: "_")
        enums = Naming.enums(of: sketch, language, types: types, &scope, &constants)
        // In a type that has it for a member, a type's name means the member. Scripts without capitals have such names.
        takenProperties = habits.takenProperties.union(
            language == .c ? [] : types + enums.joined().compactMap { $0?.type })
        for model in sketch.models {
            var members = NameScope(separator: habits.separator)
            properties.append(model.columns.map { propertyName($0.metadata.name, model.table.name, &members) })
            relations.append(
                model.relations.map { relation in
                    take(relation.names.map { free(habits.property(safe($0, "related"))) }, &members)
                })
        }
    }

    private func take(_ names: [String], _ scope: inout NameScope) -> String {
        switch names.count {
        case 1: scope.take(names[0])
        case 2: scope.take(names[0], names[1])
        default: scope.take(names[0], names[1], names[2])
        }
    }

    /// What no language takes for a name becomes one with a word before it.
    private func safe(_ words: Words, _ word: String) -> Words {
        words.isEmpty || words.startsWithDigit ? Words(word) + words : words
    }

    private func typeName(_ words: Words, _ scope: inout NameScope) -> (name: String, isChanged: Bool) {
        let isOurs = prefix.isEmpty && words.parts.first.map(habits.takenFirstWords.contains) ?? false
        let base = isOurs ? Words("table") + words : safe(words, "table")
        func candidate(_ words: Words) -> String {
            let name = prefix + habits.type(words)
            let isTaken = habits.takenTypes.contains(name) || habits.takenEndings.contains { name.hasSuffix($0) }
            return isTaken ? name + habits.typeSuffix : name
        }
        let first = candidate(base.singular)
        let taken = scope.take(first, candidate(base))
        return (taken, taken != prefix + habits.type(words.singular))
    }

    private func free(_ name: String) -> String {
        takenProperties.contains(name) ? name + habits.propertySuffix : name
    }

    private mutating func propertyName(_ name: String, _ table: String, _ members: inout NameScope) -> String {
        let words = Words(name)
        let taken = members.take(free(habits.property(safe(words, "column"))))
        report("column", "\(table).\(name)", taken, words.lostCharacters || taken != habits.property(words))
        return taken
    }

    private mutating func report(_ what: String, _ name: String, _ taken: String, _ isChanged: Bool) {
        if isChanged { notes.append("\(what) \(quoteIdentifier(name)) is called \(taken)") }
    }
}
