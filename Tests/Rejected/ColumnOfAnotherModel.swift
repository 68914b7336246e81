// has no member 'title'
import Cormorant

let columnOfAnotherModel = Artist.where { $0.title == "x" }
