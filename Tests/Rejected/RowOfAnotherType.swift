// cannot convert value of type 'String' to expected argument type
import Cormorant

let rowOfAnotherType = Album.where { SQLRow($0.title, $0.year) > ("x", "1970") }
