// has no member 'nme'
import Cormorant

let unknownColumn = Artist.where { $0.nme == "x" }
