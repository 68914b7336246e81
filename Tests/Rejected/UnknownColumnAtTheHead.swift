// value of type 'Album.Columns' has no member 'yaer'
import Cormorant

let unknownColumnAtTheHead = Album.where { $0.yaer > 1970 && $0.artistID != nil }
    .join(Artist.self) { album, artist in album.artistID == artist.id }
    .where { album, artist in artist.name.hasPrefix("A") && album.title != "" }
    .order { album, artist in (artist.name, album.title) }
    .select { album, artist in (album.title, artist.name, album.year) }
    .limit(10)
