"""Hostile input to migrations: the error says what to do, the file stays as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from models import make

import cormorant
from cormorant import Bundle, Column, Database, Progress, column

SQL = "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, age TEXT)"
ROWS = [(1, "Ann", "35"), (2, None, "old")]


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.execute(SQL)
        database.execute_many("INSERT INTO people VALUES (?, ?, ?)", ROWS)
        yield database
        assert database.transaction_depth == 0
        assert database.query("PRAGMA foreign_keys").fetch_all() == [(1,)]
        assert database.query("SELECT * FROM people ORDER BY id").fetch_all() == ROWS
        assert database.query("PRAGMA integrity_check").fetch_all() == [("ok",)]


def model(table: str, column_type: Any = Column[str | None], *, options: Any = None, **keywords: Any) -> Any:
    """A model with an id and a name."""
    columns = {"id": Column[int | None], "name": column_type}
    values = {
        "id": column(primary_key=True, default=None, kw_only=True),
        "name": column(**(options or {"default": None})),
    }
    return make(columns, values, table=table, **keywords)


def refused(call: Callable[[], object], code: str) -> cormorant.Error:
    with pytest.raises(cormorant.Error) as caught:
        call()
    error = caught.value
    assert error.code == code, error
    assert "\n" not in error.message
    return error


# --- Models ---


# --- Files ---


# --- Steps ---


def test_a_function_that_leaves_a_transaction_open_or_closes_the_database(db: Database, path: Path) -> None:
    left: list[Any] = []

    def leave(database: Database) -> None:
        database.execute("DELETE FROM people")
        left.append(database.transaction())
        left[-1].__enter__()

    bundle = Bundle()
    bundle.add("1", leave)
    refused(lambda: bundle.apply(db), "CORM_E_MIGRATION")
    with Database(path) as other:
        closing = Bundle()
        closing.add("1", Database.close)
        with pytest.raises(cormorant.Error):
            closing.apply(other)
    with Database(path, busy_timeout=0) as other:
        other.execute("UPDATE people SET id = id")


def test_a_bundle_inside_its_own_step(db: Database) -> None:
    bundle = Bundle()
    with Database(":memory:") as other:
        bundle.add("1", lambda database: bundle.apply(other))
        refused(lambda: bundle.apply(db), "CORM_E_MISUSE")
        bundle.add("0", lambda database: database.sync(model("fresh")))
        refused(lambda: bundle.apply(db), "CORM_E_TRANSACTION")


def test_progress_that_uses_the_database(db: Database) -> None:
    def use(told: Progress) -> None:
        db.execute("DELETE FROM people")

    with pytest.raises(cormorant.Error):
        db.sync(model("people", options={"default": None, "check": "1"}, allow_drop=["age"]), progress=use)
