// 'novels' is ToMany<Album>, which leads to records of another table; mark it @Relation
import Cormorant

@Model
struct Shelf {
    @Key var id: Int64?
    var novels: ToMany<Album> = .notLoaded
}
