import CormorantBase

/// JSON in jsonb.
extension StatementCompiler {
    /// Writes a value within JSON, whose type nobody knows before: NULL for `null`, 1 and 0 for truth values.
    func write(element expression: Expression) throws {
        try canonical { try $0.write(json: expression, at: .atom) }
    }

    func canonical(_ json: Writer) throws {
        sql += "CASE jsonb_typeof("
        try json(self)
        sql += ") WHEN 'null' THEN NULL WHEN 'boolean' THEN to_jsonb(CAST(CAST("
        try json(self)
        sql += " AS boolean) AS integer)) ELSE "
        try json(self)
        sql += " END"
    }

    /// The number that it is, greater than all where it is a text, as SQLite orders them.
    /// - Parameter reads: a text that is a number is that.
    func asNumber(_ type: PostgresType, reads: Bool = false, _ json: Writer) throws {
        sql += "CASE jsonb_typeof("
        try json(self)
        sql += ") WHEN 'number' THEN CAST("
        try json(self)
        sql += " AS \(type.name)) WHEN 'boolean' THEN CAST(CAST("
        try json(self)
        sql += " AS boolean) AS integer) WHEN 'string' THEN "
        if reads {
            sql += "CASE WHEN "
            try json(self)
            sql += #" #>> '{}' ~ '^[ \t-\r]*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?[ \t-\r]*$' THEN CAST("#
            try json(self)
            sql += " #>> '{}' AS \(type.name)) ELSE \(type.greatest) END"
        } else {
            sql += type.greatest
        }
        sql += " WHEN 'object' THEN \(type.greatest)"
        sql += " WHEN 'array' THEN \(type.greatest) END"
    }

    func elementText(_ json: Writer) throws {
        sql += "CASE jsonb_typeof("
        try json(self)
        sql += ") WHEN 'boolean' THEN CAST(CAST(CAST("
        try json(self)
        sql += " AS boolean) AS integer) AS text) ELSE "
        try json(self)
        sql += " #>> '{}' END"
    }

    /// Writes JSON as it lies there: of `->>` the element as JSON.
    func write(json expression: Expression, at outer: Precedence) throws {
        switch expression.node {
        case .binary(.jsonValueAt, let left, let path):
            try parenthesized(outer > .any) { try $0.write(json: left, at: path) }
        case .call(let call) where foldIdentifier(call.name) == "json_extract" && call.arguments.count == 2:
            try parenthesized(outer > .any) {
                try $0.write(json: call.arguments[0], at: call.arguments[1], takesKeys: false)
            }
        case .labelled(let inner, _): try write(json: inner, at: outer)
        default: try write(postgres: expression, at: outer)
        }
    }

    /// - Parameter takesKeys: a text may be a key, as it may of operators.
    func write(json operand: Expression, at path: Expression, takesKeys: Bool = true) throws {
        try write(try jsonPath(path, takesKeys: takesKeys)[...], of: operand)
    }

    private func write(_ steps: ArraySlice<JSONStep>, of operand: Expression) throws {
        switch steps.last {
        case nil: try write(document: operand)
        case .key(let key):
            try write(steps.dropLast(), of: operand)
            sql += " -> "
            bind(.value(.text(key)), as: .text)
        case .index(let index):
            // PostgreSQL takes a value that is no array for one of itself.
            sql += "CASE jsonb_typeof("
            try write(steps.dropLast(), of: operand)
            sql += ") WHEN 'array' THEN "
            try write(steps.dropLast(), of: operand)
            sql += " -> " + (index < 0 ? "(\(index))" : String(index)) + " END"
        }
    }

    /// Writes what is looked into.
    func write(document operand: Expression) throws {
        switch postgresType(of: operand) {
        case .jsonb, .element: try write(json: operand, at: .atom)
        case .text?, nil: try write(operand, as: .jsonb, at: .atom)
        case let type?: throw lacksInPostgres("JSON in \(type.title)", hint: "make the column one of JSON")
        }
    }

    enum JSONStep {
        case key(String)
        case index(Int)
    }

    private func jsonPath(_ expression: Expression, takesKeys: Bool) throws -> [JSONStep] {
        guard case .value(let value, _) = expression.node else {
            throw lacksInPostgres(
                "paths into JSON that are not known when the statement is made", hint: "give the path as a text")
        }
        switch value {
        case .integer(let index) where takesKeys: return [.index(Int(clamping: index))]
        case .text(let text): return try jsonPath(text, takesKeys)
        default: throw CormorantError(.type, "a path into JSON is \(value.kindName)", hint: "give a text")
        }
    }

    /// `$.key."other key"[0][#-1]`, or one key.
    private func jsonPath(_ text: String, _ takesKeys: Bool) throws -> [JSONStep] {
        func fault() -> CormorantError { noPath(text) }
        guard text.hasPrefix("$") else {
            if takesKeys, isKey(text) { return [.key(text)] }
            throw fault()
        }
        var steps: [JSONStep] = []
        var rest = text.unicodeScalars.dropFirst()
        while let first = rest.first {
            rest.removeFirst()
            if first == ".", rest.first == "\"" {
                rest.removeFirst()
                guard let end = rest.firstIndex(of: "\"") else { throw fault() }
                steps.append(.key(String(rest[..<end])))
                rest = rest[rest.index(after: end)...]
            } else if first == "." {
                let end = rest.firstIndex { $0 == "." || $0 == "[" } ?? rest.endIndex
                guard end > rest.startIndex else { throw fault() }
                steps.append(.key(String(rest[..<end])))
                rest = rest[end...]
            } else if first == "[", let end = rest.firstIndex(of: "]") {
                let inner = String(rest[..<end])
                let isFromEnd = inner.hasPrefix("#-")
                let digits = inner == "#" ? "0" : isFromEnd ? String(inner.dropFirst(2)) : inner
                guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let index = Int(digits) else {
                    throw fault()
                }
                // The place behind the last one has nothing.
                let isBehind = inner.hasPrefix("#") && index == 0
                steps.append(.index(isBehind ? Int(Int32.max) : isFromEnd ? -index : index))
                rest = rest[rest.index(after: end)...]
            } else {
                throw fault()
            }
        }
        return steps
    }
}

extension PostgresType {
    /// Greater than all numbers of SQLite.
    fileprivate var greatest: String { self == .double ? "'Infinity'" : "1e400" }
}
