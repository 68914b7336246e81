"""Hostile input to migrations: the error says what to do, the file stays as it was."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_hostile import NAMES
from test_model import make

import cormorant
from cormorant import Bundle, Column, Database, Key, Model, Progress, column

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


def test_a_model_narrower_than_the_data(db: Database) -> None:
    def narrow(kind: Any, **options: Any) -> Any:
        return model("people", kind, options=options, allow_drop=["age"])

    for changed in (
        narrow(Column[str]),
        narrow(Column[int | None], default=None),
        narrow(Column[str | None], default=None, check="length(name) > 3"),
    ):
        assert "people" in refused(lambda c=changed: db.sync(c), "CORM_E_MIGRATION").message  # type: ignore[misc]


def test_annotations_that_are_no_sql(db: Database) -> None:
    for options in (
        {"convert_sql": "name +"},
        {"convert_sql": "no_such_column"},
        {"convert_sql": "1); DROP TABLE people"},
    ):
        with pytest.raises(cormorant.Error):
            db.sync(model("people", Column[str], options=options, allow_drop=["age"]))
    for seed in ("INSERT INTO nowhere VALUES (1)", "COMMIT", "ATTACH ':memory:' AS m", "DROP TABLE people; COMMIT"):
        with pytest.raises(cormorant.Error):
            db.sync(model("fresh", seed_sql=seed))
    assert not db.query("SELECT 1 FROM sqlite_schema WHERE name = 'fresh'").fetch_all()


@pytest.mark.parametrize("name", NAMES)
def test_names_of_any_kind_are_renamed_and_dropped(name: str) -> None:
    table = f"{name} 2"
    key = Key(["name"], name=f"i {name}")
    with Database(":memory:") as db:
        db.sync(model(name, options={"name": name, "default": None}, indexes=[key], primary_key=["id"]))
        db.execute_many(f'INSERT INTO "{name.replace(chr(34), chr(34) * 2)}" VALUES (?, ?)', [(1, name)])
        there = model(
            table, options={"name": table, "renamed_from": name, "check": "1", "default": None}, renamed_from=name
        )
        db.sync(there)
        assert [item.name for item in db.fetch_all(there)] == [name]
        gone = make({"id": Column[int | None]}, {"id": column(primary_key=True, default=None)}, table=table)
        db.sync(gone, allow_drop=[f"{table}.{table}"])
        db.sync(allow_drop=[table])
        assert db.schema().sql.count("CREATE TABLE") <= 1


def test_a_virtual_table_whose_module_is_missing(db: Database) -> None:
    db.execute_script(
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES"
        " ('table', 'odd', 'odd', 0, 'CREATE VIRTUAL TABLE odd USING no_such_module(a)');"
        " PRAGMA writable_schema = RESET"
    )
    assert db.sync(model("fresh"))
    assert "no_such_module" in db.schema().sql
    db.execute_script(
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'odd'; PRAGMA writable_schema = RESET"
    )


# --- Files ---


def test_a_corrupted_file(db: Database, path: Path, tmp_path: Path) -> None:
    db.execute(
        "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)"
        " INSERT INTO people SELECT i, i, i FROM n"
    )
    broken = tmp_path / "broken.db"
    db.backup(broken)
    db.execute("DELETE FROM people WHERE id > 2")
    with broken.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(os.urandom(4096 * 8))
    changed = model("people", Column[str | None], options={"default": None, "check": "1"}, allow_drop=["age"])
    with Database(broken) as other:
        with pytest.raises(cormorant.DatabaseError):
            other.sync(changed)
        assert other.schema().sql == db.schema().sql
    broken.write_bytes(b"no database at all" * 500)
    with pytest.raises(cormorant.DatabaseError):
        db.restore(broken)


# --- Steps ---


@pytest.mark.parametrize("sql", ["COMMIT", "ROLLBACK", "END", "BEGIN", "ATTACH ':memory:' AS m", "VACUUM"])
def test_a_function_that_commits_or_attaches_by_itself(db: Database, sql: str) -> None:
    before = db.schema()

    def run(database: Database) -> None:
        database.execute("DELETE FROM people")
        database.execute(sql)

    bundle = Bundle()
    bundle.add("1", run)
    with pytest.raises(cormorant.Error):
        bundle.apply(db)
    assert db.schema() == before
    assert db.query("PRAGMA database_list").fetch_all()[1:] == []


def test_a_function_that_leaves_a_transaction_open_or_closes_the_database(db: Database, path: Path) -> None:
    def leave(database: Database) -> None:
        database.execute("DELETE FROM people")
        database.transaction().__enter__()

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


def test_edited_missing_late_and_newer_steps(db: Database, tmp_path: Path) -> None:
    folder = tmp_path / "migrations"

    class Fresh(Model, table="fresh"):
        id: Column[int | None] = column(primary_key=True, default=None)

    Bundle.generate_to(folder, "first", db.schema())
    Bundle.generate(folder, "second", Fresh)
    bundle = Bundle(folder)
    bundle.adopt(db, "0001_first")
    bundle.apply(db)
    before = db.schema()
    old = tmp_path / "old"
    shutil.copytree(folder, old)
    up = folder / "0002_second" / "up.sql"
    up.write_text(up.read_text() + "-- edited\n")
    refused(lambda: Bundle(folder), "CORM_E_MIGRATION_MODIFIED")
    Bundle.seal(folder)
    refused(lambda: Bundle(folder).apply(db), "CORM_E_MIGRATION_MODIFIED")
    shutil.rmtree(old / "0001_first")
    refused(lambda: Bundle(old), "CORM_E_MIGRATION_MISSING")
    late = Bundle()
    late.add("0000_late", "CREATE TABLE late (x)")
    refused(lambda: late.apply(db), "CORM_E_MIGRATION_NEWER")
    refused(lambda: Bundle().apply(db), "CORM_E_MIGRATION_NEWER")
    later = Bundle()
    later.add("0003_third", "CREATE TABLE third (x)")
    refused(lambda: later.apply(db), "CORM_E_MIGRATION_MISSING")
    refused(lambda: late.add("0000_late", "SELECT 1"), "CORM_E_MIGRATION")
    refused(lambda: late.add("0001_nothing", ""), "CORM_E_MIGRATION")
    refused(lambda: late.apply(db, "0009_unknown"), "CORM_E_MIGRATION")
    refused(lambda: Bundle(tmp_path / "no_folder"), "CORM_E_CANNOT_OPEN")
    assert db.schema() == before
