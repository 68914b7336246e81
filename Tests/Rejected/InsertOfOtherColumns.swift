// requires the types '(_: Int?)' and '(_: String)' be equivalent
import Cormorant

let insertOfOtherColumns = Artist.insert(\.name, from: Album.select { $0.year })
