// has no member 'delete'
import Cormorant

let deleteOfAJoin = Album.join(Artist.self) { $0.artistID == $1.id }.delete()
