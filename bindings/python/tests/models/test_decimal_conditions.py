"""Conditions in SQL over decimals, which a file of SQLite has as texts: those that compare them so are refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from cormorant import Column, Database, Model, ProgrammingError, column, key


def model(condition: str) -> type[Model]:
    class Item(Model, checks=[condition]):
        id: Column[int] = key()
        total: Column[Decimal]
        tax: Column[Decimal | None] = column(default=None)
        qty: Column[int] = column(default=2)
        name: Column[str | None] = column(default=None)

    return Item


@pytest.mark.parametrize(
    "condition",
    [
        "total > 100", '100 < "total"', "item.total <= tax", "(total) <> 5", "100 < + total", "total IS 60",
        "total IS NOT 60",
        "total BETWEEN 0 AND 500", "70 BETWEEN 0 AND total", "total NOT IN (60)", "60 IN (1, total)",
        "(total, qty) > (100, 1)",
        "CASE total WHEN 60 THEN 1 END", "CASE WHEN qty THEN total END > 100", "coalesce(total, 0) > 100",
        "max(0, ifnull((total), 0)) > 100", "nullif(total, 0) IS NOT NULL",
        "name = 'n' COLLATE nocase AND total > 100", "(total COLLATE binary) > 100",
    ],
)  # fmt: skip
def test_what_compares_the_text_is_refused(condition: str) -> None:
    with Database(":memory:") as db, pytest.raises(ProgrammingError, match=r"a decimal, as the text .*\+ 0 instead of"):
        db.create_tables(model(condition))


@pytest.mark.parametrize(
    "condition",
    [
        "total + 0 > 59", "59 < 0 + total", "qty * total > 100", "-total < 0", "qty - total < 5", "0 <= total * qty",
        "round(total) = total + 0", "coalesce(total + 0, 0) > 59", "length(total) < 9",
        "total IS NOT NULL AND tax ISNULL",
        "total > 59 COLLATE corm_decimal", "CAST(total AS REAL) > 59", "name IS NULL OR name <> 'total > 5'",
        "qty BETWEEN 0 AND 5 AND total", "CASE WHEN total NOTNULL THEN qty END > 1",
    ],
)  # fmt: skip
def test_what_compares_numbers_is_taken(condition: str) -> None:
    with Database(":memory:") as db:
        item = model(condition)
        db.create_tables(item)
        record = item(Decimal("60"))
        db.insert(record)
        assert db.count(item) == 1
