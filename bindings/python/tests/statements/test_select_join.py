"""Several tables and queries in one: aliases, optional sides, common table expressions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from music import MODELS, Album, Artist, Employee, Track

import cormorant
from cormorant import (
    Column,
    Database,
    DataError,
    Error,
    Model,
    ProgrammingError,
    alias,
    all_of,
    column,
    func,
    name,
    optional,
    select,
)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(*MODELS)
        database.insert_many([Artist("Ada"), Artist("Bix"), Artist("Cab")])
        database.insert_many([Album("One", 1, 1999), Album("Two", 1, 2005), Album("Three", 2, 2010)])
        database.insert_many([Track("a", 1, 100), Track("b", 1, 200), Track("c", 3, 300)])
        database.insert_many([Employee("Eva"), Employee("Fay", 1), Employee("Gus", 1), Employee("Hal", 2)])
        yield database


def test_left_joins(db: Database) -> None:
    query = (
        select(Artist.name, func.count(Album.id))
        .join(Album, Album.artist_id == Artist.id, left=True)
        .group_by(Artist.id)
        .order_by("name")
    )
    assert db.fetch_all(query) == [("Ada", 2), ("Bix", 1), ("Cab", 0)]
    titles = select(Artist.name, Album.title.optional()).join(Artist.albums, left=True).where(Artist.name == "Cab")
    assert db.fetch_all(titles) == [("Cab", None)]


def test_records_side_by_side(db: Database) -> None:
    both = select(Album, Artist).join(Album.artist).order_by(Album.id)
    assert db.fetch_all(both.limit(1)) == [(Album("One", 1, 1999, id=1), Artist("Ada", id=1))]
    assert db.count(both) == 3
    assert db.fetch_one(both.where(Artist.name == "Bix")) == (Album("Three", 2, 2010, id=3), Artist("Bix", id=2))
    counted = select(Artist, func.count(Album.id).label("n"), func.max(Album.year).label("newest")).join(
        Artist.albums, left=True
    )
    assert db.fetch_all(counted.group_by(Artist.id).order_by("-n"), into=lambda Artist, n, **_: (Artist.name, n)) == [
        ("Ada", 2),
        ("Bix", 1),
        ("Cab", 0),
    ]
    boss = alias(Employee, "boss")
    pairs = select(Employee, boss).join(boss, Employee.manager_id == boss.id).order_by(Employee.name)
    assert [(own.name, theirs.name) for own, theirs in db.cursor(pairs)] == [
        ("Fay", "Eva"),
        ("Gus", "Eva"),
        ("Hal", "Fay"),
    ]
    assert db.cursor(pairs.limit(1)).columns == ("Employee", "boss")
    # They are records like any other.
    album, _ = db.fetch_all(both)[0]
    album.year = 2000
    album.update(db)
    assert db.find(Album, 1) == album


def test_records_side_by_side_of_outer_joins(db: Database) -> None:
    query = select(Artist, optional(Album)).join(Artist.albums, left=True).order_by(Artist.id, Album.id)
    assert [album and album.title for _, album in db.fetch_all(query)] == ["One", "Two", "Three", None]
    assert db.fetch_all(select(optional(Album)).from_(Artist).join(Artist.albums, left=True).where(Artist.id == 3)) == [
        (None,)
    ]
    with pytest.raises(DataError, match="a row has no Album") as caught:
        db.fetch_all(select(Artist, Album).join(Artist.albums, left=True))
    assert caught.value.hint == "select optional(Album), or leave such rows out"


def test_records_side_by_side_as_columns(db: Database) -> None:
    query = select(Artist, func.count(Album.id)).join(Artist.albums).group_by(Artist.id).order_by(Artist.id)
    assert db.cursor(query).json() == (
        '[{"Artist.id":1,"Artist.name":"Ada","count(\\"albums\\".\\"id\\")":2},'
        '{"Artist.id":2,"Artist.name":"Bix","count(\\"albums\\".\\"id\\")":1}]'
    )
    assert [row["Artist"].name for row in db.cursor(query).dicts()] == ["Ada", "Bix"]


def test_what_stands_beside_records(db: Database) -> None:
    db.execute("UPDATE albums SET year = 'soon' WHERE id = 2")
    with pytest.raises(DataError, match=r"albums.year holds text, not an integer \(in the row with the key 2\)"):
        db.fetch_all(select(Artist, Album).join(Artist.albums))
    with pytest.raises(ProgrammingError, match="live query"):
        db.observe_live(select(Artist, Album).join(Artist.albums))
    wrong: Any
    for wrong in (Artist("Ada"), int, object(), db):
        with pytest.raises(Error):
            db.fetch_all(select(Artist, wrong))
    with pytest.raises(ProgrammingError, match="is no model"):
        optional(int)  # type: ignore[type-var]


def test_a_table_twice(db: Database) -> None:
    boss = alias(Employee, "boss")
    query = select(Employee.name, boss.name).join(boss, Employee.manager_id == boss.id).order_by(Employee.name)
    assert db.fetch_all(query) == [("Fay", "Eva"), ("Gus", "Eva"), ("Hal", "Fay")]
    assert db.fetch_all(select(boss).where(boss.name == "Eva")) == [Employee("Eva", id=1)]
    assert select(boss.id).sql[0] == 'SELECT "id" FROM "employees" AS "boss"'
    with pytest.raises(AttributeError, match="titel"):
        boss.titel  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="where"):
        boss.where(boss.id == 1)
    with pytest.raises(cormorant.ProgrammingError, match="alias"):
        select(Employee).join(Employee, Employee.id == 1).sql  # noqa: B018


class Link(Model, table="chain"):
    id: Column[int]
    depth: Column[int]


def test_recursive_common_tables(db: Database) -> None:
    chain = (
        select(Employee.id, func.abs(0))
        .where(Employee.name == "Eva")
        .union_all(
            select(Employee.id, name("chain", "depth") + 1).join("chain", Employee.manager_id == name("chain", "id"))
        )
    )
    query = select(name("chain", "id"), name("chain", "depth")).from_("chain").with_("chain", chain, ["id", "depth"])
    assert db.fetch_all(query.order_by("id")) == [(1, 0), (2, 1), (3, 1), (4, 2)]
    assert db.fetch_all(query.order_by("id").limit(1), into=Link) == [Link(1, 0)]
    assert query.sql[0].startswith("WITH RECURSIVE")
    names = (
        select(Employee.name).join("chain", Employee.id == name("chain", "id")).with_("chain", chain, ["id", "depth"])
    )
    assert db.fetch_all(names.where(name("chain", "depth") == 1).order_by(Employee.name)) == [("Fay",), ("Gus",)]


def test_a_query_in_two_others(db: Database) -> None:
    recent = select(Album.artist_id).where(all_of(Album.year > 2000, Album.year < 2008))
    for query, expected in (
        (select(Artist.name).where(Artist.id.in_(recent)), [("Ada",)]),
        (select(func.count()).from_(recent, as_="recent"), [(1,)]),
    ):
        assert db.fetch_all(query) == expected
    assert db.fetch_all(recent) == [(1,)]


class Odd(Model):
    _name: Column[str] = column(default="")
    _cls: Column[str] = column(default="")
    id: Column[int | None] = column(primary_key=True, default=None)


def test_an_alias_has_columns_of_any_name(db: Database) -> None:
    other = alias(Odd, "other")
    db.create_tables(Odd)
    db.insert_many([Odd("a", "b"), Odd("c", "d")])
    query = select(other._name, other._cls).where(other._name == "c")
    assert db.fetch_all(query) == [("c", "d")]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda given: pickle.loads(pickle.dumps(given))])
def test_an_alias_is_copied(db: Database, copied: Any) -> None:
    boss = alias(Employee, "boss")
    assert boss.name is not None
    again = copied(boss)
    assert repr(again) == repr(boss)
    query = select(Employee.name, again.name).join(again, Employee.manager_id == again.id).order_by(Employee.id)
    assert db.fetch_all(query) == [("Fay", "Eva"), ("Gus", "Eva"), ("Hal", "Fay")]


def test_a_record_has_no_value_of_what_another_source_is_sorted_by(db: Database) -> None:
    boss = alias(Employee, "boss")
    album, employee = db.fetch_all(Album)[0], db.fetch_all(Employee)[1]
    joined = select(Employee).join(Employee.manager, as_=boss)
    for query, record in (
        (select(Album).join(Album.artist).order_by(Artist.id, Album.id), album),
        (joined.order_by(boss.name, Employee.id), employee),
        (select(boss).join(Employee, Employee.manager_id == boss.id).order_by(Employee.id), employee),
    ):
        with pytest.raises(ProgrammingError, match="the order has a term that is no property of the record") as caught:
            query.after(record)
        assert caught.value.hint == "give after() the values of the terms"
    assert [item.name for item in db.fetch_all(joined.order_by("-name").after(employee))] == []
    assert [item.name for item in db.fetch_all(select(boss).order_by(boss.id).after(employee))] == ["Gus", "Hal"]
    both = select(Artist.name, Album).join(Artist.albums).order_by(Album.id)
    assert [found.title for _, found in db.fetch_all(both.after(album))] == ["Two", "Three"]
