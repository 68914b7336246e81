import Cormorant
import Foundation
import Testing

/// Files that a migration must not trip over.
struct HostileMigrationTests {
    /// Every page but the first, which tells SQLite what file it is.
    @Test func aDamagedFileIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("albums.db")
        try formerDatabase(path: path).close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))
        let database = try openDatabase(path: path)
        let error = #expect(throws: CormorantError.self) { try database.sync(Present.Album.self, Present.Artist.self) }
        // An encrypted page is found before SQLite looks at it.
        #expect(error?.code == (testKey == nil ? .corrupt : .altered))
        try database.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }
}
