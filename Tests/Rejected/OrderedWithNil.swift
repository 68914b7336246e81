// binary operator '<' cannot be applied
import Cormorant

let orderedWithNil = Album.where { $0.year < nil }
