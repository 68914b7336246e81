import CormorantBase

/// Turns schema values and record operations into SQL text.
package struct SQLCompiler: Sendable {
    let dialect: Dialect
    private let attachment: String?

    /// - Parameter attachment: the name under which the file of the records' tables is attached.
    package init(_ dialect: Dialect = .sqlite, in attachment: String? = nil) {
        self.dialect = dialect
        self.attachment = attachment
    }

    /// A table of records.
    func table(_ name: String) -> String {
        let name = quoteIdentifier(name)
        return attachment.map { "\(quoteIdentifier($0)).\(name)" } ?? name
    }
}
