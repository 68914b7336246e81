"""Values whose own type says how they are bound, and those that are taken for others."""

from __future__ import annotations

import enum
import uuid
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from models import Everything, Person

import cormorant
from cormorant import Database, DataError, ProgrammingError, param, select


class Level(enum.IntEnum):
    HIGH = 3


class Color(str, enum.Enum):
    RED = "red"


def test_raw_sql_takes_the_values_that_expressions_take(db: Database) -> None:
    """finding python.md section 5: raw(...) took them, execute() did not"""
    moment, token = datetime(2024, 1, 1, 6, 30, tzinfo=timezone.utc), uuid.uuid4()
    values: list[Any] = [moment, token, Decimal("1.50"), Level.HIGH, Color.RED, bytearray(b"x")]
    given = ("2024-01-01 06:30:00", str(token), "1.50", 3, "red", b"x")
    assert db.query("SELECT ?, ?, ?, ?, ?, ?", values).fetch_one() == given
    names = dict(zip("abcdef", values))
    assert db.query("SELECT :a, :b, :c, :d, :e, :f", names).fetch_one() == given
    db.execute("CREATE TABLE t (a, b, c, d, e, f)")
    assert db.execute_many("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", [tuple(values), given]) == 2
    assert db.query("SELECT DISTINCT * FROM t").fetch_all() == [given]
    db.insert(Everything(moment=moment, amount=Decimal("1.50")))
    assert db.count(None, "SELECT * FROM everything WHERE moment = ?", [moment]) == 1


def test_numbers_of_numpy_are_what_they_say(db: Database) -> None:
    """finding python.md section 6: JK.a is a blob, its column is of type int64; an untyped column kept the blob"""
    numpy = pytest.importorskip("numpy")
    db.insert_many([Person("Ann", 3), Person("Bob", 5)])
    five = numpy.int64(5)
    scalars = [five, numpy.float32(0.5), numpy.bool_(True), numpy.str_("x"), numpy.float64(2.5)]
    assert db.query("SELECT ?, ?, ?, ?, ?", scalars).fetch_one() == (5, 0.5, 1, "x", 2.5)
    db.execute("CREATE TABLE t (a)")
    db.execute_many("INSERT INTO t VALUES (?)", [(five,), (1,)])
    assert db.query("SELECT a, typeof(a) FROM t").fetch_all() == [(5, "integer"), (1, "integer")]
    assert [person.name for person in db.fetch_all(Person.where(Person.age == five))] == ["Bob"]
    assert [person.name for person in db.fetch_all(Person.where(Person.age.in_([five])))] == ["Bob"]
    assert db.fetch_all(select(Person.name).where(Person.age == param("age")), age=five) == [("Bob",)]
    assert db.fetch_all(Person, age=five)[0].name == "Bob"
    assert db.find(Person, numpy.int64(2)) == db.find(Person, 2)
    with pytest.raises(
        DataError, match=r"Person\.age is of type numpy\.int64, .* int64 \(give int\(value\)\)"
    ) as caught:
        Person("Cy", five).insert(db)
    assert (caught.value.columns, caught.value.code) == ("age", "CORM_E_TYPE")
    with pytest.raises(DataError, match=r"numpy\.int64") as caught:
        db.insert_many([Person("Cy", 1), Person("Di", five)])
    assert caught.value.record_index == 1
    with pytest.raises(DataError, match=r"binding 1: a value is of type numpy\.ndarray"):
        db.query("SELECT ?", [numpy.arange(3)])


def test_a_key_of_json_that_is_no_text_is_refused(db: Database) -> None:
    """finding python.md section 6: JSON key 1 -> '1'"""
    with pytest.raises(DataError, match=r"Everything\.extra: a key of JSON is a text, and 1 is none"):
        db.insert(Everything(extra={"a": [{1: 2}]}))
    with pytest.raises(DataError, match="the value is no JSON: a key of JSON is a text, and None is none"):
        db.store("s")["k"] = {None: 1}
    db.store("s")["k"] = {"a": [{"1": 2}]}
    assert db.store("s")["k"] == {"a": [{"1": 2}]}


def test_a_store_value_that_is_no_json_is_an_error_of_ours(db: Database) -> None:
    """finding reliability.md A8: json.JSONDecodeError"""
    store = db.store("s")
    store["k"] = [1]
    # A damaged file has what no statement would write.
    db.execute("PRAGMA ignore_check_constraints = ON")
    db.execute("UPDATE corm_key_value SET value = '[1'")
    reads: list[Any] = [
        lambda: store["k"], lambda: store.entry("k"), lambda: list(store.values()), lambda: list(store.items()),
        lambda: list(store.scan()),
    ]  # fmt: skip
    for read in reads:
        with pytest.raises(DataError, match="the value of key 'k' is no JSON") as caught:
            read()
        assert caught.value.code == "CORM_E_JSON"
    assert "k" in store


def test_a_key_that_is_none_is_an_error(db: Database) -> None:
    """finding python.md section 6: find(None) gave None"""
    for ask in (db.find, db.exists, db.delete_key):
        with pytest.raises(ProgrammingError, match="a key of Person is None"):
            ask(Person, None)
    with pytest.raises(cormorant.Error):
        Person("Ann").refresh(db)
