"""Pages of an encrypted file that no row needs: which they are is said by the first page as the connection sees it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cormorant import Cipher, Database, Error
from cormorant.cipher import check_pages

SIZE = 4096
BLOB = b"A" * 30_000
LONG = "(WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 3000000) SELECT i FROM n)"


def opened(path: Path) -> Database:
    return Database(path, cipher=Cipher("secret", rounds=5), reader_count=0)


@contextmanager
def altered(path: Path, page: int) -> Iterator[None]:
    whole = path.read_bytes()
    offset = (page - 1) * SIZE + 100
    path.write_bytes(whole[:offset] + bytes([whole[offset] ^ 1]) + whole[offset + 1 :])
    yield
    path.write_bytes(whole)


def half_copied(path: Path, free: bool) -> Database:
    """A file whose pages are newer than its first one, which the log still has."""
    db = opened(path)
    db.execute_script("PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")
    if free:
        db.execute_script("INSERT INTO t VALUES (9, zeroblob(40000)); DELETE FROM t")
    db.checkpoint("truncate")
    db.execute("INSERT INTO t VALUES (1, ?)", [BLOB])
    with opened(path) as reader:
        rows = iter(reader.query(f"SELECT i FROM t, {LONG}"))
        next(rows)
        db.execute("INSERT INTO t VALUES (2, ?)", [BLOB])
        _, logged, copied = db.query("PRAGMA wal_checkpoint(passive)").fetch_all()[0]
        assert 0 < copied < logged
        del rows
    return db


@pytest.mark.parametrize("free", [False, True], ids=["behind the end", "free"])
def test_a_page_that_the_log_knows_to_be_used_is_told(tmp_path: Path, free: bool) -> None:
    path = tmp_path / "a.db"
    with half_copied(path, free):
        told = []
        for page in range(2, path.stat().st_size // SIZE + 1):
            with altered(path, page), opened(path) as db:
                try:
                    assert db.fetch_value("SELECT b FROM t WHERE id = 1") == BLOB
                except Error as error:
                    assert error.code == "CORM_E_ALTERED"
                    told.append(page)
                    assert page in check_pages(db)
    # 30,000 bytes are seven pages besides the row's own.
    assert len(told) >= 7


def told_of_row(path: Path, db: Database, last: int) -> list[int]:
    """Of which pages, altered one at a time, the connection says that they are, as it reads row 1."""
    told = []
    for page in range(2, last + 1):
        with altered(path, page):
            db.execute_script("PRAGMA shrink_memory")
            try:
                assert db.fetch_value("SELECT b FROM t WHERE id = 1") == BLOB
            except Error as error:
                assert error.code == "CORM_E_ALTERED"
                told.append(page)
    return told


def with_free_pages(path: Path) -> Database:
    db = opened(path)
    db.execute_script(
        "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB); CREATE TABLE o (x)"
    )
    db.execute("INSERT INTO t VALUES (9, zeroblob(60000))")
    db.execute("INSERT INTO t VALUES (8, zeroblob(400000))")
    return db


@contextmanager
def reading(path: Path, table: str) -> Iterator[Database]:
    with opened(path) as reader:
        rows = iter(reader.query(f"SELECT i FROM (SELECT count(*) FROM {table}), {LONG}"))
        next(rows)
        yield reader
        del rows


def test_a_snapshot_does_not_believe_what_the_file_has_of_later(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with with_free_pages(path) as db:
        db.execute("DELETE FROM t WHERE id = 9")
        db.checkpoint("truncate")
        db.execute("INSERT INTO t VALUES (1, ?)", [BLOB])
        with reading(path, "t"):
            with db.transaction():
                db.execute("DELETE FROM t WHERE id = 8")
                db.execute("INSERT INTO t VALUES (2, ?)", [BLOB[:9000]])
            db.query("PRAGMA wal_checkpoint(passive)").fetch_all()
        with reading(path, "o") as reader:
            reader.execute_script("PRAGMA cache_size = 1")
            db.execute("INSERT INTO t VALUES (3, ?)", [BLOB[:9000]])
            # It leaves out a page that it has in the log twice, the last time behind what is being read.
            db.query("PRAGMA wal_checkpoint(passive)").fetch_all()
            assert len(told_of_row(path, reader, 20)) >= 7


def test_a_write_that_is_refused_moves_no_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with with_free_pages(path) as db:
        db.execute("INSERT INTO t VALUES (1, ?)", [BLOB])
        db.execute("DELETE FROM t WHERE id = 8")
        db.execute("INSERT INTO o VALUES (1)")
        db.checkpoint("truncate")
        db.execute("INSERT INTO o VALUES (2)")
        with opened(path) as reader:
            reader.execute_script("PRAGMA cache_size = 1; BEGIN")
            assert reader.fetch_values("SELECT x FROM o") == [1, 2]
            with db.transaction():
                db.execute("INSERT INTO t VALUES (2, zeroblob(45000))")
                db.execute("DELETE FROM t WHERE id = 1")
            with pytest.raises(Error) as refused:
                reader.execute("INSERT INTO o VALUES (3)")
            assert refused.value.code == "CORM_E_BUSY"
            assert len(told_of_row(path, reader, path.stat().st_size // SIZE)) >= 7


@pytest.mark.parametrize("looks", [False, True])
def test_a_connection_alone_does_not_believe_a_former_log(tmp_path: Path, looks: bool) -> None:
    path = tmp_path / "a.db"
    with with_free_pages(path) as db:
        db.checkpoint("truncate")
        for number in range(5):
            db.execute("INSERT INTO o VALUES (?)", [number])
        db.execute("DELETE FROM t WHERE id = 9")
        db.query("SELECT * FROM o").fetch_all()
        db.query("PRAGMA locking_mode = EXCLUSIVE").fetch_all()
        db.execute("INSERT INTO o VALUES (10)")
        if looks:
            assert not check_pages(db)
        db.execute("INSERT INTO t VALUES (1, ?)", [BLOB])
        db.execute("DELETE FROM t WHERE id = 8")
        db.query("PRAGMA wal_checkpoint(passive)").fetch_all()
        db.execute("INSERT INTO o VALUES (11)")
        assert len(told_of_row(path, db, 20)) >= 7


@pytest.fixture(scope="module")
def half_written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with free pages that a power cut has left half written."""
    path = tmp_path_factory.mktemp("half") / "a.db"
    with Database(path, cipher=Cipher("secret", rounds=5), journal_mode="delete") as db:
        db.execute_script("PRAGMA auto_vacuum = 2; VACUUM; CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")
        for number in range(1, 21):
            db.execute("INSERT INTO t VALUES (?, ?)", [number, BLOB])
        db.execute("DELETE FROM t WHERE id % 2 = 0")
    free = []
    for page in range(2, path.stat().st_size // SIZE + 1):
        with altered(path, page), opened(path) as db:
            if not check_pages(db):
                free.append(page)
    assert len(free) > 40
    whole = bytearray(path.read_bytes())
    for page in free:
        whole[(page - 1) * SIZE : page * SIZE] = os.urandom(SIZE)
    return bytes(whole)


@pytest.mark.parametrize("mode", ["wal", "delete", "memory"])
@pytest.mark.parametrize("what", ["vacuum", "incremental_vacuum", "restore", "backup", "writes"])
def test_half_written_pages_that_are_free_are_in_nobodys_way(
    tmp_path: Path, half_written: bytes, mode: str, what: str
) -> None:
    path, copy = tmp_path / "a.db", tmp_path / "copy.db"
    path.write_bytes(half_written)
    with opened(path) as db:
        db.execute_script(f"PRAGMA journal_mode = {mode}; PRAGMA cache_size = 1")
        if what == "restore":
            db.backup(copy)
            db.restore(copy)
        elif what == "backup":
            db.backup(copy)
        elif what == "writes":
            with db.transaction():
                db.execute("INSERT INTO t VALUES (100, ?)", [BLOB])
                assert not check_pages(db)
                db.execute("INSERT INTO t VALUES (101, ?)", [BLOB])
            db.execute("DELETE FROM t WHERE id >= 100")
        else:
            db.execute_script("VACUUM" if what == "vacuum" else "PRAGMA incremental_vacuum")
    with opened(copy if what == "backup" else path) as db:
        assert db.fetch_values("SELECT id FROM t") == list(range(1, 21, 2))
        assert db.fetch_value("SELECT count(*) FROM t WHERE b = ?", [BLOB]) == 10
        assert db.fetch_value("PRAGMA integrity_check") == "ok"


@pytest.mark.parametrize("log", ["empty", "read", "begun anew", "beside a cursor"])
def test_half_written_pages_are_in_nobodys_way_while_others_commit(
    tmp_path: Path, half_written: bytes, log: str
) -> None:
    path, copy = tmp_path / "a.db", tmp_path / "copy.db"
    path.write_bytes(half_written)
    with opened(path) as writer, opened(path) as reader:
        writer.execute_script("PRAGMA wal_autocheckpoint = 0; CREATE TABLE o (x)")
        writer.checkpoint("truncate")
        if log != "empty":
            writer.execute("INSERT INTO t VALUES (2, ?)", [BLOB])
        if log == "begun anew":
            writer.query("PRAGMA wal_checkpoint(passive)").fetch_all()
        rows = iter(reader.query(f"SELECT i FROM {LONG}, t")) if log == "beside a cursor" else iter(())
        next(rows, None)
        reader.execute_script("BEGIN")
        ids = reader.fetch_values("SELECT id FROM t")
        with writer.transaction():
            writer.execute("DELETE FROM t WHERE id < 5")
            writer.execute("INSERT INTO t VALUES (100, ?)", [BLOB])
        writer.query("PRAGMA wal_checkpoint(passive)").fetch_all()
        writer.execute("INSERT INTO t VALUES (101, ?)", [BLOB])
        size = path.stat().st_size, Path(f"{path}-wal").stat().st_size
        assert not check_pages(reader)
        reader.backup(copy)
        assert reader.fetch_values("SELECT id FROM t") == ids
        assert not check_pages(writer)
        reader.execute_script("ROLLBACK")
        assert size == (path.stat().st_size, Path(f"{path}-wal").stat().st_size)
        del rows
    with opened(copy) as db:
        assert db.fetch_values("SELECT id FROM t") == [*range(5, 21, 2), 100, 101]
        assert db.fetch_value("PRAGMA integrity_check") == "ok"


def test_a_page_that_only_the_log_knows_to_be_free_is_copied(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.db", tmp_path / "copy.db"
    with opened(path) as db:
        db.execute_script("PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")
        db.execute("INSERT INTO t VALUES (1, ?)", [BLOB])
        db.execute("INSERT INTO t VALUES (2, x'00')")
        db.checkpoint("truncate")
        db.execute("DELETE FROM t WHERE id = 1")
        with altered(path, path.stat().st_size // SIZE):
            assert not check_pages(db)
            db.backup(copy)
    with opened(copy) as db:
        assert db.fetch_values("SELECT id FROM t") == [2]
        assert db.fetch_value("PRAGMA integrity_check") == "ok"


def test_a_page_of_the_transaction_itself_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with opened(path) as db:
        db.execute_script("PRAGMA journal_mode = delete; PRAGMA cache_size = 10")
        db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB); INSERT INTO t VALUES (0, x'00')")
        db.execute_script("BEGIN IMMEDIATE")
        for number in range(1, 30):
            db.execute("INSERT INTO t VALUES (?, ?)", [number, BLOB])
        assert path.stat().st_size > 40 * SIZE
        with path.open("r+b") as file:
            file.seek(30 * SIZE + 100)
            file.write(b"zero")
        with pytest.raises(Error) as caught:
            db.fetch_value("SELECT sum(length(replace(b, x'41', x'42'))) FROM t")
        assert caught.value.code == "CORM_E_ALTERED"
        db.execute_script("ROLLBACK")
        assert db.fetch_values("SELECT id FROM t") == [0]


FULL_DISK = """
import resource, signal, sys
from cormorant import Cipher, Database, DatabaseError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
db = Database(sys.argv[1], cipher=Cipher("secret", rounds=5, page_size=1024), journal_mode="memory", reader_count=0)
db.execute_script("PRAGMA cache_size = 1; PRAGMA secure_delete = OFF")
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
try:
    db.execute_script("CREATE TABLE z (a)")
except DatabaseError as error:
    print(error.code)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
db.execute_script(
    "BEGIN; CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB); INSERT INTO t VALUES (1, zeroblob(20000));"
    "INSERT INTO t VALUES (2, zeroblob(9000)); INSERT INTO t VALUES (3, zeroblob(100)); DELETE FROM t WHERE id = 2;"
    "INSERT INTO t VALUES (4, zeroblob(20000)); COMMIT"
)
print(db.fetch_values("SELECT id FROM t"))
"""


def test_a_new_file_whose_first_page_could_not_be_written_is_new(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "a.db")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert done.stdout.split("\n")[:2] == ["CORM_E_IO", "[1, 3, 4]"], done.stderr
