"""What the page about peewee has on the left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from peewee import (
    JOIN,
    SQL,
    AutoField,
    Case,
    CharField,
    FloatField,
    ForeignKeyField,
    IntegerField,
    IntegrityError,
    Model,
    SqliteDatabase,
    fn,
    prefetch,
)

database = SqliteDatabase(None, pragmas={"foreign_keys": 1})


class Base(Model):
    class Meta:
        database = database
        legacy_table_names = False


class Artist(Base):
    id = AutoField()
    name = CharField(unique=True)


class Album(Base):
    id = AutoField()
    title = CharField()
    year = IntegerField()
    price = FloatField(null=True)
    artist = ForeignKeyField(Artist, backref="albums", on_delete="CASCADE")


class Tag(Base):
    id = AutoField()
    name = CharField(unique=True)


class AlbumTag(Base):
    id = AutoField()
    album = ForeignKeyField(Album, backref="album_tags", on_delete="CASCADE")
    tag = ForeignKeyField(Tag, on_delete="CASCADE")


@contextmanager
def opened(path: str) -> Iterator[SqliteDatabase]:
    database.init(path)
    with database:
        yield database


def by_key(db: SqliteDatabase) -> Any:
    return Album.get_or_none(Album.id == 2)


def one(db: SqliteDatabase) -> Any:
    return Artist.get_or_none(name="Nina")


def all_of_a_table(db: SqliteDatabase) -> Any:
    return list(Album.select().order_by(Album.title))


def order(db: SqliteDatabase) -> Any:
    return list(Album.select().order_by(Album.year.desc(), Album.title))


def slice_(db: SqliteDatabase) -> Any:
    return list(Album.select().order_by(Album.id).limit(2).offset(2))


def count(db: SqliteDatabase) -> Any:
    return Album.select().where(Album.year > 2000).count()


def any_(db: SqliteDatabase) -> Any:
    return Album.select().where(Album.year > 2000).exists()


def some_columns(db: SqliteDatabase) -> Any:
    return list(Album.select(Album.title, Album.year).order_by(Album.id).tuples())


def dicts(db: SqliteDatabase) -> Any:
    return list(Album.select(Album.title, Album.year).order_by(Album.id).dicts())


def distinct(db: SqliteDatabase) -> Any:
    return list(Album.select(Album.year).distinct().order_by(Album.year).tuples())


def stream(db: SqliteDatabase) -> Any:
    return [album.title for album in Album.select().order_by(Album.id).iterator()]


def both(db: SqliteDatabase) -> Any:
    return list(Album.select().where(Album.year > 1990, Album.price < 12).order_by(Album.id))


def either(db: SqliteDatabase) -> Any:
    return list(Album.select().where((Album.year < 1990) | (Album.price > 14)).order_by(Album.id))


def negated(db: SqliteDatabase) -> Any:
    return list(Album.select().where(~(Album.year == 2004)).order_by(Album.id))


def in_list(db: SqliteDatabase) -> Any:
    return list(Album.select().where(Album.year.in_([1998, 2004])).order_by(Album.id))


def between(db: SqliteDatabase) -> Any:
    return list(Album.select().where(Album.year.between(1990, 2004)).order_by(Album.id))


def null(db: SqliteDatabase) -> Any:
    return list(Album.select().where(Album.price.is_null()))


def contains(db: SqliteDatabase) -> Any:
    return list(Album.select().where(Album.title.contains("% off")))


def starts(db: SqliteDatabase) -> Any:
    return list(Album.select().where(Album.title.startswith("Sea")))


def calculated(db: SqliteDatabase) -> Any:
    return list(
        Album.select(Album.title, Album.price * 2).where(Album.price.is_null(False)).order_by(Album.id).tuples()
    )


def choice(db: SqliteDatabase) -> Any:
    return list(Album.select(Album.title, Case(None, [(Album.year < 2000, "old")], "new")).order_by(Album.id).tuples())


def piece_of_sql(db: SqliteDatabase) -> Any:
    return list(Album.select().where(SQL("length(title) > ?", [6])).order_by(Album.id))


def aggregate(db: SqliteDatabase) -> Any:
    return Album.select(fn.MAX(Album.year), fn.AVG(Album.price)).scalar(as_tuple=True)


def group(db: SqliteDatabase) -> Any:
    return list(Album.select(Album.year, fn.COUNT(Album.id)).group_by(Album.year).order_by(Album.year).tuples())


def having(db: SqliteDatabase) -> Any:
    number = fn.COUNT(Album.id)
    return list(Album.select(Album.year, number).group_by(Album.year).having(number > 1).tuples())


def subquery(db: SqliteDatabase) -> Any:
    Other = Album.alias()
    return list(Album.select().where(Album.price > Other.select(fn.AVG(Other.price))).order_by(Album.id))


def in_subquery(db: SqliteDatabase) -> Any:
    return list(Artist.select().where(Artist.id.in_(Album.select(Album.artist).where(Album.year < 1990))))


def window(db: SqliteDatabase) -> Any:
    rank = fn.ROW_NUMBER().over(partition_by=[Album.artist], order_by=[Album.year.desc()])
    return list(Album.select(Album.title, rank).order_by(Album.id).tuples())


def best_of_each(db: SqliteDatabase) -> Any:
    rank = fn.ROW_NUMBER().over(partition_by=[Album.artist], order_by=[Album.year.desc(), Album.id])
    t = Album.select(Album.title, rank.alias("rank"))
    return list(Album.select(t.c.title, t.c.rank).from_(t).where(t.c.rank == 1).order_by(t.c.title).tuples())


def along(db: SqliteDatabase) -> Any:
    return list(Album.select().join(Artist).where(Artist.name == "Nina").order_by(Album.id))


def related_any(db: SqliteDatabase) -> Any:
    return list(Artist.select().join(Album).where(Album.year < 1990).distinct())


def related_none(db: SqliteDatabase) -> Any:
    return list(Artist.select().join(Album, JOIN.LEFT_OUTER).where(Album.id.is_null()))


def related_count(db: SqliteDatabase) -> Any:
    query = Artist.select(Artist.name, fn.COUNT(Album.id)).join(Album, JOIN.LEFT_OUTER).group_by(Artist.id)
    return list(query.order_by(Artist.id).tuples())


def left_join(db: SqliteDatabase) -> Any:
    query = Artist.select(Artist.name, Album.title).join(Album, JOIN.LEFT_OUTER)
    return list(query.order_by(Artist.id, Album.id).tuples())


def load_one(db: SqliteDatabase) -> Any:
    albums = Album.select(Album, Artist).join(Artist).order_by(Album.id)
    return [album.artist.name for album in albums]


def load_many(db: SqliteDatabase) -> Any:
    artists = prefetch(Artist.select().order_by(Artist.id), Album.select().order_by(Album.id))
    return [[album.title for album in artist.albums] for artist in artists]


def load_through(db: SqliteDatabase) -> Any:
    return sorted(tag.name for tag in Tag.select().join(AlbumTag).where(AlbumTag.album == 1))


def by_tag(db: SqliteDatabase) -> Any:
    return list(Album.select().join(AlbumTag).join(Tag).where(Tag.name == "jazz").order_by(Album.id))


def create(db: SqliteDatabase) -> Any:
    album = Album.create(title="New", year=2025, artist=3)
    return album.id


def create_many(db: SqliteDatabase) -> Any:
    Tag.bulk_create([Tag(name="a"), Tag(name="b")])


def create_related(db: SqliteDatabase) -> Any:
    with db.atomic():
        artist = Artist.create(name="Quin")
        Album.create(title="First", year=2020, artist=artist)
        Album.create(title="Second", year=2021, artist=artist)


def change(db: SqliteDatabase) -> Any:
    album = Album.get_by_id(1)
    album.title = "Deeper Sea"
    album.save()


def change_where(db: SqliteDatabase) -> Any:
    return Album.update(price=Album.price + 1).where(Album.year < 2005).execute()


def remove(db: SqliteDatabase) -> Any:
    Album.get_by_id(3).delete_instance()


def remove_where(db: SqliteDatabase) -> Any:
    return Album.delete().where(Album.price.is_null()).execute()


def upsert(db: SqliteDatabase) -> Any:
    Tag.insert(id=1, name="blues").on_conflict(conflict_target=[Tag.id], update={Tag.name: "blues"}).execute()


def insert_missing(db: SqliteDatabase) -> Any:
    Tag.insert(name="jazz").on_conflict_ignore().execute()


def get_or_create(db: SqliteDatabase) -> Any:
    tag, _ = Tag.get_or_create(name="soul")
    return tag


def all_or_nothing(db: SqliteDatabase) -> Any:
    try:
        with db.atomic():
            Tag.create(name="lost")
            Tag.create(name="jazz")
    except IntegrityError:
        return "refused"


def savepoint(db: SqliteDatabase) -> Any:
    with db.atomic():
        Tag.create(name="kept")
        try:
            with db.atomic():
                Tag.create(name="jazz")
        except IntegrityError:
            pass


def sql(db: SqliteDatabase) -> Any:
    return db.execute_sql("SELECT title FROM album WHERE year = ? ORDER BY id", [2004]).fetchall()


def sql_records(db: SqliteDatabase) -> Any:
    return list(Artist.raw("SELECT * FROM artist WHERE name < ? ORDER BY id", "P"))
