import Cormorant

@Model
struct Book {
    @Key var id: Int64!
    var title: String
    var year: Int?
}

@main
struct First {
    static func main() throws {
        let database = try Database(path: ":memory:")
        try database.createTables(Book.self)
        var books = [Book(title: "Dune", year: 1965), Book(title: "Emma", year: 1815)]
        try database.insert(contentsOf: &books)
        for book in try database.fetchAll(Book.where { $0.year > 1900 }) {
            print(book.id!, book.title)
        }
    }
}
