"""Sync: a file is brought to its models, and nothing goes that was not told to."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import Column, Database, IntegrityError, MigrationError, Model, Progress, column, key
from cormorant.progress import ProgressBar


class Person(Model, table="people"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    age: Column[str | None] = column(default=None)


class Human(Model, table="humans", renamed_from="people", allow_drop=["note"]):
    """The same people a year later: everything that needs an annotation has one."""

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    full_name: Column[str] = column(renamed_from="name")
    years: Column[int] = column(
        renamed_from="age", convert_sql="coalesce(CAST(years AS INTEGER), 0)", check="years >= 0"
    )
    seen: Column[int] = column(default=0, default_sql="7")
    initial: Column[str | None] = column(default=None, convert_sql="substr(full_name, 1, 1)")


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.sync(Person)
        database.insert_many([Person("Ann", "35"), Person("Bob"), Person("Zoë", "7")])
    with Database(path) as database:  # Of a later release, which has no Person.
        yield database


def content(db: Database) -> tuple[str, list[Any]]:
    return db.schema().sql, db.query("SELECT * FROM people ORDER BY id").fetch_all()


# --- Snapshots ---


# --- Progress ---


def test_progress_counts_steps_and_rows(db: Database) -> None:
    told: list[Progress] = []
    plan = db.sync(Human, progress=told.append)
    assert {item.count for item in told} == {len(plan.steps)}
    assert sorted({item.index for item in told}) == list(range(len(plan.steps)))
    assert told[0].step == plan.steps[0].summary
    assert any(item.done >= item.total == 3 for item in told)


def test_what_progress_raises_cancels_and_is_raised(db: Database) -> None:
    before = content(db)
    cause = KeyError("x")

    def fail(told: Progress) -> None:
        raise ValueError("stop") from cause

    with pytest.raises(ValueError, match="stop") as caught:
        db.sync(Human, progress=fail)
    assert caught.value.__cause__ is cause
    if sys.version_info >= (3, 11):
        assert "cancelled" in caught.value.__notes__[0]
    assert content(db) == before
    for odd in (SystemExit, GeneratorExit, StopIteration):

        def leave(told: Progress, odd: type[BaseException] = odd) -> None:
            raise odd

        with pytest.raises(odd):
            db.sync(Human, progress=leave)
    assert content(db) == before
    assert db.sync(Human)


def test_ctrl_c_cancels_a_long_migration(db: Database) -> None:
    db.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)"
        " INSERT INTO people (name, age) SELECT 'x', i FROM n"
    )
    before = db.schema()
    # Python ignores the signal where its parent does, as a shell has its background jobs do.
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        # From another thread, so that the library is at work when the signal comes.
        timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            db.sync(Human)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, usual)
    assert db.schema() == before
    assert db.count(Person) == 300_003


def test_the_bar_is_a_line_on_a_terminal_and_else_nothing(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    bar = ProgressBar(stream)
    bar.clear()
    assert stream.getvalue() == ""
    bar.show(Progress('rebuild "a\x1b[31m"', 1, 4, 50, 100))
    assert stream.getvalue() == '\r\x1b[K[#########---------------]  38% 2/4 rebuild "a?[31m"'
    bar.show(Progress("x" * 1000, 0, 0, 0, 0))
    bar.clear()
    assert stream.getvalue().endswith("\r\x1b[K")
    assert max(map(len, stream.getvalue().split("\r"))) < 120
    ProgressBar(None).show(Progress("x", 0, 1, 0, 0))
    db.sync(Human, progress=True)
    assert capsys.readouterr().err == ""
    with pytest.raises(cormorant.ProgrammingError, match="progress"):
        db.sync(Human, progress=5)  # type: ignore[arg-type]


def test_a_sync_takes_time_in_proportion_to_its_tables() -> None:
    def seconds(count: int) -> float:
        models = [Person.suffixed(f"{number}") for number in range(count)]
        with Database(":memory:") as db:
            start = time.process_time()
            db.sync(*models)
            return time.process_time() - start

    # Proportion is 4; each statement looking at all tables would be 16.
    few, many = (min(seconds(count) for _ in range(3)) for count in (100, 400))
    assert many < 9 * few


class KeyOfOne(Model, table="keyed"):
    id: Column[int] = key()
    name: Column[str]


class KeyOfTwo(Model, table="keyed"):
    id: Column[int] = column(primary_key=True)
    name: Column[str] = column(primary_key=True)


class KeyOfAnother(Model, table="keyed"):
    name: Column[str] = column(primary_key=True)
    id: Column[int]


@pytest.mark.parametrize("model", [KeyOfTwo, KeyOfAnother])
def test_a_rowid_that_becomes_a_column_takes_no_null(model: type[Model]) -> None:
    with Database(":memory:") as db:
        db.sync(KeyOfOne)
        db.insert(KeyOfOne("a"))
        db.sync(model)
        assert str(db.plan(model)).strip() == "nothing to do"
        with pytest.raises(IntegrityError, match="NOT NULL"):
            db.execute("INSERT INTO keyed (id, name) VALUES (NULL, 'b')")
        assert len(db.fetch_all(model)) == 1


class KeyOfNumber(Model, table="numbered"):
    a: Column[int] = column(primary_key=True)
    id: Column[int]


@pytest.mark.parametrize(
    "definition",
    [
        "id INTEGER PRIMARY KEY AUTOINCREMENT, a INTEGER",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, a BIGINT",
        "id INTEGER, a BIGINT",
        "id INTEGER NOT NULL, a INT NOT NULL PRIMARY KEY",
    ],
)
def test_the_key_of_a_table_that_another_program_made_is_the_models(definition: str) -> None:
    with Database(":memory:") as db:
        db.execute_script(f"CREATE TABLE numbered ({definition}); INSERT INTO numbered (id, a) VALUES (1, 7)")
        db.sync(KeyOfNumber)
        assert str(db.plan(KeyOfNumber)).strip() == "nothing to do"
        with pytest.raises(IntegrityError):
            db.execute("INSERT INTO numbered (id, a) VALUES (2, 7)")
        assert db.fetch_all(KeyOfNumber) == [KeyOfNumber(7, 1)]
        if "PRIMARY KEY" not in definition or "AUTO" in definition:
            # Numbered, as in a new table.
            db.execute("INSERT INTO numbered (id, a) VALUES (3, NULL)")
            assert {record.a for record in db.fetch_all(KeyOfNumber)} == {7, 8}


@pytest.mark.parametrize("model", [KeyOfAnother, KeyOfTwo])
@pytest.mark.parametrize("key_of_file", ["name, id", "name", "id"])
def test_null_in_the_key_of_another_program_is_told(key_of_file: str, model: type[Model]) -> None:
    """Where the key stays as it is, so does what it takes."""
    with Database(":memory:") as db:
        db.execute_script(f"CREATE TABLE keyed (name TEXT, id INT, PRIMARY KEY ({key_of_file}))")
        db.execute("INSERT INTO keyed (name, id) VALUES (NULL, 1)")
        expected = key_of_file != ("name" if model is KeyOfAnother else "id, name")
        told = '1 row holds NULL in "keyed.name"' in str(db.plan(model))
        assert told == expected


class Moment(Model, table="moment"):
    id: Column[int] = key()
    at: Column[datetime]


class MomentOfNumber(Model, table="moment"):
    id: Column[int] = key()
    at: Column[datetime] = column(convert_sql="corm_datetime(datetime(at, 'unixepoch'))")


def test_the_hint_for_times_that_are_numbers_is_what_helps() -> None:
    with Database(":memory:") as db:
        db.execute_script("CREATE TABLE moment (id INTEGER PRIMARY KEY, at INTEGER NOT NULL)")
        db.execute("INSERT INTO moment VALUES (1, 1700000000)")
        with pytest.raises(MigrationError) as refused:
            db.sync(Moment)
        hint = "convert_sql, such as corm_datetime(datetime(\"at\", 'unixepoch'))"
        assert hint in str(refused.value)
        db.sync(MomentOfNumber)
        assert db.fetch_all(Moment)[0].at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=timezone.utc)
