// cannot convert value of type 'SQLExpression<Int?>' to expected argument type 'SQLExpression<Bool>'
import Cormorant

let andWithNumber = Album.where { $0.price > 3 && $0.year }
