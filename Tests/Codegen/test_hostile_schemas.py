"""Generated models of schemas with bad names and every construct: they compile, and agree with the file.

CORMORANT_TABLES makes the schema larger.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import HERE, check_python, compile_c, generate, make, run
from hostile import schema

TABLES = int(os.environ.get("CORMORANT_TABLES", "60"))


@pytest.fixture(params=range(1, 4))
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return make(tmp_path / "hostile.db", schema(TABLES, seed=request.param))


def test_python(database: Path, tmp_path: Path) -> None:
    folder = generate(database, "python", tmp_path / "out")
    check_python(folder)
    assert run(sys.executable, HERE / "copy_rows.py", database, path=str(folder)) == ""


def test_c(database: Path, tmp_path: Path) -> None:
    program = compile_c(generate(database, "c", tmp_path / "out"))
    assert run(program, database) == ""


def test_swift_parses(database: Path, tmp_path: Path) -> None:
    folder = generate(database, "swift", tmp_path / "out")
    run("swiftc", "-frontend", "-parse", *sorted(folder.iterdir()))


def test_sync_makes_all_of_it_in_a_new_file(database: Path, tmp_path: Path) -> None:
    """No two names of indexes or constraints are in each other's way."""
    folder = generate(database, "python", tmp_path / "out")
    assert run(sys.executable, HERE / "copy_rows.py", database, tmp_path / "new.db", path=str(folder)) == ""
