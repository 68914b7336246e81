"""Results of raw SQL."""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
from models import Person

import cormorant
from cormorant import Database, ProgrammingError, insert

NUMBERS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i, 'text ' || i AS t FROM n"
)


class Row(NamedTuple):
    name: str
    age: int


def test_rows_and_columns(db: Database) -> None:
    result = db.query(NUMBERS, [3])
    assert result.columns == ("i", "t")
    assert list(result) == [(1, "text 1"), (2, "text 2"), (3, "text 3")]
    assert list(result) == []
    assert result.fetch_one() is None


def test_reading_in_turns(db: Database) -> None:
    result = db.query(NUMBERS, [5_000])
    assert result.fetch_one() == (1, "text 1")
    assert [row[0] for row, _ in zip(result, range(1500))][-1] == 1501
    # zip took one row more than it gave.
    assert result.fetch_one() == (1503, "text 1503")
    assert [row[0] for row in result.fetch_all()] == list(range(1504, 5001))
    assert result.fetch_all() == []


def test_dicts(db: Database) -> None:
    assert db.query(NUMBERS, [1]).dicts().fetch_all() == [{"i": 1, "t": "text 1"}]


def test_rows_of_any_number(db: Database) -> None:
    for count in (0, 1, 999, 1000, 1001, 3000):
        assert len(db.query(NUMBERS + " WHERE ? > 0 AND i <= ?", [3000, 1, count]).fetch_all()) == count


def test_an_error_on_the_way_ends_it(db: Database) -> None:
    result = db.query("SELECT abs(i) FROM (SELECT 1 AS i UNION ALL SELECT -9223372036854775808)")
    with pytest.raises(cormorant.DatabaseError):
        result.fetch_all()
    assert result.fetch_all() == []


def test_a_result_is_closed_once_or_twice(db: Database) -> None:
    result = db.query(NUMBERS, [10])
    with result:
        result.fetch_one()
    result.close()
    for again in (result.fetch_all, result.fetch_one, lambda: list(result)):
        with pytest.raises(ProgrammingError, match="closed before its rows were read"):
            again()
    whole = db.query(NUMBERS, [10])
    assert len(whole.fetch_all()) == 10
    whole.close()
    assert whole.fetch_all() == []


def test_what_was_read_is_not_left_out_of_another_form(db: Database) -> None:
    """The rows of the block that the first one came with would be missing."""
    result = db.query(NUMBERS, [1000])
    assert result.fetch_one() == (1, "text 1")
    for form in (result.dicts, result.tuples):
        with pytest.raises(ProgrammingError, match="the rows were read"):
            form()
    assert len(result.fetch_all()) == 999


def test_what_writes_writes_though_nobody_reads_its_rows(db: Database) -> None:
    db.query("INSERT INTO people (name, age) VALUES ('Ann', 1)")
    with db.query("INSERT INTO people (name, age) VALUES ('Bob', 2) RETURNING name, age", into=Row):
        pass
    db.cursor(insert(Person).values(name="Cid", age=3).returning(Person.id)).close()
    db.cursor(Person, "INSERT INTO people (name, age) VALUES ('Dee', 4) RETURNING *").close()
    assert [person.name for person in db.fetch_all(Person, order_by="id")] == ["Ann", "Bob", "Cid", "Dee"]
    several = db.query("UPDATE people SET age = age + 1 RETURNING age")
    assert db.fetch_values("SELECT age FROM people ORDER BY id") == [2, 3, 4, 5]
    assert several.columns == ("age",)
    assert several.dicts().fetch_all() == [{"age": age} for age in (2, 3, 4, 5)]
    with pytest.raises(cormorant.IntegrityError):
        db.query("INSERT INTO people (id, name) VALUES (1, 'Eve')")
    with pytest.raises(ProgrammingError, match="cannot be given as a parameter"):
        db.query("DELETE FROM people RETURNING max(age, 1)", into=Row)
    assert db.count(Person) == 4


def test_a_result_ends_with_its_database(path: Path) -> None:
    database = Database(path)
    result = database.query(NUMBERS, [5_000])
    assert result.fetch_one() == (1, "text 1")
    database.close()
    with pytest.raises(cormorant.ProgrammingError):
        for _ in result:
            pass


def test_fetching_leaves_the_collector_as_it_was(db: Database) -> None:
    assert gc.isenabled()
    db.fetch_all(Person)
    assert gc.isenabled()
    gc.disable()
    try:
        db.fetch_all(Person)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_fetching_in_many_threads_leaves_the_collector_on(db: Database) -> None:
    """One thread saw it paused by another, and left it so."""
    db.insert_many(Person(f"n{number}") for number in range(300))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=lambda: [db.fetch_all(Person) for _ in range(100)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert gc.isenabled()


def test_a_long_result_needs_no_memory(db: Database) -> None:
    for _ in db.query(NUMBERS, [20_000]):
        pass
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    count = sum(1 for _ in db.query(NUMBERS, [1_000_000]))
    assert count == 1_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 5_000


def test_rows_of_raw_sql_as_objects(db: Database) -> None:
    db.insert_many([Person("Ann", 35), Person("Bob", 20)])
    sql = "SELECT name, age FROM people WHERE age > :age ORDER BY name"
    assert db.query(sql, {"age": 1}, into=Row).fetch_all() == [Row("Ann", 35), Row("Bob", 20)]
    assert list(db.query(sql, {"age": 30}, into=lambda name, age: name * (age // 10))) == ["AnnAnnAnn"]
    assert db.query("SELECT * FROM people ORDER BY id", into=Person).fetch_all() == db.fetch_all(Person)
    assert db.query(sql, {"age": 1}, into=Row).columns == ("name", "age")
    with pytest.raises(ProgrammingError, match=r"column 1 cannot be given as a parameter 'max\(age\)'"):
        db.query("SELECT max(age) FROM people", into=Row)
    with pytest.raises(TypeError, match="years"):
        db.query("SELECT name, age AS years FROM people", into=Row).fetch_one()
