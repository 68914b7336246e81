// no exact matches in call to instance method 'isIn'
import Cormorant

let inQueryOfAnotherType = Album.where { $0.artistID.isIn(Artist.select { $0.name }) }
