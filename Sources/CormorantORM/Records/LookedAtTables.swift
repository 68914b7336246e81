import CormorantQuery
import CormorantSQLite

/// What a connection knows of tables that other programs may have made. As long as a table is in it, no other has its
/// identity.
final class LookedAtTables: ConnectionAttachment {
    /// From how many on they are forgotten: there may be one for each of many targets, and models that are freed.
    private static let (greatestForms, greatestConverted) = (4096, 64)

    private var forms: [ObjectIdentifier: TableReference] = [:]
    private var converted: [ObjectIdentifier: (table: TableReference, columns: [Int: SQLCompiler.Kept])] = [:]
    /// Of the connection, when `converted` was known.
    private var schemaChanges = 0

    /// Whether its rows were looked at before their first use.
    func hasForms(_ table: TableReference) -> Bool { forms[ObjectIdentifier(table)] != nil }

    func keepForms(of table: TableReference) {
        if forms.count >= LookedAtTables.greatestForms { forms = [:] }
        forms[ObjectIdentifier(table)] = table
    }

    /// The columns that convert what models write, as long as the schema is as it was when they were looked at.
    func converted(_ table: TableReference, _ schemaChanges: Int) -> [Int: SQLCompiler.Kept]? {
        if self.schemaChanges != schemaChanges {
            self.schemaChanges = schemaChanges
            converted = [:]
        }
        return converted[ObjectIdentifier(table)]?.columns
    }

    func keep(_ columns: [Int: SQLCompiler.Kept], of table: TableReference) {
        if converted.count >= LookedAtTables.greatestConverted { converted = [:] }
        converted[ObjectIdentifier(table)] = (table, columns)
    }
}

extension Connection {
    var lookedAt: LookedAtTables {
        if let known = attachment(LookedAtTables.self) { return known }
        let made = LookedAtTables()
        setAttachment(made)
        return made
    }
}
