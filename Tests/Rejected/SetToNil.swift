// 'nil' cannot be assigned to type 'SQLExpression<String>'
import Cormorant

let setToNil = Album.all.update { $0.title = nil }
