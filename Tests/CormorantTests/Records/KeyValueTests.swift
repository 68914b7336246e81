import Cormorant
import Foundation
import Testing

@Suite struct KeyValueTests {
    @Test func valuesAreReadBySubscript() throws {
        let store = try Database(path: ":memory:").store("settings")
        #expect(try store["theme"] == nil)
        try store.put("theme", "dark")
        try store.put("size", 12)
        try store.put("null", .null)
        try store.put("list", json: "[1, 2]")
        #expect(try store["theme"]?.string == "dark")
        #expect(try store["size"]?.int64 == 12)
        #expect(try store["null"] == Value.null)
        #expect(try store.entry("list")?.isJSON == true)
        #expect(try store.entries().map(\.key) == ["list", "null", "size", "theme"])
        #expect(try store.delete("theme"))
        #expect(try !store.delete("theme"))
        expectError(.json) { try store.put("list", json: "[1,") }
        expectError(.range) { try store.put("nan", .real(.nan)) }
        expectError(.encoding) { try Database(path: ":memory:").store("a\0b") }
    }

    @Test func aTimeThatIsTooFarAheadIsRefused() {
        let error = expectError(.range) {
            try KeyValueStore.expiry(
                after: Duration(
                    secondsComponent: 9_223_372_036_854_775, attosecondsComponent: 900_000_000_000_000_000))
        }
        #expect(error?.hint == "give less, or no time at all")
        let past = expectError(.range) { try KeyValueStore.expiry(after: .seconds(Int64.min)) }
        #expect(past?.hint == "give more than 0, or no time at all")
    }

    @Test func aClosedDatabaseHasNoStores() throws {
        let folder = try TemporaryFolder()
        let database = try openDatabase(path: folder.file("test.db"))
        let store = try database.store("s")
        try store.put("k", 1)
        try database.close()
        // The statements of stores went with it: nothing holds the file.
        #expect(!FileManager.default.fileExists(atPath: folder.file("test.db-wal")))
        expectError(.misuse) { try store["k"] }
        expectError(.misuse) { try store.put("k", 1) }
        expectError(.misuse) { try database.store("s") }
    }

    @Test func aBackupWhileAThreadWrites() throws {
        let folder = try TemporaryFolder()
        let database = try openDatabase(path: folder.file("test.db"))
        let store = try database.store("s")
        try store.put(
            contentsOf: (0..<8_000).map {
                KeyValueEntry(key: "k\($0)", value: .blob(Array(repeating: 1, count: 1_000)))
            })
        var isFirst = true
        try database.backup(to: folder.file("copy.db")) { copied, total in
            if isFirst {
                isFirst = false
                #expect(copied > 0 && copied < total)
                let thread = Thread { try? store.put("late", 1) }
                thread.start()
                while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
            }
            return true
        }
        #expect(try store["late"] == 1)
        let copy = try openDatabase(path: folder.file("copy.db"))
        #expect(try copy.store("s").count() == 8_000)
        expectError(.interrupted) { try database.backup(to: folder.file("other.db")) { _, _ in false } }
        expectError(.cannotOpen) { try database.backup(to: folder.file("copy.db")) }
    }

}
