"""Decimals are calculated with exactly, in expressions, aggregates and what is written back, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal as D
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from cormorant import (
    Column,
    Database,
    Model,
    Transform,
    case,
    column,
    func,
    literal,
    select,
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
