// cannot be applied to operands of type 'SQLExpression<Int?>' and 'String'
import Cormorant

let numberWithText = Album.where { $0.year > "1970" }
