// value of type 'Summary.Columns' has no member 'cuont'
import Cormorant

let counted = Album.select { Summary.Columns(title: $0.title, count: count()) }.cte("counted")
let unknownColumnOfACommonTable = Artist.join(Summary.self, from: counted) { artist, counted in
    counted.cuont == artist.id
}
