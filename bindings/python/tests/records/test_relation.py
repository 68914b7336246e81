"""Relations: how they are declared, joined and not loaded; the scenarios say what is asked along them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from music import MODELS, Album, Artist, Employee, Entry, Playlist, Track

import cormorant
from cormorant import Column, Database, Model, alias, column, many_to_many, select, to_many, to_one


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(*MODELS)
        database.insert_many([Artist("Ada"), Artist("Bix"), Artist("Cab")])
        database.insert_many([Album("One", 1, 1999), Album("Two", 1, 2005), Album("Three", 2, 2010)])
        database.insert_many([Track("a", 1, 100), Track("b", 1, 200), Track("c", 3, 300)])
        database.insert_many([Playlist("Best"), Playlist("Worst")])
        database.insert_many([Entry(1, 1), Entry(1, 3), Entry(2, 3)])
        database.insert_many([Employee("Eva"), Employee("Fay", 1), Employee("Gus", 1), Employee("Hal", 2)])
        yield database


def titles(db: Database, condition: Any) -> list[str]:
    return [title for (title,) in db.fetch_all(select(Album.title).where(condition).order_by("title"))]


def artists(db: Database, condition: Any) -> list[str]:
    return [name for (name,) in db.fetch_all(select(Artist.name).where(condition).order_by("name"))]


def test_joins_along_relations(db: Database) -> None:
    query = select(Album.title, Artist.name).join(Album.artist).order_by(Album.title)
    assert db.fetch_all(query) == [("One", "Ada"), ("Three", "Bix"), ("Two", "Ada")]
    left = select(Artist.name, Album.title).join(Artist.albums, left=True).where(Album.id.is_null())
    assert [name for name, _ in db.fetch_all(left)] == ["Cab"]
    chain = select(Artist.name, Track.title).join(Artist.albums).join(Album.tracks).where(Track.seconds > 250)
    assert db.fetch_all(chain) == [("Bix", "c")]
    boss = alias(Employee, "boss")
    query = select(Employee.name, boss.name).join(Employee.manager, as_=boss).order_by(Employee.name).limit(1)
    assert db.fetch_all(query) == [("Fay", "Eva")]
    with pytest.raises(cormorant.ProgrammingError, match="one relation after another"):
        select(Track).join(Track.album.artist)
    with pytest.raises(cormorant.ProgrammingError, match="leave `on` out"):
        select(Album).join(Album.artist, Album.id == 1)


def test_conditions_along_relations_come_as_bool(db: Database) -> None:
    ada, one = db.one(Artist, name="Ada"), db.one(Album, title="One")
    conditions = (Artist.albums.any(), Artist.albums.none(), Artist.albums.contains(one))
    assert [str(row) for row in db.fetch_all(select(*conditions).order_by(Artist.id))] == [
        "(True, False, True)",
        "(True, False, False)",
        "(False, True, False)",
    ]
    is_hers: Any = Album.artist == ada
    assert [value is True for value in db.fetch_values(select(is_hers).order_by(Album.id))] == [
        True,
        True,
        False,
    ]


def test_what_is_not_loaded_is_no_empty_list() -> None:
    album = Album("One", 1)
    for name in ("artist", "tracks"):
        with pytest.raises(cormorant.NotLoadedError, match=rf"Album\.{name} is not loaded") as caught:
            getattr(album, name)
        assert not isinstance(caught.value, AttributeError)  # or getattr(record, name, []) would be []
        assert isinstance(caught.value, cormorant.ProgrammingError)


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="titel"):
        Track.album.titel  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"Track\.album> has columns"):
        Track.album.tracks  # noqa: B018
    with pytest.raises(cormorant.ProgrammingError, match="did you mean title"):
        Artist.albums.max("titel").sql  # noqa: B018


class Base(Model):
    friends = to_many("Derived", columns=["friend"])

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)


class Derived(Base):
    friend: Column[int | None] = column(default=None)


def test_derived_models_have_relations_of_their_own(db: Database) -> None:
    db.create_tables(Base, Derived)
    db.insert_many([Derived(), Derived(1)])
    assert db.fetch_all(select(Derived.id).where(Derived.friends.any())) == [(1,)]
    assert db.fetch_all(select(Base.id).where(Base.friends.any())) == []


def test_relations_that_cannot_be() -> None:
    class Lonely(Model):
        albums = to_many(Album)
        nothing = to_one("Nothing")
        several = to_many("Twice")
        id: Column[int | None] = column(primary_key=True, default=None)

    class Twice(Model):
        first: Column[int] = column(references=Lonely)
        second: Column[int] = column(references=Lonely)

    with pytest.raises(cormorant.ProgrammingError, match="foreign key") as caught:
        Lonely.albums.any()
    assert caught.value.code == "CORM_E_MODEL"
    with pytest.raises(cormorant.ProgrammingError, match="Nothing"):
        Lonely.nothing.id  # noqa: B018
    with pytest.raises(cormorant.ProgrammingError, match="several foreign keys"):
        Lonely.several.any()


def test_a_relation_may_name_its_columns(db: Database) -> None:
    class Owner(Model):
        firsts = to_many(lambda: Owned, columns=["first"])
        id: Column[int | None] = column(primary_key=True, default=None)

    class Owned(Model):
        first: Column[int] = column(references=Owner)
        second: Column[int] = column(references=Owner)
        others = many_to_many("Owned", through="Owned", columns=["first"], target_columns=["second"])

    db.create_tables(Owner, Owned)
    db.insert_many([Owner(), Owner()])
    db.insert(Owned(2, 1))
    assert db.fetch_all(select(Owner.id).where(Owner.firsts.any())) == [(2,)]


def test_names_that_a_class_does_not_have() -> None:
    program = f"import sys; sys.path[:0] = {sys.path!r}\nfrom music import Album, Artist\nfrom cormorant import alias\n"
    for line, message in (
        ("Artist.nam", "no attribute 'nam'. Did you mean: 'name'?"),
        ("Artist.albumz", "no attribute 'albumz'. Did you mean: 'albums'?"),
        ("Album.artist.nam", "no attribute 'nam'. Did you mean: 'name'?"),
        ("alias(Artist, 'a').albumz", "no attribute 'albumz'. Did you mean: 'albums'?"),
    ):
        command = [sys.executable, "-c", program + line]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert message in done.stderr
