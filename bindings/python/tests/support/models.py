"""Models the tests share."""

from __future__ import annotations

import types
import uuid
from datetime import datetime
from decimal import Decimal
from typing import Any

from cormorant import Column, Json, Model, column

# Of a table or a column: nobody's choice, and allowed.
NAMES = [
    'with "quotes"', "with 'quotes'", "with `ticks`", "[brackets]", "]", "select", "from table", " ", "a;b", "a--b",
    "/*", "ünïcödé", "🐦", "a\nb", "a.b", "%s", "?", ":a", "x" * 10_000, '"; DROP TABLE people; --',
]  # fmt: skip


class Department(Model, table="departments"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str] = column(unique=True)


class Person(Model, table="people", unique=[("name", "born")], checks=["age >= 0"]):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    age: Column[int] = column(default=0)
    born: Column[str | None] = column(default=None)
    department: Column[int | None] = column(references=Department, on_delete="cascade", default=None)


class Everything(Model, table="everything"):
    id: Column[int | None] = column(primary_key=True, default=None)
    number: Column[int | None] = column(default=None)
    small: Column[int | None] = column(type="int32", default=None)
    flag: Column[bool | None] = column(default=None)
    real: Column[float | None] = column(default=None)
    single: Column[float | None] = column(type="float", default=None)
    text: Column[str | None] = column(default=None)
    short: Column[str | None] = column(length=20, default=None)
    data: Column[bytes | None] = column(default=None)
    moment: Column[datetime | None] = column(default=None)
    token: Column[uuid.UUID | None] = column(default=None)
    amount: Column[Decimal | None] = column(default=None)
    extra: Column[Json | None] = column(default=None)


class Setting(Model, table="settings", primary_key=("section", "name"), without_rowid=True):
    section: Column[str]
    name: Column[str]
    value: Column[str | None] = column(default=None)


class Note(Model, table="notes"):
    """The database makes part of it."""

    id: Column[int | None] = column(primary_key=True, default=None)
    text: Column[str] = column(default="")
    state: Column[str | None] = column(default=None, default_sql="'new'")
    size: Column[int | None] = column(computed="length(text)", init=False)


class Entry(Model, table="entries"):
    """Without a key of its own."""

    text: Column[str]


def make(columns: dict[str, Any], values: dict[str, Any] | None = None, **keywords: Any) -> type[Model]:
    """A model made at run time."""
    body = {"__annotations__": columns, **(values or {})}
    return types.new_class("Made", (Model,), keywords, lambda namespace: namespace.update(body))
