// cannot convert value of type '(Album.Columns) -> SQLExpression<Int?>'
import Cormorant

let numberAsCondition = Album.where { $0.year }
