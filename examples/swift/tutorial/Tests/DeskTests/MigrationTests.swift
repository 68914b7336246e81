import Cormorant
import Testing

@testable import desk

@Test func theLastReleaseIsMigrated() throws {
    let database = try Database(path: ":memory:")
    try database.executeScript(
        """
        CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, author TEXT NOT NULL);
        INSERT INTO book VALUES (7, 'Dune', 'Frank Herbert');
        """)
    print(try database.plan(Book.self))
    try database.sync(Book.self)
    #expect(try database.find(Book.self, key: 7)?.writer == "Frank Herbert")
}
