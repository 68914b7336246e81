"""Something to look at: two members and three tools."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from cormorant import Database

from models import Member, Tool
from shed import lend


def fill(db: Database) -> None:
    with db.transaction():
        db.insert_many([Member("Ada", "ada@example.org"), Member("Ben", "ben@example.org")])
        db.insert_many(
            [
                Tool("circular saw", Decimal("49.90"), {"watts": 1200}),
                Tool("ladder", Decimal("20.10")),
                Tool("drill", Decimal("30.00"), {"watts": 600}),
            ]
        )
        lend(db, 1, 1, date(2026, 3, 2))
        lend(db, 2, 1, date(2026, 3, 20))
