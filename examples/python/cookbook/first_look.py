from cormorant import Column, Database, Model, column, key, to_many, to_one


class Author(Model):
    id: Column[int] = key()
    name: Column[str] = column(unique=True)
    books = to_many(lambda: Book)


class Book(Model):
    id: Column[int] = key()
    title: Column[str]
    year: Column[int]
    author_id: Column[int | None] = column(references=Author, default=None)
    author = to_one(Author)


with Database("books.db", auto_sync=True) as db:
    if not db.count(Author):
        ursula = Author("Ursula")
        ursula.books = [Book("The Dispossessed", 1974), Book("Tehanu", 1990)]
        db.save_graph(ursula)
    for book in db.fetch_all(Book.where(Book.author.name == "Ursula", Book.year > 1980)):
        print(book)
