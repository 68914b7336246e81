// cannot convert value of type 'SQLExpression<String?>' to expected argument type 'SQLExpression<String>'
import Cormorant

let optionalResultColumn = Album.select { Summary.Columns(title: $0.artist.name, count: count()) }
