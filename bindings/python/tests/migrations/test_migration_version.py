"""Files whose schema has a number: steps from version to version, and a setup."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from encrypted import plain_only

import cormorant
from cormorant import Database, VersionStep

STEPS = [
    VersionStep(1, "CREATE TABLE a (x)", "DROP TABLE a"),
    VersionStep(2, "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x", "ALTER TABLE a DROP COLUMN y"),
    VersionStep(3, "CREATE TABLE b (z)", "DROP TABLE b"),
]


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        yield database


def tables(db: Database) -> list[str]:
    return [name for (name,) in db.query("SELECT name FROM sqlite_schema ORDER BY 1").fetch_all()]


@plain_only
def test_the_number_is_that_of_every_other_program(db: Database, path: Path) -> None:
    db.set_version(STEPS, 2)
    with sqlite3.connect(path) as other:
        assert other.execute("PRAGMA user_version").fetchone() == (2,)
        other.execute("PRAGMA user_version = 1")
    other.close()
    assert db.version == 1


def test_what_a_function_raises_takes_only_its_step_back(db: Database) -> None:
    def fail(database: Database) -> None:
        database.execute("CREATE TABLE half (x)")
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        db.set_version([*STEPS, VersionStep(4, fail)])
    assert (db.version, tables(db)) == (3, ["a", "b"])


def test_versions_that_cannot_be(db: Database) -> None:
    for version in (-1, 2**31, 2**64 + 1):
        with pytest.raises(cormorant.ProgrammingError):
            db.set_version(STEPS, version)
        with pytest.raises(cormorant.ProgrammingError):
            db.set_version([VersionStep(version, "SELECT 1")])
    with pytest.raises(cormorant.MigrationError):
        db.set_version(STEPS, 4)
    odd: Any = 5
    with pytest.raises(cormorant.ProgrammingError):
        db.set_version([VersionStep(1, odd)])
    with db.transaction(), pytest.raises(cormorant.ProgrammingError) as caught:
        db.set_version(STEPS)
    assert caught.value.code == "CORM_E_TRANSACTION"
    assert db.version == 0
