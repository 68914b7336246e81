import CormorantBase
import CormorantSQLite

extension Database {
    /// Makes a function or a collation of the program's known to all of the database's connections, in place of one of the name
    /// (and number of arguments), or takes it away. Transactions that other threads read in go on without it.
    package func register(_ definition: HostDefinition) throws {
        let pooled = try acquireWriter()
        defer { pooled.release() }
        let connection = try pooled.connected()
        try connection.requireSQLite(HostDefinitions.what)
        try connection.checkName(of: definition)
        var definitions = definitions
        definitions.set(definition)
        try register(definitions)
    }

    func register(_ definitions: HostDefinitions) throws {
        let pooled = try acquireWriter()
        defer { pooled.release() }
        try pooled.bring(definitions)
        self.definitions = definitions
        readers?.set(definitions)
    }
}
