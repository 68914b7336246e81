// Values by key, and looking after a file.
import CormorantFoundation
import Foundation

enum KeyValue {
    static func show(_ database: Database) throws {
        try keep(database)
        try encode(database)
        try expire(database)
        try page(database)
        try count(database.store("visits"))
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).db").path
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try lookAfter(database, copy)
    }

    /// A store is there once something is put into it.
    static func keep(_ database: Database) throws {
        let settings = try database.store("settings")
        try settings.put("theme", "dark")
        try settings.put("window", json: #"{"width": 800, "open": true}"#)
        print(try settings["theme"]?.string ?? "", try settings["font"] ?? "Sans", try settings.contains("font"))
        try database.transaction {
            _ = try database.inserted(Artist(name: "Uma"))
            try settings.put("newest", "Uma")
        }
        try settings.delete("theme")
        print(try settings.entries().map(\.key))
    }

    struct Window: Codable { var width: Int, isOpen: Bool }

    /// A value of a `Codable` type is a text of JSON.
    static func encode(_ database: Database) throws {
        let settings = try database.store("settings")
        try settings.put("window", content: Window(width: 800, isOpen: true))
        print(try settings.content("window", as: Window.self)?.width ?? 0)
    }

    /// An entry that has expired is not there; `purge` takes its row out of the file.
    static func expire(_ database: Database) throws {
        let sessions = try database.store("sessions")
        try sessions.put("a1", "Nina", expires: KeyValueStore.expiry(after: .seconds(30 * 60)))
        print(try sessions.entry("a1")?.expires ?? 0, try sessions.purge())
    }

    /// The next page begins after the last key of this one.
    static func page(_ database: Database) throws {
        let words = try database.store("words")
        try words.put(contentsOf: (100..<350).map { KeyValueEntry(key: "word:\($0)", value: .integer($0)) })
        var range = KeyValueRange(prefix: "word:", limit: 100)
        while let last = try words.entries(range).last {
            range.after = last.key
            print(last.key)
        }
        print(try words.count(KeyValueRange(start: "word:100", end: "word:200")))
        try words.clear(KeyValueRange(prefix: "word:1"))
    }

    /// Adds one, whoever else does so at the same moment: what was read is written back, or not at all.
    static func count(_ visits: KeyValueStore) throws {
        while true {
            var entry = try visits.entry("home") ?? KeyValueEntry(key: "home", value: 0)
            entry.value = .integer((entry.value.int64 ?? 0) + 1)
            if try visits.compareAndSet(entry) { return }
        }
    }

    /// A copy while others write, a smaller file, fresh statistics, a short log.
    static func lookAfter(_ database: Database, _ copy: String) throws {
        try database.backup(to: copy) { copied, total in
            print(copied, "of", total, "pages")
            return true  // false cancels
        }
        try database.vacuum()
        try database.optimize()
        print(try database.checkpoint(.truncate))
    }
}
