import CormorantBase
import CormorantQuery

extension CormorantError {
    /// The same error, naming the line of a step's SQL, up or down, that it is in.
    func placed(after start: Int, of sql: String, _ way: String) -> CormorantError {
        let before = sql.utf8.prefix(start + (offset ?? 0))
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        return CormorantError(
            code, "line \(line) of \(way): \(plainMessage)",
            hint: plainHint?.hasPrefix("it stands in line ") == true ? nil : plainHint,
            sqliteCode: sqliteCode, sql: self.sql, offset: offset, table: table, columns: columns,
            constraint: constraint)
    }

    /// The same error of a step that stands outside a transaction, of which what was done before stays.
    var outsideTransaction: CormorantError {
        guard [.unique, .check, .foreignKey, .notNull].contains(code) else { return self }
        return CormorantError(
            code, plainMessage, hint: "mend the rows, then apply the bundle again: the step goes on from there",
            sqliteCode: sqliteCode, sql: sql, offset: offset, table: table, columns: columns, constraint: constraint)
    }

    /// The same error in words of the tables that there are, not of those that are made to take their places.
    var ofMigration: CormorantError {
        func named(_ text: String) -> String {
            var text = text[...]
            var named = ""
            while let character = text.first {
                if text.hasPrefix("corm_new_") {
                    text = text.dropFirst(9)
                } else {
                    named.append(character)
                    text = text.dropFirst()
                }
            }
            return named
        }
        let message = plainMessage
        var hint = plainHint
        if contains(message, "no such collation sequence") || contains(message, "no such function") {
            hint = "the file's own program registers it, and it is not known here: migrate the file with that program"
        } else if code == .unique {
            hint = "another row has the same value: mend the rows first, or in the same step"
        }
        return CormorantError(
            code, named(message), hint: hint,
            sqliteCode: sqliteCode, sql: sql, offset: offset, table: table.map(named), columns: columns,
            constraint: constraint.map(named))
    }
}
