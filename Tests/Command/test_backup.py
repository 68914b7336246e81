"""corm backup and restore."""

from __future__ import annotations

import signal
import sqlite3
import threading
import time

import pytest
from command_runs import Corm, rows
from running import make

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)"
FILL = NUMBERS + " INSERT INTO t SELECT randomblob(1000) FROM n"


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_copy_while_others_write(corm: Corm, journal: str) -> None:
    path = make(corm.folder / "a.db", f"PRAGMA journal_mode = {journal}; CREATE TABLE t (x); {FILL}")
    writer = sqlite3.connect(path)
    writer.execute("INSERT INTO t VALUES (1)")
    writer.commit()
    if journal == "WAL":
        # Not committed, so not in the copy, and it does not hold the copy up.
        writer.execute("INSERT INTO t VALUES (2)")
    corm.run("backup", "a.db", "copy.db")
    writer.close()
    assert rows(corm.folder / "copy.db", "SELECT count(*) FROM t") == [(1001,)]
    assert rows(corm.folder / "copy.db", "PRAGMA integrity_check") == [("ok",)]
    assert not list(corm.folder.glob("copy.db?*"))


def test_a_copy_while_others_write_all_the_time(corm: Corm) -> None:
    """With a rollback journal a copy in steps begins anew whenever another process has written."""
    path = make(corm.folder / "a.db", "CREATE TABLE t (x);" + 20 * f"{FILL};")
    stopped = threading.Event()

    def write() -> None:
        writer = sqlite3.connect(path, isolation_level=None, timeout=60)
        while not stopped.is_set():
            writer.execute("INSERT INTO t VALUES (1)")
            time.sleep(0.0005)
        writer.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for name in ("one.db", "two.db"):
            corm.run("backup", "a.db", name)
            assert rows(corm.folder / name, "PRAGMA integrity_check") == [("ok",)]
    finally:
        stopped.set()
        thread.join()


def test_a_file_that_is_there_is_not_written_over(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (x)")
    (corm.folder / "copy.db").write_text("mine")
    assert "is there already" in corm.fails("backup", "a.db", "copy.db")
    assert (corm.folder / "copy.db").read_text() == "mine"
    assert "cannot be made" in corm.fails("backup", "a.db", "nowhere/copy.db")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_copy_that_is_interrupted_is_not_there(corm: Corm, number: signal.Signals) -> None:
    big = NUMBERS.replace("1000", "300") + " INSERT INTO t SELECT zeroblob(1000000) FROM n"
    make(corm.folder / "a.db", f"CREATE TABLE t (x); {big}")
    process = corm.start("backup", "a.db", "copy.db")
    while not (corm.folder / "copy.db-corm-new").exists():
        time.sleep(0.001)
    process.send_signal(number)
    assert process.wait(timeout=60) == 130
    assert [path.name for path in corm.folder.iterdir()] == ["a.db"]


def test_restore_brings_everything_back(corm: Corm) -> None:
    path = make(corm.folder / "a.db", f"CREATE TABLE t (x); {FILL}")
    corm.run("backup", "a.db", "copy.db")
    make(path, "DROP TABLE t; CREATE TABLE u (y)")
    corm.run("restore", "a.db", "copy.db")
    assert rows(path, "SELECT count(*) FROM t") == [(1000,)]
    corm.run("restore", "new.db", "copy.db")
    assert rows(corm.folder / "new.db", "SELECT count(*) FROM t") == [(1000,)]


def test_what_is_no_copy_is_not_restored(corm: Corm) -> None:
    path = make(corm.folder / "a.db", f"CREATE TABLE t (x); {FILL}")
    (corm.folder / "text.db").write_text("no database " * 100)
    (corm.folder / "empty.db").write_text("")
    broken = bytearray(path.read_bytes())
    broken[4096:] = b"\xff" * (len(broken) - 4096)
    (corm.folder / "broken.db").write_bytes(broken)
    for copy in ("text.db", "empty.db", "broken.db", "missing.db"):
        corm.fails("restore", "a.db", copy)
        assert rows(path, "SELECT count(*) FROM t") == [(1000,)]
        corm.fails("restore", "new.db", copy)
        assert not (corm.folder / "new.db").exists(), copy


# finding reliability.md A1: the copy held the rows of the file that was there before
@pytest.mark.parametrize("suffix", ["-wal", "-journal", "-shm"])
def test_no_copy_is_made_beside_what_another_file_left(corm: Corm, suffix: str) -> None:
    make(corm.folder / "a.db", f"CREATE TABLE t (x); {FILL}")
    (corm.folder / f"copy.db{suffix}").write_text("left")
    assert f"copy.db{suffix}" in corm.fails("backup", "a.db", "copy.db")
    assert not (corm.folder / "copy.db").exists()


# finding c.md 1
def test_a_file_is_opened_and_made_by_its_path(corm: Corm) -> None:
    make(corm.folder / "a.db", f"CREATE TABLE t (x); {FILL}")
    assert "is a URI" in corm.fails("backup", "a.db", "file:copy.db")
    assert "is a URI" in corm.fails("query", "file:a.db", "SELECT 1")
    assert [path.name for path in corm.folder.iterdir()] == ["a.db"]


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
def test_no_copy_is_made_where_a_journal_is_looked_for(corm: Corm, suffix: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    assert "would be looked for" in corm.fails("backup", "a.db", "a.db" + suffix)
    assert "would be looked for" in corm.fails("repair", "a.db", "--out", "a.db" + suffix)
    assert rows(corm.folder / "a.db", "SELECT x FROM t") == [(1,)]
    assert [path.name for path in corm.folder.iterdir()] == ["a.db"]
