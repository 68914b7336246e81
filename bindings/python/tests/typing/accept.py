"""What type checkers must accept: checked by mypy --strict and pyright, never run."""

import uuid
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, ClassVar, NewType

from typing_extensions import assert_type

from cormorant import Column, Database, Json, Key, Model, Reference, Transform, column, ignored, key


class Department(Model, table="departments", unique=["name"], strict=True):
    name: Column[str]
    id: Column[int | None] = column(primary_key=True, default=None)


class Person(
    Model,
    unique=[("name", "born"), Key(["email"], where="email IS NOT NULL")],
    indexes=["age", ("department", "-age")],
    checks=["age >= 0"],
    references=[Reference(["department"], Department)],
    column_order=["id"],
):
    kind: ClassVar[str] = "person"

    id: Column[int | None] = column(primary_key=True, auto_increment=True, default=None, kw_only=True)
    name: Column[str]
    email: Column[str | None] = column(default=None)
    born: Column[datetime | None] = column(default=None)
    age: Column[int] = column(default=0)
    salary: Column[Decimal] = column(default=Decimal(0))
    token: Column[uuid.UUID] = column(default_factory=uuid.uuid4, unique=True)
    tags: Column[list[str]] = column(default_factory=list)
    extra: Column[Json] = column(default=None)
    photo: Column[bytes] = column(default=b"")
    height: Column[float] = column(type="float", default=1.5)
    code: Column[str] = column(length=20, default="")
    words: Column[frozenset[str]] = column(
        type="text", transform=Transform(" ".join, lambda text: frozenset(text.split())), default_factory=frozenset
    )
    department: Column[int | None] = column(references=Department, on_delete="set_null", default=None)
    upper: Column[str | None] = column(computed="upper(name)", init=False)
    note: str = ignored(default="")


class Total(Model, table="totals", view=True, primary_key=["name"]):
    name: Column[str]
    price: Column[Decimal] = column(scale=2)


class Member(Model, scope="deleted_at IS NULL"):
    name: Column[str]
    deleted_at: Column[datetime | None] = column(default=None)


def members(database: Database) -> None:
    everybody = Member.unscoped()
    assert_type(everybody, type[Member])
    assert_type(database.fetch_all(everybody.where(everybody.name == "Ada")), list[Member])


BoatID = NewType("BoatID", int)


class Boat(Model):
    id: Column[BoatID] = key()
    name: Column[str]


class Sail(Model):
    id: Column[int] = key(auto_increment=True)
    boat: Column[BoatID] = column(references=Boat)


assert_type(Boat("Ann").id, BoatID)
assert_type(Sail(Boat("Ann").id).id, int)
assert_type(Boat.id, Column[BoatID])

ann = Person("Ann", "ann@example.org", datetime.now(timezone.utc), 35, note="new")
ann = Person(name="Ann", id=3, age=35, tags=["a"], token=uuid.uuid4(), extra={"x": [1]})

assert_type(ann.id, int | None)
assert_type(ann.name, str)
assert_type(ann.salary, Decimal)
assert_type(ann.tags, list[str])
assert_type(ann.note, str)
assert_type(Person.age, Column[int])
assert_type(Person.email, Column[str | None])
assert_type(Person.kind, str)

ann.name = "Anna"
ann.email = None
ann.words = frozenset({"x"})

with Database("file.db", mode="create", busy_timeout=1, journal_mode="wal") as db:
    db.create_tables(Department, Person)
    assert_type(ann.insert(db), Person)
    assert_type(db.insert(ann, "ignore"), bool)
    assert_type(ann.changes(Person("Anna")), tuple[str, ...])
    assert_type(db.update_changes(ann, ann), tuple[str, ...])
    assert_type(ann.update_changes(db, since=ann), tuple[str, ...])
    assert_type(db.insert_many(Person(name) for name in ("a", "b")), int)
    assert_type(db.find(Person, 1), Person | None)
    assert_type(db.fetch_all(Person, age=35, order_by=["-name"], limit=10), list[Person])
    assert_type(db.fetch_all(Person, "SELECT * FROM person WHERE age > ?", [30]), list[Person])
    assert_type(db.fetch_one(Person, name="Ann"), Person | None)
    for person in db.cursor(Person):
        assert_type(person, Person)
    for row in db.cursor(Person).dicts():
        assert_type(row, dict[str, Any])
    for values in db.query("SELECT 1, :x", {"x": 2}):
        assert_type(values, tuple[Any, ...])
    with db.transaction("deferred") as transaction:
        transaction.rollback()
    assert_type(db.count(Person), int)
    assert_type(db.page_count(sql="SELECT 1", page_size=10), int)
    db.set_trace(lambda sql, seconds: print(sql, seconds))
