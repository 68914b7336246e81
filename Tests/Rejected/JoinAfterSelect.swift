// requires the types 'String' and 'Album' be equivalent
import Cormorant

let joinAfterSelect = Album.select { $0.title }.join(Artist.self) { $0.artistID == $1.id }
