import CormorantBase

/// How one database engine writes names and parameters. SQLite is the only one today.
package struct Dialect: Sendable {
    package static let sqlite = Dialect()

    package func identifier(_ name: String) -> String { quoteIdentifier(name) }

    package func parameter(_ position: Int) -> String { "?\(position)" }

    package func list(_ names: some Sequence<String>) -> String {
        names.map(identifier).joined(separator: ", ")
    }
}

/// Turns schema values and record operations into SQL text.
package struct SQLCompiler: Sendable {
    package let dialect: Dialect
    private let attachment: String?

    /// - Parameter attachment: the name under which the file of the records' tables is attached.
    package init(dialect: Dialect = .sqlite, in attachment: String? = nil) {
        self.dialect = dialect
        self.attachment = attachment
    }

    /// A table of records.
    func table(_ name: String) -> String {
        let name = dialect.identifier(name)
        return attachment.map { "\(dialect.identifier($0)).\(name)" } ?? name
    }
}
