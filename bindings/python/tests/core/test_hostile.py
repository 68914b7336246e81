"""Hostile input: the process never crashes, the file stays intact, the error says what to do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from models import Department, Everything, Person

import cormorant
from cormorant import Database


@pytest.mark.parametrize("text", ["SELECT 1\0; DROP TABLE people", "SELECT '\ud800'"])
def test_sql_that_is_no_c_string(db: Database, text: str) -> None:
    for call in (db.execute, db.query, db.execute_script, lambda sql: db.fetch_all(Person, sql)):
        with pytest.raises(cormorant.DataError) as caught:
            call(text)
        assert caught.value.code == "CORM_E_ENCODING"
    with pytest.raises(cormorant.DataError):
        Database(f"x{text}")
    with pytest.raises(cormorant.DataError):
        db.fetch_all(Person, order_by=text)


@pytest.mark.skipif(os.getuid() == 0, reason="root may read and write everything")
def test_files_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "file.db"
    with Database(path, journal_mode="delete") as db:
        db.create_tables(Department)
    path.chmod(0o444)
    with Database(path, mode="read_only") as db, pytest.raises(cormorant.OperationalError) as caught:
        db.insert(Department("a"))
    assert caught.value.code == "CORM_E_READ_ONLY"
    path.chmod(0)
    with pytest.raises(cormorant.OperationalError) as caught:
        Database(path)
    assert caught.value.code == "CORM_E_CANNOT_OPEN"
    path.chmod(0o644)


def test_a_large_blob(db: Database) -> None:
    data = os.urandom(1_000_000) * 100
    record = Everything(data=data).insert(db)
    found = db.find(Everything, record.id)
    assert found is not None
    assert found.data == data


def test_a_blob_beyond_the_limit_of_sqlite(db: Database) -> None:
    with pytest.raises(cormorant.DatabaseError) as caught:
        db.execute("INSERT INTO everything (data) VALUES (zeroblob(1000000001))")
    assert caught.value.code == "CORM_E_TOO_BIG"
    assert db.count(Everything) == 0


def test_things_that_are_no_model_or_record(db: Database) -> None:
    for thing in (None, 5, "Person", object(), Person):
        with pytest.raises(cormorant.ProgrammingError):
            db.insert(thing)  # type: ignore[arg-type]
    with pytest.raises(cormorant.ProgrammingError, match="skip"):
        db.insert(Department("Sales"), "skip")  # type: ignore[arg-type]
    with pytest.raises(cormorant.ProgrammingError, match="later"):
        db.transaction("later")  # type: ignore[arg-type]
    nothing: Any
    for nothing in (None, 5, int):
        with pytest.raises(cormorant.ProgrammingError):
            db.fetch_all(nothing)


def test_values_that_ctypes_would_cut(db: Database) -> None:
    for key in (2**63, 2**64 + 1, -(2**63) - 1):
        with pytest.raises(cormorant.DataError):
            db.find(Person, key)
        with pytest.raises(cormorant.DataError):
            db.delete_key(Person, key)
        with pytest.raises(cormorant.DataError):
            db.query("SELECT ?", [key])
    with Database(":memory:", busy_timeout=1e300, statement_cache_size=2**40) as other:
        assert other.query("PRAGMA busy_timeout").fetch_one() == (2**31 - 1,)
