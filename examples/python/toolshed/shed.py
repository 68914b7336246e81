"""What one does with the shed."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from cormorant import Database, func, select

from models import Loan, Member, Tool

OUT = Loan.returned.is_null()


class Refused(Exception):
    """What the shed does not do, and why."""


def free_tools(db: Database) -> list[Tool]:
    return db.fetch_all(Tool.where(Tool.loans.none(OUT)).order_by(Tool.name))


def lend(db: Database, tool_id: int, member_id: int, since: date, days: int = 14) -> Loan:
    """One transaction: nobody can lend the tool between the question and the answer."""
    with db.transaction():
        if not db.exists(Member, member_id):
            raise Refused(f"there is no member {member_id}")
        if not db.exists(Tool, tool_id):
            raise Refused(f"there is no tool {tool_id}")
        if db.exists(Loan.where(OUT, Loan.tool_id == tool_id)):
            raise Refused(f"tool {tool_id} is out")
        return Loan(tool_id, member_id, since, since + timedelta(days=days)).insert(db)


def give_back(db: Database, tool_id: int, day: date) -> Loan:
    with db.transaction():
        loan = db.fetch_one(Loan.where(OUT, Loan.tool_id == tool_id))
        if loan is None:
            raise Refused(f"tool {tool_id} is in the shed")
        loan.returned = day
        return loan.update(db, Loan.returned)


def overdue(db: Database, today: date) -> list[tuple[Loan, Tool, Member]]:
    """Loans beside their tools and members: one statement, however many loans there are."""
    return db.fetch_all(
        select(Loan, Tool, Member)
        .join(Loan.tool)
        .join(Loan.member)
        .where(OUT, Loan.due < today)
        .order_by(Loan.due, Loan.id)
    )


def deposits(db: Database) -> list[tuple[str, int, Decimal | None]]:
    """How many tools each member has, and what the shed holds for them."""
    return db.fetch_all(
        select(Member.name, func.count(), func.sum(Tool.deposit))
        .join(Member.loans)
        .join(Loan.tool)
        .where(OUT)
        .group_by(Member.id)
        .order_by(Member.name)
    )
