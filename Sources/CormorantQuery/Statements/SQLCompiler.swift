import CormorantBase

/// Turns schema values and record operations into SQL text.
package struct SQLCompiler: Sendable {
    let dialect: Dialect
    private let attachment: String?
    /// The condition of all rows that are read, changed or deleted.
    private let scope: String?

    /// - Parameter attachment: the name under which the file of the records' tables is attached.
    package init(_ dialect: Dialect = .sqlite, in attachment: String? = nil, scope: String? = nil) {
        self.scope = scope
        self.dialect = dialect
        self.attachment = attachment
    }

    /// WHERE with conditions, and that of the scope; nothing where there are none.
    func condition(_ conditions: [String]) -> String {
        let all = conditions + (scope.map { ["(\($0))"] } ?? [])
        return all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND ")
    }

    /// A table of records.
    func table(_ name: String) -> String {
        let name = quoteIdentifier(name)
        return attachment.map { "\(quoteIdentifier($0)).\(name)" } ?? name
    }
}
