// cannot be applied to operands of type 'SQLExpression<Int64?>' and 'SQLExpression<Int?>'
import Cormorant

let keyWithAnotherInteger = Album.where { $0.id == $0.year }
