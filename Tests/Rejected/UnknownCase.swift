// reference to member 'demo' cannot be resolved
import Cormorant

let unknownCase = Album.where { $0.kind == .demo }
