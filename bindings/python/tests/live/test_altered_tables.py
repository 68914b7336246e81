"""Watches that go on when their tables' columns have other places."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest

from cormorant import Column, Database, Model, Region, column, key, select


class Pair(Model):
    id: Column[int] = key()
    a: Column[str]
    b: Column[str]


class Turned(Model, table="pair", checks=["a <> ''"]):
    id: Column[int] = key()
    b: Column[str]
    a: Column[str]


R = TypeVar("R", Pair, Turned)

SWAPPED = """BEGIN; DROP TABLE pair; CREATE TABLE pair (b TEXT, id INTEGER PRIMARY KEY, a TEXT);
    INSERT INTO pair (id, a, b) VALUES (1, 'A!', 'B'); COMMIT"""


def row(model: type[R], id: int, a: str, b: str) -> R:
    record = model(a=a, b=b)
    record.id = id
    return record


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "test.db") as db:
        db.sync(Pair)
        db.insert_many([Pair("A", "B"), Pair("C", "D")])
        yield db


def elsewhere(db: Database, sql: str) -> None:
    with closing(sqlite3.connect(db.path, isolation_level=None)) as other:
        other.executescript(sql)


def test_a_migration_may_move_columns(db: Database) -> None:
    with db.observe_live(select(Turned.b).order_by(Turned.id)) as live, db.observe(Turned, values=True) as observer:
        live.next(0)
        db.sync(Turned)
        event = observer.next(1)
        assert event
        assert [change.kind for change in event.changes] == ["unknown"]
        db.execute("UPDATE pair SET b = 'B!' WHERE id = 1")
        told, shown = observer.next(1), live.next(1)
        assert told
        assert shown
        assert [(change.old, change.new) for change in told.changes] == [
            (row(Turned, 1, "A", "B"), row(Turned, 1, "A", "B!"))
        ]
        assert shown.rows == [("B!",), ("D",)]


@pytest.mark.parametrize("place", ["here", "elsewhere"])
def test_rows_before_are_read_by_the_columns_of_then(db: Database, place: str) -> None:
    with db.observe_live(Pair, "SELECT * FROM pair ORDER BY id") as live:
        live.next(0)
        db.execute_script(SWAPPED) if place == "here" else elsewhere(db, SWAPPED)
        event = live.next(5)
        assert event
        assert event.rows == [row(Pair, 1, "A!", "B")]
        assert [(change.kind, change.old, change.new) for change in event.changes] == [
            ("delete", row(Pair, 2, "C", "D"), None),
            ("update", row(Pair, 1, "A", "B"), row(Pair, 1, "A!", "B")),
        ]


def test_writes_right_after_another_connection_altered_the_table(db: Database) -> None:
    with db.observe(Pair, values=True) as observer:
        elsewhere(db, SWAPPED)
        db.insert(Pair("E", "F"))
        db.insert(Pair("G", "H"))
        told = []
        while event := observer.next(0.5):
            told += event.changes
        assert {change.kind for change in told} <= {"unknown", "insert"}
        assert all(change.new in (row(Pair, 2, "E", "F"), row(Pair, 3, "G", "H")) for change in told if change.new)


def test_an_attached_file_that_another_connection_altered(db: Database, tmp_path: Path) -> None:
    path = tmp_path / "more.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.executescript("CREATE TABLE far (id INTEGER PRIMARY KEY, a, b); INSERT INTO far VALUES (1, 'A', 'B')")
        db.attach(path, "more")
        with db.observe_live(None, "SELECT a FROM more.far") as live:
            live.next(0)
            other.executescript(
                "ALTER TABLE far RENAME a TO x; ALTER TABLE far RENAME b TO a; ALTER TABLE far RENAME x TO b"
            )
            db.execute("UPDATE more.far SET a = 'new'")
            event = live.next(1)
            assert event
            assert event.rows == [("new",)]
            db.execute("UPDATE more.far SET a = 'newer'")
            event = live.next(1)
            assert event
            assert event.rows == [("newer",)]


def test_tables_whose_names_have_dots_are_told_apart(db: Database, tmp_path: Path) -> None:
    class Dotted(Model, table="x.t"):
        c: Column[str]
        id: Column[int | None] = column(primary_key=True, default=None)

    db.attach(tmp_path / "more.db", "main.x")
    db.create_tables(Dotted)
    db.execute('CREATE TABLE "main.x".t (id INTEGER PRIMARY KEY, a, b)')
    query = 'SELECT max(a), max(b) FROM "main.x".t'
    with db.observe_live(None, query) as live, db.observe(Dotted, values=True) as dotted:
        live.next(0)
        db.insert(Dotted("new"))
        event = dotted.next(1)
        assert event
        assert event.changes[0].new == Dotted("new", id=1)
        db.execute('INSERT INTO "main.x".t VALUES (7, 2, 3)')
        rows = live.next(1)
        assert rows
        assert rows.rows == [(2, 3)]
        assert dotted.next(0) is None


def test_an_alteration_that_is_rolled_back(db: Database) -> None:
    swap = "ALTER TABLE pair RENAME a TO x; ALTER TABLE pair RENAME b TO a; ALTER TABLE pair RENAME x TO b"
    for end in ("ROLLBACK", "ROLLBACK TO s; COMMIT"):
        with db.observe(Region("pair", "a")) as before:
            db.execute_script(f"BEGIN; SAVEPOINT s; {swap}")
            with db.observe(Pair, values=True) as during:
                db.execute_script(end)
                db.execute("UPDATE pair SET a = a || '!' WHERE id = 2")
                early = before.next(1)
                assert early
                assert early.changes
                told = []
                while event := during.next(0):
                    told += event.changes
                assert all(c.kind == "unknown" or c.new == db.find(Pair, 2) for c in told), told
                db.execute("UPDATE pair SET a = a || '!' WHERE id = 2")
                event = during.next(1)
                assert event
                assert event.changes[0].new == db.find(Pair, 2)


def test_a_cache_beside_a_watch_hides_no_alteration(db: Database) -> None:
    db.set_cache(Pair, max_count=10, max_bytes=10**6)
    with db.observe(Region("pair", "a")) as observer:
        db.find(Pair, 1)
        elsewhere(db, SWAPPED)
        assert db.find(Pair, 1) == row(Pair, 1, "A!", "B")
        while observer.next(0.5):
            pass
        db.execute("UPDATE pair SET b = 'x'")
        assert observer.next(0) is None
        db.execute("UPDATE pair SET a = 'x'")
        assert observer.next(1)
        assert db.find(Pair, 1) == row(Pair, 1, "x", "x")
