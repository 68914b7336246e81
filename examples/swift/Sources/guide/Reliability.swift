// Files that one does not trust, and what is left of damaged ones.
import Cormorant
import Foundation

enum Reliability {
    static func show() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let (path, newPath) = ("\(folder)/notes-\(UUID()).db", "\(folder)/repaired-\(UUID()).db")
        defer {
            for path in [path, newPath, path + "-corm-schema"] { try? FileManager.default.removeItem(atPath: path) }
        }
        let database = try openWatchfully(path)
        try database.executeScript("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('a')")
        try database.close()
        try readWhatOthersSent(path)
        try saveWhatIsLeft(path, newPath)
    }

    static func openWatchfully(_ path: String) throws -> Database {
        try Database(
            path: path,
            options: OpenOptions(
                keepsSchema: true,
                damaged: { damage in
                    print(damage.path, damage.page ?? 0, damage.error.message, damage.error.hint ?? "")
                }))
    }

    static func readWhatOthersSent(_ path: String) throws {
        let database = try Database(path: path, options: OpenOptions(mode: .readOnly, untrusted: true))
        try database.close()
    }

    static func saveWhatIsLeft(_ path: String, _ newPath: String) throws {
        let report = try Database.repair(path, to: newPath)
        for table in report.tables {
            print(table.name, table.rows, "rows,", table.lostRows, "lost, with", table.lostPages, "pages")
        }
        print("rows without a table:", report.foundRows)
    }
}
