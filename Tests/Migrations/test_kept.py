"""What no model can say: a file that has it keeps it, and sync finds nothing to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import make, rows
from cormorant import Column, Database, Model, column


class Parent(Model):
    a: Column[int] = column(primary_key=True)
    b: Column[int] = column(primary_key=True)


class Child(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    other: Column[int | None] = column(references="child")


class Log(Model):
    line: Column[str | None]
    day: Column[str | None]
    anything: Column[int | None]


KEPT = {
    "the direction of a key": (Parent, "a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a DESC, b)"),
    "the collation of a key": (Parent, "a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a COLLATE NOCASE, b)"),
    "what a key does on a conflict": (
        Parent,
        "a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b) ON CONFLICT REPLACE",
    ),
    "a descending key that is no rowid": (
        Child,
        "id INTEGER PRIMARY KEY DESC, name TEXT NOT NULL, other INTEGER REFERENCES child",
    ),
    "what NOT NULL does on a conflict": (
        Child,
        "id INTEGER PRIMARY KEY, name TEXT NOT NULL ON CONFLICT IGNORE, other INTEGER REFERENCES child",
    ),
    "a deferred foreign key": (
        Child,
        "id INTEGER PRIMARY KEY, name TEXT NOT NULL, other INTEGER REFERENCES child DEFERRABLE INITIALLY DEFERRED",
    ),
    "having no key, no type, or the type of a day": (Log, "line TEXT, day DATE, anything"),
}


@pytest.mark.parametrize("what", KEPT)
def test_keeps(path: Path, what: str) -> None:
    model, columns = KEPT[what]
    make(path, f"CREATE TABLE {model.__name__.lower()} ({columns});")
    with Database(path) as database:
        assert not database.plan(model).steps
        database.sync(model)
        assert not database.plan(model).steps


def test_records_of_a_table_without_key_are_inserted_and_fetched(path: Path) -> None:
    make(path, "CREATE TABLE log (line TEXT, day DATE, anything);")
    with Database(path) as database:
        database.insert_many([Log("one", "2024-02-29", 1), Log("two", None, None)])
        assert [log.line for log in database.fetch_all(Log, order_by="line")] == ["one", "two"]


def test_a_number_that_becomes_text_changes_its_type(path: Path) -> None:
    make(path, "CREATE TABLE log (line NUMERIC, day DATE, anything);")
    with Database(path) as database:
        assert [change.kind for step in database.plan(Log).steps for change in step.changes] == ["change type"]


class Longer(Model, table="child"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str] = column(check="name <> ''")
    other: Column[int | None] = column(references="child")


@pytest.mark.parametrize(
    "reference",
    [
        "other INTEGER CONSTRAINT of_mine REFERENCES child",
        "other INTEGER, CONSTRAINT of_mine FOREIGN KEY (other) REFERENCES child (id)",
    ],
)
def test_a_rebuild_keeps_the_name_of_a_foreign_key(path: Path, reference: str) -> None:
    # finding migrations.md C3
    make(path, f"CREATE TABLE child (id INTEGER PRIMARY KEY, name TEXT NOT NULL, {reference});")
    with Database(path) as database:
        [step] = database.sync(Longer).steps
        assert step.changes[0].kind == "add CHECK"
        assert not database.plan(Longer).steps
    [(sql,)] = rows(path, "SELECT sql FROM sqlite_schema WHERE name = 'child'")
    assert "of_mine" in str(sql)
    assert rows(path, 'SELECT "from", "table" FROM pragma_foreign_key_list(\'child\')') == [("other", "child")]


class Doc(Model, table="doc"):
    slug: Column[str] = column(primary_key=True)
    id: Column[int]
    body: Column[str]


class SlugDoc(Model, table="doc"):
    slug: Column[str] = column(primary_key=True)
    body: Column[str]


@pytest.mark.parametrize("model", [Doc, SlugDoc])
def test_rows_keep_their_rowid_where_it_is_the_key_no_more(path: Path, model: type[Model]) -> None:
    make(
        path,
        """CREATE TABLE doc (id INTEGER PRIMARY KEY, slug TEXT NOT NULL, body TEXT NOT NULL);
        INSERT INTO doc VALUES (10, 'a', 'apple'), (20, 'b', 'pear');
        CREATE VIRTUAL TABLE f USING fts5(body, content='doc'); INSERT INTO f (f) VALUES ('rebuild');""",
    )
    with Database(path) as db:
        db.sync(model, allow_drop=["doc.id"] if model is SlugDoc else [])
    assert rows(path, "SELECT rowid, slug FROM doc ORDER BY 1") == [(10, "a"), (20, "b")]
    assert rows(path, "SELECT body FROM f WHERE f MATCH 'apple'") == [("apple",)]


def test_a_rebuild_keeps_temporary_triggers(path: Path) -> None:
    make(path, "CREATE TABLE child (id INTEGER PRIMARY KEY, name TEXT, other INTEGER REFERENCES child);")
    with Database(path) as db:
        db.execute_script(
            """CREATE TEMP TABLE line (id);
            CREATE TEMP TRIGGER audit AFTER INSERT ON main.child BEGIN INSERT INTO line VALUES (new.id); END"""
        )
        db.sync(Child)
        db.execute("INSERT INTO child (name) VALUES ('x')")
        assert db.query("SELECT id FROM temp.line").fetch_all() == [(1,)]
