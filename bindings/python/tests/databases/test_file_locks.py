"""POSIX locks are of the process: who closes any descriptor of a file gives up those that SQLite has on it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cormorant import BusyError, Cipher, Database, Error, encrypt

WRITE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
try:
    connection.execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError as error:
    print(error)
"""


def other_process_may_write(path: Path) -> bool:
    printed = subprocess.run(
        [sys.executable, "-c", WRITE, str(path)], check=True, capture_output=True, text=True
    ).stdout
    assert printed in ("", "database is locked\n")
    return not printed


def test_what_looks_at_a_file_leaves_its_locks(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Database(path, journal_mode="delete") as db:
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        assert other_process_may_write(path)
        with db.transaction("immediate"):
            assert not other_process_may_write(path)
            with pytest.raises(BusyError):
                encrypt(path, Cipher("key"))
            assert not other_process_may_write(path)
            with Database(tmp_path / "copy.db", template=path) as copy:
                copy.execute("DELETE FROM t")
            assert not other_process_may_write(path)
            with pytest.raises(Error):
                Database(path, cipher=Cipher("wrong"))
            assert not other_process_may_write(path)
        assert other_process_may_write(path)
