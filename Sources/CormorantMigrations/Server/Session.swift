import CormorantBase
import CormorantQuery
import CormorantSQLite

/// What the session of a server has set for itself before a step, to be set again behind it: the next step may run by another.
struct Session {
    private let connection: Connection
    /// The role, and settings that a step names and no view of the server lists.
    private let names: [String]
    private let before: [String: String]

    init(_ connection: Connection, _ sql: String) throws {
        self.connection = connection
        var found = ["session_authorization", "role"]
        if contains(foldIdentifier(sql), "set") {
            // Whatever has a dot within, in texts, too.
            let words = "regexp_matches(lower(\(textLiteral(sql))), '[a-z_]\\w*(?:[.]\\w+)+', 'g')"
            try ServerCatalog(connection: connection).forEach("SELECT DISTINCT w[1] FROM pg_catalog.\(words) w") {
                found.append($0.string(0))
            }
        }
        names = found
        before = try Self.settings(connection, found)
    }

    private static func settings(_ connection: Connection, _ names: [String]) throws -> [String: String] {
        let list = names.map(textLiteral).joined(separator: ", ")
        var found: [String: String] = [:]
        try ServerCatalog(connection: connection).forEach(
            """
            SELECT name, setting FROM pg_catalog.pg_settings WHERE source = 'session'
            UNION ALL SELECT n, pg_catalog.current_setting(n, true) FROM pg_catalog.unnest(ARRAY[\(list)]) n
            WHERE pg_catalog.current_setting(n, true) <> ''
            """
        ) { found[$0.string(0)] = $0.string(1) }
        return found
    }

    func restore() throws {
        let after = try Self.settings(connection, names)
        for name in after.keys where before[name] == nil { try connection.script("RESET \(quoteIdentifier(name))") }
        // The role behind who has it.
        for name in names + before.keys.filter({ !names.contains($0) }) where before[name] != after[name] {
            guard let value = before[name] else { continue }
            // How long the migration waits for locks is its transaction's alone.
            let isLocal = name == "lock_timeout" && connection.transactionDepth > 0
            if isLocal { try connection.script("SET lock_timeout = \(max(1, connection.busyTimeout))") }
            // A list stays one.
            try connection.script(
                "SELECT pg_catalog.set_config(\(textLiteral(name)), \(textLiteral(value)), \(isLocal))")
        }
    }
}
