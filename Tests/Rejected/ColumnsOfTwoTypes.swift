// cannot be applied to operands of type 'SQLExpression<String>' and 'SQLExpression<Double>'
import Cormorant

let columnsOfTwoTypes = Album.where { $0.title == $0.price }
