"""What the pages about other libraries have on the right: each function does what theirs of the same name does."""

from __future__ import annotations

from typing import Any

from cormorant import (
    Column,
    Database,
    Model,
    UniqueViolation,
    case,
    column,
    delete,
    exists,
    func,
    insert,
    key,
    many_to_many,
    raw,
    scalar,
    select,
    to_many,
    to_one,
    update,
)


class Artist(Model):
    id: Column[int] = key()
    name: Column[str] = column(unique=True)
    albums = to_many(lambda: Album)


class Album(Model):
    id: Column[int] = key()
    title: Column[str]
    year: Column[int]
    price: Column[float | None] = column(default=None)
    artist_id: Column[int | None] = column(references=Artist, on_delete="cascade", index=True, default=None)
    artist = to_one(Artist)
    tags = many_to_many(lambda: Tag, through=lambda: AlbumTag)


class Tag(Model):
    id: Column[int] = key()
    name: Column[str] = column(unique=True)


class AlbumTag(Model, unique=[("album_id", "tag_id")]):
    id: Column[int] = key()
    album_id: Column[int] = column(references=Album, on_delete="cascade")
    tag_id: Column[int] = column(references=Tag, on_delete="cascade")


# Reading


def by_key(db: Database) -> Any:
    """by key, or None"""
    return db.find(Album, 2)


def one(db: Database) -> Any:
    """one by a value, or None"""
    return db.fetch_one(Artist, name="Nina")


def all_of_a_table(db: Database) -> Any:
    """all, in order"""
    return db.fetch_all(Album, order_by="title")


def order(db: Database) -> Any:
    """order by two"""
    return db.fetch_all(select(Album).order_by(Album.year.desc(), Album.title))


def slice_(db: Database) -> Any:
    """a slice"""
    return db.fetch_all(select(Album).order_by(Album.id).limit(2).offset(2))


def count(db: Database) -> Any:
    """how many"""
    return db.count(Album.where(Album.year > 2000))


def any_(db: Database) -> Any:
    """whether any"""
    return db.exists(Album.where(Album.year > 2000))


def some_columns(db: Database) -> Any:
    """some columns, as tuples"""
    return db.fetch_all(select(Album.title, Album.year).order_by(Album.id))


def dicts(db: Database) -> Any:
    """as dicts"""
    return db.cursor(select(Album.title, Album.year).order_by(Album.id)).dicts().fetch_all()


def values(db: Database) -> Any:
    """one column, as values"""
    return db.fetch_values(select(Album.title).order_by(Album.title))


def distinct(db: Database) -> Any:
    """different values"""
    return db.fetch_all(select(Album.year).distinct().order_by(Album.year))


def stream(db: Database) -> Any:
    """many rows, one by one"""
    return [album.title for album in db.cursor(select(Album).order_by(Album.id))]


# Conditions


def both(db: Database) -> Any:
    """and"""
    return db.fetch_all(Album.where(Album.year > 1990, Album.price < 12).order_by(Album.id))


def either(db: Database) -> Any:
    """or"""
    return db.fetch_all(Album.where((Album.year < 1990) | (Album.price > 14)).order_by(Album.id))


def negated(db: Database) -> Any:
    """not"""
    return db.fetch_all(Album.where(~(Album.year == 2004)).order_by(Album.id))


def in_list(db: Database) -> Any:
    """one of a list"""
    return db.fetch_all(Album.where(Album.year.in_([1998, 2004])).order_by(Album.id))


def between(db: Database) -> Any:
    """between"""
    return db.fetch_all(Album.where(Album.year.between(1990, 2004)).order_by(Album.id))


def null(db: Database) -> Any:
    """NULL"""
    return db.fetch_all(Album.where(Album.price.is_null()))


def contains(db: Database) -> Any:
    """contains a text, in which % is no wildcard"""
    return db.fetch_all(Album.where(Album.title.contains("% off")))


def starts(db: Database) -> Any:
    """starts with"""
    return db.fetch_all(Album.where(Album.title.has_prefix("Sea")))


def calculated(db: Database) -> Any:
    """calculated from two columns"""
    return db.fetch_all(select(Album.title, Album.price * 2).where(Album.price.is_not_null()).order_by(Album.id))


def choice(db: Database) -> Any:
    """CASE"""
    return db.fetch_all(select(Album.title, case((Album.year < 2000, "old"), else_="new")).order_by(Album.id))


def piece_of_sql(db: Database) -> Any:
    """a piece of SQL"""
    return db.fetch_all(Album.where(raw("length(title) > ?", 6)).order_by(Album.id))


# Aggregates and subqueries


def aggregate(db: Database) -> Any:
    """over all rows"""
    return db.fetch_one(select(func.max(Album.year), func.avg(Album.price)))


def group(db: Database) -> Any:
    """by group"""
    return db.fetch_all(select(Album.year, func.count()).group_by(Album.year).order_by(Album.year))


def having(db: Database) -> Any:
    """HAVING"""
    return db.fetch_all(select(Album.year, func.count()).group_by(Album.year).having(func.count() > 1))


def subquery(db: Database) -> Any:
    """compared with a subquery"""
    return db.fetch_all(Album.where(Album.price > scalar(select(func.avg(Album.price)))).order_by(Album.id))


def in_subquery(db: Database) -> Any:
    """in a subquery"""
    return db.fetch_all(Artist.where(Artist.id.in_(select(Album.artist_id).where(Album.year < 1990))))


def window(db: Database) -> Any:
    """window function"""
    rank = func.row_number().over(partition_by=Album.artist_id, order_by=Album.year.desc())
    return db.fetch_all(select(Album.title, rank).order_by(Album.id))


def best_of_each(db: Database) -> Any:
    """the best of each group"""
    rank = func.row_number().over(partition_by=Album.artist_id, order_by=[Album.year.desc(), Album.id])
    t = select(Album.title, rank.label("rank")).subquery("t")
    return db.fetch_all(select(t.c.title, t.c.rank).where(t.c.rank == 1).order_by(t.c.title))


# Relations


def along(db: Database) -> Any:
    """a condition on the related record"""
    return db.fetch_all(Album.where(Album.artist.name == "Nina").order_by(Album.id))


def related_any(db: Database) -> Any:
    """those with a related record that ..."""
    return db.fetch_all(Artist.where(Artist.albums.any(Album.year < 1990)))


def related_none(db: Database) -> Any:
    """those without any"""
    return db.fetch_all(Artist.where(Artist.albums.none()))


def related_count(db: Database) -> Any:
    """with how many"""
    return db.fetch_all(select(Artist.name, Artist.albums.count()).order_by(Artist.id))


def pairs(db: Database) -> Any:
    """records side by side"""
    return db.fetch_all(select(Album, Artist).join(Album.artist).order_by(Album.id))


def left_join(db: Database) -> Any:
    """left join"""
    query = select(Artist.name, Album.title.optional()).join(Artist.albums, left=True)
    return db.fetch_all(query.order_by(Artist.id, Album.id))


def load_one(db: Database) -> Any:
    """related records to one, of many at once"""
    albums = db.fetch_all(Album, order_by="id")
    db.load(albums, Album.artist)
    return [album.artist.name for album in albums]


def load_many(db: Database) -> Any:
    """related records to many"""
    artists = db.fetch_all(Artist, order_by="id")
    db.load(artists, Artist.albums, order_by="id")
    return [[album.title for album in artist.albums] for artist in artists]


def load_through(db: Database) -> Any:
    """many to many"""
    album = db.find(Album, 1)
    return sorted(tag.name for tag in db.load(album, Album.tags))


def by_tag(db: Database) -> Any:
    """a condition along many to many"""
    return db.fetch_all(Album.where(Album.tags.any(Tag.name == "jazz")).order_by(Album.id))


# Writing


def create(db: Database) -> Any:
    """insert"""
    album = Album("New", 2025, artist_id=3)
    db.insert(album)
    return album.id


def create_many(db: Database) -> Any:
    """insert many"""
    db.insert_many([Tag("a"), Tag("b")])


def create_related(db: Database) -> Any:
    """insert with related records"""
    artist = Artist("Quin")
    artist.albums = [Album("First", 2020), Album("Second", 2021)]
    db.save_graph(artist)


def change(db: Database) -> Any:
    """change a record"""
    album = db.find(Album, 1)
    album.title = "Deeper Sea"
    db.update(album)


def change_where(db: Database) -> Any:
    """change where"""
    return db.execute(update(Album).set({Album.price: Album.price + 1}).where(Album.year < 2005))


def remove(db: Database) -> Any:
    """delete a record"""
    db.delete(db.find(Album, 3))


def remove_where(db: Database) -> Any:
    """delete where"""
    return db.execute(delete(Album).where(Album.price.is_null()))


def upsert(db: Database) -> Any:
    """insert or change"""
    db.execute(insert(Tag).values({Tag.id: 1, Tag.name: "blues"}).on_conflict(Tag.id).do_update({Tag.name: "blues"}))


def insert_missing(db: Database) -> Any:
    """insert unless it is there"""
    db.execute(insert(Tag).values({Tag.name: "jazz"}).or_("ignore"))


def get_or_create(db: Database) -> Any:
    """get, or insert"""
    tag, _ = db.get_or_create(Tag("soul"), on=Tag.name)
    return tag


def read_again(db: Database) -> Any:
    """read a record again"""
    album = db.find(Album, 1)
    db.execute("UPDATE album SET year = 1999 WHERE id = 1")
    db.refresh(album)
    return album.year


# Transactions and SQL


def all_or_nothing(db: Database) -> Any:
    """all or nothing"""
    try:
        with db.transaction():
            db.insert(Tag("lost"))
            db.insert(Tag("jazz"))
    except UniqueViolation:
        return "refused"


def savepoint(db: Database) -> Any:
    """a part that may fail"""
    with db.transaction():
        db.insert(Tag("kept"))
        try:
            with db.transaction():
                db.insert(Tag("jazz"))
        except UniqueViolation:
            pass


def sql(db: Database) -> Any:
    """SQL"""
    return db.query("SELECT title FROM album WHERE year = ? ORDER BY id", [2004]).fetch_all()


def sql_records(db: Database) -> Any:
    """records from SQL"""
    return db.fetch_all(Artist, "SELECT * FROM artist WHERE name < ? ORDER BY id", ["P"])


def sql_exists(db: Database) -> Any:
    """EXISTS, written out"""
    newer = select(Album.id).where(Album.artist_id == Artist.id, Album.year > 2010)
    return db.fetch_all(Artist.where(exists(newer)))
