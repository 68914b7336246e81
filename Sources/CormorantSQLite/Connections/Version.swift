import CSQLite

/// The version of the SQLite library underneath, such as "3.40.1"; lives as long as that library.
package func sqliteVersion() -> UnsafePointer<CChar>? { sqlite3_libversion() }

/// The same as a text.
package func versionOfSQLite() -> String { sqlite3_libversion().map { String(cString: $0) } ?? "" }
