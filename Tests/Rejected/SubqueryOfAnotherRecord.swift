// requires the types
import Cormorant

let counts = Album.group { $0.artistID }.select { Summary.Columns(title: $0.title.max() ?? "", count: count()) }.cte("counts")
let subqueryOfAnotherRecord = Artist.join(Album.self, from: counts) { artist, album in album.artistID == artist.id }
