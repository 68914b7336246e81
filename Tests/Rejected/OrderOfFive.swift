// an order has four terms at once: add the others, .order { ... }.order { ... }
import Cormorant

let orderOfFive = Album.order { ($0.year, $0.title, $0.kind, $0.price, $0.id) }
