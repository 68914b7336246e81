// value of type 'Artist.Columns' has no member 'nme'
import Cormorant

let unknownColumnAfterJoins = Album.join(Artist.self) { album, artist in album.artistID == artist.id }
    .join(Artist.self, as: "other") { album, artist, other in other.id == artist.id }
    .leftJoin(Album.self, as: "another") { album, artist, other, another in another.artistID == other.id }
    .where { album, artist, other, another in another.title == nil && album.year > 1970 }
    .order { album, artist, other, another in (other.name, album.title) }
    .select { album, artist, other, another in (album.title, other.nme, another.title, count()) }
