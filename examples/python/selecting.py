"""SELECT: columns, joins, groups, windows, compounds, common table expressions, paging."""

from __future__ import annotations

from music import Album, Artist, music

from cormorant import Database, alias, func, literal, name, optional, param, select


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
    """A query under a name; one that reads from its own name is recursive."""
    years = select(literal(1998)).union_all(
        select(name("years", "year") + 3).from_("years").where(name("years", "year") < 2010)
    )
    query = select(name("years", "year"), func.count(Album.id)).from_("years").with_("years", years, ["year"])
    by_year = query.join(Album, Album.year == name("years", "year"), left=True).group_by(name("years", "year"))
    print(db.fetch_all(by_year))


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
            columns,
            joins,
            records_side_by_side,
            groups,
            windows,
            compounds,
            common_tables,
            pages,
        ):
            show(database)
