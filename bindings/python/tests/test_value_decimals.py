"""Decimals are calculated with exactly, in expressions, aggregates and what is written back, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal as D
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import cormorant
from cormorant import (
    Column,
    Database,
    DataError,
    Model,
    Transform,
    case,
    column,
    func,
    insert,
    literal,
    name,
    param,
    raw,
    scalar,
    select,
    update,
)  # fmt: skip


class Line(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    group: Column[str]
    price: Column[D | None]
    number: Column[int] = column(default=3)
    weight: Column[float] = column(default=0.5)


LONG = "12345678901234567890.12"


@pytest.fixture
def db(db: Database) -> Database:
    db.create_tables(Line)
    for group, price in [("a", "0.10"), ("a", "0.10"), ("a", "0.1"), ("b", LONG), ("c", None)]:
        db.insert(Line(group, None if price is None else D(price)))
    return db


def stored(db: Database) -> list[Any]:
    return [value for (value,) in db.query("SELECT price FROM line ORDER BY id").fetch_all()]


def test_money_stays_money(db: Database) -> None:
    assert db.execute(update(Line).set(price=Line.price * 2)) == 5
    assert stored(db) == ["0.20", "0.20", "0.2", "24691357802469135780.24", None]
    assert db.query("SELECT DISTINCT typeof(price) FROM line").fetch_all() == [("text",), ("null",)]
    db.execute(update(Line).set(price=Line.price - D("0.2")).where(Line.group == "a"))
    assert db.fetch_all(select(func.sum(Line.price)).where(Line.group == "a")) == [(D("0.00"),)]


def test_sums_are_exact_and_compare(db: Database) -> None:
    total = func.sum(Line.price)
    query = select(Line.group, total).group_by(Line.group)
    assert db.fetch_all(query) == [("a", D("0.30")), ("b", D(LONG)), ("c", None)]
    sums: Any = total
    twice = select(Line.group).group_by(Line.group).having(sums * 2 == param("twice"))
    assert db.fetch_all(twice, twice=D("0.6")) == [("a",)]
    for condition in (
        sums == D("0.30"), sums == D("0.3"), sums < 5, sums.in_([D("0.300"), 7]), sums.between(0, 1),
        func.coalesce(sums, 0) == D("0.3"), sums - D("0.3") == 0,
    ):  # fmt: skip
        assert db.fetch_all(select(Line.group).group_by(Line.group).having(condition)) == [("a",)]
    assert [group for group, _ in db.fetch_all(query.order_by(total.desc()))] == ["b", "a", "c"]
    assert db.fetch_all(select(func.sum(Line.price).distinct()).where(Line.group == "a")) == [(D("0.10"),)]
    assert db.fetch_all(select(func.sum(Line.price).filter(Line.id > 2))) == [(D("12345678901234567890.22"),)]


RESULTS: dict[str, tuple[Callable[[], Any], list[str | None]]] = {
    "add": (lambda: Line.price + D("1.005"), ["1.105", "1.105", "1.105", "12345678901234567891.125", None]),
    "add a number": (lambda: 1 + Line.price, ["1.10", "1.10", "1.1", "12345678901234567891.12", None]),
    "subtract": (lambda: 1 - Line.price, ["0.90", "0.90", "0.9", "-12345678901234567889.12", None]),
    "multiply by a column": (
        lambda: Line.price * Line.number,
        ["0.30", "0.30", "0.3", "37037036703703703670.36", None],
    ),
    "negate": (lambda: -Line.price, ["-0.10", "-0.10", "-0.1", "-" + LONG, None]),
    "abs": (lambda: func.abs(-Line.price), ["0.10", "0.10", "0.1", LONG, None]),
    "coalesce": (lambda: func.coalesce(Line.price, 0) + 0, ["0.10", "0.10", "0.1", LONG, "0"]),
    "nullif": (lambda: func.nullif(Line.price, D("0.100")), [None, None, None, LONG, None]),
    "case": (lambda: case((Line.id > 3, Line.price), else_=7), ["7", "7", "7", LONG, None]),
    "max of two": (lambda: func.max(Line.price, D("0.2")), ["0.2", "0.2", "0.2", LONG, None]),
    "a decimal beside an integer": (lambda: Line.number * D("0.5"), ["1.5"] * 5),
    "a literal": (lambda: literal(D("0.1")) + D("0.2") + Line.number * 0, ["0.3"] * 5),
    "running sum": (
        lambda: func.sum(Line.price).over(order_by=Line.id, frame="ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"),
        ["0.10", "0.20", "0.20", "12345678901234567890.22", LONG],
    ),
    "lag": (lambda: func.lag(Line.price, 1, 0).over(order_by=Line.id), ["0", "0.10", "0.10", "0.1", LONG]),
}


@pytest.mark.parametrize("what", RESULTS)
def test_a_decimal_of_decimals_is_a_decimal(db: Database, what: str) -> None:
    expression, wanted = RESULTS[what]
    found = [value for (value,) in db.fetch_all(select(expression()).order_by(Line.id))]
    assert [None if value is None else str(value) for value in found] == wanted
    assert {type(value) for value in found} <= {D, type(None)}


# Type checkers refuse some of it, too.
LINE: Any = Line
REFUSED: dict[str, Callable[[], Any]] = {
    "division": lambda: select(LINE.price / 2),
    "remainder": lambda: select(LINE.price % 2),
    "mean": lambda: select(func.avg(LINE.price)),
    "total": lambda: select(func.total(LINE.price)),
    "rounding": lambda: select(func.round(LINE.price, 1)),
    "mean of an expression": lambda: select(func.avg(LINE.price * 2)),
    "a float": lambda: select(LINE.price * 0.1),
    "a column of floats": lambda: select(LINE.price + LINE.weight),
    "a comparison with a column of floats": lambda: select(LINE.id).where(LINE.price > LINE.weight),
    "a sum beside a float": lambda: select(LINE.group).group_by(LINE.group).having(func.sum(LINE.price) > literal(0.5)),
    "a mean in a subquery": lambda: select(func.avg(name("t", "price"))).from_(select(LINE.price), as_="t"),
    "a float into a decimal column": lambda: update(Line).set(price=LINE.weight * 2),
    "raw arithmetic into a decimal column": lambda: update(Line).set(price=raw("0.1 + 0.2")),
    "floats inserted": lambda: insert(Line).from_select(["group", "price"], select(LINE.group, func.avg(LINE.number))),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_exact_is_refused(db: Database, what: str) -> None:
    before = stored(db)
    with pytest.raises(DataError, match=r"decimal") as caught:
        statement = REFUSED[what]()
        (db.fetch_all if isinstance(statement, cormorant.Select) else db.execute)(statement)
    assert caught.value.code == "CORM_E_TYPE"
    assert caught.value.hint
    assert stored(db) == before


def test_a_cast_is_double_arithmetic_on_purpose(db: Database) -> None:
    assert db.fetch_all(select(func.avg(Line.price.cast(float))).where(Line.group == "a")) == [(0.10000000000000002,)]


def test_equal_decimals_are_one(db: Database) -> None:
    """0.10 and 0.1 are two texts in the file."""
    assert db.fetch_all(select(Line.price).distinct()) == [(D("0.10"),), (D(LONG),), (None,)]
    assert db.fetch_all(select(Line.price, func.count()).group_by(Line.price)) == [
        (None, 1), (D("0.10"), 3), (D(LONG), 1),
    ]  # fmt: skip
    assert db.fetch_all(select(func.count(Line.price).distinct())) == [(2,)]
    first, third = select(Line.price).where(Line.id == 1), select(Line.price).where(Line.id == 3)
    assert len(db.fetch_all(first.union(third))) == 1
    assert len(db.fetch_all(first.union_all(third))) == 2
    assert [line.id for line in db.fetch_all(Line, price=D("0.100"), order_by="id")] == [1, 2, 3]
    assert db.count(select(Line).where(Line.price.in_(third))) == 3
    assert db.fetch_all(select(Line.id).where(Line.price == scalar(select(func.max(Line.price))))) == [(4,)]
    db.insert(Line("d", D("9.5")))
    assert [line.price for line in db.fetch_all(Line, order_by="-price", limit=2)] == [D(LONG), D("9.5")]


def test_columns_of_subqueries_are_known(db: Database) -> None:
    inner = select(Line.group.label("kind"), func.sum(Line.price).label("total")).group_by(Line.group)
    assert db.fetch_all(select(name("t", "kind")).from_(inner, as_="t").where(name("t", "total") == D("0.3"))) == [
        ("a",)
    ]
    for query in (
        select(func.sum(name("t", "total"))).from_(inner, as_="t"),
        select(func.sum(name("t", "total"))).with_("t", inner).from_("t"),
        select(func.sum(name("t", "b"))).with_("t", inner, ["a", "b"]).from_("t"),
    ):
        assert [str(value) for (value,) in db.fetch_all(query)] == ["12345678901234567890.42"]
    ordered = inner.order_by(name(None, "total").desc())
    assert [kind for kind, _ in db.fetch_all(ordered)] == ["b", "a", "c"]


class Money:
    def __init__(self, text: str) -> None:
        self.amount = D(text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Money) and self.amount == other.amount

    __hash__ = None  # type: ignore[assignment]


class Account(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    balance: Column[Money] = column(type="decimal", transform=Transform(lambda money: str(money.amount), Money))


def test_a_conversion_of_its_own_holds_for_results(db: Database) -> None:
    db.create_tables(Account)
    db.insert_many([Account(Money("0.1")), Account(Money("0.2"))])
    total = func.sum(Account.balance)
    assert db.fetch_all(select(total).having(total == Money("0.3"))) == [(Money("0.3"),)]


def test_against_fractions(db: Database) -> None:
    random = Random(4)

    def number() -> str:
        digits = "".join(random.choices("0123456789", k=random.choice([1, 3, 9, 18, 19, 40])))
        point = random.randint(0, len(digits))
        text = (
            random.choice(["", "-", "+"])
            + (digits[:point] or "0")
            + ("." + digits[point:] if point < len(digits) else "")
        )
        return text + random.choice(["", "", "", f"e{random.randint(-30, 30)}"])

    def exact(text: str) -> Fraction:
        return Fraction(text)

    for _ in range(400):
        one, two = number(), number()
        (found,) = db.query(
            "SELECT corm_decimal_add(?1, ?2), corm_decimal_sub(?1, ?2), corm_decimal_mul(?1, ?2), "
            "corm_decimal_neg(?1), corm_decimal_abs(?1), corm_decimal(?1)",
            (one, two),
        ).fetch_all()
        left, right = exact(one), exact(two)
        assert [exact(text) for text in found] == [left + right, left - right, left * right, -left, abs(left), left]
        assert not any("e" in text or text.startswith(("-0.0 ", "+")) for text in found)
    numbers = [number() for _ in range(500)] + [10**18, -(2**63), 2**63 - 1]
    rows = db.query(
        "WITH n(i, v) AS (SELECT key, value FROM json_each(?)) "
        "SELECT corm_decimal_sum(v) OVER (ORDER BY i ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) FROM n",
        (json.dumps(numbers),),
    ).fetch_all()
    values = [exact(str(value)) for value in numbers]
    assert [exact(total) for (total,) in rows] == [sum(values[max(0, at - 6) : at + 1]) for at in range(len(values))]


@pytest.mark.parametrize(
    ("sql", "code", "told"),
    [
        ("corm_decimal_add('1', 0.5)", "CORM_E_TYPE", "a real stands among decimals"),
        ("corm_decimal_add('1', 'x')", "CORM_E_TYPE", "a text that is no decimal number"),
        ("corm_decimal_add('1', x'00')", "CORM_E_TYPE", "a blob stands among decimals"),
        ("corm_decimal_sum(0.5)", "CORM_E_TYPE", "a real stands among decimals"),
        ("corm_decimal_add('1e99999', '1')", "CORM_E_RANGE", "more than 10,000 digits"),
        ("corm_decimal_mul('1e-9000', '1e-9000')", "CORM_E_RANGE", "more than 10,000 digits"),
    ],
)
def test_what_functions_refuse(db: Database, sql: str, code: str, told: str) -> None:
    with pytest.raises(cormorant.Error, match=told) as caught:
        db.query(f"SELECT {sql}").fetch_all()
    assert caught.value.code == code
    assert db.query(
        "SELECT corm_decimal_add('1', NULL), corm_decimal_sum(NULL), corm_decimal_add('1e9998', 1) > ''"
    ).fetch_all() == [(None, None, 1)]


def test_decimals_that_are_values_compare_as_numbers(db: Database) -> None:
    ten, nine, longer = literal(D("10")), literal(D("9")), literal(D("1.10"))
    db.insert(Line("a", D(1)))
    row = select(
        ten > nine, func.max(ten, nine), longer.in_([D("1.1")]), longer == literal(D("1.1")), longer < literal(D("1.1"))
    ).from_(Line)
    assert db.fetch_all(row)[0] == (1, D(10), 1, 1, 0)


def test_the_greatest_length_is_exact(db: Database) -> None:
    nines = "9" * 10_000
    with pytest.raises(DataError, match="10,000"):
        db.query(f"SELECT corm_decimal_add('{nines}', 1)").fetch_all()
    assert db.query(f"SELECT corm_decimal_add('{nines}', 0)").fetch_all() == [(nines,)]
