"""Related records in Python objects; the scenarios say what is loaded and saved."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from music import MODELS, Album, Artist, Employee, Entry, Playlist, Track

import cormorant
from cormorant import (
    Column,
    Database,
    ToMany,
    ToOne,
    TracedStatement,
    asdict,
    column,
    counting,
    is_loaded,
    many_to_many,
    select,
    to_many,
    to_one,
)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(*MODELS)
        yield database


@pytest.fixture
def filled(db: Database) -> Database:
    db.insert_many([Artist("Ada"), Artist("Bix"), Artist("Cab")])
    db.insert_many([Album("One", 1, 1999), Album("Two", 1, 2005), Album("Three", 2, 2010)])
    db.insert_many([Track("a", 1, 100), Track("b", 1, 200), Track("c", 3, 300)])
    db.insert_many([Playlist("Best"), Playlist("Worst")])
    db.insert_many([Entry(1, 1), Entry(1, 3), Entry(2, 3)])
    return db


def titles(records: list[Any]) -> list[str]:
    return [record.title for record in records]


def read(statements: list[TracedStatement]) -> list[str]:
    """Those that read tables of models."""
    return [statement.sql for statement in statements if "FROM" in statement.sql and "sqlite_" not in statement.sql]


def test_one_record(filled: Database) -> None:
    album = filled.find(Album, 3)
    assert album is not None
    assert filled.load(album, Album.artist) == [Artist("Bix", id=2)]
    assert album.artist == Artist("Bix", id=2)
    with pytest.raises(cormorant.NotLoadedError):
        album.tracks  # noqa: B018
    assert filled.load([], Album.artist) == []


def test_a_record_as_a_dict(filled: Database) -> None:
    [artist, *_] = filled.fetch_all(select(Artist).load(Artist.albums / Album.tracks, Artist.albums / Album.artist))
    assert asdict(artist) == {"id": 1, "name": "Ada"}
    told = asdict(artist, Artist.albums, Artist.albums / Album.tracks)
    assert [list(album) for album in told["albums"]] == [["id", "title", "artist_id", "year", "tracks"]] * 2
    assert [track["title"] for track in told["albums"][0]["tracks"]] == ["a", "b"]
    assert told["albums"][1]["tracks"] == []
    assert asdict(artist.albums[0], Album.artist)["artist"] == {"id": 1, "name": "Ada"}
    artist.albums[0].artist = None
    assert asdict(artist.albums[0], Album.artist)["artist"] is None
    with pytest.raises(cormorant.NotLoadedError):
        asdict(artist, Artist.albums / Album.tracks / Track.playlists)
    given: Any
    for given in ((artist, Album.tracks), ("x",), (Artist,)):
        with pytest.raises(cormorant.ProgrammingError):
            asdict(*given)


class Song(cormorant.Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    title: Column[str]


class Line(cormorant.Model, table="setlist_lines", primary_key=("setlist_id", "song_id")):
    """A junction with a column of its own."""

    position: Column[int]
    setlist_id: Column[int | None] = column(references="setlist", default=None)
    song_id: Column[int | None] = column(references=Song, default=None)
    song: ToOne[Song] = to_one(Song)


class Setlist(cormorant.Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    lines: ToMany[Line] = to_many(Line)
    songs: ToMany[Song] = many_to_many(Song, through=Line)


def test_rows_of_a_junction_with_columns_of_their_own(db: Database) -> None:
    db.create_tables(Song, Setlist, Line)
    evening = Setlist("evening")
    evening.lines = [Line(1, song=Song("a")), Line(2, song=Song("b"))]
    db.save_graph(evening)
    assert db.fetch_all(Line, order_by="position") == [Line(1, 1, 1), Line(2, 1, 2)]
    evening.lines = [evening.lines[1], Line(3, song=Song("c"))]
    evening.lines[0].position = 9
    db.save_graph(evening, delete_removed=True)
    assert db.fetch_all(Line, order_by="position") == [Line(3, 1, 3), Line(9, 1, 2)]
    # By the other way what is between them has no place.
    evening.songs = [Song("d")]
    with pytest.raises(cormorant.NotNullViolation, match="position"):
        db.save_graph(evening)
    assert db.count(Song) == 3


def test_many_to_many_shares_its_records(filled: Database) -> None:
    lists = filled.fetch_all(Playlist, order_by="id")
    assert len(filled.load(lists, Playlist.tracks, order_by="title")) == 2
    assert [titles(item.tracks) for item in lists] == [["a", "c"], ["c"]]
    assert lists[0].tracks[1] is lists[1].tracks[0]


def test_several_levels(filled: Database) -> None:
    artists = filled.fetch_all(Artist, order_by="id")
    with counting(filled) as count:
        last = filled.load(artists, Artist.albums / Album.tracks / Track.playlists)
    assert len(read(count)) == 3
    assert sorted(item.name for item in last) == ["Best", "Worst"]
    assert [titles(album.tracks) for album in artists[0].albums] == [["a", "b"], []]
    assert [item.name for item in artists[1].albums[0].tracks[0].playlists] == ["Best", "Worst"]
    assert artists[2].albums == []


def test_a_level_that_two_have_in_common_is_loaded_once(filled: Database) -> None:
    tracks = filled.fetch_all(Track, order_by="id")
    with counting(filled) as count:
        filled.load(tracks, Track.album / Album.artist, Track.album / Album.tracks, Track.playlists)
    assert len(read(count)) == 4
    assert [track.album and track.album.artist and track.album.artist.name for track in tracks] == ["Ada", "Ada", "Bix"]
    assert tracks[0].album is tracks[1].album
    assert tracks[0].album is not None
    assert titles(tracks[0].album.tracks) == ["a", "b"]
    other = filled.fetch_all(Track, order_by="id")
    filled.load(other, Track.album.artist)
    assert other[2].album is not None
    assert other[2].album.artist == Artist("Bix", id=2)


def test_a_query_with_its_relations(filled: Database) -> None:
    query = select(Artist).load(Artist.albums / Album.tracks).where(Artist.name != "Cab").order_by("id")
    ada, bix = filled.fetch_all(query)
    assert titles(ada.albums[0].tracks) == ["a", "b"]
    assert titles(bix.albums[0].tracks) == ["c"]
    assert filled.fetch_one(query) == ada
    assert is_loaded(filled.fetch_one(query) or Artist(""), Artist.albums)
    assert filled.fetch_one(query.where(Artist.id > 7)) is None
    assert filled.count(query) == 2
    # Of one snapshot, also in a transaction that has written.
    with filled.transaction():
        filled.insert(Album("New", 1, 2020))
        assert len(filled.fetch_all(query)[0].albums) == 3


def test_a_query_with_some_of_a_relation(filled: Database) -> None:
    query = select(Artist).load(Artist.albums, order_by="-title", limit=1, where=Album.title != "zz").order_by("id")
    artists = filled.fetch_all(select(Artist).order_by("id"))
    filled.load(artists, Artist.albums, order_by=Album.title.desc(), limit=1)
    found = filled.fetch_all(query)
    assert [titles(artist.albums) for artist in found] == [titles(artist.albums) for artist in artists]
    assert len(found[0].albums) == 1
    one = filled.one(query.where(Artist.id == 1))
    assert titles(one.albums) == titles(found[0].albums)
    tracks = select(Album).load(Album.artist).load(Album.tracks, order_by="-title").load(Album.artist / Artist.albums)
    album = filled.one(tracks.where(Album.id == found[0].albums[0].id))
    assert titles(album.tracks) == sorted(titles(album.tracks), reverse=True)
    assert album.artist is not None
    assert len(album.artist.albums) == 2


def test_whether_a_relation_is_loaded(filled: Database) -> None:
    artist = filled.fetch_one(Artist, id=1)
    assert artist is not None
    assert not is_loaded(artist, Artist.albums)
    filled.load(artist, Artist.albums)
    assert is_loaded(artist, Artist.albums)
    album = Album("x", 1)
    assert not is_loaded(album, Album.artist)
    album.artist = None
    assert is_loaded(album, Album.artist)
    with pytest.raises(cormorant.ProgrammingError, match="one of Album where it has Artist"):
        is_loaded(album, Artist.albums)


def test_wrong_loads(filled: Database) -> None:
    artist = Artist("x", id=1)
    for wrong, message in (
        (lambda: filled.load(artist, Album.artist), "one of Artist where it has Album"),
        (lambda: filled.load(artist, Artist.name), "no relation"),  # type: ignore[call-overload]
        (lambda: filled.load(artist, Artist.albums, order_by="titel"), "did you mean title"),
        (lambda: filled.load(artist, Artist.albums, limit=-1), "limit"),
        (lambda: filled.load(Album("x", 1), Album.artist, limit=1), "leads to one"),
        (lambda: filled.load(artist), "no relation to load"),
        (lambda: filled.load(artist, Artist.albums, Artist.albums / Album.tracks, limit=1), "call of its own"),  # type: ignore[call-overload]
        (lambda: filled.load(artist, Artist.albums / Album.tracks, order_by=Album.title), "call of its own"),
        (lambda: filled.fetch_all(select(Artist).load(Artist.albums / Album.tracks, limit=1)), "call of its own"),
        (lambda: filled.load(artist, Artist.albums / Playlist.tracks), r"Playlist\.tracks.* does not go on from"),
        (lambda: Artist.albums / Artist.name, "no relation"),  # type: ignore[operator]
        (lambda: select(Artist).load(), "no relation to load"),
        (lambda: select(Artist.name).load(Artist.albums), "gives no records"),
        (lambda: filled.fetch_all(select(Artist).load(Artist.name)), "no relation"),  # type: ignore[arg-type]
        (lambda: filled.cursor(select(Artist).load(Artist.albums)), "a cursor loads no"),
        (lambda: filled.observe_live(select(Artist).load(Artist.albums)), "a live query loads no"),
        (lambda: filled.fetch_all(select(Artist).load(Artist.albums), into=dict), "`into` loads no"),
    ):
        with pytest.raises(cormorant.ProgrammingError, match=message):
            wrong()


def graph() -> Artist:
    artist = Artist("Ada")
    artist.albums = [Album("One", 0), Album("Two", 0)]
    artist.albums[0].tracks = [Track("a", 0), Track("b", 0)]
    artist.albums[0].artist = artist
    best = Playlist("Best")
    best.tracks = artist.albums[0].tracks
    for track in best.tracks:
        track.playlists = [best]
    return artist


def test_a_graph_is_saved_with_its_keys(db: Database) -> None:
    artist = graph()
    db.save_graph(artist)
    assert artist.id == 1
    assert [(album.id, album.artist_id) for album in artist.albums] == [(1, 1), (2, 1)]
    assert [track.album_id for track in artist.albums[0].tracks] == [1, 1]
    assert db.fetch_all(select(Entry.playlist_id, Entry.track_id)) == [(1, 1), (1, 2)]
    artist.name = "Ann"
    artist.albums[1].title = "2"
    db.save_graph(artist)
    assert [db.count(model) for model in (Artist, Album, Track, Playlist, Entry)] == [1, 2, 2, 1, 2]
    assert db.fetch_all(select(Album.title, Album.artist.name).order_by("title")) == [("2", "Ann"), ("One", "Ann")]


def test_the_way_back_is_not_set(db: Database) -> None:
    ada, bix = Artist("Ada"), Artist("Bix")
    ada.albums, bix.albums = [Album("One", 0), Album("Two", 0)], []
    db.save_graph([ada, bix])
    album = ada.albums.pop()
    assert not is_loaded(album, Album.artist)
    # The artist is no part of its graph, and it may go to another one's list.
    ada.name, album.title = "Ann", "2"
    db.save_graph(album)
    assert db.fetch_values(select(Artist.name).order_by("id")) == ["Ada", "Bix"]
    bix.albums.append(album)
    db.save_graph(bix)
    assert db.fetch_all(select(Album.title, Album.artist.name).order_by("id")) == [("One", "Ada"), ("2", "Bix")]


def test_a_rollback_around_takes_all_keys_back(db: Database) -> None:
    artist, album = Artist("Ada"), Album("One", 0, 1999)
    artist.albums = [album]
    with pytest.raises(KeyError), db.transaction():
        with db.transaction():
            db.save_graph(artist)
        assert album.artist_id == artist.id == 1
        raise KeyError
    assert (artist.id, album.id, album.artist_id) == (None, None, 0)
    # A row of somebody else's has the key now; the album is not his.
    db.insert(Artist("Eve"))
    db.save_graph(artist)
    assert album.artist_id == artist.id == 2


def test_what_was_removed(filled: Database) -> None:
    artist, playlist = filled.find(Artist, 1), filled.find(Playlist, 1)
    assert artist is not None
    assert playlist is not None
    filled.load(artist, Artist.albums, order_by="id")
    filled.load(playlist, Playlist.tracks, order_by="title")
    artist.albums.pop()
    playlist.tracks = [*playlist.tracks[1:], Track("d", 3)]
    filled.save_graph([artist, playlist])
    assert filled.count(Album) == 3
    assert filled.count(Entry) == 4
    filled.save_graph([artist, playlist], delete_removed=True)
    assert filled.count(Album) == 2
    assert filled.count(Track) == 4
    assert filled.fetch_all(select(Entry.track_id).where(Entry.playlist_id == 1).order_by("track_id")) == [(3,), (4,)]
    filled.load(artist, Artist.albums, limit=1)
    with pytest.raises(cormorant.ProgrammingError, match="loaded in part"):
        filled.save_graph(artist, delete_removed=True)


def test_relations_of_a_model_to_itself_and_circles(db: Database) -> None:
    eva, fay, gus = Employee("Eva"), Employee("Fay"), Employee("Gus")
    eva.reports = [fay]
    gus.manager = fay
    db.save_graph([gus, eva])
    assert (eva.id, fay.manager_id, gus.manager_id) == (1, 1, 2)
    eva.manager = gus
    with pytest.raises(cormorant.ProgrammingError, match="circle: Employee"):
        db.save_graph([gus, eva])
    assert db.count(Employee) == 3
    assert db.one(Employee, id=1).manager_id is None


def test_a_foreign_key_that_was_changed_is_not_overwritten(filled: Database) -> None:
    album, artist = filled.find(Album, 1), filled.find(Artist, 1)
    assert album
    assert artist
    for load in (True, False):
        if load:
            filled.load(album, Album.artist)
        else:
            album.artist = artist
        album.artist_id = 2
        message = r"Album\.artist_id is 2 where the row has 1, but the record of <relation Album\.artist> has 1"
        with pytest.raises(cormorant.ProgrammingError, match=message) as raised:
            filled.save_graph(album)
        assert (raised.value.table, raised.value.columns) == ("albums", ("artist_id",))
        album.artist_id = None  # type: ignore[assignment]
        with pytest.raises(cormorant.ProgrammingError, match="is None where the row has 1"):
            filled.save_graph(album)
        album.artist = Artist("Dot")
        album.artist_id = 3
        with pytest.raises(cormorant.ProgrammingError, match=r"is 3 where the row has 1, but .* has 4"):
            filled.save_graph(album)
        assert filled.count(Artist) == 3
    del album.artist
    filled.save_graph(album)
    assert filled.find(Album, 1) == album
    filled.load(artist, Artist.albums)
    artist.albums[0].artist_id = 2
    with pytest.raises(cormorant.ProgrammingError, match="is 2 where the row has 1"):
        filled.save_graph(artist)


def test_a_foreign_key_that_was_written_is_not_taken_back_by_what_was_only_loaded(filled: Database) -> None:
    album = filled.find(Album, 1)
    assert album
    filled.load(album, Album.artist)
    album.artist_id = 2
    album.update(filled, Album.artist_id)
    with pytest.raises(cormorant.ProgrammingError, match=r"is 2 where the row has 2, but .* has 1"):
        filled.save_graph(album)
    row = filled.find(Album, 1)
    assert row
    assert row.artist_id == 2
    filled.load(album, Album.artist)
    filled.save_graph(album)
    album.artist = filled.find(Artist, 3)
    filled.save_graph(album)
    assert album.artist_id == 3


def test_copies_of_what_was_loaded(filled: Database) -> None:
    album = filled.find(Album, 1)
    assert album
    filled.load(album, Album.artist)
    other = copy.copy(album)
    other.id, other.artist_id = None, 2
    with pytest.raises(cormorant.ProgrammingError, match=r"is 2, but .* has 1"):
        filled.save_graph(other)
    # What is new gets new keys, and leads to what is new.
    twin = copy.deepcopy(album)
    assert isinstance(twin.artist, Artist)
    twin.id = twin.artist.id = None
    filled.save_graph(twin)
    assert twin.artist_id == twin.artist.id == 4
    assert filled.count(Album) == 4


def test_a_foreign_key_that_was_not_changed_follows_the_relation(filled: Database) -> None:
    album, ada, bix = filled.find(Album, 1), filled.find(Artist, 1), filled.find(Artist, 2)
    assert album
    assert ada
    assert bix
    filled.load(album, Album.artist)
    album.artist = bix
    filled.save_graph(album)
    assert album.artist_id == 2
    album.artist = Artist("Dot")
    filled.save_graph(album)
    assert album.artist_id == 4
    del album.artist
    filled.load([ada, bix], Artist.albums)
    ada.albums.append(album)
    filled.save_graph([ada, bix])
    assert album.artist_id == 1
    ada.albums = [Album("New", 0), Album("Other", 7)]
    filled.save_graph(ada)
    assert [item.artist_id for item in ada.albums] == [1, 1]


def test_wrong_graphs(db: Database) -> None:
    artist = Artist("Ada")
    artist.albums = [Track("x", 1)]  # type: ignore[list-item]
    with pytest.raises(cormorant.ProgrammingError, match="one of Track where it has Album"):
        db.save_graph(artist)
    artist.albums = None  # type: ignore[assignment]
    with pytest.raises(cormorant.ProgrammingError, match="a list"):
        db.save_graph(artist)
    album, bix = Album("One", 0), Artist("Bix")
    artist.albums, album.artist = [album], bix
    with pytest.raises(cormorant.ProgrammingError, match="two records"):
        db.save_graph([artist, bix])
    with pytest.raises(cormorant.ProgrammingError, match="model"):
        db.save_graph([5])  # type: ignore[list-item]


def test_a_limit_beyond_all_rows(filled: Database) -> None:
    for limit in (2**31 - 1, 2**31, 2**70):
        artist = filled.one(select(Artist).load(Artist.albums, limit=limit).where(Artist.id == 1))
        assert len(artist.albums) == len(filled.load(artist, Artist.albums, limit=limit)) > 1
