// cannot assign value of type '[String?]' to type '[String]'
import Cormorant

func optionalOfALeftJoin(_ database: Database) throws {
    let names: [String] = try database.fetchAll(
        Album.leftJoin(Artist.self) { $0.artistID == $1.id }.select { album, artist in artist.name })
    print(names)
}
