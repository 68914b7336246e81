"""Subqueries and common tables without names, which statements give them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from music import MODELS, Album, Artist, Employee

from cormorant import (
    Column,
    Database,
    Model,
    ProgrammingError,
    all_of,
    column,
    exists,
    func,
    insert,
    literal,
    name,
    param,
    scalar,
    select,
    update,
)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(*MODELS)
        database.insert_many([Artist("Ada"), Artist("Bix"), Artist("Cab")])
        database.insert_many([Album("One", 1, 1999), Album("Two", 1, 2005), Album("Three", 2, 2010)])
        database.insert_many([Employee("Eva"), Employee("Fay", 1), Employee("Gus", 1), Employee("Hal", 2)])
        yield database


COUNTS = select(Album.artist_id, func.count().label("n")).group_by(Album.artist_id)


def made() -> Any:
    """Two subqueries and a common table in one statement."""
    counts, newest = (
        COUNTS.subquery(),
        select(Album.artist_id, func.max(Album.year).label("year")).group_by(Album.artist_id).subquery(),
    )
    table = select(Artist.id, Artist.name).cte()
    return (
        select(table.c.name, counts.c.n, newest.c.year)
        .join(counts, counts.c.artist_id == table.c.id)
        .join(newest, newest.c.artist_id == table.c.id)
        .order_by("name")
    )


def test_unnamed_ones_do_not_meet(db: Database) -> None:
    assert db.fetch_all(made()) == [("Ada", 2, 2005), ("Bix", 1, 2010)]


def test_the_sql_is_the_same_each_time() -> None:
    first, second = made(), made()
    assert first.sql == second.sql
    assert set(re.findall(r"anon_\d+", first.sql[0])) == {"anon_1", "anon_2", "anon_3"}
    assert "unnamed" not in first.sql[0]
    t = COUNTS.subquery()
    assert select(t.c.n).sql == select(t.c.n).sql == select(COUNTS.subquery().c.n).sql
    assert select(t.c.n).sql[0].endswith('AS "anon_1"')


def test_one_within_another(db: Database) -> None:
    inner = COUNTS.subquery()
    outer = select(inner.c.artist_id, (inner.c.n * 10).label("tens")).subquery()
    query = select(Artist.name, outer.c.tens).join(outer, outer.c.artist_id == Artist.id).order_by(Artist.id)
    assert db.fetch_all(query) == [("Ada", 20), ("Bix", 10)]
    most = scalar(select(func.max(inner.c.n)))
    assert db.fetch_values(select(outer.c.tens).where(outer.c.tens == most * 10)) == [20]
    assert db.fetch_values(select(Artist.name).where(exists(select(outer.c.tens)))) == ["Ada", "Bix", "Cab"]
    assert db.fetch_values(select(Artist.name).where(Artist.id.in_(select(inner.c.artist_id)))) == ["Ada", "Bix"]


def test_a_common_table_without_a_name(db: Database) -> None:
    line = select(Employee.id, literal(0).label("level")).where(Employee.id == 1).cte()
    line = line.union_all(select(Employee.id, line.c.level + 1).join(line, Employee.manager_id == line.c.id))
    query = select(Employee.name, line.c.level).join(line, line.c.id == Employee.id).order_by(Employee.id)
    assert db.fetch_all(query) == [("Eva", 0), ("Fay", 1), ("Gus", 1), ("Hal", 2)]
    other = line.alias("other")
    twice = select(line.c.id, other.c.level).join(other, other.c.id == line.c.id).where(line.c.id == 4)
    assert db.fetch_all(twice) == [(4, 2)]
    assert twice.sql[0].count("RECURSIVE") == 1


def test_names_that_are_there_are_not_taken(db: Database) -> None:
    class Anon(Model, table="Anon_1"):
        id: Column[int] = column(primary_key=True)

    db.create_tables(Anon)
    db.insert(Anon(1))
    t, named = COUNTS.subquery(), COUNTS.subquery("ANON_2")
    query = (
        select(Anon.id, t.c.n, named.c.n, name("anon_3", "x"))
        .with_("anon_3", select(literal(7).label("x")))
        .join(t, t.c.artist_id == Anon.id)
        .join(named, named.c.artist_id == Anon.id)
        .cross_join("anon_3")
    )
    assert db.fetch_all(query) == [(1, 2, 2, 7)]
    assert '"anon_4"' in query.sql[0]


def test_statements_that_write(db: Database) -> None:
    t = COUNTS.subquery()
    assert db.execute(update(Album).from_(t).set(year=t.c.n).where(t.c.artist_id == Album.artist_id)) == 3
    assert db.fetch_values(select(Album.year).order_by(Album.id)) == [2, 2, 1]
    table = COUNTS.cte()
    copied = insert(Album).from_select(["title", "artist_id"], select(literal("copy"), table.c.artist_id))
    assert db.execute(copied) == 2
    assert db.count(Album, title="copy") == 2


def test_parameters_and_values_stay_what_they_are(db: Database) -> None:
    t = (
        select(Album.artist_id, Album.title, Album.year)
        .where(Album.title.in_(["One", "Two", "(unnamed 1)"]))
        .subquery()
    )
    query = select(t.c.title).where(t.c.year > param("year"), t.c.title != t.name).order_by("title")
    assert db.fetch_values(query, year=1900) == ["One", "Two"]
    assert db.fetch_values(query, year=2000) == ["Two"]
    assert t.name in query.sql[1]


def test_a_deep_statement(db: Database) -> None:
    t = COUNTS.subquery()
    total: Any = t.c.n
    for _ in range(200):
        total = total + 1
    conditions = all_of(*[t.c.n > -number for number in range(1, 500)])
    assert db.fetch_values(select(total).where(conditions, t.c.artist_id == 1)) == [202]


def test_one_that_is_read_in_many_statements_at_once(db: Database) -> None:
    t, other = COUNTS.subquery(), COUNTS.subquery()

    def run(number: int) -> str:
        first, second = (t, other) if number % 2 else (other, t)
        query = select(first.c.n).join(second, second.c.artist_id == first.c.artist_id).where(first.c.artist_id == 1)
        assert db.fetch_values(query) == [2]
        return query.sql[0]

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(run, range(64)))) == 1


def test_mistakes_are_told() -> None:
    t: Any = COUNTS.subquery()
    with pytest.raises(ProgrammingError, match=r"the subquery \(unnamed \d+\) has no column 'x'.*it has artist_id, n"):
        t.c["x"]
    with pytest.raises(ProgrammingError, match=r"a column of .* is used, but the statement does not read from it"):
        _ = select(Artist.name).where(t.c.n > 1).sql
    with pytest.raises(ProgrammingError, match=r"has a name already.*t\.alias"):
        select(Artist.id).join(t, as_="other")
    with pytest.raises(ProgrammingError, match=r"select\(t\.c\.name\)"):
        scalar(t)
    assert re.fullmatch(r"<Subquery \(unnamed \d+\)>", repr(t))
