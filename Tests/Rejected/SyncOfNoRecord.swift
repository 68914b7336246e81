// argument type 'Double' does not conform to expected type 'Record'
import Cormorant

func syncOfNoRecord(_ database: Database) throws {
    try database.sync(Album.self, Double.self)
}
