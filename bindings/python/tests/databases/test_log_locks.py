"""A writer of the write-ahead log beside who copies it to the file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cormorant import Cipher, Database

# https://www.sqlite.org/walformat.html#wal_locks: WAL_CKPT_LOCK.
CHECKPOINT_LOCK = 121
KINDS = pytest.mark.parametrize("cipher", [None, Cipher("k", rounds=5)], ids=["plain", "encrypted"])


@contextmanager
def checkpointing(path: Path) -> Iterator[None]:
    """As another process does that has begun to copy the log to the file."""
    code = (
        "import fcntl, sys\n"
        f"file = open({str(path) + '-shm'!r}, 'r+b')\n"
        f"fcntl.lockf(file, fcntl.LOCK_EX, 1, {CHECKPOINT_LOCK})\n"
        "print('locked', flush=True)\n"
        "sys.stdin.readline()"
    )
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout
    assert other.stdout.readline() == "locked\n"
    try:
        yield
    finally:
        other.communicate("\n")


def salts(path: Path) -> bytes:
    """Other ones each time that the log begins anew."""
    with Path(f"{path}-wal").open("rb") as log:
        return log.read(24)[16:]


@KINDS
def test_the_log_begins_anew_only_when_nobody_copies_it(tmp_path: Path, cipher: Cipher | None) -> None:
    """SQLite's own race (https://www.sqlite.org/wal.html#walresetbug) is not met."""
    path = tmp_path / "a.db"
    with Database(path, cipher=cipher) as db:
        db.execute_script("CREATE TABLE t (n INTEGER)")
        db.checkpoint()
        before = salts(path)
        with checkpointing(path):
            db.execute("INSERT INTO t VALUES (1)")
            assert salts(path) == before
        db.execute("INSERT INTO t VALUES (2)")
        db.checkpoint()
        db.execute("INSERT INTO t VALUES (3)")
        assert salts(path) != before
        db.checkpoint("truncate")
        assert Path(f"{path}-wal").stat().st_size == 0
        db.execute("INSERT INTO t VALUES (4)")
        assert db.fetch_value("SELECT group_concat(n) FROM t") == "1,2,3,4"
