"""Relations as the guide and `corm generate` write them, with records assigned to them."""

from __future__ import annotations

from typing import Any

from typing_extensions import assert_type

from cormorant import (
    Column,
    Database,
    Expression,
    Model,
    Select,
    ToMany,
    ToOne,
    asdict,
    column,
    is_loaded,
    many_to_many,
    select,
    to_many,
    to_one,
)


class Singer(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    boss_id: Column[int | None] = column(references="singer", default=None)
    songs = to_many(lambda: Song)
    boss = to_one(lambda: Singer)


class Song(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    title: Column[str]
    singer_id: Column[int | None] = column(references=Singer)
    singer = to_one(Singer)
    lists = many_to_many(lambda: List, through="ListSong")


class List(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]


class ListSong(Model, primary_key=("list_id", "song_id")):
    list_id: Column[int] = column(references=List)
    song_id: Column[int] = column(references=Song)


class Review(Model):
    """Annotated, for those who like to read what it is; by its name the annotation is all that is known."""

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    stars: Column[int]
    song_id: Column[int | None] = column(references=Song, default=None)
    song: ToOne[Song] = to_one("Song")
    likes: ToMany[Singer] = many_to_many("Singer", through="Like")


review = Review(5, song=Song("Tide", None))
assert_type(review.song, Song | None)
review.song = None
review.song = Song("Tide", None)
assert_type(Review.song.title, Column[str])
assert_type(Review.song.singer.name, Column[str])
assert_type(review.likes, list[Singer])
assert_type(asdict(review, Review.song, Review.song / Song.singer), dict[str, Any])
match review:
    case Review(stars, song_id):
        assert_type(stars, int)
        assert_type(song_id, int | None)

pia = Singer("Pia")
pia.songs = [Song("Tide", None)]
pia.boss = None
pia.boss = Singer("Otto")
pia.songs[0].singer = pia
pia.songs[0].lists = [List("best")]
assert_type(pia.songs, list[Song])
assert_type(Singer.songs, ToMany[Song])
assert_type(Song.singer.name, Column[str])
assert_type(select(Song).where(Song.singer == pia, Singer.songs.contains(pia.songs[0])), Select[Song])
assert_type(Song.singer.in_([pia, None]) | Song.singer.is_null(), Expression[bool | None])
assert_type(Review.song.singer.not_in([pia]), Expression[bool | None])
assert_type(Song.singer.is_not_null(), Expression[bool])
db = Database(":memory:")
assert_type(db.fetch_all(Song, singer=pia), list[Song])
assert_type(db.load(pia, Singer.songs / Song.lists), list[List])
assert_type(db.load([pia], Song.singer / Singer.songs), list[Song])
assert_type(db.load([pia], Singer.songs / Song.singer / Singer.boss), list[Singer])
db.load(pia, Singer.songs / Song.lists, Singer.boss)
assert_type(db.fetch_all(select(Singer).load(Singer.songs / Song.lists)), list[Singer])
assert_type(is_loaded(pia, Singer.songs), bool)
