import Cormorant

/// What is done at the desk. A value: copies share the database.
struct Desk: Sendable {
    enum Failure: Error, Equatable {
        case noSuchBook(String)
        case notLent(String)
    }

    let database: Database

    init(path: String) throws {
        database = try Database(path: path)
        try database.sync(Book.self, Member.self, Loan.self)
    }

    func add(_ title: String, by author: String) throws {
        _ = try database.inserted(Book(title: title, writer: author))
    }

    /// All of it, or nothing: a member who is new is not kept where the book cannot be had.
    func lend(_ title: String, to name: String, until due: String) throws {
        try database.write { database in
            guard let book = try database.fetchOne(Book.where { $0.title == title }) else {
                throw Failure.noSuchBook(title)
            }
            try database.execute(Member.insert(onConflict: .ignore) { $0.name = SQLExpression(name) })
            let member = try database.one(Member.where { $0.name == name })
            _ = try database.inserted(Loan(bookID: book.id, memberID: member.id, due: due))
        }
    }

    func takeBack(_ title: String) throws {
        let loans = Loan.where { $0.book.title == title && !$0.over }
        guard try database.execute(loans.update { $0.over = true }) == 1 else { throw Failure.notLent(title) }
    }
}
