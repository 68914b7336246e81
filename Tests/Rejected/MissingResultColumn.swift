// missing argument for parameter 'count'
import Cormorant

let missingResultColumn = Album.select { Summary.Columns(title: $0.title) }
