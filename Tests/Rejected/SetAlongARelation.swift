// no relation to one is followed here: join it, and update
import Cormorant

let setAlongARelation = Album.all.update { $0.title = $0.artist.name ?? "x" }
