"""Decimals of a conversion of one's own, and against fractions; the scenarios calculate with them."""

from __future__ import annotations

import json
from decimal import Decimal as D
from fractions import Fraction
from random import Random

import pytest

from cormorant import (
    Column,
    Database,
    Model,
    Transform,
    column,
    func,
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
