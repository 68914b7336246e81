import CormorantBase

/// Integers beside reals: SQLite compares them exactly, PostgreSQL as doubles, which an integer beyond 2^53 may be none of.
/// Source: sqlite3IntFloatCompare of SQLite's vdbeaux.c
extension StatementCompiler {
    /// Whether one side may be an integer that no double is, and the other one is a real that only the server knows.
    func mixesExactly(_ left: Expression, _ right: Expression) -> Bool {
        isWideInteger(left) && isUnknownReal(right) || isWideInteger(right) && isUnknownReal(left)
    }

    /// Writes one side as two members of a row: the double that it is, or is next to, and the integer that it is.
    func write(exactly expression: Expression) throws {
        try write(expression, as: .double, at: .atom)
        sql += ", "
        guard isUnknownReal(expression) else { return try write(expression, as: .bigint, at: .atom) }
        // Asked of doubles alone that an integer beyond 2^53 is next to: they have no fraction.
        sql += "CASE WHEN "
        try write(expression, as: .double, at: .atom)
        sql += " >= 9223372036854775808 THEN 9223372036854775808 WHEN "
        try write(expression, as: .double, at: .atom)
        sql += " >= -9223372036854775808 THEN CAST("
        try write(expression, as: .double)
        sql += " AS bigint) END"
    }

    private func isUnknownReal(_ expression: Expression) -> Bool {
        switch expression.bare.node {
        case .value, .parameter: false
        default: postgresType(of: expression)?.isReal ?? false
        }
    }

    func isWideInteger(_ expression: Expression) -> Bool {
        if case .value(.integer(let integer), _) = expression.bare.node { return !integer.isDouble }
        guard postgresType(of: expression) == .bigint else { return false }
        return bits(of: expression) > 53
    }

    /// How many bits the integers of an expression have at most, without the sign.
    private func bits(of expression: Expression) -> Int {
        switch expression.bare.node {
        case .value(.integer(let integer), _): Int64.bitWidth - integer.magnitude.leadingZeroBitCount
        case .binary(.add, let left, let right), .binary(.subtract, let left, let right):
            max(bits(of: left), bits(of: right)) + 1
        case .binary(.multiply, let left, let right): bits(of: left) + bits(of: right)
        case .binary(.divide, let left, _): bits(of: left)
        case .binary(.remainder, let left, let right): min(bits(of: left), bits(of: right))
        case .unary(.negate, let operand): bits(of: operand)
        case .call(let call): bits(of: call)
        default:
            switch postgresType(of: expression) {
            case .boolean: 1
            case .smallint: 15
            case .integer: 31
            default: 64
            }
        }
    }

    private func bits(of call: Call) -> Int {
        switch foldIdentifier(call.name) {
        case "count", "row_number", "rank", "dense_rank", "ntile", "length", "instr", "unicode", "sign", "octet_length",
            "json_array_length", "unixepoch":
            53
        case "abs", "coalesce", "ifnull", "min", "max": call.arguments.map { bits(of: $0) }.max() ?? 64
        default: 64
        }
    }

    /// The values of a list that may equal what the operand is.
    func comparable(_ values: [Value], with type: PostgresType?) -> [Value] {
        let isReal = type?.isReal == true
        guard isReal || type?.isInteger == true else { return values }
        return values.compactMap { value -> Value? in
            switch value {
            case .integer(let integer) where isReal: integer.isDouble ? .real(Double(integer)) : nil
            case .real(let real) where !isReal: Int64(exactly: real).map { .integer($0) }
            default: value
            }
        }
    }
}

extension Int64 {
    /// Whether a double is the same number.
    var isDouble: Bool { Int64(exactly: Double(self)) == self }
}
