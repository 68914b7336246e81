"""Generated models of schemas with bad names and every construct: they compile, and agree with the file.

CORMORANT_TABLES makes the schema larger.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import HERE, build_swift, check_python, compile_c, compile_swift, generate, make, run
from hostile import schema

TABLES = int(os.environ.get("CORMORANT_TABLES", "40"))


@pytest.fixture(params=(1, 4))
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return make(tmp_path / "hostile.db", schema(TABLES, seed=request.param))


def test_python(database: Path, tmp_path: Path) -> None:
    """Sync makes all of it in a new file, too: no two names of indexes or constraints are in each other's way."""
    folder = generate(database, "python", tmp_path / "out")
    check_python(folder)
    assert run(sys.executable, HERE / "copy_rows.py", database, tmp_path / "new.db", path=str(folder)) == ""


def test_c(database: Path, tmp_path: Path) -> None:
    program = compile_c(generate(database, "c", tmp_path / "out"))
    assert run(program, database) == ""


def test_swift(tmp_path: Path) -> None:
    """A macro takes most of a second for each table, so there are fewer of them where not asked otherwise."""
    database = make(tmp_path / "hostile.db", schema(12 if TABLES == 40 else TABLES, seed=7))
    build_swift()
    compile_swift(generate(database, "swift", tmp_path / "out"))
