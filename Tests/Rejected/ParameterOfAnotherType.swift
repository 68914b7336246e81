// cannot convert value of type 'SQLExpression<String>' to expected argument type 'SQLExpression<Int?>'
import Cormorant

let parameterOfAnotherType = Album.where { $0.year > parameter("year", String.self) }
