"""One call migrates a fleet of files: failures are told, what is done stays done, it goes on where it was stopped."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import encrypted
import pytest

import cormorant
from cormorant import Bundle, Database, MigrationError, ProgrammingError, Registry

STEPS = ("0001_make", "0002_more")


def steps() -> Bundle:
    bundle = Bundle()
    bundle.add(STEPS[0], "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)")
    bundle.add(STEPS[1], "ALTER TABLE person ADD COLUMN age INTEGER")
    return bundle


def fill(folder: Path, count: int) -> None:
    """Files that lack the last step."""
    with Registry(folder / "{name}.db", synchronous="off") as registry:
        for number in range(count):
            with registry.use(f"u{number:04}") as db:
                steps().apply(db, STEPS[0])


def applied(db: Database) -> int:
    return sum(state.state == "applied" for state in steps().status(db))


def test_a_function_of_the_program_gets_each_database(tmp_path: Path) -> None:
    fill(tmp_path, 3)
    paths: list[str] = []

    def name_all(db: Database) -> None:
        paths.append(Path(db.path).name)
        if "0001" in db.path:
            raise ValueError("not this one")
        db.execute("INSERT INTO person (name) VALUES (?)", [Path(db.path).stem])
        if "0002" in db.path:
            with pytest.raises(ProgrammingError, match="in use"):
                registry.close_file("u0002")

    bundle = steps()
    bundle.add("0003_name", name_all)
    with Registry(tmp_path / "{name}.db") as registry:
        failures = registry.migrate(bundle)
        assert [str(error) for error in failures.values()] == ["not this one"]
        assert paths == ["u0000.db", "u0001.db", "u0002.db"]
        with registry.use("u0002") as db:
            assert db.query("SELECT name FROM person").fetch_all() == [("u0002",)]


def test_a_last_step_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    with Registry(tmp_path / "{name}.db") as registry:
        with pytest.raises(MigrationError):
            registry.migrate(steps(), last="0009_none")
        bundle = steps()
        with registry.use("u0000") as db, bundle._active.of(lambda _: db), pytest.raises(ProgrammingError):
            registry.migrate(bundle)


def test_a_thousand_files_that_lack_nothing_are_passed_by(tmp_path: Path) -> None:
    fill(tmp_path, 1000)
    with Registry(tmp_path / "{name}.db", synchronous="off") as registry:
        assert registry.migrate(steps()) == {}
        begin = time.monotonic()
        assert registry.migrate(steps()) == {}
        seconds = time.monotonic() - begin
    print(f"1,000 files that lack nothing: {seconds:.2f} s")
    assert seconds < 20


# Of the tests, of what they share, and of the package.
FOLDERS = [str(Path(__file__).parent), str(Path(encrypted.__file__).parent), str(Path(cormorant.__file__).parents[1])]

CHILD = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
import encrypted
from test_registry_migration import steps
from cormorant import Registry

def told(item):
    print(item.name, flush=True)

with Registry(Path(sys.argv[1]) / "{name}.db") as registry:
    assert registry.migrate(steps(), progress=told) == {}
"""


def test_killed_it_goes_on_where_it_was(tmp_path: Path) -> None:
    count = 60
    fill(tmp_path, count)
    done: set[str] = set()
    for wanted in (1, 20, 45):
        command = [sys.executable, "-c", CHILD, str(tmp_path), *FOLDERS]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            for line in child.stdout:
                done.add(line.strip())
                if len(done) >= wanted:
                    os.kill(child.pid, signal.SIGKILL)
                    break
            child.stdout.read()
        assert len(done) >= wanted
        with Registry(tmp_path / "{name}.db") as registry:
            for name in registry.names():
                with registry.use(name) as db:
                    # Each is the old file or the new one.
                    columns = {column[1] for column in db.query("PRAGMA table_info(person)").fetch_all()}
                    assert applied(db) == (2 if "age" in columns else 1)
                    assert name not in done or "age" in columns
    with Registry(tmp_path / "{name}.db") as registry:
        assert registry.migrate(steps()) == {}
        for name in registry.names():
            with registry.use(name) as db:
                assert applied(db) == 2


@encrypted.plain_only
def test_a_file_that_another_program_locks_is_told(tmp_path: Path) -> None:
    fill(tmp_path, 3)
    other = sqlite3.connect(tmp_path / "u0001.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        with Registry(tmp_path / "{name}.db", busy_timeout=0.2) as registry:
            assert set(registry.migrate(steps())) == {"u0001"}
            other.execute("ROLLBACK")
            assert registry.migrate(steps()) == {}
    finally:
        other.close()
