// no column type: import CormorantFoundation for Date
import Cormorant

struct Moment {}

@Model
struct Meeting {
    @Key var id: Int64?
    var at: Moment
}
