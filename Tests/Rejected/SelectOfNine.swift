// a query selects eight parts at most: give more as a record
import Cormorant

let selectOfNine = Album.all.select {
    ($0.id, $0.title, $0.year, $0.price, $0.kind, $0.id, $0.title, $0.year, $0.price)
}
