import CormorantBase
import CormorantORM
import CormorantSQLite

/// Opens a database of a server. What reads cannot write there.
func openServer(_ url: String, _ access: DatabaseAccess, _ keys: KeyOptions) throws -> Database {
    guard keys.areEmpty else {
        throw CormorantError(
            .misuse, "a server's database has no key of its own",
            hint: "leave --key-file and --cipher out; a password stands in ~/.pgpass or in PGPASSWORD")
    }
    var options = OpenOptions()
    options.mode = access == .read ? .readOnly : .readWrite
    let database = try Database(path: url, options: options)
    Interruption.onRequest { [weak database] in database?.interrupt() }
    return database
}

/// What a text says without the passwords of URLs in it.
func withoutPasswords(_ text: String) -> String {
    CommandLine.arguments.compactMap(serverURL(in:)).reduce(text) { text, url in
        text.replacing(url, with: shownURL(url))
    }
}

/// The URL that an argument is, or that an option has: `--out=postgresql://...`.
private func serverURL(in argument: String) -> String? {
    for scheme in ["postgresql://", "postgres://"] {
        if let place = argument.firstRange(of: scheme) { return String(argument[place.lowerBound...]) }
    }
    return nil
}

/// Throws for the URL of a server where a command is about files.
func refuseServer(_ path: String) throws {
    guard isServerURL(path) else { return }
    let command = CommandLine.arguments.dropFirst().first { !$0.hasPrefix("-") } ?? ""
    throw CormorantError(
        .unsupported,
        "corm \(visible(command)) is for SQLite files, and \(visible(shownURL(path))) is a server's database",
        hint: ServerAdvice.of(command))
}

/// What does on a server what a command does with files.
private enum ServerAdvice {
    static func of(_ command: String) -> String {
        switch command {
        case "backup", "restore": "pg_dump copies a server's database, pg_restore brings it back"
        case "encrypt", "decrypt", "rekey": "a server's files are encrypted by the disk below it"
        case "kv": "a program reads and writes the stores of a server by its URL"
        default: "steps of a bundle run on a server: corm migrate, plan, status, down, adopt"
        }
    }
}
