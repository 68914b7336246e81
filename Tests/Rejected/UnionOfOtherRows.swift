// requires the types 'String' and 'Int?' be equivalent
import Cormorant

let unionOfOtherRows = Artist.select { $0.name }.union(Album.select { $0.year })
