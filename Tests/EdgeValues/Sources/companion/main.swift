// Does what it is told, line by line, with one file, or writes to it until it is killed: as ../../../Stateful/companion.c.
import Cormorant
import Foundation

func opened(_ path: String, _ key: String, _ journal: OpenOptions.JournalMode = .wal) throws -> Database {
    var options = OpenOptions(busyTimeout: 30_000, journalMode: journal, synchronous: .full)
    if key != "-" { options.encryption = Encryption(key: try CipherKey(key)) }
    return try Database(path: path, options: options)
}

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

let arguments = CommandLine.arguments
if arguments.count == 4, let first = Int64(arguments[3]) {
    let database = try opened(arguments[1], arguments[2])
    for number in first... {
        do {
            try database.execute("INSERT INTO other VALUES (?)", [.integer(number)])
            say("\(number)")
        } catch let error as CormorantError where error.code == .busy {}
        usleep(500)
    }
}

nonisolated(unsafe) var database: Database?

func answer(_ words: [String]) throws -> String {
    if words[0] == "open" {
        database = try opened(words[1], words[2], words[3] == "delete" ? .delete : .wal)
        return "ok"
    }
    guard let database else { return "error nothing is open" }
    let numbers = words.map { Value.integer(Int64($0) ?? 0) }
    func ask(_ sql: SQL, _ values: Bindings) throws -> String {
        guard let row = try database.query(sql, values).first, case .text(let text) = try row[0] else { return "none" }
        return text
    }
    switch words[0] {
    case "put":
        let put: SQL = """
            INSERT INTO item (id, name, n) VALUES (?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, n = excluded.n
            """
        return "\(try database.execute(put, [numbers[1], .text(words[2]), numbers[3]]))"
    case "add":
        return "\(try database.execute("UPDATE item SET n = n + ? WHERE id = ?", [numbers[2], numbers[1]]))"
    case "delete":
        return "\(try database.execute("DELETE FROM item WHERE id = ?", [numbers[1]]))"
    case "get":
        return try ask("SELECT CAST(n AS TEXT) || ' ' || name FROM item WHERE id = ?", [numbers[1]])
    case "sum":
        return try ask("SELECT CAST(count(*) AS TEXT) || ' ' || CAST(coalesce(sum(n), 0) AS TEXT) FROM item", [])
    default:
        try database.close()
        return "ok"
    }
}

while let line = readLine() {
    do {
        say(try answer(line.split(separator: " ").map(String.init)))
    } catch {
        say("error \(error)")
    }
}
