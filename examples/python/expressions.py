"""Every operator and function that expressions have, with the SQL that each stands for."""

from __future__ import annotations

from music import Album, Artist, music

from cormorant import (
    Column,
    Database,
    Model,
    all_of,
    any_of,
    case,
    exists,
    func,
    literal,
    name,
    param,
    raw,
    scalar,
    select,
    tuple_,
)


class Page(Model, module="fts5", module_arguments=["tokenize = 'porter'"]):
    title: Column[str]
    body: Column[str]


recent, cheap = Album.year > 2000, Album.price < 10
ids = select(Artist.id)
newest = select(func.max(Album.year))

EXPRESSIONS = [
    # Columns and values
    Album.year,
    Album.artist.name,
    literal(5),
    param("since"),
    # Comparing
    Album.year == 2004,
    Album.year != 2004,
    Album.year < 2004,
    Album.year <= 2004,
    Album.year > 2004,
    Album.year >= 2004,
    Album.price.is_null(),
    Album.price.is_not_null(),
    Album.price.is_(7.5),
    Album.price.is_not(7.5),
    Album.year.between(1990, 1999),
    Album.year.in_([1998, 2004]),
    Album.artist_id.in_(ids),
    Album.year.in_(param("years")),
    tuple_(Album.year, Album.title) > (1998, "F"),
    tuple_(Album.year, Album.title).in_([(1998, "First Light")]),
    # Conditions
    recent & cheap,
    recent | cheap,
    ~recent,
    all_of(recent, cheap),
    any_of(recent, cheap),
    # Numbers
    Album.year + 1,
    Album.year - 1,
    Album.year * 2,
    Album.year / 10,
    Album.year % 10,
    -Album.year,
    func.abs(Album.year),
    func.round(Album.price, 1),
    Album.year.bit_and(3),
    Album.year.bit_or(3),
    Album.year.bit_not(),
    Album.year.shift_left(3),
    Album.year.shift_right(3),
    Album.year.cast(str),
    # Texts
    Album.title.concat("!"),
    Album.title.has_prefix("50%"),
    Album.title.has_suffix("Off"),
    Album.title.contains("%"),
    Album.title.like("F_rst%"),
    Album.title.not_like("F%"),
    Album.title.glob("[A-M]*"),
    Album.title.not_glob("F*"),
    Album.title.regexp("^[A-M].*t$"),
    Album.title.collate("NOCASE"),
    Album.title.collate("corm_nocase").contains("É"),
    func.lower(Album.title),
    func.upper(Album.title),
    func.trim(Album.title),
    func.length(Album.title),
    # Choosing
    case((recent, "new"), else_="old"),
    case((1998, "first"), base=Album.year),
    func.coalesce(Album.price, 0.0),
    # Aggregates and windows
    func.count(),
    func.count(Album.price),
    func.sum(Album.price),
    func.total(Album.price),
    func.avg(Album.price),
    func.min(Album.year),
    func.max(Album.year),
    func.group_concat(Album.title, ", "),
    func.group_concat(Album.title, ", ").order_by(Album.year),
    func.count(Album.year).distinct(),
    func.sum(Album.price).filter(recent),
    func.sum(Album.price).over(order_by=Album.year),
    func.rank().over(partition_by=Album.artist_id, order_by=Album.year),
    func.avg(Album.price).over(order_by=Album.year, frame="ROWS 1 PRECEDING"),
    # JSON, dates, any function
    Album.details.json("$.tracks"),
    Album.details.json_object("$.label"),
    func.strftime("%Y", Album.released),
    func.replace(Album.title, "%", " per cent"),
    # Subqueries
    scalar(newest),
    exists(ids),
    # Order terms, names, SQL
    Album.year.desc(),
    Album.price.asc("last"),
    func.max(Album.year).label("newest"),
    raw("length(title) > ?", 3),
]


def show() -> None:
    """An expression is a value that knows its SQL and what is bound to it."""
    for expression in EXPRESSIONS:
        text, bindings = expression.sql
        print(text, bindings)


def explain(db: Database) -> None:
    """The SQL of a whole query, and how SQLite would run it."""
    query = select(Album.title).where(Album.id == 1, Album.title.has_prefix("50%"))
    print(query.sql)
    print(db.explain(query), end="")


def search(db: Database) -> None:
    """Full-text search: in one column, or in all of an FTS5 table by the table's own name."""
    db.create_tables(Page)
    db.insert_many([Page("Cats", "They purr."), Page("Dogs", "No cats run here.")])
    print(db.fetch_all(select(Page.title).where(Page.body.match("running"))))
    print(db.fetch_all(select(Page.title).where(name(None, "page").match("cat")).order_by(name(None, "rank"))))


if __name__ == "__main__":
    show()
    with music() as database:
        explain(database)
        search(database)
