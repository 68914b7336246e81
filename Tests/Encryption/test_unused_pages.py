"""Pages of an encrypted file that no row needs: which they are is said by the first page as the connection sees it."""

from __future__ import annotations

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
