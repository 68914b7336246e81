// conform to 'SQLOrderTerm'
import Cormorant

let orderOfNoTerm = Album.order { $0.artist }.limit(3)
