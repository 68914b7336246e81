// cannot be applied to operands of type 'SQLExpression<Album.Kind>' and 'String'
import Cormorant

let enumWithText = Album.where { $0.kind == "live" }
