// cannot assign value of type 'String' to type 'SQLExpression<Int?>'
import Cormorant

let setToAnotherType = Album.all.update { $0.year = "1970" }
