import CormorantBase

/// Times, dates and UUIDs are texts in a file of SQLite, whose operators take of a text the digits at its beginning: of a time its year.
extension StatementCompiler {
    /// Throws where one of them stands in place of a number.
    func requireNumbers(_ parts: [Expression], in what: String) throws {
        for part in parts {
            guard let found = type(of: part), found.type.timeForm != nil || found.type == .uuid else { continue }
            throw CormorantError(
                .type,
                "\(what) is of numbers, and \(found.column.map(\.title) ?? "a value in it") is of type \(found.type.name)",
                hint: found.type == .uuid
                    ? "compare it"
                    : "take its parts by strftime() or its seconds by unixepoch(), or calculate in the program",
                columns: found.column.map { [$0.column.name] } ?? [])
        }
    }

    func requireNumbers(in call: Call, _ name: String) throws {
        if name == "sum" || name == "abs" || calculatingFunctions.contains(name) {
            try requireNumbers(call.arguments, in: name + "()")
        }
    }
}
