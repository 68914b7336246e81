"""Versioned migrations: steps of files and of the program, applied once and in order."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import cormorant
from cormorant import Bundle, Column, Database, Model, Plan, Schema, VersionStep, column


class Person(Model, table="people"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]


class Aged(Model, table="people"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    full_name: Column[str] = column(renamed_from="name")
    age: Column[int | None] = column(default=None)


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        yield database


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two generated steps."""
    folder = tmp_path / "migrations"
    assert Bundle.generate(folder, "create_people", Person)
    assert Bundle.generate(folder, "add_age", Aged)
    return folder


def states(bundle: Bundle, db: Database) -> dict[str, str]:
    return {item.id: item.state for item in bundle.status(db)}


def tables(db: Database) -> list[str]:
    rows = db.query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'corm%' ORDER BY 1")
    return [name for (name,) in rows.fetch_all()]


FIRST, SECOND = "0001_create_people", "0002_add_age"


def test_generate_writes_a_folder_per_step(folder: Path) -> None:
    assert sorted(item.name for item in folder.iterdir()) == [FIRST, SECOND, "manifest.sha256"]
    assert "CREATE TABLE" in (folder / FIRST / "up.sql").read_text()
    assert Schema.parse((folder / SECOND / "schema.sql").read_text()) == Schema.of(Aged)
    check = subprocess.run(["sha256sum", "--check", "--quiet", "manifest.sha256"], cwd=folder, check=False)
    assert check.returncode == 0
    assert not Bundle.generate(folder, "nothing", Aged)
    assert not (folder / "0003_nothing").exists()


def test_functions_are_steps_among_those_of_files(folder: Path, db: Database) -> None:
    bundle = Bundle(folder)
    seen: list[Database] = []

    def split(database: Database) -> None:
        seen.append(database)
        Person("Ann").insert(database)
        with database.transaction():
            Person("Bob").insert(database)

    bundle.add("0001_fill", split, lambda database: database.execute("DELETE FROM people"))
    bundle.apply(db)
    assert seen == [db]
    assert list(states(bundle, db)) == [FIRST, "0001_fill", SECOND]
    assert [item.full_name for item in db.fetch_all(Aged)] == ["Ann", "Bob"]
    bundle.revert(db, FIRST, allow_lossy=True)
    assert db.count(Person) == 0


def test_what_a_function_raises_rolls_its_step_back_and_is_raised(db: Database) -> None:
    bundle = Bundle()
    bundle.add("1", "CREATE TABLE a (x)", "DROP TABLE a")
    cause = KeyError("why")
    fails = True

    def fail(database: Database) -> None:
        database.execute("CREATE TABLE b (x)")
        if fails:
            raise LookupError("no") from cause

    bundle.add("2", fail, fail)
    for _ in range(2):
        with pytest.raises(LookupError, match="no") as caught:
            bundle.apply(db)
        assert caught.value.__cause__ is cause
        if sys.version_info >= (3, 11):
            assert "step 2" in caught.value.__notes__[-1]
    assert tables(db) == ["a"]
    assert states(bundle, db) == {"1": "applied", "2": "pending"}
    fails = False
    bundle.apply(db)
    assert tables(db) == ["a", "b"]


class Counted(Model, table="counted"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    version: Column[int] = column(version=True, default=0)


def test_a_step_that_is_a_coroutine_function_is_refused(db: Database) -> None:
    async def step(db: Database) -> None:
        db.execute("CREATE TABLE never (a)")

    bundle = Bundle()
    bundle.add("0001_never", up=step)
    with pytest.raises(cormorant.ProgrammingError, match="coroutine"):
        bundle.apply(db)
    assert [state.state for state in bundle.status(db)] == ["pending"]


@pytest.mark.parametrize("fails", ["itself", "behind it", "not"])
@pytest.mark.parametrize("numbered", [False, True])
def test_a_step_that_is_rolled_back_leaves_records_as_they_were(db: Database, fails: str, numbered: bool) -> None:
    db.create_tables(Counted)
    db.execute("CREATE TABLE parts (of REFERENCES counted(id))")
    kept, new, there = Counted("kept"), Counted("new"), Counted("there").insert(db)

    def first(database: Database) -> None:
        database.insert(kept)

    def second(database: Database) -> None:
        database.insert(new)
        database.update(there)
        if fails == "behind it":
            database.execute("INSERT INTO parts VALUES (99)")
        elif fails == "itself":
            raise KeyError

    def apply() -> None:
        if numbered:
            db.set_version([VersionStep(1, first), VersionStep(2, second)])
            return
        bundle = Bundle()
        bundle.add("1", first)
        bundle.add("2", second)
        bundle.apply(db)

    if fails == "not":
        apply()
    else:
        with pytest.raises((KeyError, cormorant.Error)):
            apply()
    assert kept.id == 2
    assert (new.id, there.version) == ((3, 2) if fails == "not" else (None, 1))
    assert db.fetch_all(Counted) == [there, kept, new][: 3 if fails == "not" else 2]
    assert not db._innermost


def test_the_programs_own_steps_are_adopted_by_the_schema_that_they_leave(db: Database) -> None:
    bundle = Bundle()
    bundle.add("1", lambda database: database.sync(Person), schema=Schema.of(Person))
    with pytest.raises(cormorant.MigrationDriftError, match="people"):
        bundle.adopt(db)
    db.execute_script(Schema.of(Person).sql)
    bundle.adopt(db)
    db.execute("ALTER TABLE people ADD COLUMN by_hand")
    assert [change.name for step in bundle.drift(db).steps for change in step.changes] == ["by_hand"]


def test_threads_that_come_together_apply_each_step_once(folder: Path, path: Path) -> None:
    errors: list[BaseException] = []
    ran: list[int] = []

    def work() -> None:
        try:
            bundle = Bundle(folder)
            bundle.add("0003_once", lambda database: ran.append(1))
            with Database(path) as database:
                bundle.apply(database)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert ran == [1]


def test_a_copy_of_the_folder_is_the_same_bundle(folder: Path, db: Database, tmp_path: Path) -> None:
    Bundle(folder).apply(db)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    assert set(states(Bundle(str(copy)), db).values()) == {"applied"}
    assert repr(str(copy)) in repr(Bundle(copy))


def test_steps_are_applied_once_and_taken_back(folder: Path, db: Database) -> None:
    bundle = Bundle(folder)
    assert states(bundle, db) == {FIRST: "pending", SECOND: "pending"}
    bundle.apply(db, FIRST)
    Person("Ann").insert(db)
    assert states(bundle, db) == {FIRST: "applied", SECOND: "pending"}
    bundle.apply(db)
    bundle.apply(db)
    assert [item.full_name for item in db.fetch_all(Aged)] == ["Ann"]
    assert not Plan.between(db.schema(), Schema.of(Aged))
    first = bundle.status(db)[0]
    assert first.started
    assert first.finished
    assert timedelta(0) <= datetime.now(timezone.utc) - first.started < timedelta(minutes=1)
    bundle.revert(db, FIRST, allow_lossy=True)
    assert [item.name for item in db.fetch_all(Person)] == ["Ann"]
    bundle.revert(db, None, allow_lossy=True)
    assert tables(db) == []
    assert set(states(bundle, db).values()) == {"pending"}
