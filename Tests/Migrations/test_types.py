"""A type that takes less than the values that are there is told before anything is done, and counted.

found by a stranger: types that narrow
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from conftest import dump, make, rows
from cormorant import Column, Database, MigrationError, Model, column, select


def model(kind: Any, **options: Any) -> Any:
    """A model of the table n with one column of a type."""
    body = {
        "__annotations__": {"id": Column[int | None], "f": Column[kind]},
        "__module__": __name__,
        "id": column(primary_key=True, default=None, kw_only=True),
        "f": column(**options),
    }
    return type(Model)("N", (Model,), body, table="n")


# The former type, values that do not fit and then some that do, the new type, and what is said.
NARROWED: dict[str, tuple[Any, list[Any], Any, str]] = {
    "bytes to str": (model(bytes), [b"abc"], model(str), '1 row of "n.f" holds no text'),
    "bytes to int": (model(bytes), [b"5"], model(int), '1 row of "n.f" holds no int64'),
    "int to datetime": (model(int), [5], model(datetime), '1 row of "n.f" holds no datetime'),
    "int to bool": (model(int), [5, -1, 1], model(bool), '2 rows of "n.f" hold no bool'),
    "int to int32": (model(int), [2**40, 2**31 - 1], model(int, type="int32"), '1 row of "n.f" holds no int32'),
    "int to unsigned": (model(int), [-1, 2**62], model(int, unsigned=True), '1 row of "n.f" holds no unsigned int64'),
    "float to 32 bits": (
        model(float),
        [1e300, 3.4028235677973366e38, 3.4028235677973362e38, float("inf"), 0.1],
        model(float, type="float"),
        '2 rows of "n.f" hold no float',
    ),
    "str to datetime": (
        model(str),
        ["yesterday", "2024-02-30 00:00:00", "2024-02-29 00:00:00"],
        model(datetime),
        '2 rows of "n.f" hold no datetime',
    ),
    "str to UUID": (model(str), ["x", "0" * 32, str(UUID(int=1))], model(UUID), '2 rows of "n.f" hold no uuid'),
    "str to Decimal": (model(str), ["x", "1.10", "-1e5"], model(Decimal), '1 row of "n.f" holds no decimal'),
}


@pytest.mark.parametrize("what", NARROWED)
def test_values_that_the_new_type_cannot_read_are_a_problem(path: Path, what: str) -> None:
    former, values, now, message = NARROWED[what]
    with Database(path) as db:
        db.sync(former)
        db.insert_many([former(f=value) for value in values])
    before = dump(path)
    with Database(path) as db:
        plan = db.plan(now)
        assert [problem.message for problem in plan.problems] == [message]
        assert "mend the rows" in plan.problems[0].annotation
        assert "(safe" not in str(plan)
        with pytest.raises(MigrationError, match="needs a decision"):
            db.sync(now)
    assert dump(path) == before
    with Database(path) as db:  # What does not fit goes, and the rest is read.
        db.execute("DELETE FROM n WHERE id <= ?", (int(message[0]),))
        db.sync(now)
        assert not db.plan(now)
        assert len(db.fetch_all(select(now))) == len(values) - int(message[0])


def test_types_that_widen_cost_nothing_and_are_no_change(path: Path) -> None:
    narrow, wide = model(int, type="int32"), model(int)
    with Database(path) as db:
        db.sync(narrow)
        db.insert(narrow(f=1))
    kept = rows(path, "SELECT sql FROM corm_models")
    for now in (wide, narrow):
        with Database(path) as db:
            assert not db.plan(now)
            db.sync(now)
    assert rows(path, "SELECT sql FROM corm_models") == kept


def test_what_another_program_made_is_looked_at(path: Path) -> None:
    make(path, "CREATE TABLE n (id INTEGER PRIMARY KEY, f NOT NULL); INSERT INTO n VALUES (1, 'x'), (2, 2)")
    with Database(path) as db:
        assert [problem.message for problem in db.plan(model(int)).problems] == ['1 row of "n.f" holds no int64']
        db.execute("UPDATE n SET f = 3 WHERE id = 1")
        assert not db.sync(model(int))


def test_a_conversion_is_made_and_looked_at(path: Path) -> None:
    former = model(int)
    with Database(path) as db:
        db.sync(former)
        db.insert_many([former(f=5), former(f=0)])
    with Database(path) as db:
        bad = db.plan(model(bool, convert_sql="f + 1"))
        assert [problem.message for problem in bad.problems] == ['1 row of "n.f" holds no bool']
        now = model(bool, convert_sql="f <> 0")
        assert db.sync(now).risk == "annotated"
        assert [row.f for row in db.fetch_all(select(now))] == [True, False]
        assert not db.sync(now)


def test_rows_written_since_a_plan_are_looked_at_again(path: Path) -> None:
    class N(Model, table="n"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        f: Column[bool]
        more: Column[str | None] = column(default=None)

    with Database(path) as db:
        db.sync(model(int))
        db.insert(model(int)(f=1))
    with Database(path) as db:
        plan = db.plan(N)
        assert plan.risk == "safe"
        db.execute("UPDATE n SET f = 2")
        with pytest.raises(MigrationError, match="rows that were written since"):
            plan.apply(db)
