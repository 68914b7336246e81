"""Looking after a file: backup, vacuum, optimize, checkpoint."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models import Person

import cormorant
from cormorant import Database, Progress


def refused(code: str, call: Callable[[], object]) -> cormorant.Error:
    with pytest.raises(cormorant.Error) as caught:
        call()
    assert caught.value.code == code, caught.value
    return caught.value


def fill(db: Database, count: int = 20_000) -> None:
    db.insert_many([Person(name="x" * 200) for _ in range(count)])


def test_a_backup_while_a_thread_of_this_handle_writes(db: Database, path: Path) -> None:
    fill(db)
    copy = path.with_name("copy.db")
    written = threading.Event()
    told: list[Progress] = []

    def write() -> None:
        db.insert(Person(name="late"))
        written.set()

    def progress(state: Progress) -> None:
        if not told:
            thread = threading.Thread(target=write)
            thread.start()
            thread.join(10)
        told.append(state)

    db.backup(copy, progress=progress)
    assert written.is_set()
    assert told[0].step == "copying"
    assert 0 < told[0].done < told[0].total
    assert told[-1].done <= told[-1].total
    with Database(copy) as other:
        assert other.count(Person) == 20_000
        assert other.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
    assert db.count(Person) == 20_001


def test_a_cancelled_backup_leaves_nothing(db: Database, path: Path) -> None:
    fill(db)
    copy = path.with_name("copy.db")
    refused("CORM_E_INTERRUPTED", lambda: db.backup(copy, progress=lambda _: False))
    with pytest.raises(ZeroDivisionError):
        db.backup(copy, progress=lambda _: 1 / 0 > 0)
    assert not list(path.parent.glob("copy*"))
    db.backup(copy)
    refused("CORM_E_CANNOT_OPEN", lambda: db.backup(copy))
    refused("CORM_E_CANNOT_OPEN", lambda: db.backup(path.parent / "none" / "copy.db"))
    refused("CORM_E_MISUSE", lambda: db.backup(""))


def test_a_checkpoint_tells_pages(db: Database, path: Path) -> None:
    fill(db, 100)
    pages = db.checkpoint()
    assert 0 < pages.log == pages.copied
    assert db.checkpoint("truncate") == (0, 0)
    assert path.with_name(path.name + "-wal").stat().st_size == 0
    with db.transaction():
        refused("CORM_E_TRANSACTION", db.checkpoint)
    refused("CORM_E_MISUSE", lambda: db.checkpoint("all"))  # type: ignore[arg-type]
    with Database(path.with_name("other.db"), journal_mode="delete") as other:
        assert other.checkpoint() == (-1, -1)


def test_a_backup_takes_no_place_of_another_file(db: Database, path: Path) -> None:
    """Also not of one that a look before does not see."""
    link = path.with_name("link.db")
    link.symlink_to("nowhere")
    refused("CORM_E_CANNOT_OPEN", lambda: db.backup(link))
    assert link.is_symlink()
    assert not [file for file in path.parent.iterdir() if file not in (path, link) and path.name not in file.name]


HOLDS_CHECKPOINTS = """
import fcntl, sys, time
with open(sys.argv[1], "r+b") as index:
    # WAL_CKPT_LOCK: https://www.sqlite.org/walformat.html#wal_locks
    fcntl.lockf(index, fcntl.LOCK_EX, 1, 121)
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


@pytest.mark.parametrize("mode", ["passive", "full", "restart", "truncate"])
def test_a_checkpoint_waits_for_the_one_of_another_process(path: Path, mode: Any) -> None:
    with Database(path, busy_timeout=10) as db, Database(path, busy_timeout=0.05) as hasty:
        db.execute("CREATE TABLE t (a)")
        command = [sys.executable, "-c", HOLDS_CHECKPOINTS, f"{path}-shm", "0.5"]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
            assert other.stdout
            assert other.stdout.readline() == b"held\n"
            with pytest.raises(cormorant.BusyError):
                hasty.checkpoint(mode)
            log, copied = db.checkpoint(mode)
            assert log == copied
