// requires that 'String' conform to 'SQLNumber'
import Cormorant

let sumOfText = Album.select { $0.title.sum() }
