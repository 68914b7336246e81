"""Relations to one that are set: whatever writes the record writes the foreign key of the other."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from music import MODELS, Album, Artist, Employee

import cormorant
from cormorant import (
    Column,
    Database,
    Model,
    ProgrammingError,
    ToOne,
    Transform,
    column,
    is_loaded,
    key,
    read_json,
    select,
    to_many,
    to_one,
)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(*MODELS, Player)
        database.insert_many([Artist("Ada"), Artist("Bix")])
        yield database


class Player(Model, unique=[("team_id", "number")]):
    """One with hooks, whose foreign key is part of a unique key."""

    id: Column[int | None] = key()
    number: Column[int]
    team_id: Column[int | None] = column(references=Employee, default=None)
    name: Column[str] = column(default="")
    team: ToOne[Employee] = to_one(Employee)

    def before_save(self, database: Database) -> None:
        if self.name == "inserts the team":
            self.team = Employee("made by the hook").insert(database)


WRITES: list[Callable[[Database, Album], object]] = [
    Database.insert,
    Database.save,
    Database.upsert,
    lambda db, album: db.insert(album, conflict="replace"),
    lambda db, album: db.insert_many([album]),
    lambda db, album: db.insert_many([album] * 1 + [Album(f"{i}", 1) for i in range(4100)]),
    lambda db, album: db.save_many([album]),
    lambda db, album: db.upsert_many([album]),
    lambda db, album: db.save_graph(album),
    lambda db, album: album.insert(db),
]


def written(db: Database, album: Album) -> int:
    return db.one_value(select(Album.artist_id).where(Album.title == album.title))


@pytest.mark.parametrize("write", WRITES)
def test_each_write_fills_the_foreign_key(db: Database, write: Callable[[Database, Album], object]) -> None:
    pia, album = Artist("Pia"), Album("Tide", 1)
    album.artist = pia
    assert album.artist_id is None
    db.insert(pia)
    write(db, album)
    assert album.artist_id == written(db, album) == pia.id == 3
    assert album.artist is pia
    # From now on the column counts, as beside a relation that was loaded.
    album.artist_id = 2
    db.update(album)
    assert written(db, album) == 2


@pytest.mark.parametrize("write", WRITES[:-2])
def test_each_write_refuses_a_related_record_without_key(
    db: Database, write: Callable[[Database, Album], object]
) -> None:
    album = Album("Tide", 1)
    album.artist = Artist("Pia")
    with pytest.raises(cormorant.ProgrammingError, match=r"Album\.artist.* record of Artist that has no key") as raised:
        write(db, album)
    assert raised.value.hint == "save both with save_graph(), or insert that one first"
    assert (raised.value.table, raised.value.columns) == ("albums", ("artist_id",))
    assert db.count(Album) == 0
    db.save_graph(album)
    assert written(db, album) == album.artist.id == 3


def test_a_batch_says_which_record_it_is(db: Database) -> None:
    albums = [Album(f"{number}", 1) for number in range(4200)]
    albums[4100].artist = Artist("Pia")
    with pytest.raises(cormorant.ProgrammingError) as raised:
        db.insert_many(albums)
    assert raised.value.record_index == 4100
    assert db.count(Album) == 0


def test_updates(db: Database) -> None:
    album = Album("Tide", 1).insert(db)
    before = copy.copy(album)
    bix, pia = db.one(Artist, id=2), Artist("Pia")
    album.artist = bix
    assert album.artist_id == 2
    db.update(album, "title")
    assert written(db, album) == 1
    assert db.update_changes(album, before) == ("artist_id",)
    assert written(db, album) == 2
    album.artist = pia
    before = copy.copy(album)
    db.update(album, Album.title)
    for write in (
        lambda: db.update(album),
        lambda: db.update(album, Album.artist_id),
        lambda: db.update_many([album], "artist_id"),
        lambda: db.update_changes(album, before),
    ):
        with pytest.raises(cormorant.ProgrammingError, match="no key"):
            write()
    assert written(db, album) == 2
    db.insert(pia)
    db.update(album, Album.artist_id)
    assert written(db, album) == album.artist_id == 3
    assert db.delete(album)


def test_none_is_a_foreign_key_too(db: Database) -> None:
    eva, fay = Employee("Eva"), Employee("Fay")
    db.insert(eva)
    fay.manager = eva
    db.insert(fay)
    fay.manager = None
    db.update(fay)
    assert fay.manager_id is None
    assert db.one_value(select(Employee.manager_id).where(Employee.name == "Fay")) is None
    assert fay.manager is None
    # What is given to a new record beside its foreign key says nothing of it.
    assert Player(1, eva.id, team=None).team_id == eva.id
    album = Album("Tide", 1).insert(db)
    album.artist = None
    with pytest.raises(cormorant.NotNullViolation, match="artist_id"):
        db.update(album)


def test_a_foreign_key_that_was_set_since_is_no_guess(db: Database) -> None:
    album = Album("Tide", 1)
    album.artist = db.one(Artist, id=2)
    for other in (1, None):
        album.artist_id = other  # type: ignore[assignment]
        for write in (db.insert, db.save, db.save_graph, lambda album: db.insert_many([album])):
            with pytest.raises(cormorant.ProgrammingError, match=rf"Album\.artist_id is {other}, but .* has 2"):
                write(album)
    del album.artist
    assert not is_loaded(album, Album.artist)
    album.artist_id = 1
    db.insert(album)
    assert written(db, album) == 1


def test_a_rollback_takes_the_key_of_the_other(db: Database) -> None:
    pia, album = Artist("Pia"), Album("Tide", 1)
    with pytest.raises(KeyError), db.transaction():
        db.insert(pia)
        album.artist = pia
        with db.transaction():
            db.insert(album)
        assert album.artist_id == 3
        raise KeyError
    assert (pia.id, album.id) == (None, None)
    db.insert(Artist("Eve"))
    # Her row has the key now.
    with pytest.raises(cormorant.ProgrammingError, match="no key"):
        db.insert(album)
    db.insert(pia)
    db.insert(album)
    assert written(db, album) == pia.id == 4


def test_hooks(db: Database) -> None:
    eva = Employee("Eva")
    player = Player(7, team=eva)
    with pytest.raises(cormorant.ProgrammingError, match="no key"):
        db.insert_many([player])
    db.insert(eva)
    db.insert_many([player])
    assert player.team_id == eva.id
    # By the unique key that the relation is part of.
    same, is_new = db.get_or_create(Player(7, name="other", team=eva), on=("team_id", "number"))
    assert (same.id, same.name, is_new) == (player.id, "", False)
    # What a hook sets is written, by an update of other properties, too.
    player.name = "inserts the team"
    db.update(player, "name")
    assert db.one(Player, id=player.id).team_id == player.team_id == 2
    fay = Employee("Fay")
    other = Player(8, name="inserts the team", team=fay)
    db.insert(other)
    assert other.team_id == 3


def test_what_is_read_anew_is_no_longer_related(db: Database) -> None:
    album = Album("Tide", 1).insert(db)
    db.load(album, Album.artist)
    db.execute("UPDATE albums SET artist_id = 2")
    db.refresh(album)
    assert not is_loaded(album, Album.artist)
    db.save_graph(album)
    assert written(db, album) == 2
    db.load(album, Album.artist)
    db.refresh(album)
    assert album.artist == Artist("Bix", id=2)
    album.artist = db.one(Artist, id=1)
    db.upsert(album, keep="artist_id")
    assert album.artist_id == 2
    assert not is_loaded(album, Album.artist)


def test_queues(db: Database) -> None:
    pia, album = Artist("Pia"), Album("Tide", 1)
    album.artist = pia
    with db.queue() as queue:
        batch = queue.begin()
        with pytest.raises(cormorant.ProgrammingError, match="no key"):
            batch.insert(album)
        with pytest.raises(cormorant.ProgrammingError, match="no key"):
            queue.add(Database.insert, album).result()
        queue.add(Database.insert, pia).result()
        batch.insert(album)
        batch.commit().result()
    assert written(db, album) == 3


def test_an_async_database(db: Database) -> None:
    async def main() -> None:
        async with cormorant.AsyncDatabase(db.path) as database:
            pia, album = Artist("Pia"), Album("Tide", 1)
            album.artist = pia
            with pytest.raises(cormorant.ProgrammingError, match="no key"):
                await database.insert(album)
            await database.insert(pia)
            await database.insert_many([album])
            assert album.artist_id == 3

    asyncio.run(main())
    assert db.one(Album).artist_id == 3


def test_copies(db: Database) -> None:
    album = Album("Tide", 1)
    album.artist = Artist("Pia")
    copies: list[Album] = [copy.copy(album), copy.deepcopy(album), pickle.loads(pickle.dumps(album))]
    for made in copies:
        with pytest.raises(cormorant.ProgrammingError, match="no key"):
            db.insert(made)
    db.insert(album.artist)
    db.insert(copies[0])
    db.insert(album)
    with pytest.raises(cormorant.ProgrammingError, match="no key"):
        db.insert(copies[1])
    assert {item.artist_id for item in db.fetch_all(Album)} == {3}


def test_json(db: Database) -> None:
    text = '[{"title": "Tide", "artist": {"name": "Pia"}}, {"title": "Ebb", "artist": {"id": 2, "name": "Bix"}}]'
    tide, ebb = read_json(Album, text)
    with pytest.raises(cormorant.ProgrammingError, match="no key"):
        db.insert(tide)
    db.insert(ebb)
    assert written(db, ebb) == 2
    db.save_graph(tide)
    assert written(db, tide) == 3


def test_wrong_records(db: Database) -> None:
    album: Any = Album("Tide", 1)
    for wrong in (album, 5, Artist):
        with pytest.raises(cormorant.ProgrammingError, match="where it has Artist"):
            album.artist = wrong
    assert not is_loaded(album, Album.artist)
    with pytest.raises(cormorant.NotLoadedError):
        del album.artist


class Profile(Model, primary_key=["employee_id"]):
    """One whose key is the other's."""

    employee_id: Column[int | None] = column(references=Employee, default=None, kw_only=True)
    text: Column[str]
    employee: ToOne[Employee] = to_one(Employee)


def test_a_foreign_key_that_is_the_key(db: Database) -> None:
    db.create_tables(Profile)
    eva = Employee("Eva")
    profile = Profile(text="x", employee=eva)
    with pytest.raises(cormorant.ProgrammingError, match="no key"):
        db.insert(profile)
    db.insert_many([Employee("Fay"), eva])
    db.insert(profile)
    assert db.one(Profile).employee_id == eva.id == 2
    with pytest.raises(cormorant.ProgrammingError, match="employee_id is the primary key"):
        profile.employee = None


BERLIN = ZoneInfo("Europe/Berlin")
# Local times, of which two that are equal in Python may be two moments.
LOCAL = Transform(
    lambda local: int(local.replace(tzinfo=BERLIN).timestamp()) * 1_000_000,
    lambda stored: datetime.fromtimestamp(stored // 1_000_000, timezone.utc).astimezone(BERLIN).replace(tzinfo=None),
)
ONCE, TWICE = (datetime(2026, 10, 25, 2, 30, fold=fold) for fold in (0, 1))


class Night(Model):
    at: Column[datetime] = column(type="datetime", transform=LOCAL, primary_key=True)
    name: Column[str]
    guests = to_many(lambda: Guest)


class Guest(Model):
    name: Column[str]
    night_at: Column[datetime | None] = column(type="datetime", transform=LOCAL, references=Night, default=None)
    night = to_one(Night)
    id: Column[int | None] = key()


def test_keys_are_compared_as_they_are_stored(db: Database) -> None:
    db.create_tables(Night, Guest)
    first, second = Night(ONCE, "first"), Night(TWICE, "second")
    db.insert_many([first, second])
    for related, at in ((first, TWICE), (second, ONCE)):
        for write in (db.insert, db.save, db.save_graph):
            guest = Guest("x")
            guest.night = related
            guest.night_at = at
            with pytest.raises(ProgrammingError, match=r"Guest\.night_at is .*, but the record of .* has"):
                write(guest)
        guest = Guest("y")
        guest.night = related
        guest.insert(db)
        assert db.one_value(select(Guest.night.name).where(Guest.id == guest.id)) == related.name
        # What another has written is no more the record that was loaded.
        db.execute("UPDATE guest SET night_at = (SELECT at FROM night WHERE name <> ?)", [related.name])
        assert is_loaded(guest, Guest.night)
        guest.refresh(db)
        assert not is_loaded(guest, Guest.night)
        db.execute("DELETE FROM guest")


def test_a_graph_keeps_a_key_as_it_is_stored(db: Database) -> None:
    db.create_tables(Night, Guest)
    db.insert_many([Night(ONCE, "first"), Night(TWICE, "second")])
    guest = Guest("x", ONCE).insert(db)
    db.load(guest, Guest.night)
    guest.night_at = TWICE
    with pytest.raises(ProgrammingError, match=r"Guest\.night_at is .*, but the record of .* has"):
        db.save_graph(guest)


class Writer(Model):
    tenant: Column[int] = column(primary_key=True)
    id: Column[int] = column(primary_key=True)


class Chapter(Model):
    id: Column[int | None] = key()
    tenant: Column[int | None] = column(default=None)
    author: Column[int | None] = column(default=None)
    text: Column[str] = column(default="")
    writer: ToOne[Writer] = to_one(Writer, columns=["tenant", "author"])


def update_by_queue(db: Database, chapter: Chapter, name: str) -> None:
    with db.queue() as queue:
        queue.begin().update(chapter, name)


UPDATES: list[Callable[[Database, Chapter, str], object]] = [
    Database.update,
    lambda db, chapter, name: db.update_many([db.one(select(Chapter).where(Chapter.id == 2)), chapter], name),
    update_by_queue,
]


@pytest.mark.parametrize("update", UPDATES)
def test_a_foreign_key_is_written_as_a_whole(db: Database, update: Callable[[Database, Chapter, str], object]) -> None:
    """Half of it would refer to another record, or to none."""
    db.create_tables(Writer, Chapter)
    writers = [Writer(1, 5), Writer(1, 7), Writer(2, 7)]
    db.insert_many(writers)
    chapter = Chapter(tenant=1, author=5)
    db.insert_many([chapter, Chapter()])
    chapter.writer = writers[1]
    chapter.writer = writers[2]
    for name in "author", "tenant":
        with pytest.raises(ProgrammingError, match=r"leaves out (tenant|author) of its foreign key"):
            update(db, chapter, name)
    db.update(chapter, "text")
    assert db.fetch_all(select(Chapter.tenant, Chapter.author).where(Chapter.id == 1)) == [(1, 5)]
    db.update(chapter, "author", "tenant")
    assert db.fetch_all(select(Chapter.tenant, Chapter.author).where(Chapter.id == 1)) == [(2, 7)]
    # Of the same tenant nothing is left out.
    chapter.tenant, chapter.author = 1, 5
    db.update(chapter)
    chapter.writer = writers[1]
    db.update(chapter, "author")
    assert db.fetch_all(select(Chapter.tenant, Chapter.author).where(Chapter.id == 1)) == [(1, 7)]
