"""Queries that type checkers must refuse: every line marked `# error` and no other. Never run."""

from datetime import datetime
from decimal import Decimal

from cormorant import (
    Column,
    Database,
    Model,
    alias,
    all_of,
    case,
    column,
    delete,
    excluded,
    func,
    insert,
    json_each,
    select,
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
    tracks = to_many("Track")

    title: Column[str]
    artist_id: Column[int] = column(references=Artist)
    released: Column[datetime | None] = column(default=None)
    price: Column[Decimal | None] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None)


db = Database("file.db")
albums = select(Album)

# Names.
Album.titel  # error
Album.artist.nmae  # error
alias(Album, "a").titel  # error
Album.where(Album.titel == "x")  # error
Album("One", 1, artist=Artist("Ada"))  # error

# Values of another type.
Album.artist_id > "x"  # error
Album.artist_id < Album.title  # error
"x" <= Album.artist_id  # error
Album.released > 2024  # error
Album.artist_id.between(1, "x")  # error
Album.artist_id.in_(["x"])  # error
Album.artist_id.in_(select(Album.title))  # error
Album.title.is_(5)  # error
albums.where(Album.artist_id == "x")  # error
albums.where(Album.title != 5)  # error
albums.where(Album.artist_id == Album.title)  # error
Album.title == Album.artist_id  # error
Album.title != Album.artist_id  # error
Album.released == Album.title  # error
Album.price == Album.released  # error
Album.id == Album.title  # error
albums.where((Album.id > 1) & (Album.title == Album.id))  # error
albums.join(Artist, Artist.name == Album.artist_id)  # error
all_of(Artist.name == Artist.id)  # error
delete(Album).where(Album.title == Album.artist_id)  # error
update(Album).set(title="x").where(Album.title == Album.artist_id)  # error
func.max(Album.released) > 3  # error

# Operators of another type.
Album.artist_id.like("x")  # error
Album.released.has_prefix("2024")  # error
Album.title + "x"  # error
Album.artist_id + "x"  # error
Album.released - 1  # error
Album.title.bit_and(1)  # error
Album.price + 0.5  # error
Album.price / 2  # error
func.avg(Album.price)  # error
Album.price > 0.5  # error
Album.artist_id & 3  # error
~Album.title  # error
(Album.artist_id > 3) & Album.title  # error
Album.artist_id.over()  # error
3 in Album.artist_id  # error
list(Album.title)  # error

# Clauses.
albums.where(True)  # error
albums.where(Album.title)  # error
albums.where("title = 'x'")  # error
all_of(Album.title)  # error
albums.order_by(3)  # error
albums.limit("3")  # error
albums.union(select(Artist))  # error
select(int)  # error
Album.title.asc(nulls="middle")  # error
update(int)  # error
update(Album).where(True)  # error
insert(Album).or_("skip")  # error
delete(Album).set(title="x")  # error
update(Album).set({Album.titel: "x"})  # error
update(Album).set([(Album.title, "x")])  # error
insert(Album).values({Album.titel: "x"})  # error
excluded[Album.artist_id] + "x"  # error
excluded[Album.titel]  # error
insert(Album).on_conflict(Album.titel)  # error
insert(Album).on_conflict(3)  # error
insert(Album).values([{Album.title: "x"}, {Album.titel: "x"}])  # error
insert(Album).values({Album.title: "x"}).on_conflict("title").do_update({Album.titel: "x"})  # error

# Results.
db.fetch_all(select(Album.title))[0][1]  # error
db.fetch_all(select(Album))[0].titel  # error
number: int = db.fetch_all(select(Album.title))[0][0]  # error
text: str = db.fetch_all(select(Album.title.optional()))[0][0]  # error
db.fetch_one(albums).title  # error
db.fetch_all(update(Album))  # error
db.execute(albums)  # error
db.count(albums.where(Album.title == 3))  # error
db.page_count(albums)  # error
db.fetch_all(select(Album, Artist))[0][1].title  # error
db.fetch_value(albums)  # error
db.fetch_value(select(Album.title, Album.id))  # error
db.fetch_value(select(Album.artist_id)) + 1  # error
db.fetch_values(select(Album.title))[0][0] + 1  # error
db.fetch_values(Album)  # error
db.fetch_value("SELECT ?", (1,), n=1)  # error

# Related records.
artist = Artist("Ada")
Album("One", 1).artist = Album("Two", 1)  # error
Artist("Ada").albums = [artist]  # error
Album.artist.in_([1])  # error
Album.artist.not_in(artist)  # error
select(Artist).where(Artist.albums.contains(artist))  # error
db.load(artist, Artist.name)  # error
db.load(artist, Artist.albums)[0].name  # error
db.load(artist, Artist.albums, where=True)  # error
db.save_graph("x")  # error

# Subqueries.
latest = select(Album.artist_id, Album.title).subquery("latest")
latest.titel  # error
latest.c[Album.title] < 3  # error
latest.c[3]  # error
titles: list[tuple[int]] = db.fetch_all(select(latest.c[Album.title]))  # error
json_each(Album.title).c.id < "x"  # error
select(Album.title).subquery(1)  # error
select(Album).join(latest, Album.title)  # error

# Rows of values.
pair = tuple_(Album.title, Album.artist_id)
pair > ("x", "y")  # error
pair.in_([("x", None)])  # error
pair.in_(select(Album.title))  # error
tuple_(Album.title)  # error
select(pair)  # error
Album.artist_id.in_(Album.id)  # error
insert(Artist).values([1])  # error
db.one("SELECT 1", limit=1)  # error

# Aggregates along relations, and what may be NULL.
Artist.albums.max(Album.artist_id + 1)  # error
Artist.albums.sum(Album)  # error
year: int = db.fetch_values(select(Artist.albums.max(Album.artist_id)))[0]  # error
size: str = db.fetch_values(select(case((Album.artist_id > 3, "great"))))[0]  # error
