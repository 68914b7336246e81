// requires that 'String' conform to 'SQLSummable'
import Cormorant

let sumOfText = Album.select { $0.title.sum() }
