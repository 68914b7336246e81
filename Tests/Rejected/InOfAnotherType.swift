// cannot convert value of type 'String' to expected element type
import Cormorant

let inOfAnotherType = Album.where { $0.year.isIn(["1970"]) }
