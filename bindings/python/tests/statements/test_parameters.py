"""Parameters beside expressions: their values are encoded as values that stand there."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from cormorant import (
    Column,
    Database,
    DataError,
    Expression,
    Model,
    ProgrammingError,
    Transform,
    case,
    column,
    func,
    key,
    literal,
    param,
    scalar,
    select,
    tuple_,
    update,
)

EAST = timezone(timedelta(hours=2))


class Item(Model):
    id: Column[int] = key()
    code: Column[str | None] = column(type="text", transform=Transform(str.upper, str.lower), default=None)
    off: Column[datetime | None] = column(type="offset_datetime", default=None)
    at: Column[datetime | None] = column(default=None)
    day: Column[date | None] = column(default=None)
    span: Column[timedelta | None] = column(default=None)
    price: Column[Decimal | None] = column(default=None)
    tag: Column[uuid.UUID | None] = column(default=None)
    flag: Column[bool | None] = column(default=None)
    tags: Column[list[str] | None] = column(default=None)
    name: Column[str | None] = column(default=None)


MOMENT = datetime(2026, 1, 1, 8, tzinfo=EAST)
VALUES: dict[str, Any] = {
    "code": "ab",
    "off": MOMENT,
    "at": datetime(2026, 1, 1, 6, tzinfo=timezone.utc),
    "day": date(2026, 1, 2),
    "span": timedelta(hours=3),
    "price": Decimal("1.50"),
    "tag": uuid.UUID(int=7),
    "flag": True,
    "tags": ["x", "y"],
    "name": "Ann",
}


@pytest.fixture
def db() -> Iterator[Database]:
    with Database(":memory:") as database:
        database.create_tables(Item)
        database.insert_many([Item(**VALUES), Item()])
        yield database


def _expression(item: Any, it: Any) -> Expression[Any]:
    """A value as an expression, or the column itself where nothing else knows the value's form."""
    if isinstance(it, Expression):
        return it
    return item if item.type_name in ("text", "json") else literal(it)


Made = Callable[[Any, Any], "Expression[Any]"]
# What is made of a column and a value.
CONDITIONS: dict[str, Made] = {
    "itself": lambda item, it: item == it,
    "turned": lambda item, it: it == item,
    "is": lambda item, it: item.is_(it),
    "between": lambda item, it: item.between(it, it),
    "label": lambda item, it: item.label("x") == it,
    "without NULL": lambda item, it: func.coalesce(item, None) == it,
    "max": lambda item, it: scalar(select(func.max(item))) == it,
    "coalesce": lambda item, it: func.coalesce(item, it) == it,
    "ifnull turned": lambda item, it: func.ifnull(it, item) == it,
    "case": lambda item, it: case((Item.id == 1, item), else_=it) == it,
    "case of both": lambda item, it: case((Item.id == 9, it), else_=item) == it,
    "nullif": lambda item, it: func.nullif(item, it).is_null(),
    "nullif turned": lambda item, it: (Item.id == 1) & func.nullif(it, item).is_null(),
    "likely": lambda item, it: func.likely(item) == it,
    "unlikely turned": lambda item, it: it == func.unlikely(item),
    "likelihood": lambda item, it: func.likelihood(item, 0.5) == it,
    "base as a value": lambda item, it: case((item, 1), else_=0, base=_expression(item, it)) == 1,
    "base": lambda item, it: case((it, 1), else_=0, base=item) == 1,
    "base of coalesce": lambda item, it: case((it, 1), else_=0, base=func.coalesce(item, None)) == 1,
    "scalar": lambda item, it: scalar(select(item).where(Item.id == 1)) == it,
    "row": lambda item, it: tuple_(func.coalesce(item, None), Item.id) == (it, 1),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("made", CONDITIONS)
def test_beside_an_expression_as_a_value(db: Database, made: str, name: str) -> None:
    item, value, condition = getattr(Item, name), VALUES[name], CONDITIONS[made]
    with_value = db.fetch_values(select(Item.id).where(condition(item, value)).order_by(Item.id))
    with_parameter = select(Item.id).where(condition(item, param("p"))).order_by(Item.id)
    assert db.fetch_values(with_parameter, p=value) == with_value
    assert 1 in with_value


RESULTS: dict[str, Made] = {
    "coalesce": lambda item, it: func.coalesce(item, it),
    "ifnull turned": lambda item, it: func.ifnull(it, item),
    "case": lambda item, it: case((Item.id == 1, item), else_=it),
    "iif": lambda item, it: func.iif(Item.id == 1, it, item),
    "lag": lambda item, it: func.lag(item, 1, it).over(order_by=Item.id),
    "max": lambda item, it: func.max(item, it),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("made", RESULTS)
def test_in_an_expression_as_a_value(db: Database, made: str, name: str) -> None:
    item, value, make = getattr(Item, name), VALUES[name], RESULTS[made]
    expected = db.fetch_values(select(make(item, value)).order_by(Item.id))
    query = select(make(item, param("p"))).order_by(Item.id)
    assert db.fetch_values(query, p=value) == expected
    assert value in expected
    assert set(map(str, db.fetch_values(query, p=None))) <= {str(value), "None"}
    # Into the column again.
    if made in ("coalesce", "case"):
        db.execute(update(Item).set({item: make(item, param("p"))}), p=value)
        assert db.fetch_values(select(item)) == [value, value]
        name = item.column_name
        assert db.fetch_value(f"SELECT count(DISTINCT {name}) FROM item") == 1


@pytest.mark.parametrize("name", VALUES)
def test_beside_columns_of_queries_and_in_lists(db: Database, name: str) -> None:
    item, value = getattr(Item, name), VALUES[name]
    query = select(Item.id.label("id"), item.label("v"))
    for source in (query.cte("c"), query.subquery("s")):
        of = select(source.c.id)
        found = of.where(source.c.v == param("p"))
        assert db.fetch_values(found, p=value) == [1]
        assert db.fetch_values(of.where(param("p") == source.c.v), p=value) == [1]
        assert db.fetch_values(of.where(source.c.v.in_(param("p"))), p=[value]) == [1]
        assert db.fetch_values(of.where(tuple_(source.c.id, source.c.v).in_(param("p"))), p=[(1, value)]) == [1]
        row = tuple_(param("one"), param("p"))
        assert db.fetch_values(of.where(tuple_(source.c.id, source.c.v) == row), one=1, p=value) == [1]
        assert db.fetch_values(of.where(row == tuple_(source.c.id, source.c.v)), one=1, p=value) == [1]
    again = select(Item.id).where(func.coalesce(item, None).in_(param("p")))
    assert db.fetch_values(again, p=[value]) == [1]


def test_one_that_stands_beside_two_encodings_is_refused(db: Database) -> None:
    for condition in (
        (Item.code == param("p")) & (func.lower(Item.name) == param("p")),
        (func.max(Item.code) == param("p")) & (Item.name == param("p")),
        (func.coalesce(Item.code, param("p")) == "a") & (func.length(param("p")) == 1),
    ):
        with pytest.raises(ProgrammingError, match=r"parameter 'p' stands beside .*give them two parameters"):
            db.fetch_values(select(Item.id).where(condition), p="ab")
    twice = Item.price + Item.price == param("p")
    for given in (Decimal(3), 3, "3.0"):
        assert db.fetch_values(select(Item.id).where(twice), p=given) == [1]
    assert db.fetch_values(select(Item.id).where((Item.price + 1).is_(None))) == [2]
    # A type's own form is the same beside any expression.
    both = (Item.at == param("p")) & (func.coalesce(Item.at, param("p")) == param("p"))
    assert db.fetch_values(select(Item.id).where(both), p=VALUES["at"]) == [1]


def test_a_condition_that_may_be_left_out(db: Database) -> None:
    for item in (Item.code, Item.flag, Item.at):
        found = select(Item.id).where(param("p").is_null() | (item == param("p"))).order_by(Item.id)
        assert db.fetch_values(found, p=None) == db.fetch_values(select(Item.id).order_by(Item.id))
        assert db.fetch_values(found, p=VALUES[item.name]) == [1]
        assert db.fetch_values(select(Item.id).where(param("p").is_not_null() & (item == param("p"))), p=None) == []


@pytest.mark.parametrize("name", VALUES)
def test_on_the_left_of_a_query_and_of_bounds(db: Database, name: str) -> None:
    item, value = getattr(Item, name), VALUES[name]
    every = select(Item.id).where(Item.id == 1)
    assert db.fetch_values(every.where(param("p").in_(select(item))), p=value) == [1]
    assert db.fetch_values(every.where(param("p").in_(select(func.coalesce(item, None)))), p=value) == [1]
    row, query = tuple_(param("p"), Item.id), select(item, Item.id).where(Item.id == 1)
    assert db.fetch_values(every.where(row.in_(query)), p=value) == [1]
    assert db.fetch_values(every.where(row == query), p=value) == [1]
    assert db.fetch_values(every.where(param("p").between(item, item)), p=value) == [1]


def test_decimals_among_integers_are_given_as_decimals(db: Database) -> None:
    one = select(func.max(Item.id, Decimal("0.5")), func.coalesce(Item.id, Decimal("0.5"))).where(Item.id == 1)
    rows: list[Any] = db.fetch_all(one)
    assert rows == [(Decimal(1), Decimal(1))]
    assert all(type(value) is Decimal for value in rows[0])


def test_what_is_of_another_type_is_refused(db: Database) -> None:
    for item, value in ((Item.flag, 5), (Item.span, 5)):
        for made in (case((Item.id == 1, item), else_=param("p")), func.coalesce(item, param("p"))):
            with pytest.raises(DataError, match="parameter 'p' is given a int among values of type"):
                db.fetch_values(select(made), p=value)
    with pytest.raises(DataError, match=r"Item\.at"):
        db.fetch_values(select(Item.id).where(func.max(Item.at) == param("p")), p=5)


@pytest.mark.parametrize("offset", [0, -12600, 45296, 50400])
def test_an_offset_datetime_is_stored_as_the_columns(db: Database, offset: int) -> None:
    moment = datetime(2026, 1, 1, 0, 30, 0, 5, timezone(timedelta(seconds=offset)))
    db.execute("DELETE FROM item")
    db.insert_many([Item(off=moment), Item()])
    db.execute(update(Item).set({Item.off: func.coalesce(Item.off, param("p"))}), p=moment)
    assert db.fetch_value("SELECT count(DISTINCT off) FROM item WHERE off IS NOT NULL") == 1
    assert [value.utcoffset() for value in db.fetch_values(select(Item.off)) if value] == [
        timedelta(seconds=offset)
    ] * 2
    for beyond in (datetime.min.replace(tzinfo=EAST), datetime.max.replace(tzinfo=timezone(timedelta(hours=-2)))):
        with pytest.raises(DataError):
            db.fetch_values(select(func.coalesce(Item.off, param("p"))), p=beyond)


def test_a_parameter_as_the_base_of_a_case_is_encoded_in_one_way(db: Database) -> None:
    it = select(case((Item.code, 1), ("zz", 2), else_=0, base=param("code"))).order_by(Item.id)
    assert db.fetch_values(it, code="ab")[0] == 1
    assert db.fetch_values(it, code="zz")[0] == 2
    with pytest.raises(ProgrammingError, match="encode their values differently"):
        case((Item.code, 1), (Item.name, 2), else_=0, base=param("code"))
