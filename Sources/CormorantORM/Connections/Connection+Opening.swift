import CormorantBase
import CormorantEngine
import CormorantPostgres
import CormorantQuery
import CormorantSQLite

extension Connection {
    /// How the SQL of its engine looks.
    package var dialect: Dialect { engine == nil ? .sqlite : .postgres }

    /// What its engine is called, as messages say it.
    package var engineName: String { engine?.engineName ?? "SQLite" }

    /// A connection to memory, through which values go that are a record's own to read and write: itself, but where that would
    /// ask a server.
    package var memory: Connection {
        get throws {
            if engine == nil { return self }
            if let ready = attachment(Connection.self) { return ready }
            let made = try Connection(path: ":memory:", options: OpenOptions())
            setAttachment(made)
            return made
        }
    }

    /// Opens a file or, by its URL, a database of a server.
    static func open(_ path: String, _ options: OpenOptions) throws -> Connection {
        guard isServerURL(path) else { return try Connection.open(file: path, options) }
        let made = try openServer(path, options)
        return try Connection(over: made.engine, path: made.shown, options: options)
    }

    /// Another connection to the same database, which reads or, of a server, writes as the options say.
    func another(path: String, options: OpenOptions) throws -> Connection {
        guard let engine else { return try Connection(path: path, options: options) }
        return try Connection(over: engine.another(isReader: options.isReader), path: path, options: options)
    }

    /// Takes over a connection of another engine, and has the program set it up.
    private convenience init(over engine: any EngineConnection, path: String, options: OpenOptions) throws {
        self.init(engine: engine, path: path, options: options)
        guard let setUp = options.setUp else { return }
        do {
            try engine.setUp { [unowned self] in
                // What its scripts leave on the connection is on the others, too.
                let told = scriptsRun
                scriptsRun = nil
                setsUp?(true)
                defer {
                    scriptsRun = told
                    setsUp?(false)
                }
                do { try run(setUp) } catch let failure as SetUpFailure { throw failure.error }
            }
        } catch {
            close()
            throw (error as? CormorantError).map { SetUpFailure(error: $0) } ?? error
        }
    }
}

/// Whether a path is the URL of a server's database, and no file's.
package func isServerURL(_ path: String) -> Bool {
    path.hasPrefix("postgresql://") || path.hasPrefix("postgres://")
}

/// The URL of a server's database without its password.
package func shownURL(_ url: String) -> String { PostgresConnection.shown(url) }

/// Refuses options that a server has nothing for, by their names.
func refuseFileOptions(_ options: OpenOptions, _ engineName: String) throws {
    let refused: String? =
        if options.codecs != nil {
            "encryption of its files"
        } else if options.template != nil {
            "template"
        } else if options.journalMode != .default {
            "journal mode"
        } else if !options.foreignKeys {
            "switch for foreign keys"
        } else if options.untrusted {
            "doubt about files"
        } else if options.keepsSchema {
            "copy of the schema"
        } else if options.damaged != nil {
            "damage to files"
        } else if options.heapLimit != nil {
            "limit of SQLite's memory"
        } else {
            nil
        }
    guard let refused else { return }
    throw CormorantError(
        .unsupported, "\(engineName) has no \(refused) here", hint: "leave the option out where a URL is opened")
}

/// - Returns: the connection, and the URL without its password.
private func openServer(
    _ url: String, _ options: OpenOptions
) throws -> (engine: any EngineConnection, shown: String) {
    let engine = try PostgresConnection(url: url, settings: settings(options))
    do {
        try refuseFileOptions(options, engine.engineName)
    } catch {
        engine.close()
        throw error
    }
    return (engine, PostgresConnection.shown(url))
}

/// What options are to a server, for its connections.
private func settings(_ options: OpenOptions) -> [String] {
    var settings: [String] = []
    // To a server 0 is for ever.
    settings.append("SET lock_timeout = \(max(1, options.busyTimeout))")
    if options.synchronous == .off { settings.append("SET synchronous_commit = off") }
    if options.mode == .readOnly { settings.append(readOnlySetting) }
    return settings
}
