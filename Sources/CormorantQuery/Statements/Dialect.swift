import CormorantBase

/// What an engine writes in its own way. Whatever the compilers write themselves is standard SQL, or what SQLite and
/// PostgreSQL share: names in double quotes, ON CONFLICT with `excluded`, RETURNING. Names are quoted once, with the
/// model, which knows no engine.
///
/// Statements of PostgreSQL have SQLite's parameters, which the engine rewrites. Its expressions have types, and are written by
/// `StatementCompiler` in `Postgres/`; the words of expressions here are SQLite's.
package enum Dialect: Int, Sendable {
    case sqlite
    /// PostgreSQL from 12 on, and what speaks its protocol.
    case postgres

    // Parameters and values -------------------------------------------------------------------------------------------

    /// A parameter that a statement may name more than once.
    func parameter(_ number: Int) -> String { "?\(number)" }

    /// The parameter behind those before it.
    var nextParameter: String { "?" }

    func truth(_ value: Bool) -> String {
        switch self {
        case .sqlite: value ? "1" : "0"
        // Constants are refused where terms of an order or groups stand.
        case .postgres: value ? "(1 = 1)" : "(1 = 0)"
        }
    }

    /// A SELECT of the values, in columns, that are bound as a list to the next parameter.
    func list(width: Int) -> String {
        let columns = (0..<width).map { $0 == 0 ? "value" : "value\($0)" }
        return "SELECT \(columns.joined(separator: ", ")) FROM corm_values(\(nextParameter))"
    }

    /// A value, or what takes its place where it is NULL.
    func value(_ sql: String, default defaultSQL: String) -> String {
        "\(self == .sqlite ? "ifnull" : "coalesce")(\(sql), (\(defaultSQL)))"
    }

    /// A constant where a parameter stands that does not count.
    func constant(_ sql: String, besides parameter: String) -> String { "coalesce(\(sql), \(parameter))" }

    /// The time of the statement, as datetime columns hold it.
    var now: String {
        switch self {
        case .sqlite: "corm_datetime(strftime('%Y-%m-%d %H:%M:%f', 'now'))"
        case .postgres: "statement_timestamp()"
        }
    }

    // Expressions -----------------------------------------------------------------------------------------------------

    func infix(_ op: BinaryOperator) -> String {
        switch op {
        case .equal: " = "
        case .notEqual: " <> "
        case .less: " < "
        case .lessOrEqual: " <= "
        case .greater: " > "
        case .greaterOrEqual: " >= "
        case .is: " IS "
        case .isNot: " IS NOT "
        case .add: " + "
        case .subtract: " - "
        case .multiply: " * "
        case .divide: " / "
        case .remainder: " % "
        case .concat: " || "
        case .bitAnd: " & "
        case .bitOr: " | "
        case .shiftLeft: " << "
        case .shiftRight: " >> "
        case .like, .hasPrefix, .hasSuffix, .contains: " LIKE "
        case .notLike: " NOT LIKE "
        case .glob: " GLOB "
        case .notGlob: " NOT GLOB "
        case .match: " MATCH "
        case .regexp: " REGEXP "
        case .isIn: " IN "
        case .jsonAt: " -> "
        case .jsonValueAt: " ->> "
        }
    }

    func castName(_ type: ColumnType) -> String {
        switch type {
        case .int64, .int32, .bool, .duration: "INTEGER"
        case .double, .float: "REAL"
        case .text, .varchar, .datetime, .date, .time, .offsetDatetime, .uuid, .decimal, .json: "TEXT"
        case .blob: "BLOB"
        }
    }

    /// What follows an order term.
    func direction(descending: Bool, nullsFirst: Bool?) -> String {
        (descending ? " DESC" : "") + (nullsFirst.map { $0 ? " NULLS FIRST" : " NULLS LAST" } ?? "")
    }

    /// The LIMIT that an OFFSET without one has.
    var noLimit: Value { .integer(-1) }

    /// The collation that compares texts without regard to the case of any letter, and the function that makes one of them.
    var caselessCollation: String { "corm_nocase" }
    var folded: String { "corm_fold" }

    // Decimals: texts, which functions and a collation of the connection calculate with and compare ---------------------

    package var decimalCollation: String { "corm_decimal" }

    /// Makes a decimal of a value.
    var decimal: String { "corm_decimal" }

    func decimal(_ op: BinaryOperator) -> String? {
        switch op {
        case .add: "corm_decimal_add"
        case .subtract: "corm_decimal_sub"
        case .multiply: "corm_decimal_mul"
        default: nil
        }
    }

    var decimalNegation: String { "corm_decimal_neg" }
    var decimalSum: String { "corm_decimal_sum" }
    var decimalMagnitude: String { "corm_decimal_abs" }

    // Offset datetimes: texts that begin with the moment ----------------------------------------------------------------

    /// Compares them as moments, and datetimes beside them.
    package var momentCollation: String { "corm_offset_datetime" }

    /// Begins and ends what makes the moment of one, as SQLite's date functions read it.
    var moment: (start: String, end: String) { ("substr(", ", 1, \(OffsetTimestamp.momentSize))") }

    // Writing ---------------------------------------------------------------------------------------------------------

    func insert(_ policy: ConflictPolicy) -> String { "INSERT \(conflict(policy))INTO " }

    func update(_ policy: ConflictPolicy) -> String { "UPDATE \(conflict(policy))" }

    private func conflict(_ policy: ConflictPolicy) -> String {
        switch policy {
        case .abort: ""
        case .ignore: "OR IGNORE "
        case .replace: "OR REPLACE "
        case .fail: "OR FAIL "
        case .rollback: "OR ROLLBACK "
        }
    }

    /// Begins the call that makes a value one of a column, or refuses it when the statement runs; `stored(as:of:)` ends it.
    var stored: String { "corm_stored(" }

    func stored(as type: String, of property: String) -> String { ", '\(type)', \(quoteText(property)))" }

    /// Ends the call of `kept`, which refuses values that a column of this type would convert.
    func kept(declared: String, _ schema: String?, _ table: String, _ column: String) -> String {
        let letter = Affinity(declaredType: declared).rawValue.prefix(1)
        return [letter + declared, schema ?? "", table, column].map { ", " + quoteText($0) }.joined() + ")"
    }

    var kept: String { "corm_kept(" }

    // Tables ----------------------------------------------------------------------------------------------------------

    /// The type that a column is declared with. Names with TEXT in them keep SQLite from turning "1.10" into a number
    /// (https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
    package func typeName(_ type: ColumnType, strict: Bool) -> String {
        switch type {
        case .int64, .int32: "INTEGER"
        case .bool: strict ? "INTEGER" : "BOOLEAN"
        case .double, .float: "REAL"
        case .text: "TEXT"
        case .varchar(let length): strict ? "TEXT" : "VARCHAR(\(length))"
        case .blob: "BLOB"
        case .datetime: strict ? "TEXT" : "DATETIME"
        case .date: strict ? "TEXT" : "DATE"
        case .time: strict ? "TEXT" : "TIME"
        case .offsetDatetime: strict ? "TEXT" : "OFFSET_DATETIME"
        case .duration: strict ? "INTEGER" : "DURATION"
        case .uuid: strict ? "TEXT" : "UUID_TEXT"
        case .decimal: strict ? "TEXT" : "DECIMAL_TEXT"
        case .json: strict ? "TEXT" : "JSON_TEXT"
        }
    }

    func key(neverReused: Bool) -> String { neverReused ? "PRIMARY KEY AUTOINCREMENT" : "PRIMARY KEY" }

    /// Whether a key column need not be told that it takes no NULL: SQLite lets a key that is not the rowid be NULL.
    func isNeverNull(key column: ColumnSchema, of table: TableSchema) -> Bool {
        column.type.isInteger && !table.withoutRowID
    }

    /// What follows the parentheses of CREATE TABLE.
    func options(of table: TableSchema) -> String {
        let options = [table.strict ? "STRICT" : nil, table.withoutRowID ? "WITHOUT ROWID" : nil].compactMap { $0 }
        return options.isEmpty ? "" : " \(options.joined(separator: ", "))"
    }

    func virtualTable(_ table: TableSchema, by module: ModuleSchema) -> String {
        let parts = table.columns.map { quoteIdentifier($0.name) } + module.arguments
        return "CREATE VIRTUAL TABLE \(quoteIdentifier(table.name)) USING \(quoteIdentifier(module.name))"
            + " (\(parts.joined(separator: ", ")))"
    }
}
