// value of type 'Reader' has no member 'execute'
import Cormorant

func writeInARead(_ database: Database) throws -> Int {
    try database.read { reader in
        try reader.execute("DELETE FROM album")
    }
}
