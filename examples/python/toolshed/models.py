"""What the shed keeps: members, tools, and who has which tool until when."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from cormorant import Column, Model, column, key, to_many, to_one


class Member(Model):
    id: Column[int] = key()
    name: Column[str]
    email: Column[str] = column(unique=True, collate="NOCASE")
    loans = to_many(lambda: Loan)


class Tool(Model):
    id: Column[int] = key()
    name: Column[str]
    deposit: Column[Decimal] = column(default=Decimal("0.00"))
    notes: Column[dict[str, Any]] = column(default_factory=dict, json=True, renamed_from="details")
    shelf: Column[str] = column(default="unsorted", default_sql="'unsorted'")
    loans = to_many(lambda: Loan)


class Loan(Model):
    id: Column[int] = key()
    tool_id: Column[int] = column(references=Tool, index=True)
    member_id: Column[int] = column(references=Member, index=True)
    since: Column[date]
    due: Column[date]
    returned: Column[date | None] = column(default=None)
    tool = to_one(Tool)
    member = to_one(Member)


MODELS = (Member, Tool, Loan)
