"""Two that write a copy to one path: one has it, the other one is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cormorant import Cipher, Database, OperationalError
from cormorant.maintenance import backup, repair

NUMBERS = "SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000"


def fill(path: Path, **options: Any) -> Database:
    database = Database(path, **options)
    database.execute("CREATE TABLE t (x)")
    database.execute(f"WITH n(i) AS ({NUMBERS}) INSERT INTO t SELECT zeroblob(3000) FROM n")
    return database


@pytest.mark.parametrize(
    "write",
    [
        lambda db, path, told: backup(db, path, progress=told),
        lambda db, path, told: backup(db, path, cipher=Cipher("k", rounds=5), progress=told),
        lambda db, path, told: repair(db.path, path, progress=told),
    ],
    ids=["plain", "encrypted", "repair"],
)
def test_the_second_one_is_refused_and_the_first_is_whole(tmp_path: Path, write: Callable[..., Any]) -> None:
    one, two = fill(tmp_path / "a.db", journal_mode="delete"), Database(tmp_path / "a.db", journal_mode="delete")
    copy = tmp_path / "copy.db"
    seen: list[BaseException | None] = []

    def late() -> None:
        try:
            write(two, copy, lambda _progress: True)
            seen.append(None)
        except BaseException as error:
            seen.append(error)

    def told(progress: Any) -> bool:
        if not seen:
            thread = threading.Thread(target=late)
            thread.start()
            thread.join()
        return True

    with one, two:
        write(one, copy, told)
    (refused,) = seen
    assert isinstance(refused, OperationalError)
    assert refused.code == "CORM_E_BUSY"
    assert str(copy) in str(refused)
    with Database(copy, cipher=None if copy.read_bytes()[:6] == b"SQLite" else Cipher("k", rounds=5)) as there:
        assert there.query("SELECT count(*) FROM t").fetch_all() == [(2000,)]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.db", "copy.db"]


WRITER = """
import sys
from cormorant import Database
from cormorant.maintenance import backup
def told(progress):
    print("begun", flush=True)
    sys.stdin.readline()
    return True
backup(Database(sys.argv[1]), sys.argv[2], progress=told)
"""


@pytest.mark.parametrize("is_killed", [False, True])
def test_of_two_processes(tmp_path: Path, is_killed: bool) -> None:
    path, copy = tmp_path / "a.db", tmp_path / "copy.db"
    database = fill(path)
    first = subprocess.Popen(
        [sys.executable, "-c", WRITER, path, copy],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "begun\n"
    with pytest.raises(OperationalError, match="is being written") as caught:
        backup(database, copy)
    assert caught.value.code == "CORM_E_BUSY"
    if is_killed:
        first.kill()
        first.wait()
        first.communicate()
        backup(database, copy)
    else:
        first.communicate("\n" * 100)
        assert first.returncode == 0
    with Database(copy) as there:
        assert there.query("SELECT count(*) FROM t").fetch_all() == [(2000,)]
    database.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.db", "copy.db"]


def test_copies_of_the_schema_that_are_written_at_once_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for turn in range(40):
        handles = [Database(path, keep_schema=True) for _ in range(4)]
        handles[0].execute(f"CREATE TABLE t{turn} (x)")
        threads = [threading.Thread(target=handle.close) for handle in handles]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with Database(tmp_path / "a.db-corm-schema") as schema:
            assert schema.query("SELECT count(*) FROM schema").fetch_all() == [(turn + 1,)]


UMASK = """
import os, sys, threading
from cormorant import Database
from cormorant.maintenance import backup
os.umask(0o022)
def run(n):
    with Database(":memory:") as db:
        for _ in range(400):
            backup(db, f"{sys.argv[1]}/{n}.db")
            assert os.stat(f"{sys.argv[1]}/{n}.db").st_mode & 0o777 == 0o644
            os.remove(f"{sys.argv[1]}/{n}.db")
threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(oct(os.umask(0o022)))
"""


def test_the_umask_of_the_process_stays(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-c", UMASK, tmp_path],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (made.stdout, made.stderr) == ("0o22\n", "")


def test_a_copy_of_memory_has_the_rights_of_a_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with Database(":memory:") as db:
            backup(db, tmp_path / "copy.db")
    finally:
        os.umask(before)
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o640
