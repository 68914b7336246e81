"""Migrations of files that were made by hand, through the Python package and checked with Python's own sqlite3."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "test.db"


def make(path: Path, script: str) -> None:
    """A file as any other program would make it."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.commit()
    connection.close()


def dump(path: Path) -> list[str]:
    """Everything in a file as SQL, in an order that does not depend on when an object was made."""
    connection = sqlite3.connect(path)
    lines = sorted(line for line in connection.iterdump() if "corm_models" not in line)
    connection.close()
    return lines


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def check(path: Path) -> None:
    """The file is whole, and no row refers to one that is gone."""
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "PRAGMA foreign_key_check") == []
