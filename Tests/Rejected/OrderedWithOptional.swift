// value of optional type 'Int?' must be unwrapped
import Cormorant

func orderedWithOptional(_ year: Int?) -> SelectQuery<Album, Album.Columns> { Album.where { $0.year < year } }
