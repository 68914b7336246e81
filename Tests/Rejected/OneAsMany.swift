// has no dynamic member 'contains'
import Cormorant

let oneAsMany = Album.where { $0.artist.contains { $0.name == "x" } }
