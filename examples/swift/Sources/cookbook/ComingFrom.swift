// The right-hand sides of docs/swift/coming-from-*.md: what is written with Cormorant. It runs with the recipes.
import CormorantFoundation
import Foundation

@Model
struct Author: Sendable {
    @Key var id: Int64?
    @Column(unique: true) var name: String
    @Relation(removed: .delete) var books = ToMany<Book>.notLoaded
}

enum Genre: String, ColumnValue { case novel, essay }

@Model(keys: [.index("authorID", "year")])
struct Book: Sendable {
    @Key var id: Int64?
    @References("author", onDelete: .cascade) var authorID: Int64?
    var title: String
    @Column(check: "year > 0") var year: Int
    var genre: Genre = .novel
    var price: Double?
    var added: Date = Date()
    @Relation var author = ToOne<Author>.notLoaded
}

enum ComingFrom {
    static func show(_ folder: URL) async throws {
        let path = folder.appendingPathComponent("library.db").path
        let database = try Database(path: path)
        try write(database)
        try read(database)
        try relate(database)
        try aggregate(database)
        try sql(database)
        try change(database)
        try transact(database)
        try migrate(database)
        try await later(database)
        try await watch(database)
        try copy(database, path)
        try database.close()
    }

    static func copy(_ database: Database, _ path: String) throws { try database.backup(to: path + ".copy") }

    static func write(_ database: Database) throws {
        try database.createTables(Author.self, Book.self)
        let jane = try database.inserted(Author(name: "Jane Austen"))
        var book = Book(authorID: jane.id, title: "Emma", year: 1815)
        try database.insert(&book)
        book.price = 9.5
        try database.update(&book)
        try database.update(&book, \.price)
        try database.save(&book)
        try database.refresh(&book)
        var more = [
            Book(authorID: jane.id, title: "Persuasion", year: 1817),
            Book(authorID: jane.id, title: "Sanditon", year: 1925),
        ]
        try database.insert(contentsOf: &more)
        try database.delete(more[1])
        try database.delete(Book.self, key: 99)
        var again = Author(name: "Jane Austen")
        try database.insert(&again, onConflict: .ignore)
    }

    static func read(_ database: Database) throws {
        let all = try database.fetchAll(Book.all)
        let one = try database.find(Book.self, key: 1)
        let first = try database.fetchOne(Book.where { $0.title == "Emma" })
        let old = try database.fetchAll(Book.where { $0.year < 1816 && $0.genre == .novel })
        let named = try database.fetchAll(Book.where { $0.title.hasPrefix("Em") })
        let unpriced = try database.fetchAll(Book.where { $0.price == nil })
        let some = try database.fetchAll(Book.where { $0.id.isIn([1, 2, 3]) })
        let sorted = try database.fetchAll(Book.order { ($0.year.desc(), $0.title) })
        let second = try database.fetchAll(Book.order { $0.id }.limit(1).offset(1))
        let titles = try database.fetchAll(Book.order { $0.title }.select { $0.title })
        let pairs = try database.fetchAll(Book.select { ($0.title, $0.year) })
        let genres = try database.fetchAll(Book.select { $0.genre }.distinct())
        let isThere = try database.exists(Book.where { $0.year > 1816 })
        let cursor = try database.cursor(Book.all)
        while let book = try cursor.next() { print(book.title) }
        print(all.count, one?.title ?? "", first?.title ?? "", old.count, named.count, unpriced.count, some.count)
        print(sorted[0].title, second.count, titles, pairs.count, genres, isThere)
    }

    static func relate(_ database: Database) throws {
        var authors = try database.fetchAll(Author.all)
        try database.load(\.books, of: &authors)
        for author in authors { print(author.name, try author.books.records.count) }
        var books = try database.fetchAll(Book.all)
        try database.load(\.author, of: &books)
        let ofJane = try database.fetchAll(Book.where { $0.author.name == "Jane Austen" })
        let writing = try database.fetchAll(Author.where { $0.books.contains { $0.year > 1816 } })
        let idle = try database.fetchAll(Author.where { $0.books.isEmpty() })
        let lines = try database.fetchAll(
            Book.join(along: \.author).select { book, author in (book.title, author.name) })
        let counts = try database.fetchAll(Author.select { ($0.name, $0.books.count()) })
        var emily = Author(name: "Emily Brontë")
        emily.books = .loaded([Book(title: "Wuthering Heights", year: 1847)])
        try database.save(graph: &emily)
        print(books.count, ofJane.count, writing.count, idle.count, lines.count, counts)
    }

    static func aggregate(_ database: Database) throws {
        let number = try database.fetchCount(Book.all)
        let newest = try database.fetchOne(Book.select { $0.year.max() })
        let years = try database.fetchAll(
            Book.group { $0.authorID }.having { _ in count() > 1 }.select {
                ($0.author.name, count(), $0.price.average())
            })
        print(number, newest ?? 0, years)
    }

    static func sql(_ database: Database) throws {
        let year = 1816
        let rows = try database.fetchAll("SELECT title, year FROM book WHERE year < \(year)", as: String.self, Int.self)
        for (title, year) in rows { print(title, year) }
        let books = try database.fetchAll(Book.self, Query(sql: "SELECT * FROM book WHERE year < \(year)"))
        try database.execute("UPDATE book SET price = ? WHERE id = ?", [12.5, 1])
        try database.executeScript("CREATE INDEX IF NOT EXISTS book_title ON book (title); ANALYZE")
        print(books.count, database.path)
    }

    static func change(_ database: Database) throws {
        try database.execute(Book.where { $0.year < 1900 }.update { $0.price = $0.price + 1 })
        try database.execute(Book.where { $0.year > 2050 }.delete())
        let gone = try database.fetchAll(Book.where { $0.title == "Sanditon" }.delete().returning())
        try database.execute(
            Author.insert { $0.name = "Jane Austen" }.upsert(on: \.name) { row, new in row.name = new.name })
        print(gone.count)
    }

    static func transact(_ database: Database) throws {
        try database.write { database in
            _ = try database.inserted(Author(name: "Anne Brontë"))
            try? database.write { database in
                _ = try database.inserted(Author(name: "Anne Brontë"))
            }
        }
        let (authors, books) = try database.read { reader in
            (try total(reader), try reader.fetchCount(Book.all))
        }
        do {
            _ = try database.inserted(Author(name: "Anne Brontë"))
        } catch let error as CormorantError where error.code == .unique {
            print(authors, books, error.columns)
        }
    }

    static func total(_ reader: Reader) throws -> Int { try reader.fetchCount(Author.all) }

    static func migrate(_ database: Database) throws {
        var bundle = MigrationBundle()
        try bundle.add(MigrationStep("0001_note", up: .sql("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")))
        try database.apply(bundle)
        print(try database.plan(Author.self, Book.self).isEmpty)
        try database.sync(Author.self, Book.self)
    }

    static func later(_ database: Database) async throws {
        let added = try await database.write { database in
            try database.inserted(Book(title: "Villette", year: 1853))
        }
        let count = try await database.read { reader in try reader.fetchCount(Book.all) }
        let books = try await database.fetchAll(Book.where { $0.year > 1850 })
        print(added.title, count, books.count)
    }

    static func watch(_ database: Database) async throws {
        let observer = try await database.observe(Author.self)
        _ = try await database.inserted(Author(name: "Charlotte Brontë"))
        print(try observer.next()?.changes.count ?? 0)
        for try await event in try await database.observeLive(Author.order { $0.name }) {
            print(event.rows.map(\.name))
            break
        }
        let counts = try await database.observe { reader in
            (try reader.fetchCount(Author.all), try reader.fetchCount(Book.all))
        }
        let shown = counts.onMain { counts in
            if case .success(let (authors, books)) = counts { print(authors, books) }
        }
        let trees = try await database.fetchAll(Author.load(\.books) { $0.load(\.author) })
        print(try trees.map { try $0.books.records.count })
        shown.cancel()
    }
}
