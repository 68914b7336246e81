// cannot convert value of type 'Artist' to expected argument type 'Album'
import Cormorant

func afterAnotherRecord(_ artist: Artist) -> SelectQuery<Album, Album.Columns> {
    Album.all.order { $0.id }.after(artist)
}
