// has no member 'title'
import Cormorant

let manyAsOne = Artist.where { $0.albums.title == "x" }
