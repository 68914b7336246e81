"""Queries from hostile hands: names, sizes, depths, and things that are no query."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from models import NAMES, Department, Person

import cormorant
from cormorant import (
    Column,
    Database,
    Model,
    Transform,
    all_of,
    any_of,
    column,
    exists,
    func,
    name,
    param,
    raw,
    select,
    update,
)  # fmt: skip

TEXTS = ["100%", "100", "1_0", "1x0", "a\\b", "%", "_", "'; DROP TABLE entries; --", "a\0b", "ünï", ""]


@pytest.mark.parametrize("text", NAMES)
def test_hostile_names(db: Database, text: str) -> None:
    db.insert(Department("a"))
    assert db.fetch_all(select(Department.name.label(text)).order_by(name(None, text))) == [("a",)]
    inner = select(Department.name.label(text))
    assert db.fetch_all(select(name(text, text)).from_(inner, as_=text)) == [("a",)]
    for wrong in (getattr(func, text)(), raw("1 FROM departments; " + text), Department.name.collate(text) > "a"):
        with pytest.raises(cormorant.ProgrammingError):
            db.fetch_all(select(wrong).from_(Department))
    assert db.count(Department) == 1


def test_long_chains_of_conditions(db: Database) -> None:
    db.insert(Person("Ann", 35))
    for combine in (any_of, all_of):
        assert db.count(Person.where(combine(*(Person.age != index for index in range(10_000, 13_000))))) == 1
    chain: Any = Person.age == 0
    for index in range(1, 10_000):
        chain = chain | (Person.age == index)
    assert db.count(Person.where(chain)) == 1


@pytest.mark.parametrize("depth", [600, 2_000, 10_000])
def test_depth_ends_in_an_error(db: Database, depth: int) -> None:
    sum_: Any = Person.age
    negated: Any = Person.age > 3
    nested: Any = select(Person.id)
    for _ in range(depth):
        sum_ = sum_ + 1
        negated = ~negated
        nested = select(Person.id).where(Person.id.in_(nested))
    for query in (select(sum_), Person.where(negated), nested, Person.where(exists(nested))):
        with pytest.raises(cormorant.ProgrammingError, match=r"deep|overflow"):
            db.fetch_all(query)
        assert "deep" in repr(query) or "overflow" in repr(query)
    with pytest.raises(cormorant.ProgrammingError, match="deep"):
        sum_.sql  # noqa: B018


def test_things_that_are_no_query(db: Database) -> None:
    for wrong in (None, 5, b"SELECT 1", Person.age, Person.age > 3, object()):
        with pytest.raises(cormorant.ProgrammingError, match="model"):
            db.fetch_all(wrong)  # type: ignore[call-overload]
    with pytest.raises(cormorant.ProgrammingError):
        db.execute(select(Person))  # type: ignore[call-overload]
    with pytest.raises(cormorant.ProgrammingError):
        db.count(update(Person).set(age=1).returning(Person.id))
    assert db.count(Person) == 0


def test_a_condition_holds_its_model() -> None:
    class Gone(Model):
        age: Column[int]

    condition = Gone.age > 3
    del Gone
    gc.collect()
    assert condition.sql == ('"age" > ?', (3,))


class Priced(Model):
    """Cents in the file, units in Python: a value that is not encoded would be taken for cents."""

    price: Column[float] = column(
        type="int64", transform=Transform(lambda price: round(price * 100), lambda cents: cents / 100)
    )


def test_parameters_are_encoded_as_the_column_they_stand_beside(db: Database) -> None:
    db.create_tables(Priced)
    db.insert_many([Priced(1.5), Priced(2.5)])
    for condition in (
        Priced.price > param("p"), Priced.price.between(param("p"), 9.0), Priced.price.collate("BINARY") > param("p"),
        exists(select(Priced.price).where(Priced.price > param("p"))) & (Priced.price != 1.5),
    ):  # fmt: skip
        assert db.fetch_all(select(Priced.price).where(condition), p=2.0) == [(2.5,)]
    assert db.execute(update(Priced).set(price=param("p")), p=3.25) == 2
    assert db.fetch_all(select(func.max(Priced.price))) == [(3.25,)]
    with pytest.raises(cormorant.ProgrammingError, match="two parameters"):
        db.fetch_all(select(Priced).where(Priced.price > param("p"), func.abs(1) > 0, Person.age > param("p")), p=1)


def test_one_query_in_many_threads(db: Database) -> None:
    db.insert_many(Person(f"n{index}", index % 10) for index in range(1_000))
    query = Person.where(Person.age == param("age"))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda age: db.fetch_all(query, age=age % 10), range(200)))
    assert all(len(records) == 100 and {p.age for p in records} == {i % 10} for i, records in enumerate(found))


def test_deeper_than_sqlite_parses(db: Database) -> None:
    """Versions before 3.46 parse less than what a statement may nest."""
    condition = Person.age == 1
    for number in range(150):
        condition = (condition | (Person.age == number)) & (Person.age > 0)
    if tuple(map(int, cormorant.sqlite_version().split("."))) >= (3, 46):
        assert db.count(Person.where(condition)) >= 0
    else:
        with pytest.raises(cormorant.ProgrammingError, match="nests deeper than SQLite parses"):
            db.count(Person.where(condition))
