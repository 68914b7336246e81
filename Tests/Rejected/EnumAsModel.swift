// @Model goes on a struct
import Cormorant

@Model
enum Level: Int { case low, high }

func levels(_ database: Database) throws -> Int { try database.fetchCount(Level.all) }
