"""Functions and collations of the program's, which SQL calls."""

from __future__ import annotations

import locale

from music import Album, Artist, music

from cormorant import Database, Error, func, select


def scalar(db: Database) -> None:
    """A function of one row, by its annotations."""

    @db.register_function(deterministic=True)
    def decade(year: int) -> int:
        return year // 10 * 10

    query = select(Album.title).where(func.decade(Album.year) == 1990)
    print(db.fetch_all(query))


def aggregate(db: Database) -> None:
    """A class of which each group of rows has an instance; with inverse() it stands over windows, too."""

    @db.register_aggregate
    class Span:
        def __init__(self) -> None:
            self.years: list[int] = []

        def step(self, year: int) -> None:
            self.years.append(year)

        def inverse(self, year: int) -> None:
            self.years.remove(year)

        def value(self) -> int | None:
            return max(self.years) - min(self.years) if self.years else None

    print(db.query("SELECT span(year) FROM album").fetch_all())


def fail(db: Database) -> None:
    """What it raises is the cause of the statement's error."""

    @db.register_function
    def checked(name: str) -> str:
        if not name:
            raise ValueError("an artist has a name")
        return name

    try:
        db.execute("UPDATE artist SET name = checked('')")
    except Error as error:
        assert isinstance(error.__cause__, ValueError)
        print(error)


def order(db: Database) -> None:
    """An order of texts."""
    db.register_collation("local", locale.strcoll)
    print(db.fetch_all(select(Artist.name).order_by(Artist.name.collate("local"))))


if __name__ == "__main__":
    with music() as database:
        for show in (scalar, aggregate, fail, order):
            show(database)
