"""UPDATE, DELETE and INSERT by expressions."""

from __future__ import annotations

from music import Album, Artist, music

from cormorant import Column, Database, Model, column, delete, excluded, insert, select, update


class Counter(Model):
    word: Column[str] = column(primary_key=True)
    number: Column[int] = column(default=0)


def change(db: Database) -> None:
    """By condition, also along a relation; what was written comes back where it is asked for."""
    changed = db.execute(update(Album).set({Album.year: Album.year + 1}).where(Album.artist.name == "Nina"))
    print(changed, "albums changed")
    cheap = update(Album).set({Album.price: Album.price / 2}).where(Album.price > 10)
    for title, price in db.fetch_all(cheap.returning(Album.title, Album.price)):
        print(f"{title} costs {price:.2f}")
    gone = db.fetch_all(delete(Album).where(Album.price.is_null()).returning())
    print([album.title for album in gone])


def copy(db: Database) -> None:
    """The rows of a query go in without passing through the program."""
    titles = select(Album.title).where(Album.year < 2000)
    print(db.execute(insert(Artist).from_select([Artist.name], titles)), "inserted")


def count(db: Database) -> None:
    """An upsert: where the key is there already, that row is changed; excluded is the one that came too late."""
    add = insert(Counter).values({Counter.word: "sea", Counter.number: 2})
    upsert = add.on_conflict(Counter.word).do_update({Counter.number: Counter.number + excluded[Counter.number]})
    for _ in range(3):
        db.execute(upsert)
    print(db.fetch_all(Counter))


def several(db: Database) -> None:
    """Several rows in one statement, each a dict; what the database filled in comes back."""
    words = [{"word": "sun", "number": 1}, {"word": "sky", "number": 2}, {"word": "sun", "number": 5}]
    add = insert(Counter).values(words).on_conflict(Counter.word)
    added = add.do_update({Counter.number: Counter.number + excluded[Counter.number]})
    print(db.fetch_all(added.returning(Counter.word, Counter.number)))


def ignore(db: Database) -> None:
    """A conflict policy says what becomes of a row that a constraint refuses."""
    again = insert(Artist).values({Artist.name: "Nina"})
    print(db.execute(again.or_("ignore")), "inserted;", db.insert(Artist("Nina"), "ignore"))


if __name__ == "__main__":
    with music() as database:
        database.create_tables(Counter)
        change(database)
        copy(database)
        count(database)
        several(database)
        ignore(database)
