// 'tags' is [String], which no column holds; make it JSON<...>
import Cormorant

@Model
struct Tagged {
    @Key var id: Int64?
    var tags: [String]
}
