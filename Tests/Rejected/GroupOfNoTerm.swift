// cannot convert value of type 'SQLOrder' to closure result type 'SQLExpression
import Cormorant

let groupOfNoTerm = Album.group { $0.year.desc() }.select { _ in count() }
