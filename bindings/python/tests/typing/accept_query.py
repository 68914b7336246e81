"""Queries that type checkers must accept: checked by mypy --strict and pyright, never run."""

from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from typing_extensions import assert_type

from cormorant import (
    Call,
    Column,
    Database,
    Expression,
    Insert,
    Model,
    Query,
    Result,
    RowValue,
    Select,
    Update,
    alias,
    all_of,
    case,
    column,
    delete,
    excluded,
    exists,
    func,
    insert,
    json_each,
    literal,
    many_to_many,
    name,
    optional,
    param,
    raw,
    scalar,
    select,
    sql,
    table_function,
    to_many,
    to_one,
    tuple_,
    update,
)


class Artist(Model):
    albums = to_many(lambda: Album)

    name: Column[str]
    id: Column[int | None] = column(primary_key=True, default=None)


class Album(Model):
    artist = to_one(Artist)
    labels = many_to_many("Label", through="AlbumLabel")

    title: Column[str]
    artist_id: Column[int] = column(references=Artist)
    price: Column[Decimal | None] = column(default=None)
    rating: Column[float] = column(default=0.0)
    released: Column[datetime | None] = column(default=None)
    live: Column[bool] = column(default=False)
    id: Column[int | None] = column(primary_key=True, default=None)


# Relations are no parameters of __init__.
Artist("Ada")
Album("One", 1)
now = datetime.now(timezone.utc)

assert_type(Album.title == "x", Expression[bool])
assert_type(Album.artist_id > 3, Expression[bool])
conditions = [
    3 < Album.artist_id,
    Album.artist_id == Artist.id,
    Artist.id == Album.artist_id,
    Album.released > now,
    Album.released.between(now, param("until")),
    Album.released == None,  # noqa: E711
    Album.released != func.max(Album.released),
    Album.price >= Decimal(3),
    Album.rating > 3,
    Album.rating + 1 > Album.artist_id,
    (Album.price * 2 + Decimal("0.5")) < Decimal(9),
    1 - Album.price > func.coalesce(func.sum(Album.price * Album.artist_id), Decimal(0)),
    Album.title.in_(["a", "b"]),
    Album.artist_id.in_(select(Artist.id)),
    Album.artist_id.not_in({1, 2}),
    Album.title.has_prefix("A") & ~Album.live | (Album.title.like("%x") & all_of(Album.live)),
    Album.title.collate("NOCASE").is_("x"),
    Album.artist_id.bit_and(3) == 1,
    Album.released.cast(str).contains("2024"),
    literal("Dr. ").concat(Artist.name) == "Dr. No",
    raw("length(title) > ?", 3),
    exists(select(Artist).where(Artist.id == Album.artist_id)),
    Album.artist_id == scalar(select(func.max(Artist.id))),
    Album.artist.name == "Ada",
    Artist.albums.any(Album.live),
    Artist.albums.none(),
    Artist.albums.count() > 3,
    Artist.albums.max(Album.released) < now,
    func.lower(Album.title) == "x",
    case((Album.live, 1), else_=0) == 1,
    name("t", "x") == 3,
]
assert_type(select(Album).where(*conditions), Select[Album])
assert_type(Album.artist_id + 1, Expression[int])
assert_type(1 - Album.artist_id * 2, Expression[int])
assert_type(Album.rating / 2, Expression[float])
assert_type(-Album.live, Expression[int])
assert_type(-Album.artist_id, Expression[int])
assert_type(func.count().distinct().filter(Album.live) > 3, Expression[bool])
assert_type(Artist.albums.max(Album.artist_id), Expression[int | None])
assert_type(Artist.albums.sum(Album.artist_id), Expression[int | None])
assert_type(func.lag(Album.artist_id).over(order_by=Album.id) == 3, Expression[bool | None])
assert_type(select(func.first_value(Album.title), func.dense_rank()), Select[tuple[str | None, int]])

boss = alias(Album, "boss")
assert_type(boss.title, Column[str])
assert_type(Album.where(Album.live), Select[Album])
assert_type(select(boss), Select[Album])
assert_type(select(Album.title, Album.id), Select[tuple[str, int | None]])
assert_type(select(Album.title, func.count(), Artist.albums.count()), Select[tuple[str, int, int]])

query = (
    select(Album.title, Artist.name, Album.price)
    .join(Artist, Album.artist_id == Artist.id, left=True)
    .join(Album.artist, as_=alias(Artist, "a"))
    .join(Artist.albums)
    .where(Album.live, Album.title == "x")
    .group_by(Album.id)
    .having(func.count() > 1)
    .order_by("-title", Artist.name.desc(nulls="last"))
    .limit(3)
    .offset(param("skip"))
    .distinct()
)
assert_type(query, Select[tuple[str, str, Decimal | None]])
left = select(Artist.name, Album.title.optional(), Album.artist_id.optional()).join(Artist.albums, left=True)
assert_type(left, Select[tuple[str, str | None, int | None]])
tree = select().from_("tree").with_("tree", query.union_all(query), ["a", "b", "c"])


@dataclass
class Total:
    title: str
    total: int


with Database("file.db") as db:
    assert_type(db.fetch_all(select(Album)), list[Album])
    assert_type(db.fetch_all(Album.where(Album.title == param("t")), t="x"), list[Album])
    assert_type(db.fetch_all(query, bindings={"skip": 3}), list[tuple[str, str, Decimal | None]])
    assert_type(db.fetch_one(select(Album.id)), tuple[int | None] | None)
    assert_type(db.fetch_all(query, into=Total), list[Total])
    assert_type(db.fetch_one(query, into=Total), Total | None)
    assert_type(db.fetch_value(select(func.count()).from_(Album)), int | None)
    assert_type(db.fetch_value(select(Album.released)), datetime | None)
    assert_type(db.fetch_values(select(Album.title)), list[str])
    assert_type(db.fetch_values(select(Album.id).where(Album.title == param("t")), t="One"), list[int | None])
    assert_type(db.fetch_values(update(Album).set(title="x").returning(Album.title)), list[str])
    assert_type(db.fetch_value("SELECT ?", (1,)), Any)
    assert_type(db.query("SELECT 1").fetch_one(), tuple[Any, ...] | None)
    assert_type(db.query("SELECT title, total FROM t", into=Total).fetch_all(), list[Total])
    assert_type(db.query("SELECT * FROM album WHERE id = ?", (1,), into=Album).fetch_one(), Album | None)
    assert_type(db.fetch_all(sql("SELECT {x}", x=1)), list[tuple[Any, ...]])
    assert_type(db.fetch_all("SELECT title, total FROM t WHERE total > ?", (1,), into=Total), list[Total])
    assert_type(db.fetch_one("SELECT :x", {"x": 1}), tuple[Any, ...] | None)
    assert_type(db.one(sql("SELECT {x} AS total", x=1), into=Total), Total)
    assert_type(db.cursor("SELECT 1"), Result[tuple[Any, ...]])
    assert_type((db.exists("SELECT 1"), db.count("SELECT ?", (1,))), tuple[bool, int])
    for title, live in db.cursor(select(Album.title, Album.live)):
        assert_type(title, str)
        assert_type(live, bool)
    for row in db.cursor(query).dicts():
        assert_type(row, dict[str, Any])
    assert_type(db.count(query, skip=1), int)
    assert_type(db.page_count(query, page_size=10, skip=1), int)
    assert_type(db.exists(query, skip=1), bool)
    assert_type(db.explain(query), str)
    changed = update(Album).set(rating=Album.rating + 1, title=param("t")).where(Album.live)
    assert_type(db.execute(changed, t="x"), int)
    by_column = {Album.title: "x", Album.rating: Album.rating + 1}
    assert_type(update(Album).set(by_column), Update[Album])
    assert_type(update(Album).set({Album.artist: Artist("Ada"), "live": True}), Update[Album])
    assert_type(insert(Album).values([by_column, {Album.title: "y", Album.artist_id: 3}]), Insert[Album])
    assert_type(insert(Artist).values({Artist.name: letter} for letter in "ab"), Insert[Artist])
    upsert = (
        insert(Artist)
        .values({Artist.name: "x"})
        .on_conflict(Artist.name)
        .do_update({Artist.name: excluded[Artist.name]})
    )
    assert_type(excluded[Album.price], Expression[Decimal | None])
    assert_type(insert(Artist).from_select([Artist.name], select(Album.title)), Insert[Artist])
    assert_type(upsert, Insert[Artist])
    assert_type(db.execute(delete(Album).where(Album.live)), int)
    assert_type(db.execute(insert(Artist).values(name="x").on_conflict("name").do_update(name=excluded.name)), int)
    assert_type(db.fetch_all(changed.returning(), t="x"), list[Album])
    assert_type(db.fetch_all(changed.returning(Album.id, Album.title), t="x"), list[tuple[int | None, str]])
    artists = db.fetch_all(select(Artist))
    assert_type(db.load(artists, Artist.albums, where=Album.live, order_by=["-title", Album.id], limit=3), list[Album])
    assert_type(db.load(Album("x", 1), Album.artist), list[Artist])
    artists[0].albums = [Album("x", 1)]
    db.save_graph(artists, delete_removed=True)
    album = db.fetch_one(select(Album))
    if album is not None:
        assert_type(album.artist, Artist | None)
        album.artist = artists[0]
        assert_type(query.after(album), Select[tuple[str, str, Decimal | None]])
    assert_type(Artist("x").albums, list[Album])

# Records side by side.
assert_type(select(Album, Artist), Select[tuple[Album, Artist]])
assert_type(select(Artist, optional(Album), func.count()), Select[tuple[Artist, Album | None, int]])
assert_type(select(Album.title, Artist), Select[tuple[str, Artist]])
assert_type(select(alias(Artist, "other"), Artist.name), Select[tuple[Artist, str]])
assert_type(select(optional(Album)), Select[tuple[Album | None]])
assert_type(
    select(Album.id, Album.title, Album.live, Artist, Album.title, Album.title, Album.live),
    Select[tuple[int | None, str, bool, Artist, str, str, bool]],
)

# Subqueries, common tables and table functions.
ranked = func.row_number().over(partition_by=Album.artist_id).label("rank")
latest = select(Album.artist_id, Album.title, ranked).subquery("latest")
assert_type(select(Album.artist_id).subquery().c[Album.artist_id], Expression[int])
assert_type(select(Album.artist_id).cte().union_all(select(Album.artist_id)).c[Album.artist_id], Expression[int])
assert_type(latest.c.title, Expression[Any])
assert_type(latest.c["title"], Expression[Any])
assert_type(latest.c[Album.title], Expression[str])
assert_type(latest.c[ranked], Expression[int])
assert_type(select(latest.c[Album.title], latest.c[ranked]), Select[tuple[str, int]])
assert_type(latest.alias("other").c[Album.title].optional(), Expression[str | None])
assert_type(select(Artist).join(latest, latest.c[Album.artist_id] == Artist.id), Select[Artist])
line = select(Album.id, literal(0).label("level")).cte("line")
line = line.union_all(select(Album.id, line.c.level + 1).join(line, line.c[Album.id] == Album.artist_id))
assert_type(select(line.c[Album.id]).from_(line), Select[tuple[int | None]])
element = json_each(Album.title, name="element")
assert_type(element.c.key, Expression[int | str | None])
assert_type(select(Album.title, element.c.type).join(element), Select[tuple[str, str]])
assert_type(element.alias("other").c.id, Expression[int])
assert_type(table_function("pragma_table_info", "album", columns=["name"]).c.name, Expression[Any])
update(Artist).from_(latest).set(name=latest.c.title).where(latest.c[Album.artist_id] == Artist.id)
select(optional(Artist), Album).join(Album, Album.artist_id == Artist.id, right=True)

# Rows of values, lists of parameters, rows of an insert, exactly one.
pair = tuple_(Album.title, Album.artist_id)
assert_type(pair, RowValue[tuple[str, int]])
assert_type(pair > ("x", 1), Expression[bool])
assert_type(pair == tuple_(Album.title, Album.artist_id), Expression[bool])
assert_type(pair.in_([("x", 1), ("y", 2)]), Expression[bool])
assert_type(pair.in_(select(Album.title, Album.artist_id)), Expression[bool])
assert_type(pair == select(Album.title, Album.artist_id), Expression[bool | None])
assert_type(pair.between(("x", 1), ("y", 2)) & pair.not_in(param("pairs")), Expression[bool])
assert_type(tuple_(Album.title, Album.price) == ("x", None), Expression[bool | None])
assert_type(Album.artist_id.in_(param("ids")), Expression[bool])
assert_type(Album.artist_id.not_in(param("ids")) & (Album.title == param("title")), Expression[bool])
assert_type(func.group_concat(Album.title).order_by(Album.id.desc(), Album.title).filter(Album.live), Call[Any])
added = insert(Artist).values([{"name": "x"}, {"name": Artist.name}]).returning(Artist.id)
assert_type(added, Query[tuple[int | None]])


def one(db: Database) -> None:
    assert_type(db.one(select(Album)), Album)
    assert_type(db.one(select(Album.title, Album.price)), tuple[str, Decimal | None])
    assert_type(db.one(Album, title="x"), Album)
    assert_type(db.one_value(select(Album.price)), Decimal | None)
    assert_type(db.one_value(select(func.count())), int)
    assert_type(db.one_value(added), int | None)


# What is never NULL, and what may be.
assert_type(Album.artist_id + 1, Expression[int])
assert_type(func.coalesce(func.sum(Album.artist_id), 0), Call[int])
assert_type(func.coalesce(func.sum(Album.artist_id), Album.artist_id), Call[int])
assert_type(func.sum(Album.artist_id) + 1, Expression[int | None])
assert_type(1 - func.max(Album.artist_id), Expression[int | None])
assert_type(func.coalesce(func.sum(Album.artist_id), 0) * 2, Expression[int])

# Columns as values of CASE, aggregates along relations: in a call, too, which has a type of its own in mind.
assert_type(select(Artist.albums.max(Album.artist_id)), Select[tuple[int | None]])
assert_type(select(Artist.albums.min(Album.released), Artist.albums.sum(Album.rating)).limit(1).offset(0).sql[0], str)
assert_type(select(Artist.name, Artist.albums.sum(Album.price)), Select[tuple[str, Decimal | None]])
assert_type(case((Album.live, Album.artist_id), else_=Album.artist_id), Expression[int])
assert_type(case((Album.live, Album.artist_id), else_=0), Expression[int])
assert_type(case((Album.live, "live"), else_=Album.title), Expression[str])
assert_type(case((Album.live, Album.artist_id), (Album.rating > 3, 0), else_=Album.id), Expression[int | None])
assert_type(select(Album.id, case((Album.live, Album.title), else_=Artist.name)), Select[tuple[int | None, str]])
# Without else_ it may be NULL.
assert_type(case((Album.live, "live")), Expression[str | None])
assert_type(case((Album.live, Album.title), (Album.rating > 3, "good")), Expression[str | None])
assert_type(case((1, Album.artist_id), base=Album.id), Expression[int | None])
assert_type(select(case((Album.live, Album.artist_id))), Select[tuple[int | None]])

# What is made of something that may be NULL may be NULL.
assert_type(func.length(Album.title), Call[int])
assert_type(func.length(Album.price), Call[int | None])
assert_type(func.length(literal("x")), Call[int])
assert_type(func.sum(Album.live), Call[int | None])
assert_type(func.sum(Album.artist_id > 3), Call[int | None])
assert_type(func.sum(Album.rating), Call[float | None])
assert_type(Album.title.concat("!", Artist.name), Expression[str])
assert_type(Album.title.concat(Album.artist_id), Expression[str])
assert_type(Album.title.concat(Album.id), Expression[str | None])
assert_type(Album.title.concat(None), Expression[str | None])
assert_type(Album.price.concat("!"), Expression[str | None])
assert_type(Album.released.cast(str), Expression[str | None])
assert_type(Album.artist_id.cast(str), Expression[str])
assert_type(Album.id.cast(float) * 2, Expression[float | None])
assert_type(
    Album.artist_id.bit_and(3).bit_or(Artist.albums.count()).shift_left(1).shift_right(2).bit_not(), Expression[int]
)
assert_type(Album.id.bit_and(3), Expression[int | None])
assert_type(Album.artist_id.bit_or(Album.id), Expression[int | None])
assert_type(Album.id.bit_not(), Expression[int | None])
assert_type(Album.id.shift_left(1), Expression[int | None])
assert_type(Album.artist_id.shift_right(Album.id), Expression[int | None])
assert_type(Album.artist_id / 2 % 3, Expression[int])
assert_type(Album.id / 2, Expression[int | None])
assert_type(7 % Album.id, Expression[int | None])
assert_type(func.sum(Album.rating) / Album.artist_id, Expression[float | None])

# Conditions on what may be NULL may be NULL; those that ask for NULL are not.
assert_type(Album.id == 1, Expression[bool | None])
assert_type(Album.artist_id == Artist.id, Expression[bool | None])
assert_type(Artist.id != Album.artist_id, Expression[bool | None])
assert_type(Album.price > Decimal(1), Expression[bool | None])
assert_type(Album.price == None, Expression[bool])  # noqa: E711
assert_type(Album.price.is_null() | Album.price.is_not(Decimal(1)), Expression[bool])
assert_type(Album.artist_id == Album.artist_id + 1, Expression[bool])
assert_type(Album.rating >= 1, Expression[bool])
assert_type(Album.rating < Album.artist_id, Expression[bool])
assert_type(3 < Album.artist_id, Expression[bool])
assert_type(now < Album.released, Expression[bool | None])
assert_type(Album.live == True, Expression[bool])  # noqa: E712
assert_type(Album.title <= param("title"), Expression[bool])
assert_type(Album.rating.between(1, 2), Expression[bool])
assert_type(Album.rating.between(1, Album.price.cast(float)), Expression[bool | None])
assert_type(Album.released.between(now, now), Expression[bool | None])
assert_type(Album.title.in_(["a", "b"]), Expression[bool])
assert_type(Album.title.in_(["a", None]), Expression[bool])
assert_type(Album.title.in_(select(Artist.name)), Expression[bool])
assert_type(Album.artist_id.not_in(select(Artist.id)), Expression[bool | None])
assert_type(Album.id.in_([1, 2]), Expression[bool | None])
assert_type(Album.title.like("a%") & ~Album.title.contains(Artist.name), Expression[bool])
assert_type(Album.released.cast(str).has_prefix("2024"), Expression[bool | None])
assert_type(Album.title.glob(func.max(Album.title)), Expression[bool | None])
assert_type(Album.live & (Album.id > 1), Expression[bool | None])
assert_type((Album.id > 1) | Album.live, Expression[bool | None])
assert_type(~(Album.id > 1), Expression[bool | None])
assert_type(all_of(Album.live, Album.rating > 1), Expression[bool])
assert_type(all_of(Album.live, Album.id > 1), Expression[bool | None])
assert_type(select(Album.title, Album.id > 1), Select[tuple[str, bool | None]])
condition: Expression[bool | None] = Album.rating > 1
condition &= Album.id > 1
assert_type(select(Album).where(condition).having(condition).load(Album.artist, where=condition), Select[Album])
assert_type(tuple_(Album.title, Album.price).in_([("x", None)]), Expression[bool | None])
assert_type(tuple_(Album.title, Album.price).between(("x", None), ("y", Decimal(2))), Expression[bool | None])
assert_type(tuple_(Album.title, Album.price) < ("x", Decimal(2)), Expression[bool | None])
assert_type(pair < pair, Expression[bool])
