// cannot be applied to operands of type 'SQLExpression<Timestamp?>' and 'String'
import Cormorant

let timeWithText = Album.where { $0.released > "1999-01-01" }
