"""Rows of values, lists as parameters, inserts of several rows, exactly one row."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from cormorant import (
    Column,
    Database,
    DataError,
    Model,
    NoRowsError,
    ProgrammingError,
    SeveralRowsError,
    column,
    func,
    insert,
    param,
    raw,
    select,
    tuple_,
    update,
)

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
FIRST, SECOND = uuid.UUID(int=1), uuid.UUID(int=2)


class Thing(Model):
    name: Column[str]
    code: Column[uuid.UUID | None] = column(default=None)
    since: Column[datetime | None] = column(default=None)
    price: Column[Decimal | None] = column(default=None)
    photo: Column[bytes | None] = column(default=None)
    facts: Column[dict[str, int] | None] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None)


@pytest.fixture
def db() -> Iterator[Database]:
    with Database(":memory:") as database:
        database.create_tables(Thing)
        database.insert_many(
            [
                Thing("a", FIRST, START, Decimal("9.5"), b"\0", {"x": 1}),
                Thing("b", SECOND, START + timedelta(days=1), Decimal("10.0"), b"\1"),
                Thing("c"),
            ]
        )
        yield database


def found(db: Database, condition: Any, **parameters: Any) -> list[str]:
    return db.fetch_values(select(Thing.name).where(condition).order_by(Thing.id), **parameters)


@pytest.mark.parametrize(
    ("of", "given", "wanted"),
    [
        (Thing.code, [FIRST, None], ["a", "c"]),
        (Thing.code, {SECOND}, ["b"]),
        (Thing.since, (START,), ["a"]),
        (Thing.since, [START.astimezone(timezone(timedelta(hours=2)))], ["a"]),
        (Thing.price, [Decimal("10"), Decimal("9.50")], ["a", "b"]),
        (Thing.photo, [b"\1"], ["b"]),
        (Thing.facts, [{"x": 1}], ["a"]),
        (Thing.id, range(2, 9), ["b", "c"]),
        (func.max(Thing.since, Thing.since), [START], ["a"]),
        (Thing.name, {"c": 3, "a": 1}.keys(), ["a", "c"]),
    ],
    ids=str,
)
def test_a_list_is_encoded_as_its_column(db: Database, of: Any, given: Any, wanted: list[str]) -> None:
    assert found(db, of.in_(param("them")), them=given) == wanted


def test_a_list_is_kept_by_length(db: Database) -> None:
    query = select(func.count(Thing.id)).where(Thing.id.in_(param("ids")))
    assert [db.one_value(query, ids=list(range(count))) for count in (0, 1, 2, 40_000)] == [0, 0, 1, 3]
    assert found(db, Thing.name.not_in(param("ids")), ids=["a"]) == ["b", "c"]


def test_what_is_no_list_is_refused(db: Database) -> None:
    for wrong in (1, "ab", b"x", {"a": 1}, None):
        with pytest.raises(ProgrammingError, match="takes a list") as caught:
            found(db, Thing.name.in_(param("ids")), ids=wrong)
        assert caught.value.code == "CORM_E_BINDING"
    with pytest.raises(DataError, match="list"):
        found(db, Thing.name == param("name"), name=["a"])
    with pytest.raises(DataError, match="parameter 'ids'"):
        found(db, Thing.name.in_(param("ids")), ids=[object()])
    with pytest.raises(ProgrammingError, match="differently"):
        found(db, Thing.code.in_(param("ids")) | Thing.price.in_(param("ids")), ids=[])


def test_rows_are_encoded_as_their_columns(db: Database) -> None:
    row = tuple_(Thing.code, Thing.since)
    assert found(db, row.in_([(FIRST, START), (SECOND, START), (None, None)])) == ["a", "c"]
    assert found(db, row == (FIRST, START)) == ["a"]
    assert found(db, row == (None, None)) == ["c"]
    assert found(db, row != (None, None)) == ["a", "b"]
    assert found(db, tuple_(Thing.price, Thing.id) >= (Decimal("10.00"), 2)) == ["b"]
    assert found(db, tuple_(Thing.name, Thing.facts).in_([("a", {"x": 1}), ("b", None)])) == ["a", "b"]
    assert found(db, tuple_(Thing.name, Thing.photo) < ("b", b"\1")) == ["a"]
    assert found(db, row.in_(param("rows")), rows=[(SECOND, START + timedelta(days=1))]) == ["b"]
    assert found(db, row > tuple_(param("code"), param("since")), code=FIRST, since=START) == ["b"]
    assert found(db, row == select(Thing.code, Thing.since).where(Thing.name == "b")) == ["b"]
    assert found(db, tuple_(Thing.name, Thing.id).between(("a", 2), ("b", 2))) == ["b"]
    assert found(db, tuple_(Thing.name, Thing.id).not_in([])) == ["a", "b", "c"]


def test_rows_that_are_none_are_refused(db: Database) -> None:
    row: Any = tuple_(Thing.name, Thing.id)
    for wrong in (1, (1,), "ab", None):
        with pytest.raises(ProgrammingError, match="row"):
            _ = row == wrong
    for rows in ([("a", 1), ("b",)], "ab", [1]):
        with pytest.raises(ProgrammingError, match="row"):
            row.in_(rows)
    with pytest.raises(ProgrammingError, match="rows of 2"):
        found(db, row.in_(param("rows")), rows=[1])
    with pytest.raises(DataError, match="holds NULL"):
        found(db, row.in_(param("rows")), rows=[("a", None)])
    with pytest.raises(ProgrammingError, match="neither true nor false"):
        bool(row)
    with pytest.raises(ProgrammingError, match="stands where one"):
        found(db, Thing.name == row)
    with pytest.raises(ProgrammingError, match="part of a row"):
        tuple_(Thing.name, 1)  # type: ignore[call-overload]
    with pytest.raises(ProgrammingError, match="9 columns"):
        found(db, tuple_(*[Thing.name] * 9).in_([("a",) * 9]))


def test_several_rows_go_in_at_once(db: Database) -> None:
    rows: list[dict[str, Any]] = [{"name": "d", "price": Decimal("1.50")}, {"price": None, "name": "e"}]
    assert db.execute(insert(Thing).values(rows)) == 2
    query = insert(Thing).values({"name": name, "since": START, "facts": {"n": 1}} for name in "fg")
    assert [(item.name, item.since, item.facts) for item in db.fetch_all(query.returning())] == [
        ("f", START, {"n": 1}),
        ("g", START, {"n": 1}),
    ]
    given = db.execute(insert(Thing).values([{"name": param("name"), "code": param("code")}]), name="h", code=FIRST)
    assert given == 1
    assert db.one(Thing, name="h").code == FIRST


def test_rows_that_cannot_go_in_are_refused(db: Database) -> None:
    statement = insert(Thing)
    cases: list[tuple[Any, str]] = [
        ([], "no rows"),
        ([1], "row 0 is a int"),
        ("ab", "the rows are one str"),
        ([Thing("x")], "insert_many"),
    ]
    for wrong, message in cases:
        with pytest.raises(ProgrammingError, match=message):
            statement.values(wrong)
    with pytest.raises(ProgrammingError, match="beside them"):
        statement.values([{"name": "x"}], name="y")
    with pytest.raises(ProgrammingError, match="row 1 of an INSERT sets name"):
        db.execute(statement.values([{"name": "x", "price": None}, {"name": "y"}]))
    with pytest.raises(ProgrammingError, match="set nothing"):
        db.execute(statement.values([{}, {}]))
    with pytest.raises(DataError, match="more values than SQLite takes") as caught:
        db.execute(statement.values([{"name": str(number)} for number in range(300_000)]))
    assert caught.value.code == "CORM_E_TOO_BIG"
    assert db.count(Thing) == 3


def test_exactly_one(db: Database) -> None:
    assert db.one(Thing.where(Thing.name == "a")).price == Decimal("9.5")
    assert db.one(select(Thing.name, Thing.code).where(Thing.id == 2)) == ("b", SECOND)
    assert db.one_value(select(Thing.since).where(Thing.id == 3)) is None
    assert db.one_value("SELECT count(*) FROM thing WHERE id > ?", (1,)) == 2
    assert db.one(Thing, "SELECT * FROM thing WHERE name = ?", ("c",)).id == 3
    with pytest.raises(NoRowsError, match="no row") as none:
        db.one(Thing, name="z")
    assert (none.value.code, none.value.sqlite_code) == ("CORM_E_NO_ROWS", 0)
    with pytest.raises(SeveralRowsError, match="several rows") as several:
        db.one(select(Thing))
    assert several.value.sql is not None
    assert several.value.sql.startswith("SELECT")
    with pytest.raises(ProgrammingError, match="2 columns"):
        db.one_value("SELECT 1, 2")


def test_what_was_written_is_taken_back_where_it_is_not_one(db: Database) -> None:
    assert db.one_value(insert(Thing).values(name="d").returning(Thing.id)) == 4
    with pytest.raises(SeveralRowsError):
        db.one(update(Thing).set(name="x").returning())
    with pytest.raises(SeveralRowsError):
        db.one_value("UPDATE thing SET name = 'x' RETURNING id")
    assert db.count(Thing, name="x") == 0


def test_a_raw_list_beside_rows(db: Database) -> None:
    assert found(db, tuple_(Thing.name, raw("id")).in_([("a", 1)])) == ["a"]
