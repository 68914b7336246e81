"""A writer of the write-ahead log beside others: who copies it to the file, and who was killed as it wrote."""

from __future__ import annotations

import signal
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cormorant import Cipher, Database

SOURCE = Path(__file__).resolve().parents[2] / "src"
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


VICTIM = """
import os, signal, sys
sys.path.insert(0, {source!r})
from cormorant import Database

db = Database({path!r})
db.execute("CREATE TABLE t (n INTEGER)")
print("ready", flush=True)
sys.stdin.readline()
db.execute("INSERT INTO t VALUES (1)")
print("committed", flush=True)
sys.stdin.readline()
os.kill(os.getpid(), signal.SIGKILL)
"""


def checksum(data: bytes) -> tuple[int, int]:
    first = second = 0
    for index in range(0, len(data), 8):
        left, right = struct.unpack_from("=2I", data, index)
        first = (first + left + second) & 0xFFFFFFFF
        second = (second + right + first) & 0xFFFFFFFF
    return first, second


def test_a_writer_that_was_killed_before_it_said_what_the_checksum_is(tmp_path: Path) -> None:
    """Of frames that SQLite had forgotten: whoever writes next takes the checksum from the log."""
    path = tmp_path / "a.db"
    victim = subprocess.Popen(
        [sys.executable, "-c", VICTIM.format(source=str(SOURCE), path=str(path))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert victim.stdin
    assert victim.stdout
    assert victim.stdout.readline() == "ready\n"
    with Path(f"{path}-shm").open("r+b") as index:
        header = bytearray(index.read(128))
        struct.pack_into("=2I", header, 24, 1, 2)
        struct.pack_into("=2I", header, 40, *checksum(bytes(header[:40])))
        header[48:96] = header[:48]
        # A connection that takes turns has the lock for writing.
        header[124] |= 1
        index.seek(0)
        index.write(header)
    victim.stdin.write("\n")
    victim.stdin.flush()
    assert victim.stdout.readline() == "committed\n"
    victim.communicate("\n")
    assert victim.returncode == -signal.SIGKILL
    Path(f"{path}-shm").unlink()
    db = sqlite3.connect(path)
    assert db.execute("SELECT n FROM t").fetchall() == [(1,)]
    db.close()
