/// The one error of the library. The bound values of a statement never appear in it.
public struct CormorantError: Error, Sendable {
    /// Shared, so that throwing moves one pointer.
    private var storage: Storage

    /// What kind of error.
    public var code: ErrorCode { storage.fields.code }
    /// SQLite's extended result code (https://www.sqlite.org/rescode.html); 0 where SQLite was not involved.
    public var sqliteCode: Int32 { storage.fields.sqliteCode }
    /// One line that says what went wrong.
    public var message: String { inSwift(storage.fields.message) }
    /// One line that says what to do.
    public var hint: String? { storage.fields.hint.map(inSwift) }
    /// Both with the names that C and Python have.
    package var plainMessage: String { storage.fields.message }
    package var plainHint: String? { storage.fields.hint }
    /// The SQL that failed.
    public var sql: String? { storage.fields.sql }
    /// The byte offset in `sql` at which it does not compile.
    public var offset: Int? { storage.fields.offset }
    /// The table, where known.
    public var table: String? { storage.fields.table }
    /// The columns, where known.
    public var columns: [String] { storage.fields.columns }
    /// The constraint's name or, where it has none, its kind.
    public var constraint: String? { storage.fields.constraint }
    /// Which record of a batch failed, or which row of a result could not be read, counted from 0.
    public var recordIndex: Int? { storage.fields.recordIndex }
    /// What a function of the program's threw, where that made the call fail.
    public var cause: (any Error)? { storage.fields.cause }

    package init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, sqliteCode: Int32 = 0, sql: String? = nil,
        offset: Int? = nil, table: String? = nil, columns: [String] = [], constraint: String? = nil,
        cause: (any Error)? = nil
    ) {
        storage = Storage(
            Fields(
                code: code, sqliteCode: sqliteCode, message: messageLine(message), hint: hint.map(messageLine),
                sql: sql,
                offset: offset, table: table, columns: columns, constraint: constraint, recordIndex: nil,
                cause: cause))
    }

    /// The same error, naming the record of the batch that it stopped at; an engine's names -1 where that is not known.
    package func at(record index: Int?) -> CormorantError {
        with { $0.recordIndex = index }
    }

    /// Whether a row holds what the record cannot.
    package var isOfRow: Bool { [.type, .encoding, .range, .nullValue, .callback, .json].contains(code) }

    /// Whether the message says in which row it was.
    package var namesRow: Bool { plainMessage.hasSuffix(")") && contains(plainMessage, " (in the row with the key ") }

    /// The same error, naming the row that could not be read, counted from 0.
    package func at(row index: Int) -> CormorantError {
        with {
            $0.recordIndex = index
            $0.message = messageLine("\($0.message) (in row \(index))")
        }
    }

    /// The same error, its message beginning with where it happened.
    package func prefixed(_ place: String) -> CormorantError {
        with { $0.message = messageLine(place + $0.message) }
    }

    /// The same error, of a program's function that ran in this SQL.
    package func during(_ sql: String?) -> CormorantError {
        with { $0.sql = $0.sql ?? sql }
    }

    /// The same error with what the program says is its cause.
    package func caused(by cause: any Error) -> CormorantError {
        with { $0.cause = cause }
    }

    /// The same error, of SQL that the caller did not write.
    package func withoutSQL() -> CormorantError {
        with {
            $0.sql = nil
            $0.offset = nil
        }
    }

    private func with(_ change: (inout Fields) -> Void) -> CormorantError {
        var fields = storage.fields
        change(&fields)
        var copy = self
        copy.storage = Storage(fields)
        return copy
    }

    private struct Fields: Sendable {
        var code: ErrorCode
        var sqliteCode: Int32
        var message: String
        var hint: String?
        var sql: String?
        var offset: Int?
        var table: String?
        var columns: [String]
        var constraint: String?
        var recordIndex: Int?
        var cause: (any Error)?
    }

    private final class Storage: Sendable {
        let fields: Fields
        init(_ fields: Fields) { self.fields = fields }
    }
}

/// What Swift calls otherwise than C and Python; an error is written in their names.
private let swiftNames = [
    "allow_drop": "allowDrop", "allow_lossy": "allowLossy", "renamed_from": "renamedFrom", "convert_sql": "convert",
    "default_sql": "default", "distributed_by": "distributedBy", "execute_script": "executeScript",
    "reader_count": "readerCount", "writer_count": "writerCount",
]

/// The text with Swift's names.
package func inSwift(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "_")) else { return text }
    var result = ""
    var rest = Substring(text)
    // Names of tables and columns stand in quotes, or with a dot between them.
    var isQuoted = false
    while !rest.isEmpty {
        let word = rest.prefix { $0 == "_" || $0.isLetter || $0.isNumber }
        rest = rest.dropFirst(word.count)
        let isOfDots = result.last == "." || rest.first == "." && rest.dropFirst().first?.isLetter == true
        result += isQuoted || isOfDots ? String(word) : swiftNames[String(word)] ?? String(word)
        guard let other = rest.popFirst() else { break }
        if other == "\"" { isQuoted.toggle() }
        result.append(other)
    }
    return result
}

extension CormorantError: CustomStringConvertible {
    public var description: String {
        var text = ".\(code): \(message)"
        if let recordIndex { text += " (record \(recordIndex))" }
        if let hint { text += "; \(hint)" }
        if let sql { text += " [SQL: \(sql)]" }
        return text
    }
}
