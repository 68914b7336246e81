// 'Int') and 'String' be equivalent
import Cormorant

let prefixOfNumber = Album.where { $0.year.hasPrefix("19") }
