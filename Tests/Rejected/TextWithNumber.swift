// cannot be applied to operands of type 'SQLExpression<String>' and 'Int'
import Cormorant

let textWithNumber = Artist.where { $0.name == 3 }
