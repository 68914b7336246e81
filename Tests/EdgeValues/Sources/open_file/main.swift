// Opens the files whose paths come, a line each, as untrusted ones and reads all of them; answers a line each. For
// ../../../Hostile/test_hostile_files.py.
import Cormorant
import Foundation

/// Ends what takes longer than 0.3 seconds.
func limited<T>(_ database: Database, _ body: () throws -> T) -> T? {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        while done.wait(timeout: .now() + 0.3) == .timedOut { database.interrupt() }
    }
    defer { done.signal() }
    return try? body()
}

func look(_ path: String) -> String {
    let database: Database
    do {
        database = try Database(path: path, options: OpenOptions(untrusted: true))
    } catch {
        return "refused \((error as? CormorantError).map { "\($0.code)" } ?? "")"
    }
    var rows = 0
    func read(_ sql: String) {
        _ = limited(database) { rows += try database.query(SQL(text: sql)).count }
    }
    _ = limited(database) { try database.schema() }
    _ = limited(database) { try database.metadata() }
    read("SELECT * FROM pragma_integrity_check LIMIT 20")
    let names = limited(database) {
        try database.query("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') LIMIT 8").map { try $0[0] }
    }
    for case .text(let name) in names ?? [] {
        read("SELECT * FROM \"\(name.replacingOccurrences(of: "\"", with: "\"\""))\" LIMIT 1000")
    }
    _ = limited(database) { try database.execute("CREATE TABLE IF NOT EXISTS ours (x)") }
    try? database.close()
    return "read \(rows) rows"
}

while let path = readLine() {
    FileHandle.standardOutput.write(Data((look(path) + "\n").utf8))
}
