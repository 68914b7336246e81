import CormorantBase
import CormorantQuery

extension ColumnSketch {
    /// Whether it can be an enum: a text of its own, whose default, if it has one, is not an expression.
    var takesChoices: Bool {
        let isText = if case .varchar = type { true } else { type == .text }
        return isText && choices.isEmpty && metadata.generatedSQL == nil
    }

    /// The texts that a CHECK lists: `status IN ('open', 'closed')`. nil for any other condition.
    func choices(of check: String) -> [String]? {
        var check = check
        return check.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            guard let name = lexer.next(), name.kind == .identifier || name.kind == .quotedIdentifier,
                sameIdentifier(lexer.unquoted(name), metadata.name),
                let word = lexer.next(), lexer.isWord(word, "in"), lexer.next()?.kind == .leftParenthesis
            else { return nil }
            var texts: [String] = []
            while let token = lexer.next(), token.kind == .text {
                texts.append(lexer.unquoted(token))
                switch lexer.next()?.kind {
                case .comma: continue
                case .rightParenthesis: return lexer.next() == nil && Set(texts).count == texts.count ? texts : nil
                default: return nil
                }
            }
            return nil
        }
    }
}

extension Sketch {
    /// Puts the names of enums beside their columns.
    mutating func name(enums: [[EnumNames?]]) {
        for (model, columns) in enums.enumerated() {
            for case (let column, let names?) in columns.enumerated() {
                models[model].columns[column].enumName = names.type
                models[model].columns[column].caseNames = names.cases
            }
        }
    }
}

/// What an enum and its cases are called.
struct EnumNames {
    let type: String
    let cases: [String]
}

extension Naming {
    /// - Parameters:
    ///   - types: those that are taken by models.
    ///   - constants: names that a C program has beside its types.
    static func enums(
        of sketch: Sketch, _ language: Language, types: [String], _ taken: inout NameScope, _ constants: inout NameScope
    ) -> [[EnumNames?]] {
        let habits = language.habits
        return sketch.models.enumerated().map { place, model in
            model.columns.map { column in
                guard !column.choices.isEmpty, language != .python else { return nil }
                let type = taken.take(habits.type(Words(types[place]) + Words(column.metadata.name)))
                var own = NameScope(swiftCases)
                let cases = column.choices.map { choice in
                    let words = Words(choice)
                    if language == .c {
                        return constants.take(
                            (Words(type) + (words.isEmpty ? Words("empty") : words)).snake.uppercased())
                    }
                    let isNoName = words.isEmpty || words.startsWithDigit
                    return own.take((isNoName ? Words("value") + words : words).lowerCamel)
                }
                return EnumNames(type: type, cases: cases)
            }
        }
    }
}

/// What an enum of Swift has, and what an optional of it would be taken for.
private let swiftCases = ["allCases", "hash", "hashValue", "init", "none", "rawValue", "self", "some", "unwrapped"]
