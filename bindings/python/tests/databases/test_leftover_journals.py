"""A rollback journal that a killed process left, beside a file that was put in the place of its own."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import pytest

from cormorant import Cipher, Database, DatabaseError, Error, OperationalError, repair

SOURCE = Path(__file__).resolve().parents[2] / "src"
VICTIM = """
import os, resource, signal, sys
sys.path.insert(0, {source!r})
from cormorant import Cipher, Database

db = Database({path!r}, cipher={cipher}, journal_mode="delete")
db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
db.execute("INSERT INTO t SELECT i, printf('%500d', i) FROM ("
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i FROM n)")
if {moment!r} == "commit":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize({path!r}) + 10 * 4096,) * 2)
    db.execute("INSERT INTO t SELECT id + 1000, x FROM t")
db.execute_script("PRAGMA cache_size = 5")
with db.transaction():
    db.execute("UPDATE t SET x = x || '!'")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(params=["plain", "encrypted"])
def cipher(request: pytest.FixtureRequest) -> str | None:
    return "Cipher('k', rounds=5)" if request.param == "encrypted" else None


def crash(path: Path, moment: str, cipher: str | None) -> bytes:
    code = VICTIM.format(source=str(SOURCE), path=str(path), moment=moment, cipher=cipher)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ)
    assert -done.returncode in (signal.SIGXFSZ, signal.SIGKILL), done.stderr
    return path.with_name(path.name + "-journal").read_bytes()


def key(cipher: str | None) -> Cipher | None:
    return Cipher("k", rounds=5) if cipher else None


def other(path: Path, rows: int, cipher: str | None) -> bytes:
    path.unlink(missing_ok=True)
    with Database(path, cipher=key(cipher), journal_mode="delete") as db:
        db.execute_script("CREATE TABLE other (x)")
        for n in range(rows):
            db.execute("INSERT INTO other VALUES (?)", [f"{n} " * 500])
    return path.read_bytes()


@pytest.mark.parametrize("rows", [3, 300])
@pytest.mark.parametrize("moment", ["transaction", "commit"])
def test_a_journal_of_another_file_is_not_rolled_back(
    path: Path, moment: str, rows: int, cipher: str | None, tmp_path: Path
) -> None:
    journal = path.with_name(path.name + "-journal")
    left = crash(path, moment, cipher)
    good = other(tmp_path / "other.db", rows, cipher)
    path.write_bytes(good)
    for mode in ("create", "read_write", "read_only"):
        with pytest.raises(DatabaseError, match="left over from another database") as raised:
            Database(path, cipher=key(cipher), mode=mode)
        assert raised.value.code == "CORM_E_CANNOT_OPEN"
    with pytest.raises(DatabaseError, match="left over from another database"):
        repair(path, tmp_path / "new.db", cipher=key(cipher))
    with Database(":memory:") as db, pytest.raises(DatabaseError, match="left over from another database"):
        db.attach(path, "other", cipher=key(cipher))
    assert (path.read_bytes(), journal.read_bytes()) == (good, left)
    journal.unlink()
    with Database(path, cipher=key(cipher)) as db:
        assert db.query("SELECT count(*) FROM other").fetch_all() == [(rows,)]


@pytest.mark.parametrize("moment", ["transaction", "commit"])
def test_a_journal_of_the_file_is(path: Path, moment: str, cipher: str | None) -> None:
    crash(path, moment, cipher)
    with Database(path, cipher=key(cipher)) as db:
        assert db.query("SELECT count(*), sum(x LIKE '%!') FROM t").fetch_all() == [(500, 0)]
        assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]


def test_another_key_is_one_all_the_same(path: Path) -> None:
    crash(path, "transaction", "Cipher('k', rounds=5)")
    with pytest.raises(Error) as raised:
        Database(path, cipher=Cipher("other", rounds=5))
    assert raised.value.code == "CORM_E_WRONG_KEY"


@pytest.mark.parametrize("suffix", ["-journal", "-wal"])
def test_a_link_has_the_logs_of_its_file(path: Path, suffix: str, tmp_path: Path) -> None:
    """SQLite follows symbolic links, and so does what looks at logs before it."""
    link = tmp_path / "links" / "link.db"
    link.parent.mkdir()
    link.symlink_to(path)
    log = path.with_name(path.name + suffix)
    if suffix == "-journal":
        left = crash(path, "commit", None)
    else:
        with Database(path, journal_mode="wal") as db:
            db.execute_script("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
            left = log.read_bytes()
    path.write_bytes(b"")
    log.write_bytes(left)
    with pytest.raises(DatabaseError, match="is empty"):
        Database(link)
    assert log.read_bytes() == left
    if suffix == "-wal":
        repair(link, tmp_path / "new.db")
        with Database(tmp_path / "new.db") as db:
            assert db.query("SELECT x FROM t").fetch_all() == [(1,)]
    good = other(tmp_path / "other.db", 300, None)
    path.write_bytes(good)
    for call in (lambda: Database(link), lambda: repair(link, tmp_path / "none.db")):
        with pytest.raises(DatabaseError, match="left over from another database"):
            call()
    assert (path.read_bytes(), log.read_bytes()) == (good, left)


@pytest.mark.parametrize("mode", ["delete", "truncate", "persist"])
def test_the_journal_of_one_who_writes_now_is_the_files_own(
    path: Path, mode: Literal["delete", "truncate", "persist"]
) -> None:
    """However it is looked at, between two commits or within one."""
    code = f"""
import sqlite3
db = sqlite3.connect({str(path)!r}, isolation_level=None)
db.execute("PRAGMA journal_mode = {mode}")
db.execute("PRAGMA synchronous = OFF")
db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
print("ready", flush=True)
n = 0
while True:
    n += 1
    db.execute("INSERT INTO t (x) VALUES (?)", ("y" * (10, 3000, 9000)[n % 3],))
    if n % 300 == 0:
        db.execute("DELETE FROM t")
        db.execute("VACUUM")
"""
    writer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert writer.stdout
        assert writer.stdout.readline() == b"ready\n"
        end = time.monotonic() + 1
        while time.monotonic() < end:
            Database(path, journal_mode=mode, busy_timeout=30).close()
    finally:
        writer.kill()
        writer.communicate()


@pytest.mark.parametrize("size", [1024, 8192])
def test_a_log_whose_pages_have_another_size_is_refused(tmp_path: Path, size: int) -> None:
    for name, page_size in (("mine.db", 4096), ("other.db", size)):
        writer = sqlite3.connect(tmp_path / name)
        writer.executescript(f"PRAGMA page_size = {page_size}; PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
        writer.execute("INSERT INTO t VALUES (?)", (name,))
        writer.commit()
        if name == "mine.db":
            writer.close()
        else:
            log = (tmp_path / "other.db-wal").read_bytes()
            writer.close()
    (tmp_path / "mine.db-wal").write_bytes(log)
    before = (tmp_path / "mine.db").read_bytes()
    with pytest.raises(OperationalError, match="left over from another database: its pages have"):
        Database(tmp_path / "mine.db")
    assert (tmp_path / "mine.db").read_bytes() == before
    (tmp_path / "mine.db-wal").unlink()
    with Database(tmp_path / "mine.db") as db:
        assert db.query("SELECT a FROM t").fetch_all() == [("mine.db",)]


@pytest.mark.parametrize("size", [1024, 8192])
def test_a_journal_whose_pages_have_another_size_is_refused(tmp_path: Path, size: int) -> None:
    """Without the first page, which a VACUUM to another size writes."""
    rows = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i, {0} FROM n"
    for name, page_size in (("mine.db", 4096), ("other.db", size)):
        file = sqlite3.connect(tmp_path / name, isolation_level=None)
        file.executescript(f"PRAGMA page_size = {page_size}; CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        file.execute("INSERT INTO t " + rows.format("printf('%500s', 'mine')"))
        if name == "other.db":
            file.executescript("PRAGMA cache_size = 5; PRAGMA cache_spill = 5; BEGIN; UPDATE t SET a = upper(a)")
            journal = (tmp_path / "other.db-journal").read_bytes()
            file.execute("ROLLBACK")
        file.close()
    (tmp_path / "mine.db-journal").write_bytes(journal)
    before = (tmp_path / "mine.db").read_bytes()
    with pytest.raises(OperationalError, match="left over from another database"):
        Database(tmp_path / "mine.db", journal_mode="delete")
    assert (tmp_path / "mine.db").read_bytes() == before


@pytest.mark.parametrize("size", [0, 1, 20])
@pytest.mark.parametrize("moment", ["transaction", "commit"])
def test_a_journal_that_says_that_its_file_had_fewer_pages_is_damaged(
    path: Path, moment: str, size: int, cipher: str | None, tmp_path: Path
) -> None:
    """SQLite would cut the file off there. Repair takes the pages all the same."""
    left = bytearray(crash(path, moment, cipher))
    left[16:20] = size.to_bytes(4, "big")
    journal = path.with_name(path.name + "-journal")
    journal.write_bytes(left)
    before = path.read_bytes()
    for mode in ("read_write", "read_only"):
        with pytest.raises(DatabaseError, match="is damaged: it says that") as raised:
            Database(path, cipher=key(cipher), mode=mode)
        assert raised.value.code == ("CORM_E_ALTERED" if cipher else "CORM_E_CORRUPT")
        assert "corm repair" in (raised.value.hint or "")
    assert (path.read_bytes(), journal.read_bytes()) == (before, bytes(left))
    assert repair(path, tmp_path / "new.db", cipher=key(cipher)).is_whole
    with Database(tmp_path / "new.db", cipher=key(cipher)) as db:
        assert db.query("SELECT count(*), sum(x LIKE '%!') FROM t").fetch_all() == [(500, 0)]


@pytest.mark.parametrize("size", [10, 20000])
@pytest.mark.parametrize("other_key", [None, "k", "other"])
def test_a_log_of_another_key_or_salt_is_refused(tmp_path: Path, other_key: str | None, size: int) -> None:
    """Of the same key, too: each file has a salt of its own."""
    mine = tmp_path / "mine.db"
    for path, word in ((mine, "k"), (tmp_path / "other.db", other_key)):
        with Database(path, cipher=Cipher(word, rounds=5) if word else None) as db:
            db.execute_script("CREATE TABLE t (a)")
            db.execute("INSERT INTO t VALUES (?)", [path.name])
            db.checkpoint("truncate")
            db.execute("INSERT INTO t VALUES (?)", ["x" * size])
            log = path.with_name(path.name + "-wal").read_bytes()
    mine.with_name("mine.db-wal").write_bytes(log)
    before = mine.read_bytes()
    for call in (
        lambda: Database(mine, cipher=Cipher("k", rounds=5)),
        lambda: repair(mine, tmp_path / "new.db", cipher=Cipher("k", rounds=5)),
    ):
        with pytest.raises(DatabaseError, match=r"-wal.* is left over from another database"):
            call()
    assert (mine.read_bytes(), mine.with_name("mine.db-wal").read_bytes()) == (before, log)
    mine.with_name("mine.db-wal").unlink()
    with Database(mine, cipher=Cipher("k", rounds=5)) as db:
        assert db.query("SELECT length(a) FROM t").fetch_all() == [(7,), (size,)]
