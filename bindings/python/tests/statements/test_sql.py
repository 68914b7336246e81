"""SQL of one's own with values among it."""

from __future__ import annotations

import copy
import pickle
from datetime import datetime, timezone
from typing import Any, NamedTuple

import pytest

from cormorant import SQL, Column, Database, Model, ProgrammingError, column, key, raw, select, sql


class Person(Model, table="members"):
    name: Column[str]
    age: Column[int | None] = column(default=None)
    since: Column[datetime | None] = column(default=None)
    id: Column[int] = key()


MOMENT = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)


@pytest.fixture
def people(db: Database) -> Database:
    db.create_tables(Person)
    db.insert_many([Person("Ada", 36, MOMENT), Person("Bob", 25), Person("'; DROP TABLE members; --", 50)])
    return db


class Field(NamedTuple):
    """An interpolation of a t-string, which Python has from 3.14 on."""

    value: Any
    expression: str
    conversion: str | None = None
    format_spec: str = ""


class TString(NamedTuple):
    strings: tuple[str, ...]
    interpolations: tuple[Any, ...]


def test_values_are_bound() -> None:
    made = sql("SELECT {a}, {b}, {{}}, {a}", a="'", b=2)
    assert made == "SELECT ?, ?, {}, ?"
    assert made.values == ("'", 2, "'")


def test_data_is_no_sql(people: Database) -> None:
    name = "'; DROP TABLE members; --"
    assert people.fetch_values(sql("SELECT age FROM members WHERE name = {name}", name=name)) == [50]
    assert people.count(Person) == 3


def test_every_call_that_takes_sql(people: Database) -> None:
    young = sql("SELECT * FROM {Person} WHERE age < {age} ORDER BY id", Person=Person, age=30)
    assert [person.name for person in people.fetch_all(Person, young)] == ["Bob"]
    found = people.fetch_one(Person, young)
    assert found is not None
    assert found.name == "Bob"
    assert people.one(Person, young).name == "Bob"
    assert people.count(Person, young) == 1
    with people.cursor(Person, young) as cursor:
        assert [person.name for person in cursor] == ["Bob"]
    one = sql("SELECT count(*) FROM members WHERE since = {at}", at=MOMENT)
    assert people.fetch_value(one) == people.one_value(one) == 1
    assert list(people.query(one)) == [(1,)]
    assert people.execute(sql("UPDATE members SET age = {age} WHERE id = {id}", age=37, id=1)) == 1
    old = raw(sql("age > {age}", age=36))
    assert people.fetch_values(select(Person.name).where(old).order_by(Person.id)) == [
        "Ada",
        "'; DROP TABLE members; --",
    ]


def test_lists_of_any_length(people: Database) -> None:
    def ages(ids: Any) -> list[Any]:
        return people.fetch_values(sql("SELECT age FROM members WHERE id IN {ids:list} ORDER BY id", ids=ids))

    assert ages([1, 2]) == [36, 25]
    assert ages(range(2, 3)) == [25]
    assert ages(()) == []
    assert people.fetch_value(sql("SELECT count(*) FROM members WHERE id NOT IN {ids:list}", ids=[])) == 3
    # In the SQL's own parentheses, too.
    assert people.fetch_values(sql("SELECT age FROM members WHERE id IN ({ids:list}) ORDER BY id", ids=[1, 2])) == [
        36,
        25,
    ]
    assert people.fetch_value(sql("SELECT count(*) FROM members WHERE id IN ( {ids:list} )", ids=[])) == 0
    assert people.fetch_value(sql("SELECT count(*) FROM members WHERE id NOT IN ({ids:list})", ids=[])) == 3
    assert people.fetch_value(sql("SELECT ({id:list}) IN (VALUES (1, 2))", id=[1, 2])) == 1


def test_names_and_sql_within(people: Database) -> None:
    condition = sql("age = {age}", age=25)
    made = sql("SELECT {column:name} FROM members WHERE {condition}", column="name", condition=condition)
    assert made == 'SELECT "name" FROM members WHERE age = ?'
    assert people.fetch_value(made) == "Bob"
    assert sql("{n:name}", n='a"b') == '"a""b"'


def test_a_t_string(people: Database) -> None:
    ids = [1, 2]
    template = TString(
        ("SELECT name FROM ", " WHERE id IN ", " AND age < ", ""),
        (Field(Person, "Person"), Field(ids, "ids", None, "list"), Field(30, "age")),
    )
    assert people.fetch_values(sql(template)) == ["Bob"]


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("{a}", {}, "sql() has no value for {a}"),
        ("{}", {"a": 1}, "sql() has no value for {}"),
        ("{a.b}", {"a": 1}, "sql() has no value for {a.b}"),
        ("{a", {"a": 1}, "sql() cannot read its text: expected '}' before end of string"),
        ("a", {"a": 1}, "sql() has no place for a"),
        ("{a!r}", {"a": 1}, "sql() knows no {a!r}"),
        ("{a:>5}", {"a": 1}, "sql() knows no {a:>5}"),
        ("{a:list}", {"a": "text"}, "{a:list} is no list"),
        ("{a}", {"a": [1]}, "{a} is a list"),
        ("{a:name}", {"a": 1}, "{a:name} is no name"),
    ],
)
def test_what_is_refused(text: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ProgrammingError) as caught:
        sql(text, **values)
    assert caught.value.message == message
    assert caught.value.hint


def test_values_are_given_once(people: Database) -> None:
    made = sql("SELECT {a}", a=1)
    for call in (
        lambda: people.fetch_value(made, (2,)),
        lambda: people.query(made, (2,)),
        lambda: people.execute_many(made, [(2,)]),
        lambda: people.execute_script(made),
        lambda: sql(TString(("",), ()), a=1),
        lambda: sql(7),  # type: ignore[arg-type]
    ):
        with pytest.raises(ProgrammingError):
            call()


def test_copies_keep_their_values() -> None:
    made = sql("SELECT {a}", a=1)
    for again in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(again) is SQL
        assert (again, again.values) == ("SELECT ?", (1,))


def test_the_plan_of_sql_is_asked_by_sql(people: Database) -> None:
    with pytest.raises(ProgrammingError, match="str is no statement") as caught:
        people.explain("SELECT * FROM members")  # type: ignore[arg-type]
    assert caught.value.hint is not None
    assert "EXPLAIN QUERY PLAN" in caught.value.hint
