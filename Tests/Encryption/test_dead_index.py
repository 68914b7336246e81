"""A connection that may only read keeps SQLite's index of the log in memory of its own, where the process that made the
`-shm` was killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

OTHERS = 65534
OPENED = """
import os, sys
from cormorant import Cipher, Database
path = sys.argv[1]
cipher = None if sys.argv[2] == "plain" else Cipher("secret", rounds=3)
"""
WRITER = (
    OPENED
    + """
db = Database(path, cipher=cipher, reader_count=0)
db.execute_script("PRAGMA wal_autocheckpoint = 0; " + sys.argv[3])
print("written", flush=True)
sys.stdin.read()
"""
)
READER = (
    OPENED
    + """
Database(":memory:").close()
os.setuid(int(sys.argv[3]))
with Database(path, cipher=cipher, mode="read_only", reader_count=0, journal_mode=None) as db:
    while sys.stdin.readline():
        rows = [id for (id,) in db.query("SELECT id FROM t ORDER BY id").fetch_all()]
        print(rows, db.fetch_value("PRAGMA integrity_check"), flush=True)
"""
)


def started(program: str, path: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, str(path), *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip


def write_and_die(path: Path, kind: str, sql: str) -> None:
    with started(WRITER, path, kind, sql) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "written\n"
        writer.kill()


@pytest.fixture
def path() -> Iterator[Path]:
    """In a folder that others may read, not write."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name) / "a.db"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another")
@pytest.mark.parametrize("kind", ["plain", "encrypted"])
def test_a_connection_that_only_reads_sees_what_is_committed_by_those_that_die(path: Path, kind: str) -> None:
    write_and_die(path, kind, "CREATE TABLE t (id INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, zeroblob(9000))")
    for end in ("", "-wal", "-shm"):
        Path(f"{path}{end}").chmod(0o444)
    with started(READER, path, kind, str(OTHERS)) as reader:
        assert reader.stdin
        assert reader.stdout

        def read() -> str:
            reader.stdin.write("\n")
            return reader.stdout.readline()

        assert read() == "[1] ok\n"
        write_and_die(path, kind, "INSERT INTO t VALUES (2, zeroblob(9000))")
        assert read() == "[1, 2] ok\n"
        # What did not commit stands behind it.
        write_and_die(path, kind, "PRAGMA cache_size = 1; BEGIN; INSERT INTO t SELECT id + 10, zeroblob(90000) FROM t")
        assert read() == "[1, 2] ok\n"
        write_and_die(path, kind, "INSERT INTO t VALUES (3, 3); INSERT INTO t VALUES (4, 4)")
        assert read() == "[1, 2, 3, 4] ok\n"
        reader.stdin.close()
