"""Queries: by attributes and by SQL, as objects, tuples and dicts; streamed, counted, paged."""

from __future__ import annotations

from typing import Any

import pytest
from models import Department, Person, make

import cormorant
from cormorant import Column, Database, Model, ProgrammingError, key


@pytest.fixture(autouse=True)
def people(db: Database) -> None:
    db.insert_many([Person("Ann", 35), Person("Bob", 20, "2000"), Person("Cid", 35, "1990"), Person("Dan", 50)])


def names(found: list[Person]) -> list[str]:
    return [person.name for person in found]


def test_by_attributes(db: Database) -> None:
    assert len(db.fetch_all(Person)) == 4
    assert names(db.fetch_all(Person, age=35, order_by="name")) == ["Ann", "Cid"]
    assert names(db.fetch_all(Person, age=35, born=None)) == ["Ann"]
    assert names(db.fetch_all(Person, bindings={"age": 35}, born="1990")) == ["Cid"]
    assert db.fetch_all(Person, age=99) == []
    with pytest.raises(cormorant.ProgrammingError, match="years"):
        db.fetch_all(Person, years=3)


def test_order_limit_and_offset(db: Database) -> None:
    assert names(db.fetch_all(Person, order_by=["-age", "name"])) == ["Dan", "Ann", "Cid", "Bob"]
    assert names(db.fetch_all(Person, order_by="name", limit=2)) == ["Ann", "Bob"]
    assert names(db.fetch_all(Person, order_by="name", limit=2, offset=2)) == ["Cid", "Dan"]
    assert names(db.fetch_all(Person, order_by="name", offset=3)) == ["Dan"]
    with pytest.raises(ProgrammingError, match=r"one text '-age, name'.*give a list: \['-age', 'name'\]"):
        db.fetch_all(Person, order_by="-age, name")
    for wrong in ({"order_by": "years"}, {"limit": -1}, {"offset": -1}):
        with pytest.raises(cormorant.ProgrammingError):
            db.fetch_all(Person, **wrong)
    with pytest.raises(cormorant.DataError):
        db.fetch_all(Person, limit=2**64 + 1)
    # Python writes no number of so many digits.
    for name in ("limit", "offset"):
        with pytest.raises(cormorant.DataError, match=f"^{name} is beyond 64 bits"):
            db.fetch_all(Person, **{name: 10**5_000})  # type: ignore[call-overload]
    for negative in (lambda: db.fetch_all(Person, limit=-(10**5_000)), lambda: Person.where().limit(-(10**5_000))):
        with pytest.raises(ProgrammingError, match="is below 0"):
            negative()


def test_by_sql(db: Database) -> None:
    sql = "SELECT * FROM people WHERE age > ? ORDER BY name"
    assert names(db.fetch_all(Person, sql, [30])) == ["Ann", "Cid", "Dan"]
    assert names(
        db.fetch_all(Person, "SELECT department, born, age, name, id FROM people WHERE age = :a", {"a": 20})
    ) == ["Bob"]
    first = db.fetch_one(Person, sql, (30,))
    assert first is not None
    assert first.name == "Ann"
    with pytest.raises(cormorant.ProgrammingError, match="born") as caught:
        db.fetch_all(Person, "SELECT id, name, age, department FROM people")
    assert caught.value.code == "CORM_E_SCHEMA"
    with pytest.raises(cormorant.ProgrammingError, match="age"):
        db.fetch_all(Person, sql, [30], age=3)
    with pytest.raises(cormorant.ProgrammingError, match="without SQL"):
        db.fetch_all(Person, bindings=[30])
    with pytest.raises(cormorant.ProgrammingError):
        db.fetch_all(Person, sql, [30], limit=1)


def test_rows_as_objects_tuples_and_dicts(db: Database) -> None:
    cursor = db.cursor(Person, order_by="name", limit=1)
    assert cursor.columns == ("id", "name", "age", "born", "department")
    assert cursor.fetch_all() == [Person("Ann", 35, id=1)]
    assert db.cursor(Person, name="Ann").tuples().fetch_all() == [(1, "Ann", 35, None, None)]
    assert list(db.cursor(Person, name="Ann").dicts()) == [
        {"id": 1, "name": "Ann", "age": 35, "born": None, "department": None}
    ]


def test_a_cursor_that_is_left_early(db: Database) -> None:
    for person in db.cursor(Person):
        assert person.name == "Ann"
        break
    db.execute("DROP TABLE people")


def test_count_and_pages(db: Database) -> None:
    assert db.count(Person) == 4
    assert db.count(Person, age=35) == 2
    assert db.count(Person, "SELECT * FROM people WHERE age < ?", [40]) == 3
    assert db.count(sql="SELECT 1 UNION ALL SELECT 2") == 2
    assert db.page_count(Person, page_size=3) == 2
    assert db.page_count(Person, page_size=4) == 1
    assert db.page_count(Department, page_size=4) == 0
    assert db.page_count(sql="SELECT * FROM people WHERE age = :age", bindings={"age": 35}, page_size=1) == 2
    for size in (0, -1):
        with pytest.raises(cormorant.ProgrammingError, match="page size"):
            db.page_count(Person, page_size=size)
    with pytest.raises(cormorant.ProgrammingError):
        db.count()
    with pytest.raises(cormorant.ProgrammingError, match="without a model"):
        db.count(age=3)


def test_max_key_is_of_the_key_s_type(db: Database) -> None:
    class Flag(Model):
        on: Column[bool] = cormorant.column(primary_key=True)

    db.create_tables(Flag)
    db.insert(Flag(False))
    assert db.max_key(Flag) is False
    db.insert(Flag(True))
    assert db.max_key(Flag) is True


def test_properties_named_as_parameters(db: Database) -> None:
    class Odd(Model):
        limit: Column[int]
        sql: Column[str]

    db.create_tables(Odd)
    db.insert(Odd(3, "x"))
    assert db.fetch_all(Odd, bindings={"limit": 3, "sql": "x"}) == [Odd(3, "x")]
    assert db.fetch_all(Odd, bindings={"limit": 4}) == []


def test_an_option_that_is_a_property_too_is_refused(db: Database) -> None:
    names: dict[str, Any] = {"order_by": "text", "limit": 2, "offset": 0, "into": None}
    types = {"order_by": Column[str], "limit": Column[int], "offset": Column[int], "into": Column[int | None]}
    cls: Any = make(types, table="options")
    db.create_tables(cls)
    db.insert(cls(**names))
    for name, value in names.items():
        if name == "into":
            assert db.fetch_all(cls, into=None) == [cls(**names)]
            assert db.fetch_all(cls, into=5) == []
            continue
        calls: list[Any] = [db.fetch_all, db.cursor, db.observe_live]
        for call in calls if name == "limit" else [*calls, db.fetch_one]:
            with pytest.raises(ProgrammingError, match=f"{name} is an option, and a property of Made") as raised:
                call(cls, **{name: value})
            assert raised.value.hint
            assert f'bindings={{"{name}": value}}' in raised.value.hint
        assert db.fetch_all(cls, bindings={name: value}) == [cls(**names)]
        assert db.fetch_all(cls, bindings={name: "5" if name == "order_by" else 5}) == []
    assert db.fetch_one(cls, limit=2) == cls(**names)
    assert db.fetch_one(cls, limit=1) is None
    with pytest.raises(ProgrammingError, match="with a query"):
        db.observe_live(cls.where(cls.limit == 2), limit=1)


def test_a_property_called_sql_is_no_sql(db: Database) -> None:
    class Log(Model):
        sql: Column[str | None]
        id: Column[int] = key()

    db.create_tables(Log)
    db.insert_many([Log("a"), Log(None)])
    calls: list[Any] = [db.fetch_all, db.fetch_one, db.one, db.cursor, db.count, db.observe_live]
    for call in calls:
        for given in ("DELETE FROM log RETURNING *", "a", None):
            with pytest.raises(ProgrammingError, match=r"sql is an option, and a property of Log.*into=Log"):
                call(Log, sql=given)
    assert db.count(Log) == 2
    assert [log.id for log in db.fetch_all(Log, bindings={"sql": None})] == [2]
    assert [log.id for log in db.query("SELECT * FROM log WHERE sql = ?", ("a",), into=Log)] == [1]
    # Where no property is called so it is what it was.
    assert db.count(Person, sql=None) == db.count(Person)
    with pytest.raises(ProgrammingError, match=r"exists\(Log, ...\) takes a key, and no attributes.*Log.where"):
        db.exists(Log, id=1)  # type: ignore[call-overload]


def test_no_limit_is_all_and_a_limit_of_0_is_none(db: Database) -> None:
    count = db.count(Person)
    assert [len(db.fetch_all(Person, limit=limit)) for limit in (None, 0, 1)] == [count, 0, 1]
    assert db.cursor(Person, limit=0).fetch_all() == []
    with db.observe_live(Person, limit=0) as live:
        event = live.next(5)
        assert event is not None
        assert event.rows == []


@pytest.mark.parametrize("count", [1.5, "1", -1])
def test_a_limit_that_is_no_number_of_rows(db: Database, count: Any) -> None:
    for ask in (
        lambda: db.fetch_all(Person, limit=count),
        lambda: db.fetch_all(Person, offset=count),
        lambda: db.observe_live(Person, limit=count),
        lambda: db.fetch_all(Person.where().limit(count)),
        lambda: db.fetch_all(Person.where().offset(count)),
    ):
        with pytest.raises(ProgrammingError, match=r"limit|offset"):
            ask()
