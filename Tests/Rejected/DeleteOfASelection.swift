// requires the types 'String' and 'Album' be equivalent
import Cormorant

let deleteOfASelection = Album.select { $0.title }.delete()
