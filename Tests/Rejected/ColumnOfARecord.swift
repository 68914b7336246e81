// a record is no column: keep its key, and mark a ToOne<...> of it @Relation
import Cormorant

@Model
struct Sleeve {
    @Key var id: Int64?
    var album: Album
}
