// does not conform to expected type 'any FetchRequest<Album>'
import Cormorant

let counts = Album.group { $0.title }.select { Summary.Columns(title: $0.title, count: count()) }.cte("counts")
let subqueryOfAnotherRecord = Artist.join(Album.self, from: counts) { artist, album in album.artistID == artist.id }
