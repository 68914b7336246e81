"""Values: everything comes back as it went in, or the write fails and says which column and why."""

from __future__ import annotations

import json
import math
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from models import Everything

from cormorant import Column, Database, DataError, Model, Transform, column, select

UTC = timezone.utc


def there_and_back(db: Database, **values: Any) -> Everything:
    record = Everything(**values).insert(db)
    found = db.find(Everything, record.id)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", 2**63 - 1), ("number", -(2**63)), ("number", 0),
        ("small", 2**31 - 1), ("small", -(2**31)),
        ("flag", True), ("flag", False),
        ("real", 1.5), ("real", 5e-324), ("real", 1.7976931348623157e308), ("real", math.inf), ("real", -math.inf),
        ("single", 0.5), ("single", math.inf),
        ("text", ""), ("text", "a\0b"), ("text", "\0"), ("text", "Ünïcödé 🐦 \u0301"), ("text", "x" * 100_000),
        ("short", "12345678901234567890"),
        ("data", b""), ("data", b"\0\xff"), ("data", bytes(range(256)) * 1000),
        ("moment", datetime(1970, 1, 1, tzinfo=UTC)), ("moment", datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)),
        ("moment", datetime(2026, 3, 1, 12, 30, 15, 123_456, UTC)), ("moment", datetime(1, 1, 1, tzinfo=UTC)),
        ("moment", datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC)),
        ("token", uuid.UUID(int=0)), ("token", uuid.UUID("c0ffee00-0000-4000-8000-0123456789ab")),
        ("amount", Decimal("0")), ("amount", Decimal("-12345678901234567890.0123456789")), ("amount", Decimal("1.10")),
        ("extra", {}), ("extra", []), ("extra", {"a": [1, 2.5, None, True, "ü"]}), ("extra", "text"), ("extra", 7),
    ],
)  # fmt: skip
def test_edge_values_come_back(db: Database, name: str, value: Any) -> None:
    found = getattr(there_and_back(db, **{name: value}), name)
    assert found == value
    assert type(found) is type(value)
    assert db.fetch_one(Everything, **{name: value}) is not None


def test_a_time_zone_is_turned_into_utc(db: Database) -> None:
    local = datetime(2026, 3, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    found = there_and_back(db, moment=local).moment
    assert found == local
    assert found is not None
    assert found.tzinfo is UTC
    assert db.query("SELECT moment FROM everything").fetch_one() == ("2026-02-28 23:30:00",)


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("number", 2**63, "CORM_E_RANGE"), ("number", -(2**63) - 1, "CORM_E_RANGE"), ("number", "7", "CORM_E_TYPE"),
        ("number", 1.5, "CORM_E_TYPE"), ("number", object(), "CORM_E_TYPE"), ("number", [1], "CORM_E_TYPE"),
        ("small", 2**31, "CORM_E_RANGE"), ("small", -(2**31) - 1, "CORM_E_RANGE"),
        ("flag", "yes", "CORM_E_TYPE"),
        ("real", math.nan, "CORM_E_RANGE"), ("real", "1.5", "CORM_E_TYPE"),
        ("text", 5, "CORM_E_TYPE"), ("text", b"x", "CORM_E_TYPE"), ("text", "\ud800", "CORM_E_ENCODING"),
        ("data", "x", "CORM_E_TYPE"),
        ("moment", datetime(2026, 3, 1), "CORM_E_TYPE"), ("moment", "2026-03-01", "CORM_E_TYPE"),
        ("token", "c0ffee00-0000-4000-8000-0123456789ab", "CORM_E_TYPE"),
        ("amount", 1.5, "CORM_E_TYPE"), ("amount", Decimal("NaN"), "CORM_E_TYPE"),
        ("extra", {"x": math.nan}, "CORM_E_RANGE"), ("extra", {"x": object()}, "CORM_E_TYPE"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(db: Database, name: str, value: Any, code: str) -> None:
    with pytest.raises(DataError) as caught:
        db.insert(Everything(**{name: value}))
    error = caught.value
    assert (error.code, error.table, error.columns) == (code, "everything", (name,))
    assert name in str(error)
    with pytest.raises(DataError) as caught:
        db.insert_many([Everything(), Everything(**{name: value})])
    assert (caught.value.code, caught.value.record_index) == (code, 1)
    assert db.count(Everything) == 0


class Colour(Enum):
    RED = "r"


class Level(IntEnum):
    HIGH = 9


class Transformed(Model):
    colour: Column[Colour | None] = column(type="text", transform=Transform(lambda c: c.value, Colour), default=None)
    level: Column[Level | None] = column(type="int64", transform=Transform(int, Level), default=None)
    id: Column[int | None] = column(primary_key=True, default=None)


def test_a_transform_goes_both_ways(db: Database) -> None:
    db.create_tables(Transformed)
    db.insert_many([Transformed(Colour.RED, Level.HIGH), Transformed()])
    assert db.fetch_all(Transformed, order_by="id") == [Transformed(Colour.RED, Level.HIGH, 1), Transformed(id=2)]
    assert db.count(Transformed, colour=Colour.RED) == 1
    assert db.query("SELECT colour, level FROM transformed").fetch_all() == [("r", 9), (None, None)]
    assert db.cursor(Transformed, id=1).tuples().fetch_all() == [(Colour.RED, Level.HIGH, 1)]


def test_a_transform_that_fails_names_the_column(db: Database) -> None:
    db.create_tables(Transformed)
    with pytest.raises(DataError, match="colour") as caught:
        db.insert(Transformed("red"))  # type: ignore[arg-type]
    assert caught.value.code == "CORM_E_CALLBACK"
    db.execute("INSERT INTO transformed (colour) VALUES ('blue')")
    for read in (
        lambda: db.fetch_all(Transformed),
        lambda: db.find(Transformed, 1),
        lambda: list(db.cursor(Transformed)),
        lambda: db.cursor(Transformed).dicts().fetch_all(),
    ):
        with pytest.raises(DataError, match="colour") as caught:
            read()
        assert caught.value.code == "CORM_E_CALLBACK"


def test_json_null_and_sql_null(db: Database) -> None:
    class Document(Model):
        body: Column[Any]
        more: Column[dict[str, int] | None] = column(default=None)

    db.create_tables(Document)
    db.insert(Document(None))
    assert db.fetch_all(Document) == [Document(None)]
    assert db.query("SELECT body, more FROM document").fetch_all() == [("null", None)]


# Hypothesis: anything a column can hold comes back, through a record and through raw SQL.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.tuples(
        st.integers(-(2**63), 2**63 - 1) | st.none(),
        st.floats(allow_nan=False) | st.none(),
        TEXTS | st.none(),
        st.binary() | st.none(),
        st.datetimes(timezones=st.just(UTC)) | st.none(),
        st.decimals(allow_nan=False, allow_infinity=False, places=6) | st.none(),
    )
)
def test_any_value_comes_back(db: Database, values: tuple[Any, ...]) -> None:
    names = ("number", "real", "text", "data", "moment", "amount")
    record = there_and_back(db, **dict(zip(names, values)))
    assert tuple(getattr(record, name) for name in names) == values
    assert db.query("SELECT ?, ?, ?, ?", values[:4]).fetch_one() == values[:4]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.recursive(st.none() | st.booleans() | st.integers() | TEXTS, lambda x: st.lists(x) | st.dictionaries(TEXTS, x))
)
def test_any_json_comes_back(db: Database, value: Any) -> None:
    if value is not None and "\\u0000" not in json.dumps(value):
        assert there_and_back(db, extra=value).extra == value


class Measured(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    value: Column[float] = column(type="float")


def test_a_float_is_kept_in_32_bits(db: Database) -> None:
    """It was written with 64 bits and read with 32, so that paging never ended and a row was not found by its value."""
    db.create_tables(Measured)
    db.insert_many([Measured(number) for number in (0.7, 0.9, 0.1, 0.1)])
    with pytest.raises(DataError, match=r"Measured\.value does not fit into 32 bits"):
        Measured(1e39).insert(db)
    assert db.count(Measured, value=0.7) == db.count(Measured, value=db.fetch_all(Measured)[0].value) == 1
    query = select(Measured).order_by(Measured.value, Measured.id).limit(1)
    seen: list[Measured] = []
    while page := db.fetch_all(query.after(seen[-1]) if seen else query):
        seen += page
    assert [record.id for record in seen] == [3, 4, 1, 2]
