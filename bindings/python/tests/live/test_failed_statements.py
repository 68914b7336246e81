"""What a failed statement had done is told where it stays, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant import Column, Database, Error, ForeignKeyViolation, Model, column, key, select


class Parent(Model):
    id: Column[int] = key()
    name: Column[str | None] = column(default=None)


class Log(Model):
    id: Column[int] = key()
    text: Column[str]


@pytest.mark.parametrize("action", ["RESTRICT", "CASCADE", "SET NULL"])
@pytest.mark.parametrize("change", ["DELETE FROM parent WHERE id = 1", "UPDATE parent SET id = 9 WHERE id = 1"])
def test_actions_of_foreign_keys_that_fail(path: Path, action: str, change: str) -> None:
    with Database(path) as db:
        db.create_tables(Parent)
        db.execute("CREATE TABLE child (id INTEGER PRIMARY KEY, a REFERENCES parent, b REFERENCES parent "
                   f"ON DELETE {action} ON UPDATE {action})")  # fmt: skip
        db.insert_many([Parent("a"), Parent("b")])
        db.execute("INSERT INTO child VALUES (1, 1, NULL), (2, NULL, 1)")
        with db.observe(Parent) as changes:
            with db.transaction():
                db.execute("UPDATE parent SET name = 'B' WHERE id = 2")
                with pytest.raises(ForeignKeyViolation):
                    db.execute(change)
                db.insert(Parent("c"))
            event = changes.next(5)
        assert event
        assert [(change.kind, change.key) for change in event.changes] == [("update", (2,)), ("insert", (3,))]


def test_a_statement_with_an_action_that_runs_again_begins_anew(path: Path) -> None:
    with Database(path) as db:
        db.create_tables(Parent)
        db.execute("CREATE TABLE child (id INTEGER PRIMARY KEY, a REFERENCES parent ON DELETE RESTRICT)")
        db.insert_many([Parent("a"), Parent("b"), Parent("c")])
        db.execute("INSERT INTO child VALUES (1, 2)")
        with db.observe(Parent) as changes:
            with db.transaction():
                for number in (1, 2, 3):
                    try:
                        db.execute("DELETE FROM parent WHERE id = ?", [number])
                    except ForeignKeyViolation:
                        assert number == 2
            event = changes.next(5)
        assert event
        assert [(change.kind, change.key) for change in event.changes] == [("delete", (1,)), ("delete", (3,))]


@pytest.mark.parametrize("in_transaction", [False, True])
@pytest.mark.parametrize(
    ("trigger", "statement"),
    [
        ("BEFORE INSERT ON parent BEGIN INSERT INTO log (text) VALUES ('t'); END",
         "INSERT OR FAIL INTO parent VALUES (1, 'x')"),
        ("BEFORE INSERT ON parent BEGIN INSERT INTO log (text) VALUES ('t'); SELECT RAISE(FAIL, 'f'); END",
         "INSERT INTO parent VALUES (7, 'x')"),
    ],
)  # fmt: skip
def test_rows_of_triggers_that_stay(path: Path, trigger: str, statement: str, in_transaction: bool) -> None:
    with Database(path) as db:
        db.create_tables(Parent, Log)
        db.insert(Parent("a"))
        db.execute(f"CREATE TRIGGER t {trigger}")
        with db.observe(Log) as changes, db.observe_live(select(Log.text)) as live:
            assert live.next(5).rows == []  # type: ignore[union-attr]
            if in_transaction:
                with db.transaction(), pytest.raises(Error):
                    db.execute(statement)
            else:
                with pytest.raises(Error):
                    db.execute(statement)
            assert db.fetch_values(select(Log.text)) == ["t"]
            assert changes.next(5)
            assert live.next(5).rows == [("t",)]  # type: ignore[union-attr]


@pytest.mark.parametrize("conflict", ["INSERT OR FAIL", "INSERT"])
def test_rows_before_the_one_that_fails_are_told_one_by_one(path: Path, conflict: str) -> None:
    with Database(path) as db:
        key = "PRIMARY KEY" if "FAIL" in conflict else "PRIMARY KEY ON CONFLICT FAIL"
        db.execute(f"CREATE TABLE parent (id INTEGER {key}, name TEXT)")
        db.execute("PRAGMA case_sensitive_like = ON")
        db.insert(Parent("a"))
        with db.observe(Parent) as changes:
            with pytest.raises(Error):
                db.execute(f"{conflict} INTO parent VALUES (5, 'x'), (6, 'y'), (1, 'z')")
            event = changes.next(5)
        assert event
        assert [(change.kind, change.key) for change in event.changes] == [("insert", (5,)), ("insert", (6,))]


def test_a_statement_that_cannot_begin_takes_nothing_with_it(path: Path) -> None:
    statement = "INSERT INTO other VALUES (1)"
    with Database(path) as db:
        db.create_tables(Parent)
        with pytest.raises(ZeroDivisionError), db.transaction():
            db.execute("CREATE TABLE other (a)")
            db.execute(statement)
            raise ZeroDivisionError
        with db.observe(Parent) as changes:
            with db.transaction():
                db.insert(Parent("kept"))
                with pytest.raises(Error, match="no such table"):
                    db.execute(statement)
            event = changes.next(5)
        assert event
        assert [(change.kind, change.key) for change in event.changes] == [("insert", (1,))]
