import CSQLite
import CormorantBase
import CormorantPlatform

extension Statement {
    /// The type that a table declares for a result column; nil for an expression, or where none is declared.
    package func declaredType(_ index: Int) -> String? {
        if let engine { return engine.declaredType(index) }
        return sqlite3_column_decltype(pointer, Int32(truncatingIfNeeded: index)).map { String(cString: $0) }
    }

    /// Reads it in UTF-8; nil as that.
    package func withDeclaredType<Result>(
        _ index: Int, _ body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
        if engine != nil {
            guard var type = declaredType(index) else { return try body(nil) }
            return try type.withUTF8 { try body($0) }
        }
        return try body(sqlite3_column_decltype(pointer, Int32(truncatingIfNeeded: index)).map(textBytes))
    }

    /// Reads a column's name in UTF-8.
    package func withColumnName<Result>(
        _ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        if let engine {
            var name = engine.columnName(index)
            return try name.withUTF8(body)
        }
        return try body(textBytes(sqlite3_column_name(pointer, Int32(truncatingIfNeeded: index)) ?? emptyText))
    }
}

private func textBytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: Int(strlen(text)))
}
