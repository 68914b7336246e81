// the model 'Note' is private in another type, where its code does not reach; write fileprivate
import Cormorant

enum Desk {
    @Model
    private struct Note {
        @Key var id: Int64?
        var text: String
    }
}
