"""What a query can give: records, tuples, dicts, types of one's own, numbers, a stream, columns, JSON."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from music import Album, music

from cormorant import Database, NoRowsError, SeveralRowsError, func, select, sql


@dataclass
class Line:
    title: str
    year: int


def forms(db: Database) -> None:
    """Whole records; tuples of what is selected; dicts; a type of one's own."""
    query = select(Album.title, Album.year).order_by(Album.year)
    print([album.title for album in db.fetch_all(select(Album))])
    print(db.fetch_all(query))
    print(db.cursor(query).dicts().fetch_all())
    print(db.fetch_all(query, into=Line))


def numbers(db: Database) -> None:
    """One row, one value, one column, how many, whether any, how many pages."""
    query = Album.where(Album.year > 2000)
    first = db.fetch_one(query.order_by(Album.year))
    print(first and first.title, db.count(query), db.exists(query), db.page_count(query, page_size=10))
    print(db.fetch_value(select(func.max(Album.year))), db.fetch_values(select(Album.title).order_by(Album.title)))


def exactly_one(db: Database) -> None:
    """The only row, or an error of its own where there is none, or several."""
    print(db.one(Album.where(Album.title == "First Light")).year, db.one_value(select(func.count(Album.id))))
    try:
        db.one(Album.where(Album.year > 2000))
    except SeveralRowsError as error:
        print(error.message)
    try:
        db.one(Album, title="Nothing")
    except NoRowsError as error:
        print(error.message)


def stream(db: Database) -> None:
    """Row by row in constant memory; the cursor is closed at its end or by `with`."""
    with db.cursor(select(Album).order_by(Album.id)) as albums:
        for album in albums:
            print(album.title, album.year)


def columns(db: Database) -> None:
    """As columns: a result is an Arrow stream, which these libraries take as it is. And as JSON."""
    query = select(Album.year, Album.price)
    if find_spec("polars"):
        import polars

        print(polars.DataFrame(db.cursor(query)).schema)
    if find_spec("pyarrow"):
        import pyarrow

        table = pyarrow.table(db.cursor(query))
        print(table.schema.names, table.to_pandas().shape if find_spec("pandas") else "")
    if find_spec("numpy"):
        print(db.cursor(query).numpy()["year"])
    print(db.cursor(query).json())


def raw_sql(db: Database) -> None:
    """SQL of one's own gives tuples, dicts, types of one's own, or records where its columns are a model's."""
    print(db.query("SELECT year, count(*) AS albums FROM album WHERE year > ? GROUP BY 1", [2000]).dicts().fetch_all())
    print(db.query("SELECT title, year FROM album ORDER BY year LIMIT 1", into=Line).fetch_one())
    print([album.title for album in db.fetch_all(Album, "SELECT * FROM album WHERE year < :year", {"year": 2000})])
    chosen = sql(
        "SELECT title FROM {Album} WHERE id IN {ids:list} AND year < {year}", Album=Album, ids=[1, 2], year=2000
    )
    print(db.fetch_values(chosen), db.exists(chosen), db.fetch_all("SELECT title, year FROM album WHERE id = ?", [2]))


if __name__ == "__main__":
    with music() as database:
        for show in (forms, numbers, exactly_one, stream, columns, raw_sql):
            show(database)
