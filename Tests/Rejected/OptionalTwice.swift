// 'year' is Int??, and a column has one NULL; make it Int?
import Cormorant

@Model
struct Coin {
    @Key var id: Int64?
    var year: Int??
}
