import CSQLite
import CormorantBase
import CormorantPlatform

extension Statement {
    /// The type that a table declares for a result column; nil for an expression, or where none is declared.
    package func declaredType(_ index: Int) -> String? {
        sqlite3_column_decltype(pointer, Int32(truncatingIfNeeded: index)).map { String(cString: $0) }
    }

    /// The same in UTF-8, as long as the statement is neither prepared again nor finalised.
    package func declaredTypeBytes(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        sqlite3_column_decltype(pointer, Int32(truncatingIfNeeded: index)).map(textBytes)
    }

    /// A column's name in UTF-8, as long as that.
    package func columnNameBytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        textBytes(sqlite3_column_name(pointer, Int32(truncatingIfNeeded: index)) ?? emptyText)
    }
}

private func textBytes(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: Int(strlen(text)))
}
