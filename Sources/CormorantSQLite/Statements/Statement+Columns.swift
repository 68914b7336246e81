import CSQLite

extension Statement {
    /// The type that a table declares for a result column; nil for an expression, or where none is declared.
    package func declaredType(_ index: Int) -> String? {
        sqlite3_column_decltype(pointer, Int32(truncatingIfNeeded: index)).map { String(cString: $0) }
    }
}
