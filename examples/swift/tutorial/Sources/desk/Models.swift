import Cormorant

@Model
struct Book: Sendable {
    @Key var id: Int64!
    @Column(unique: true) var title: String
    @Column(renamedFrom: "author") var writer: String
    @Relation var loans = ToMany<Loan>.notLoaded
}

@Model
struct Member: Sendable {
    @Key var id: Int64!
    @Column(unique: true) var name: String
    var telephone: String?
    @Relation var loans = ToMany<Loan>.notLoaded
}

/// A book is with one member at a time: of the loans of a book that are not over there is one.
@Model(keys: [.unique("bookID", name: "loan_once", where: "NOT over")])
struct Loan: Sendable {
    @Key var id: Int64!
    @References("book") var bookID: Int64
    @References("member") var memberID: Int64
    @Column(check: "date(due) IS due") var due: String
    var over = false
    @Relation var book = ToOne<Book>.notLoaded
    @Relation var member = ToOne<Member>.notLoaded
}
