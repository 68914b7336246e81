import CormorantBase
import CormorantQuery

extension ModelDescriptor {
    /// Refuses conditions in SQL that compare a decimal with something: a file of SQLite has it as a text, and of texts '60' is more
    /// than '500'. Arithmetic makes a number of it, and the collation `corm_decimal` has it compared as one.
    package func refuseComparedDecimals() throws {
        let decimals = columns.filter { $0.type == .decimal && $0.collation.map(foldIdentifier) != "corm_decimal" }
        guard !decimals.isEmpty else { return }
        let names = Set(decimals.map { nameKey($0.column) })
        for condition in schema.checks.map(\.condition) + schema.indexes.compactMap(\.whereSQL)
            + [scope].compactMap({ $0 })
        {
            guard let column = try SQLOperands(condition).firstCompared(of: names) else { continue }
            throw CormorantError(
                .model,
                "model \(name): the condition \(condition) compares \(column), a decimal, as the text that the file has",
                hint: "compare a number: \(column) + 0 instead of \(column)", table: table, columns: [column])
        }
    }
}

/// The tokens of an expression in SQL, and which of its names are compared. It has no grammar: what it does not know, such as a
/// subquery, compares nothing.
private struct SQLOperands {
    private let tokens: [(token: SQLToken, text: String)]
    /// Of each parenthesis, CASE and END the one that belongs to it.
    private var partners: [Int: Int] = [:]
    /// Of each token the parenthesis that it lies in.
    private var parents: [Int?] = []
    /// The ANDs of BETWEEN.
    private var bounds: Set<Int> = []

    /// Functions that give one of their arguments.
    private static let choices: Set = [
        "coalesce", "ifnull", "iif", "if", "max", "min", "likely", "unlikely", "likelihood",
    ]

    init(_ sql: String) throws {
        var tokenizer = SQLTokenizer(sql)
        tokens = try tokenizer.all().map { ($0, foldIdentifier(tokenizer.unquoted($0))) }
        var open: [Int] = []
        var cases: [Int] = []
        // How many BETWEENs wait for their AND, in each parenthesis.
        var waiting = [0]
        for (index, token) in tokens.map(\.token).enumerated() {
            parents.append(open.last)
            switch (token.kind, token.keyword) {
            case (.leftParenthesis, _):
                open.append(index)
                waiting.append(0)
            case (.rightParenthesis, _):
                if let first = open.popLast() { (partners[first], partners[index]) = (index, first) }
                if waiting.count > 1 { waiting.removeLast() }
                parents[index] = open.last
            case (_, .case): cases.append(index)
            case (_, .end): if let first = cases.popLast() { (partners[first], partners[index]) = (index, first) }
            case (_, .between): waiting[waiting.count - 1] += 1
            case (_, .and) where waiting[waiting.count - 1] > 0:
                waiting[waiting.count - 1] -= 1
                bounds.insert(index)
            default: break
            }
        }
    }

    func firstCompared(of names: Set<ExactText>) -> String? {
        if tokens.indices.dropFirst().contains(where: {
            keyword($0 - 1) == .collate && tokens[$0].text == "corm_decimal"
        }) {
            return nil
        }
        return tokens.indices.first { isName($0) && names.contains(ExactText(tokens[$0].text)) && isCompared($0) }.map {
            tokens[$0].text
        }
    }

    private func kind(_ index: Int) -> SQLToken.Kind? {
        tokens.indices.contains(index) ? tokens[index].token.kind : nil
    }
    private func keyword(_ index: Int) -> SQLKeyword? {
        tokens.indices.contains(index) ? tokens[index].token.keyword : nil
    }
    private func isName(_ index: Int) -> Bool { kind(index) == .identifier || kind(index) == .quotedIdentifier }
    private func isOperator(_ index: Int, _ texts: Set<String>) -> Bool {
        kind(index) == .operator && texts.contains(tokens[index].text)
    }

    private func isCompared(_ name: Int) -> Bool {
        var (first, last) = (name, name)
        while kind(first - 1) == .dot { first -= 2 }
        guard kind(last + 1) != .dot, kind(last + 1) != .leftParenthesis else { return false }
        while true {
            // The sign that changes nothing.
            while isOperator(first - 1, ["+"]), !endsOperand(first - 2) { first -= 1 }
            if isOperator(first - 1, Self.operators) || isOperator(last + 1, Self.operators) { return false }
            if isBesideComparison(first, last) { return true }
            switch use(first, last) {
            case .compared: return true
            case .unknown: return false
            case .value(let wider): (first, last) = wider
            }
        }
    }

    private enum Use {
        /// As the value of more tokens, or one of those that this may be.
        case value((Int, Int))
        case compared, unknown
    }

    /// Their results are no decimals: numbers, or texts that are asked for.
    private static let operators: Set = ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>", "~", "->", "->>"]
    private static let comparisons: Set = ["<", "<=", ">", ">=", "=", "==", "<>", "!="]

    private func endsOperand(_ index: Int) -> Bool {
        guard let kind = kind(index) else { return false }
        return isName(index) || [.number, .text, .blob, .parameter, .rightParenthesis].contains(kind)
            || keyword(index) == .end
    }

    private func isBesideComparison(_ first: Int, _ last: Int) -> Bool {
        if isOperator(first - 1, Self.comparisons) || isOperator(last + 1, Self.comparisons) { return true }
        if bounds.contains(first - 1) || [.between, .case, .is].contains(keyword(first - 1)) { return true }
        var next = last + 1
        if keyword(next) == .not { next += 1 }
        switch keyword(next) {
        case .between, .in, .collate: return true
        case .is: return keyword(next + 1) != .null && !(keyword(next + 1) == .not && keyword(next + 2) == .null)
        default: return false
        }
    }

    /// What becomes of an operand that no operator is beside.
    private func use(_ first: Int, _ last: Int) -> Use {
        if [.then, .else].contains(keyword(first - 1)), [.when, .else, .end].contains(keyword(last + 1)) {
            var index = last + 1
            while index < tokens.count, keyword(index) != .end {
                index = partners[index].map { max($0, index) + 1 } ?? index + 1
            }
            return partners[index].map { .value(($0, index)) } ?? .unknown
        }
        guard let parent = parents[first], let end = partners[parent] else { return .unknown }
        let isWhole = first == parent + 1 && last == end - 1
        guard first == parent + 1 || kind(first - 1) == .comma, last == end - 1 || kind(last + 1) == .comma else {
            return .unknown
        }
        if keyword(parent - 1) == .in { return .compared }
        if isName(parent - 1) || keyword(parent - 1) == .if {
            let function = tokens[parent - 1].text
            if function == "nullif" { return .compared }
            return Self.choices.contains(function) ? .value((parent - 1, end)) : .unknown
        }
        // A row of values, which is there to be compared.
        return isWhole ? .value((parent, end)) : .compared
    }
}
