// no exact matches in call to instance method 'limit'
import Cormorant

let limitByText = Album.all.limit("10")
