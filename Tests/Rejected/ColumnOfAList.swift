// no column type: import CormorantFoundation for Date, UUID, Decimal, arrays
import Cormorant

@Model
struct Tagged {
    @Key var id: Int64?
    var tags: [String]
}
