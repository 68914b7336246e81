// value of type 'Reader' has no member 'insert'
import Cormorant

func insertInARead(_ database: Database) async throws {
    try await database.read { reader in
        var artist = Artist(name: "x")
        try reader.insert(&artist)
    }
}
