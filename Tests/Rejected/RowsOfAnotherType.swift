// cannot convert return expression of type '[Album]' to return type '[Artist]'
import Cormorant

func rowsOfAnotherType(_ database: Database) throws -> [Artist] { try database.fetchAll(Album.all) }
