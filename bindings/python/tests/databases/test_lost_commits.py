"""Commits behind what was rolled back of a transaction that outgrew the cache: there after SIGKILL.

SQLite (3.40.1) forgets the checksums of frames of the log there, and loses all that is committed from then on.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from cormorant import Cipher, Database

SOURCE = Path(__file__).resolve().parents[2] / "src"
VICTIM = """
import os, signal, sys
sys.path.insert(0, {source!r})
from cormorant import Cipher, Database, Error

db = Database({path!r}, cipher={cipher})
db.execute_script("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = {cache}")
db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, b BLOB); CREATE INDEX ti ON t (k);"
    "CREATE TABLE log (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (9000, 'last', NULL)")
fill = ("INSERT INTO t SELECT i, hex(randomblob(200)), zeroblob(300) FROM ("
    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 9000) SELECT i FROM n)")

def statement():
    try:
        db.execute(fill)
    except Error:
        return
    raise AssertionError("the last row is there already")

def nested():
    try:
        with db.transaction():
            db.execute(fill.replace("9000", "8000"))
            raise KeyError
    except KeyError:
        pass

def raw():
    db.execute_script("SAVEPOINT a")
    db.execute(fill.replace("9000", "8000"))
    db.execute_script("ROLLBACK TO a; RELEASE a")

for number in range(3):
    if {kind!r} == "raw":
        db.execute_script("BEGIN IMMEDIATE")
        raw()
        db.execute("INSERT INTO log VALUES (?)", [number * 10])
        db.execute_script("COMMIT")
    else:
        with db.transaction():
            {kind}()
            db.execute("INSERT INTO log VALUES (?)", [number * 10])
    for after in range(1, 4):
        db.execute("INSERT INTO log VALUES (?)", [number * 10 + after])
print("committed", flush=True)
sys.stdin.readline()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("cipher", [None, "Cipher('k', rounds=5)"], ids=["plain", "encrypted"])
@pytest.mark.parametrize("kind", ["statement", "nested", "raw"])
@pytest.mark.parametrize("cache", [5, -2000])
def test_commits_behind_a_savepoint_that_was_rolled_back(
    tmp_path: Path, kind: str, cipher: str | None, cache: int
) -> None:
    path = tmp_path / "a.db"
    code = VICTIM.format(source=str(SOURCE), path=str(path), cipher=cipher, kind=kind, cache=cache)
    victim = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert victim.stdout
    assert victim.stdout.readline() == "committed\n"
    rows = [(number * 10 + after,) for number in range(3) for after in range(4)]
    if cipher is None:
        # Another program goes on behind them.
        with sqlite3.connect(path) as other:
            other.execute("INSERT INTO log VALUES (100)")
        other.close()
        rows.append((100,))
    victim.communicate("end\n")
    assert victim.returncode == -signal.SIGKILL
    with Database(path, cipher=Cipher("k", rounds=5) if cipher else None) as db:
        assert db.query("SELECT id FROM log").fetch_all() == rows
        assert db.query("SELECT count(*) FROM t").fetch_all() == [(1,)]
        assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]


FAILING_SYNC = """
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
int fails;
static int sync_file(int file, long call) {
    if (!fails)
        return (int)syscall(call, file);
    errno = EIO;
    return -1;
}
int fsync(int file) { return sync_file(file, SYS_fsync); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync); }
"""
BESIDE = """
import ctypes, os, signal, sys
sys.path.insert(0, {source!r})
from cormorant import Cipher, Database, Error, Region

db = Database({path!r}, cipher={cipher}, reader_count=0, synchronous="full")
if {kind!r} == "exclusive":
    db.execute_script("PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL")
db.execute_script("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 100;"
    "CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, b BLOB); CREATE INDEX ti ON t (k);"
    "CREATE TABLE log (id INTEGER PRIMARY KEY); CREATE TABLE rows (id INTEGER)")
numbers = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 1000)"
db.execute("INSERT INTO rows " + numbers + " SELECT i FROM n")
fill = ("INSERT INTO t SELECT NULL, hex(randomblob(200)), zeroblob(300) FROM rows a, (SELECT 1 UNION ALL SELECT 2)")
system = ctypes.CDLL(None)
told = []
observer = db.observe(Region("log")) if {kind!r} == "observed" else None

def outgrow(number, fails=False):
    with db.transaction():
        try:
            with db.transaction():
                db.execute(fill)
                raise KeyError
        except KeyError:
            pass
        db.execute("INSERT INTO log VALUES (?)", [number])
        if fails:
            ctypes.c_int.in_dll(system, "fails").value = 1

if {kind!r} == "unsynced":
    try:
        outgrow(0, fails=True)
    except Error:
        ctypes.c_int.in_dll(system, "fails").value = 0
        db.execute("INSERT INTO log VALUES (1)")
    else:
        raise AssertionError("the log was not synchronized")
loop = iter(db.query("SELECT a.id FROM rows a, rows b, rows c")) if {kind!r} == "cursor" else None
if loop:
    next(loop)
for number in range(1, 4):
    outgrow(number * 10)
    if observer:
        event = observer.next(5)
        told.append((event.is_foreign, len(event.changes)))
        assert not observer.next(0)
    db.execute("INSERT INTO log VALUES (?)", [number * 10 + 1])
    if observer:
        observer.next(5)
assert told == ([(False, 1)] * 3 if observer else []), told
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("cipher", [None, "Cipher('k', rounds=5)"], ids=["plain", "encrypted"])
@pytest.mark.parametrize("kind", ["alone", "cursor", "exclusive", "observed", "unsynced"])
def test_commits_behind_them_go_on(tmp_path: Path, kind: str, cipher: str | None) -> None:
    """Beside a cursor, which has SQLite's checksum in mind; with an index of its own; behind one that failed."""
    if kind == "unsynced" and sys.platform != "linux":
        pytest.skip("the loader of Linux")
    path, environment = tmp_path / "a.db", {**os.environ}
    if kind == "unsynced":
        source, library = tmp_path / "failing_sync.c", tmp_path / "failing_sync.so"
        source.write_text(FAILING_SYNC)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        environment["LD_PRELOAD"] = str(library)
    code = BESIDE.format(source=str(SOURCE), path=str(path), cipher=cipher, kind=kind)
    victim = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert victim.returncode == -signal.SIGKILL, victim.stderr
    with Database(path, cipher=Cipher("k", rounds=5) if cipher else None) as db:
        rows = [(10,), (11,), (20,), (21,), (30,), (31,)]
        assert db.query("SELECT id FROM log").fetch_all() == ([(1,)] if kind == "unsynced" else []) + rows
        assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]


@pytest.mark.parametrize("cipher", [None, Cipher("k", rounds=5)], ids=["plain", "encrypted"])
def test_the_first_commit_after_a_recovery(tmp_path: Path, cipher: Cipher | None) -> None:
    """It is written where recovery has read a frame of the log before it was begun anew."""
    first, second, third = (tmp_path / f"{name}.db" for name in ("first", "second", "third"))

    def kill(path: Path, copy: Path) -> None:
        """What a killed process leaves."""
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")

    with Database(first, cipher=cipher, reader_count=0) as db:
        db.execute_script("PRAGMA wal_autocheckpoint = 0; CREATE TABLE a (x); CREATE TABLE b (x)")
        db.execute_script("INSERT INTO a VALUES (0); INSERT INTO b VALUES (0)")
        db.checkpoint("truncate")
        for number in range(1, 6):
            db.execute("UPDATE a SET x = ?", [number])
        db.checkpoint("full")
        db.execute("UPDATE a SET x = 100")
        kill(first, second)
    with Database(second, cipher=cipher, reader_count=0) as db:
        db.execute("UPDATE b SET x = 7")
        db.execute("UPDATE b SET x = 8")
        kill(second, third)
    with Database(third, cipher=cipher) as db:
        assert db.query("SELECT a.x, b.x FROM a, b").fetch_all() == [(100, 8)]


NO_MEMORY = """
import ctypes, json, os, shutil, sys
sys.path.insert(0, sys.argv[3])
from cormorant import Cipher, Database, Error

sqlite = ctypes.CDLL("libsqlite3.so.0")
sqlite.sqlite3_memory_used.restype = ctypes.c_int64
sqlite.sqlite3_hard_heap_limit64.argtypes = [ctypes.c_int64]
path, cipher = sys.argv[1], Cipher("k", rounds=5) if sys.argv[2] == "encrypted" else None
fill = ("INSERT INTO t SELECT NULL, hex(randomblob(200)), zeroblob(300) FROM ("
    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 200) SELECT i FROM n)")
failed = []
for room in range(3000, 7000, 200):
    file = f"{path}{room}"
    db = Database(file, cipher=cipher, reader_count=0)
    db.execute_script("PRAGMA wal_autocheckpoint = 0; CREATE TABLE u (x);"
        "CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, b BLOB); CREATE INDEX ti ON t (k); PRAGMA cache_size = 3")
    db.execute_script("BEGIN IMMEDIATE; INSERT INTO u VALUES (1); SAVEPOINT s; INSERT INTO u VALUES (zeroblob(400000))")
    db.execute(fill)
    db.execute_script("ROLLBACK TO s; RELEASE s; INSERT INTO u VALUES (2)")
    sqlite.sqlite3_hard_heap_limit64(sqlite.sqlite3_memory_used() + room)
    try:
        db.execute("COMMIT")
    except Error:
        failed.append(file)
    finally:
        sqlite.sqlite3_hard_heap_limit64(0)
    # As SIGKILL would leave them.
    for end in ("", "-wal"):
        shutil.copy(file + end, file + "copy" + end)
    db.close()
print(json.dumps(failed))
"""


@pytest.mark.parametrize("kind", ["plain", "encrypted"])
def test_a_commit_that_finds_no_memory_is_none(tmp_path: Path, kind: str) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", NO_MEMORY, tmp_path / "a.db", kind, SOURCE], capture_output=True, text=True, check=True
    ).stdout
    failed = json.loads(shown)
    assert 3 < len(failed) < 20
    for file in failed:
        with Database(file + "copy", cipher=Cipher("k", rounds=5) if kind == "encrypted" else None) as db:
            assert db.fetch_values("SELECT x FROM u") == []
