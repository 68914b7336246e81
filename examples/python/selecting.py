"""SELECT: columns, joins, groups, windows, compounds, common table expressions, table functions, paging."""

from __future__ import annotations

from music import Album, Artist, music

from cormorant import Database, alias, func, json_each, literal, optional, param, select, table_function, tuple_


def conditions(db: Database) -> None:
    """A query is a value: it is kept, and run again with other parameters."""
    query = (
        select(Album)
        .where((Album.year >= param("since")) | Album.title.contains("50%"))  # % is no wildcard here
        .order_by(Album.year.desc())
    )
    print(query.sql[0])
    for since in (2000, 2010):
        albums = db.fetch_all(query, since=since)
        print(f"since {since}:", ", ".join(album.title for album in albums))


def chosen(db: Database) -> None:
    """A list is a parameter, too: the query is prepared once, whatever the lists' lengths."""
    query = select(Album.title).where(Album.id.in_(param("ids"))).order_by(Album.id)
    for ids in ([1, 2], [3], []):
        print(db.fetch_values(query, ids=ids))
    after = tuple_(Album.year, Album.title) > (2000, "M")  # as one: a later year, or this one and a later title
    print(db.fetch_values(select(Album.title).where(after).order_by(Album.year)))


def columns(db: Database) -> None:
    """Columns and other expressions instead of whole records."""
    query = select(Album.title, Album.price * 2).where(Album.price.is_not_null()).order_by("-price")
    for title, double in db.fetch_all(query):
        print(title, double)
    print(db.fetch_all(select(Album.artist_id).distinct().order_by("artist_id")))


def joins(db: Database) -> None:
    """On any condition, or along a relation; an alias where a table takes part twice."""
    later = alias(Album, "later")
    pairs = (
        select(Album.title, later.title)
        .join(later, (later.artist_id == Album.artist_id) & (later.year > Album.year))
        .join(Album.artist)
        .where(Artist.name == "Nina")
    )
    print(db.fetch_all(pairs))
    all_artists = select(Artist.name, Album.title.optional()).join(Artist.albums, left=True)
    print(db.fetch_all(all_artists.order_by(Artist.name, Album.year)))


def records_side_by_side(db: Database) -> None:
    """Several records in a row, and values beside them; optional() where a left join may find none."""
    both = select(Album, Artist).join(Album.artist).order_by(Album.id)
    for album, artist in db.fetch_all(both):
        print(album.title, artist.name)
    all_artists = select(Artist, optional(Album)).join(Artist.albums, left=True).order_by(Artist.name, Album.year)
    print([(artist.name, album.year if album else None) for artist, album in db.fetch_all(all_artists)])
    print(db.fetch_all(select(Artist, func.count(Album.id)).join(Artist.albums, left=True).group_by(Artist.id)))


def groups(db: Database) -> None:
    """Aggregates, and groups that meet a condition."""
    query = (
        select(Album.artist.name, func.count(), func.max(Album.year)).group_by(Album.artist_id).having(func.count() > 1)
    )
    print(db.fetch_all(query))


def windows(db: Database) -> None:
    """A running total, and a rank within each part."""
    total = func.sum(Album.price).over(order_by=Album.year)
    rank = func.row_number().over(partition_by=Album.artist_id, order_by=Album.year.desc())
    print(db.fetch_all(select(Album.title, total, rank).order_by(Album.id)))


def compounds(db: Database) -> None:
    """Rows of two queries; order and limit are those of the whole."""
    names = select(Artist.name.label("name")).union(select(Album.title)).order_by("name").limit(3)
    print(db.fetch_all(names))


def common_tables(db: Database) -> None:
    """A query as a table of others, with its columns as `c`; one that reads from itself is recursive."""
    years = select(literal(1998).label("year")).cte("years")
    years = years.union_all(select(years.c.year + 3).where(years.c.year < 2010))
    query = select(years.c.year, func.count(Album.id)).join(Album, Album.year == years.c.year, left=True)
    print(db.fetch_all(query.group_by(years.c.year)))

    rank = func.row_number().over(partition_by=Album.artist_id, order_by=Album.year.desc())
    latest = select(Album.id, Album.title, rank.label("rank")).subquery("latest")
    print(db.fetch_all(select(latest.c[Album.title]).where(latest.c[rank] == 1).order_by(latest.c[Album.id])))


def table_functions(db: Database) -> None:
    """json_each() has a row for each element of JSON; any other function that gives rows is there by its name."""
    part = json_each(func.json_array(Album.title, Album.year), name="part")
    print(db.fetch_all(select(Album.id, part.c.value).join(part).where(part.c.type == "text")))
    info = table_function("pragma_table_info", "album", columns=["name", "type"])
    print(db.fetch_all(select(info.c.name, info.c.type)))


def pages(db: Database) -> None:
    """The page after a record stays right when rows come and go, however far down it is."""
    query = select(Album).order_by(Album.year.desc(), Album.id).limit(2)
    page = db.fetch_all(query)
    while page:
        print([album.title for album in page])
        page = db.fetch_all(query.after(page[-1]))


if __name__ == "__main__":
    with music() as database:
        for show in (
            conditions,
            chosen,
            columns,
            joins,
            records_side_by_side,
            groups,
            windows,
            compounds,
            common_tables,
            table_functions,
            pages,
        ):
            show(database)
