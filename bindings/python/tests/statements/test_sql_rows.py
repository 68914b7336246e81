"""SQL where calls that read take a query: rows as tuples, or as `into` makes them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from models import Person

from cormorant import AsyncDatabase, Database, NoRowsError, ProgrammingError, SeveralRowsError, sql

_OLDER = "SELECT name, age FROM people WHERE age > {age} ORDER BY id"
_PLAIN = "SELECT name, age FROM people WHERE age > ? ORDER BY id"


@dataclass
class Seen:
    name: str
    age: int


@pytest.fixture
def people(db: Database) -> Database:
    db.insert_many([Person("Ann", age=30), Person("Bob", age=40)])
    return db


def test_rows_of_sql(people: Database) -> None:
    older = sql(_OLDER, age=20)
    assert people.fetch_all(older) == [("Ann", 30), ("Bob", 40)] == people.query(older).fetch_all()
    assert people.fetch_one(older) == ("Ann", 30)
    assert people.one(sql(_OLDER, age=35)) == ("Bob", 40)
    assert people.cursor(older).columns == ("name", "age")
    assert people.cursor(older).dicts().fetch_all() == [{"name": "Ann", "age": 30}, {"name": "Bob", "age": 40}]
    assert (people.count(older), people.page_count(older, page_size=1)) == (2, 2)
    assert people.exists(older)


def test_no_rows_of_sql(people: Database) -> None:
    none = sql(_OLDER, age=99)
    assert (people.fetch_all(none), people.fetch_one(none), people.count(none)) == ([], None, 0)
    assert not people.exists(none)
    with pytest.raises(NoRowsError):
        people.one(none)
    with pytest.raises(SeveralRowsError):
        people.one(sql(_OLDER, age=20))


def test_bindings_of_sql_stand_after_it(people: Database) -> None:
    assert people.fetch_all(_PLAIN, (35,)) == [("Bob", 40)]
    assert people.fetch_all(_PLAIN, bindings=(35,)) == [("Bob", 40)]  # type: ignore[call-overload]
    assert people.fetch_one("SELECT name FROM people WHERE id = :id", {"id": 2}) == ("Bob",)
    assert people.one(_PLAIN, (35,)) == ("Bob", 40)
    assert (people.count(_PLAIN, (35,)), people.page_count(_PLAIN, (35,), page_size=5)) == (1, 1)
    assert (people.exists(_PLAIN, (35,)), people.exists(_PLAIN, (99,))) == (True, False)


def test_a_row_of_null_is_a_row(people: Database) -> None:
    assert people.exists("SELECT NULL")
    assert people.fetch_one("SELECT NULL") == (None,)


def test_rows_of_sql_as_what_into_makes(people: Database) -> None:
    older = sql(_OLDER, age=35)
    assert people.fetch_all(older, into=Seen) == [Seen("Bob", 40)]
    assert people.fetch_one(older, into=Seen) == people.one(older, into=Seen) == Seen("Bob", 40)
    assert people.cursor(older, into=Seen).fetch_all() == [Seen("Bob", 40)]
    assert [type(item) for item in people.fetch_all("SELECT * FROM people", into=Person)] == [Person, Person]
    with pytest.raises(ProgrammingError, match="cannot be given as a parameter"):
        people.fetch_all("SELECT 1 + 1", into=Seen)


def test_sql_that_writes_has_written(people: Database) -> None:
    returning = "UPDATE people SET age = age + 1 RETURNING age"
    assert people.fetch_one(returning) == (31,)
    assert people.fetch_all(returning) == [(32,), (42,)]
    with pytest.raises(SeveralRowsError):
        people.one(returning)
    assert people.fetch_values("SELECT age FROM people ORDER BY id") == [32, 42]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda db: db.fetch_all(sql(_OLDER, age=1), (2,)), "bindings beside sql"),
        (lambda db: db.fetch_all(_PLAIN, (1,), bindings=(2,)), "bindings are given twice"),
        (lambda db: db.fetch_all(_PLAIN, age=1), "parameters with SQL"),
        (lambda db: db.fetch_all(_PLAIN, (1,), limit=1), "order_by, limit or offset with SQL"),
        (lambda db: db.fetch_one(_PLAIN, (1,), order_by="age"), "order_by, limit or offset with SQL"),
        (lambda db: db.count(_PLAIN, (1,), age=1), "parameters with SQL"),
        (lambda db: db.count(sql(_OLDER, age=1), (2,)), "bindings beside sql"),
        (lambda db: db.exists(_PLAIN, 1, 2), "a key with SQL"),
        (lambda db: db.exists(_PLAIN, age=1), "parameters with SQL"),
        (lambda db: db.fetch_all(_PLAIN, "1"), "the bindings are one text"),
        (lambda db: db.fetch_all("Person"), "syntax error"),
        (lambda db: db.exists(_PLAIN, 1), "the bindings are one int"),
    ],
)
def test_what_does_not_go_with_sql(people: Database, call: Any, message: str) -> None:
    with pytest.raises((ProgrammingError, TypeError), match=message):
        call(people)


def test_awaited_rows_of_sql(people: Database) -> None:
    async def body() -> None:
        db = AsyncDatabase(people)
        older = sql(_OLDER, age=35)
        assert await db.fetch_all(older) == [("Bob", 40)]
        assert await db.one(older) == ("Bob", 40)
        assert await db.exists(older)
        assert await db.count(older) == 1
        assert [row async for row in db.cursor(older)] == [("Bob", 40)]

    asyncio.run(body())


_READS = [
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "-- the first\nSELECT 1",
    "/* the first */ VALUES (1)",
    "PRAGMA user_version",
]


def test_sql_that_reads_is_no_write(people: Database) -> None:
    people.execute("PRAGMA user_version = 1")
    whole = "WITH a AS (SELECT * FROM people WHERE age = 40) SELECT * FROM a"
    with people.read():
        assert [people.one_value(text) for text in _READS] == [people.one(text)[0] for text in _READS] == [1] * 4
        assert people.one(Person, whole).name == "Bob"
        with pytest.raises(ProgrammingError) as refused:
            people.one_value("UPDATE people SET age = 1 RETURNING age")
        assert refused.value.code == "CORM_E_TRANSACTION"
    with Database(people.path, busy_timeout=0) as writer, writer.transaction():
        writer.execute("UPDATE people SET age = 1")
        assert [people.one_value(text) for text in _READS] == [1] * 4
        assert people.one(Person, whole).name == "Bob"


def test_sql_that_writes_more_than_one_row_is_taken_back(people: Database) -> None:
    for returning in (
        "WITH a AS (SELECT 1) UPDATE people SET age = 1 RETURNING age",
        "-- all\nDELETE FROM people RETURNING age",
    ):
        with pytest.raises(SeveralRowsError):
            people.one_value(returning)
        with pytest.raises(SeveralRowsError):
            people.one(Person, returning.replace("RETURNING age", "RETURNING *"))
    assert people.fetch_values("SELECT age FROM people ORDER BY id") == [30, 40]
    assert people.one_value("WITH a AS (SELECT 2) DELETE FROM people WHERE age > 30 RETURNING age") == 40
    assert people.count(Person) == 1
