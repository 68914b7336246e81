// binary operator '>' cannot be applied to operands of type 'SQLRow<(String, Int?)>' and '(String, String)'
import Cormorant

let rowOfAnotherType = Album.where { SQLRow($0.title, $0.year) > ("x", "1970") }
