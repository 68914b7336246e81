"""A rollback journal of which only a part came to the disk."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import RAW
from cormorant import Cipher, Database

BINDINGS = Path(__file__).resolve().parents[2] / "bindings/python/src"
WRITE = """
import os, shutil, signal, sys
from cormorant import Cipher, Database
name, key = sys.argv[1], sys.argv[2]
database = Database(name, cipher=Cipher(key) if key else None, journal_mode="persist")
database.execute_script("PRAGMA cache_size = 2; CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 8) SELECT i FROM n"
database.execute_script(f"INSERT INTO t SELECT i, '1-' || hex(zeroblob(1500)) FROM ({rows})")
database.execute_script("UPDATE t SET a = replace(a, '1-', '2-')")
shutil.copy(name, name + ".committed")
shutil.copy(name + "-journal", name + ".journal")
database.execute_script("BEGIN; UPDATE t SET a = replace(a, '2-', '3-')")
os.kill(os.getpid(), signal.SIGKILL)
"""


KEYS = pytest.mark.parametrize("key", ["", RAW], ids=["plain", "encrypted"])


def cut_off(path: Path, key: str) -> tuple[bytes, bytes]:
    """A database as it was committed, whose writer died in the next transaction.

    Returns the header of that one's journal, and the records of the one before.
    """
    environment = {**os.environ, "PYTHONPATH": str(BINDINGS)}
    done = subprocess.run([sys.executable, "-c", WRITE, path, key], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    journal = Path(f"{path}-journal")
    # Without the mark behind it, which is written when the records are on the disk.
    header = journal.read_bytes()[:28].ljust(512, b"\0")
    journal.unlink()
    shutil.copy(f"{path}.committed", path)
    return header, Path(f"{path}.journal").read_bytes()[512:]


def opened(path: Path, key: str) -> Database:
    return Database(path, cipher=Cipher(key) if key else None, journal_mode="persist")


def check(database: Database) -> None:
    assert database.query("SELECT DISTINCT substr(a, 1, 2) FROM t").fetch_all() == [("2-",)]
    assert database.query("PRAGMA integrity_check").fetch_all() == [("ok",)]


@KEYS
def test_records_of_an_earlier_transaction_are_not_played_back(tmp_path: Path, key: str) -> None:
    """The power fails when the new header is on the disk and the records behind it are still those of before."""
    path = tmp_path / "test.db"
    header, earlier = cut_off(path, key)
    Path(f"{path}-journal").write_bytes(header + earlier)
    with opened(path, key) as database:
        check(database)


@KEYS
def test_a_record_of_page_1_that_is_another_page_harms_no_handle(tmp_path: Path, key: str) -> None:
    """A writer fell between a record's number and its page, where one of an earlier transaction was."""
    path = tmp_path / "test.db"
    header, earlier = cut_off(path, key)
    assert int.from_bytes(earlier[:4], "big") > 1
    with opened(path, key) as database:
        check(database)
        Path(f"{path}-journal").write_bytes(header + (1).to_bytes(4, "big") + earlier[4:])
        check(database)
        database.execute("UPDATE t SET a = '4-'")
        assert database.query("SELECT DISTINCT a FROM t").fetch_all() == [("4-",)]
