/// CREATE TABLE statements with everything that SQLite takes in one, most of which it accepts.
struct RandomTables {
    private var random: SeededNumbers
    private var columns: [String] = []
    private var isStrict = false
    private var hasKey = false
    private var hasReferences = false

    init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    /// The pieces of a statement; between two may stand any space or comment.
    mutating func pieces() -> [String] {
        columns = Array(
            ["a", "b", "c c", "order", "été", "Key", "x\"y", "left"].shuffled(using: &random).prefix(1 + below(5)))
        isStrict = chance(8)
        hasKey = false
        hasReferences = false
        var pieces = ["CREATE"] + (chance(8) ? ["TEMP"] : []) + ["TABLE"] + (chance(4) ? ["IF", "NOT", "EXISTS"] : [])
        if chance(6), pieces[1] == "TABLE" { pieces += ["main", "."] }
        pieces += [name(pick(["new table", "n", "select", "ïx", "abort"])), "("]
        for (index, column) in columns.enumerated() {
            if index > 0 { pieces.append(",") }
            pieces += define(column, isLast: index == columns.count - 1)
        }
        for index in 0..<below(4) {
            if index == 0 || !chance(3) { pieces.append(",") }
            pieces += tableConstraint()
        }
        pieces.append(")")
        var options: [[String]] = []
        if isStrict { options.append(["STRICT"]) }
        if hasKey, chance(4) { options.append(["WITHOUT", "rowid"]) }
        for (index, option) in options.shuffled(using: &random).enumerated() {
            if index > 0 { pieces.append(",") }
            pieces += option
        }
        return pieces
    }

    mutating func join(_ pieces: [String]) -> String {
        var sql = ""
        for piece in pieces {
            let spelled = chance(4) && !piece.contains { "\"'`[".contains($0) } ? piece.lowercased() : piece
            sql += spelled + pick([" ", " ", " ", "  ", "\n", "\t", " /* ) , ' */ ", " -- ( ' \"\n"])
        }
        return sql
    }

    private mutating func define(_ column: String, isLast: Bool) -> [String] {
        var pieces = [name(column)]
        let types =
            isStrict
            ? ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]
            : [
                "", "INTEGER", "INTEGER", "int", "VARCHAR(20)", "DECIMAL ( 10 , -2 )", "unsigned  big int",
                "\"INTEGER\"",
                "[my type]", "'x' y", "key desc", "TEXT", "DOUBLE PRECISION", "float(+1)",
            ]
        let type = pick(types)
        if !type.isEmpty { pieces.append(type) }
        let isGenerated = columns.count > 1 && isLast && chance(4)
        if isGenerated {
            pieces += (chance(2) ? ["GENERATED ALWAYS"] : []) + ["AS", "(", name(columns[0]), "||", "'('", ")"]
            pieces += pick([["STORED"], ["VIRTUAL"], []])
        }
        for _ in 0..<below(4) {
            if chance(5) { pieces += ["CONSTRAINT", name(pick(["k", "c 1", "abort"]))] }
            pieces += columnConstraint(column, type, isGenerated: isGenerated)
        }
        return pieces
    }

    private mutating func columnConstraint(_ column: String, _ type: String, isGenerated: Bool) -> [String] {
        switch below(9) {
        case 0: return ["NOT", "NULL"] + conflict()
        case 1: return ["NULL"] + conflict()
        case 2: return ["UNIQUE"] + (chance(4) ? conflict() : [])
        case 3: return ["CHECK", "("] + expression() + [")"]
        case 4: return ["COLLATE", pick(["nocase", "RTRIM", "\"binary\"", "'NoCase'"])]
        case 5:
            hasReferences = true
            let deferrals = chance(3) ? deferral() + (chance(3) ? deferral() : []) : []
            return references(1) + deferrals
        case 6 where hasReferences || chance(4): return deferral()
        case 7 where !isGenerated && !hasKey && chance(2):
            hasKey = true
            let direction = pick([[], [], ["ASC"], ["DESC"]])
            let isRowID = type.uppercased() == "INTEGER" && direction != ["DESC"]
            return ["PRIMARY", "KEY"] + direction + conflict() + (isRowID && chance(3) ? ["AUTOINCREMENT"] : [])
        case 8 where !isGenerated: return ["DEFAULT"] + defaultValue()
        default: return []
        }
    }

    private mutating func tableConstraint() -> [String] {
        let name = chance(4) ? ["CONSTRAINT", name(pick(["k", "c 1", "abort"]))] : []
        switch below(5) {
        case 0 where !hasKey:
            hasKey = true
            return name + ["PRIMARY", "KEY", "("] + terms() + [")"] + conflict()
        case 1: return name + ["UNIQUE", "("] + terms() + [")"] + (chance(4) ? conflict() : [])
        case 2:
            let count = 1 + below(min(2, columns.count))
            let from = columns.shuffled(using: &random).prefix(count).map { self.name($0) }
            return name + ["FOREIGN", "KEY", "(", from.joined(separator: " , "), ")"] + references(count)
                + (chance(2) ? deferral() : [])
        case 3 where !name.isEmpty && chance(2): return name
        default: return name + ["CHECK", "("] + expression() + [")"] + conflict()
        }
    }

    private mutating func terms() -> [String] {
        var pieces: [String] = []
        for column in columns.shuffled(using: &random).prefix(1 + below(columns.count)) {
            if !pieces.isEmpty { pieces.append(",") }
            pieces += chance(6) ? ["(", name(column), ")"] : [chance(10) ? "'\(column)'" : name(column)]
            if chance(3) { pieces += ["COLLATE", pick(["nocase", "rtrim"])] }
            pieces += pick([[], [], ["ASC"], ["DESC"]])
        }
        return pieces
    }

    private mutating func references(_ count: Int) -> [String] {
        var pieces = ["REFERENCES", name(pick(["u", "new table", "gone"]))]
        if chance(2) { pieces += ["(", ["x", "\"Y\""].prefix(count).joined(separator: ","), ")"] }
        for _ in 0..<below(3) {
            let action = pick([["CASCADE"], ["RESTRICT"], ["SET", "NULL"], ["SET", "DEFAULT"], ["NO", "ACTION"]])
            pieces += pick([
                ["ON", "DELETE"] + action, ["ON", "UPDATE"] + action, ["ON", "INSERT"] + action, ["MATCH", "full"],
            ])
        }
        return pieces
    }

    private mutating func deferral() -> [String] {
        (chance(3) ? ["NOT"] : []) + ["DEFERRABLE"]
            + pick([[], ["INITIALLY", "DEFERRED"], ["INITIALLY", "IMMEDIATE"]])
    }

    private mutating func conflict() -> [String] {
        chance(3) ? ["ON", "CONFLICT", pick(["ABORT", "ROLLBACK", "FAIL", "IGNORE", "REPLACE"])] : []
    }

    private mutating func defaultValue() -> [String] {
        pick([
            ["1"], ["-", "1.5e-3"], ["+", ".5"], ["0x1F"], ["'it''s'"], ["x'00ff'"], ["NULL"], ["CURRENT_TIMESTAMP"],
            ["true"],
            ["word"], ["\"quoted \"\"word\""], ["[b]"], ["(", "1", "+", "(", "2", ")", ")"], ["-", "NULL"], ["abort"],
            ["(", "CASE", "WHEN", "1", "THEN", "'('", "END", ")"], ["(", "datetime", "(", "'now'", ")", ")"],
        ])
    }

    private mutating func expression() -> [String] {
        let column = name(pick(columns))
        return pick([
            [column, ">", "0"], ["length", "(", column, ")", "<", "(", "1", "+", "2", ")"],
            [column, "IN", "(", "1", ",", "')'", ")"],
            ["CASE", "WHEN", column, "IS", "NULL", "THEN", "1", "ELSE", column, "->>", "'$'", "END"],
            [column, "NOT", "BETWEEN", "1", "AND", "2", "OR", column, "GLOB", "'*--'"], ["1", "<<", "2", "!=", "x''"],
        ])
    }

    private mutating func name(_ name: String) -> String {
        let isWord = ["a", "b", "été", "Key", "left", "n", "ïx", "abort", "u", "gone", "k"].contains(name)
        if isWord, chance(2) { return name }
        let double =
            "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        return pick([double, double, "[\(name)]", "`\(name)`"])
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    private mutating func chance(_ oneIn: Int) -> Bool { below(oneIn) == 0 }
    private mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

    /// The pieces with one gone, doubled, moved or from elsewhere.
    mutating func damaged(_ pieces: [String]) -> [String] {
        var pieces = pieces
        let place = below(pieces.count)
        switch below(4) {
        case 0: pieces.remove(at: place)
        case 1: pieces.insert(pieces[place], at: place)
        case 2: pieces.swapAt(place, below(pieces.count))
        default:
            let words = [
                "(", ")", ",", "CONSTRAINT", "NULL", "NOT", "DEFAULT", "CHECK", "AS", "GENERATED", "DEFERRABLE",
                "COLLATE", "x",
                "KEY", "1", "-", "'t'", "UNIQUE", "STRICT", "desc", ".", ";", "ON", "GENERATED ALWAYS", "PRIMARY",
                "INTEGER",
            ]
            pieces.insert(pick(words), at: place)
        }
        return pieces
    }
}
