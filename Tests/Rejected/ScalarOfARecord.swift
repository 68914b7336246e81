// requires that 'Album' conform to 'ColumnValue'
import Cormorant

let scalarOfARecord = Artist.where { $0.id == Album.where { $0.year == 1970 }.scalar() }
