import CormorantBase

/// What the server, or libpq, said of a statement that failed.
// A class: the many that do not fail pass on but a nil.
final class ServerFailure {
    /// The SQLSTATE; empty where libpq itself found the fault.
    let state: String
    let message: String
    let hint: String?
    /// In characters of the text that was sent, from 1; nil where it names none.
    private(set) var character: Int?
    let schema: String?
    let table: String?
    let column: String?
    let constraint: String?
    /// Where it was, from the innermost on, a line each.
    let context: String?

    init(_ result: OpaquePointer?, _ pq: LibPQ) {
        func field(_ field: Int32) -> String? {
            pq.errorField(result, field).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        state = field(ErrorField.state) ?? ""
        message = field(ErrorField.message) ?? pq.resultErrorMessage(result).map { String(cString: $0) } ?? ""
        hint = field(ErrorField.hint)
        character = field(ErrorField.position).flatMap { Int($0) }
        schema = field(ErrorField.schema)
        table = field(ErrorField.table)
        column = field(ErrorField.column)
        constraint = field(ErrorField.constraint)
        context = field(ErrorField.context)
    }

    /// So many characters were sent before the statement.
    func leaveOut(_ count: Int) { character = character.flatMap { $0 > count ? $0 - count : nil } }

    /// Which of the rows that are copied into a table it was, from 1.
    func line(ofCopyInto table: String) -> Int? {
        // "COPY t, line 3, column a", in whatever language, behind what is called for the row.
        let start = "COPY \(table), "
        guard let context, let offset = byteOffset(of: start, in: context) else { return nil }
        let digits: ClosedRange<UInt8> = 0x30...0x39
        let number = context.utf8.dropFirst(offset + start.utf8.count).drop { !digits.contains($0) }.prefix {
            digits.contains($0)
        }
        return Int(String(decoding: number, as: UTF8.self))
    }

    /// Whether the server had the statement no more, or for a table as it was before.
    var isStale: Bool { state == "26000" || state == "0A000" && contains(message, "cached plan") }

    /// Whether it may be for the types that a statement was described with, which the server took then: it finds no conversion
    /// between them and those of now, or reads a text or a binary form by them.
    func isOutdated(_ prepared: Prepared) -> Bool {
        state.hasPrefix("42") && state != "42501" || state == "22P03" || state == "08P01"
            // What a domain refuses is of no table.
            || prepared.hasTexts && (state.hasPrefix("22") || state.hasPrefix("23") && table == nil)
    }

    /// - Parameters:
    ///   - found: what the catalogs know of the constraint.
    ///   - wasAsked: whether `interrupt` was called.
    func error(
        sql: String?, offset: Int?, _ found: ConstraintCatalog.Constraint? = nil, wasAsked: Bool = false
    ) -> CormorantError {
        func make(
            _ code: ErrorCode, _ text: String? = nil, hint: String? = nil, columns: [String] = [],
            constraint: String? = nil
        ) -> CormorantError {
            CormorantError(
                code, text ?? message, hint: hint ?? self.hint, sql: sql, offset: offset, table: table,
                columns: columns,
                constraint: constraint ?? self.constraint)
        }
        if state == "22P02", let (fault, message) = storedFault { return make(fault.code, message, hint: fault.hint) }
        let columns = found?.columns ?? []
        let names = columns.map { "\(table ?? "").\($0)" }.joined(separator: ", ")
        switch state {
        case "23505":
            let isKey = found?.isPrimaryKey ?? false
            return make(
                .unique, columns.isEmpty ? nil : "UNIQUE constraint failed: \(names)",
                hint:
                    "another row has the same value; change it, or \(isKey ? "save instead of insert" : "update that row")",
                columns: columns)
        case "23502":
            let column = column ?? ""
            return make(
                .notNull, "NOT NULL constraint failed: \(table.map { $0 + "." } ?? "")\(column)",
                hint: "give the column a value", columns: [column], constraint: "NOT NULL")
        case "23503", "23001":
            // By a delete or an update of the referenced row it is the other table's.
            let refers = isReferred && !names.isEmpty
            return make(
                .foreignKey, "FOREIGN KEY constraint failed",
                hint: refers
                    ? "\(names) may refer to it: delete those rows first, or lead them elsewhere"
                    : "write the referenced row first, and delete referring rows before it",
                columns: columns)
        case "23514", "44000":
            return make(
                .check, constraint.map { "CHECK constraint failed: \($0)" },
                hint: "give a value that meets the condition", columns: columns)
        case "25P02":
            return make(
                .transaction, "an error has ended this transaction, in which nothing more can be done",
                hint:
                    "roll back and begin again; put what may fail into a nested transaction, which alone is rolled back then"
            )
        case "40001", "40P01":
            let what =
                state == "40P01" ? "each waits for the other" : "another transaction wrote what this one read or writes"
            return make(
                .conflict, "\(what): this one is rolled back",
                hint: "run the transaction again; what it reads may be another then")
        case "57014":
            return wasAsked
                ? make(.interrupted, "the statement was interrupted")
                : make(.interrupted, hint: hint ?? "the server has a limit for it: statement_timeout")
        case "42P01": return make(.sql, name.map { "no such table: \($0)" })
        // With the table, it is a column that is written.
        case "42703" where name.map { contains($0, "\"") } ?? true: return make(.sql)
        case "42703": return make(.sql, name.map { "no such column: \($0)" })
        case "42P18":
            return make(
                .sql, hint: "say the type of the parameter: CAST(? AS bigint)")
        case "42501":
            return make(.readOnly, hint: hint ?? "let the server grant it to this user, or connect as another")
        case "25006": return make(.readOnly, hint: "begin a transaction that writes; or the server takes no writes now")
        case "0A000" where isStale:
            return make(
                .schema, "the table has other columns than when the statement was prepared",
                hint: "roll back and run the transaction again: the statement is prepared anew then")
        case "22P05" where contains(message, "Unicode escape"):
            return make(
                .encoding, "JSON holds \\u0000, a NUL character, which PostgreSQL's jsonb cannot store",
                hint: "leave it out")
        case "2200H":
            return make(
                .full,
                hint:
                    "a row had the greatest key there is, behind which none is made: give it another, and set the sequence with "
                    + "setval() to the greatest that is left")
        case "55P03":
            return make(.busy, "a row or table is locked by another transaction", hint: hint ?? "try again")
        case "P0001": return make(.constraint)
        default: return make(code, withoutValues, hint: hint)
        }
    }

    /// What a statement of ours says by way of a number that is none: it stands in the message, in whatever quotes.
    private var storedFault: (StoredFault, String)? {
        for fault in StoredFault.allCases {
            guard let start = byteOffset(of: fault.marker, in: message) else { continue }
            let told = String(decoding: message.utf8.dropFirst(start + fault.marker.utf8.count), as: UTF8.self)
            let end = byteOffset(of: StoredFault.end, in: told) ?? 0
            return (fault, String(decoding: told.utf8.prefix(end + StoredFault.end.utf8.count), as: UTF8.self))
        }
        return nil
    }

    /// Whether rows of the table refer to what was written, which the server says in its own language first.
    private var isReferred: Bool { state == "23001" || message.hasPrefix("update or delete") }

    /// What it is by its class, where nothing more is said of it.
    private var code: ErrorCode {
        switch state {
        case "": .connection
        case "23000", "23P01", "27000": .constraint
        case "22003", "22008", "22012", "22001", "22015", "2200F": .range
        case "22021", "22P05": .encoding
        case "22P02" where contains(message, "json"): .json
        case "42804", "42846": .type
        case "25006", "25007": .readOnly
        case "53100": .full
        case "53200": .noMemory
        case "53300", "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04", "3D000": .connection
        case "55006": .busy
        case "0A000": .unsupported
        case "XX001", "XX002": .corrupt
        case "2201B", "2201W", "2201X", "21000": .sql
        default: classCode
        }
    }

    private var classCode: ErrorCode {
        switch state.prefix(2) {
        case "08", "28": .connection
        case "22" where state.hasPrefix("2203"): .json
        case "22": .type
        case "23": .constraint
        case "25", "2D", "0B", "3B": .transaction
        case "40": .conflict
        case "42", "26", "34", "3F", "55", "P0": .sql
        case "54": .tooBig
        case "58": .io
        default: .sqlite
        }
    }

    /// What stands in quotes in a message on a missing name; the server may say the rest in another language.
    private var name: String? {
        guard let open = message.firstIndex(of: "\""), let close = message.lastIndex(of: "\""), open < close else {
            return nil
        }
        return String(message[message.index(after: open)..<close])
    }

    /// The message without the values that those on data end with or begin with: `invalid input syntax for type date: "..."`,
    /// `value "..." is out of range for type integer`.
    private var withoutValues: String? {
        guard state.hasPrefix("22"), let open = message.firstIndex(of: "\""), let close = message.lastIndex(of: "\"")
        else {
            return state.prefix(2) == "XX" ? "\(message) (SQLSTATE \(state))" : nil
        }
        let (before, after) = (message[..<open], message[message.index(after: close)...])
        if before == "value " { return "a value\(after)" }
        if before.hasSuffix(": ") { return String(before.dropLast(2)) }
        return "the server cannot read a value (SQLSTATE \(state))"
    }
}
