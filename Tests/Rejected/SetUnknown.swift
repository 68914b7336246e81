// has no dynamic member 'name'
import Cormorant

let setUnknown = Album.all.update { $0.name = "x" }
