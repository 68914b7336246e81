// no exact matches in call to instance method 'otherwise'
import Cormorant

let caseOfTwoTypes = Album.select { when($0.year < 1970, "old").otherwise(3) }
