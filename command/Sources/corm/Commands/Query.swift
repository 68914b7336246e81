import ArgumentParser
import CormorantBase
import CormorantORM
import CormorantSQLite

/// Runs one statement of SQL and shows its rows.
struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run one SQL statement and show its rows.",
        discussion: """
            Values are bound, not pasted: each --bind gives the next parameter of the statement, or NAME=VALUE the parameter \
            of that name. A value that is an SQL literal (12, 0.5, NULL, x'00ff', 'text') is that, and all else is text, as is \
            a number of more digits than SQLite holds, or with zeros before it.
            """)

    @OptionGroup var database: DatabaseSource

    @Argument(help: "The statement; - reads it from standard input.")
    var sql: String

    @Option(name: .customLong("bind"), help: ArgumentHelp("A value of a parameter.", valueName: "value"))
    var bindings: [String] = []

    @Flag(help: "How rows are written.")
    var format: RowFormat = .table

    @Flag(help: "Let the statement change the database.")
    var write = false

    func run() throws {
        let sql = sql == "-" ? try readStandardInput() : sql
        let database = try database.open(write ? .write : .read)
        try database.withConnection { connection in
            let statement = try connection.statement(sql)
            defer { connection.recycle(statement) }
            guard write || statement.isReadOnly else {
                throw CormorantError(
                    .readOnly, "the statement would change the database", hint: "add --write to let it")
            }
            try statement.bind(try parsedBindings(bindings, of: statement))
            let before = connection.totalChanges
            let hasRows = statement.columnCount > 0
            if hasRows || format == .json { try writeRows(of: statement) }
            while try !hasRows && statement.step() {}
            if !hasRows, format == .table {
                let count = connection.totalChanges == before ? 0 : connection.changes
                try Output.standard.line("\(count) \(count == 1 ? "row" : "rows") changed")
            }
        }
    }

    private func writeRows(of statement: Statement) throws {
        let names = (0..<statement.columnCount).map(statement.columnName)
        var writer = try format.writer(names)
        while try !names.isEmpty && statement.step() { try writer.add(Row(statement)) }
        try writer.end()
    }
}

/// Values as the command line gives them, for the parameters of a statement.
private func parsedBindings(_ texts: [String], of statement: Statement) throws -> Bindings {
    let isNamed = (0..<statement.parameterCount).contains { index in
        // A `?5` has a name too, which is its number.
        statement.parameterName(index + 1).map { !$0.hasPrefix("?") } ?? false
    }
    guard isNamed else { return .positional(texts.map(literal)) }
    var values: [String: Value] = [:]
    for text in texts {
        guard let sign = text.firstIndex(of: "=") else {
            throw CormorantError(
                .binding, "--bind \"\(visible(text))\" names no parameter",
                hint: "the parameters have names: write --bind NAME=VALUE")
        }
        values[String(text[..<sign])] = literal(String(text[text.index(after: sign)...]))
    }
    return .named(values)
}

/// The value of an SQL literal; what is none is a text.
private func literal(_ text: String) -> Value {
    if text.uppercased() == "NULL" { return .null }
    // 007 is a code more often than a number, and compares as one where the column is of numbers.
    if let integer = Int64(text) { return String(integer) == text ? .integer(integer) : .text(text) }
    // One that a double would round keeps its digits as a text.
    let real = Array(text.utf8).withUnsafeBufferPointer { bytes in
        NumberForm(bytes) == nil || withoutSpace(bytes).count < bytes.count ? nil : exactDouble(bytes)
    }
    if let real { return .real(real) }
    guard text.count >= 2, text.hasSuffix("'") else { return .text(text) }
    if text.hasPrefix("'") {
        return .text(
            text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false).joined(separator: "'"))
    }
    if text.hasPrefix("x'") || text.hasPrefix("X'"), let bytes = bytes(hex: text.dropFirst(2).dropLast()) {
        return .blob(bytes)
    }
    return .text(text)
}

private func bytes(hex: Substring) -> [UInt8]? {
    let digits = hex.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[index], let low = digits[index + 1] else { return nil }
        bytes.append(UInt8(high << 4 | low))
    }
    return bytes
}
