import CormorantBase

/// What is wrong with SQL that is to be one statement, in the same words for each engine.
package enum StatementFault {
    /// The message of an error that `corm` has advice of its own for.
    package static let severalStatements = "the SQL holds more than one statement"

    package static func several(_ sql: String) -> CormorantError {
        CormorantError(
            .sql, severalStatements, hint: "run them one by one, or all by execute_script, which takes no bindings",
            sql: sql)
    }

    package static func none(_ sql: String) -> CormorantError {
        CormorantError(.sql, "the SQL holds no statement", hint: "give one SQL statement", sql: sql)
    }

    package static func nul(_ sql: String) -> CormorantError {
        CormorantError(
            .sql, "the SQL text holds a NUL character", hint: "pass data as bindings, not as SQL text", sql: sql)
    }
}
