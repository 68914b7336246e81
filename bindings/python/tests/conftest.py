from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import encrypted  # noqa: F401  # before anything opens a file
import pytest
from models import Department, Entry, Everything, Note, Person, Setting

from cormorant import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "test.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with Database(path) as database:
        database.create_tables(Person, Department, Everything, Setting, Note, Entry)
        yield database
