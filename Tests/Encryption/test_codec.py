"""A cipher of one's own, which hides nothing from anyone."""

from __future__ import annotations

import gc
import hashlib
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from cormorant import (
    Bundle,
    Cipher,
    CodecFile,
    Database,
    Error,
    OperationalError,
    ProgrammingError,
    WrongKeyError,
    decrypt,
    encrypt,
    rekey,
)

FILL = "CREATE TABLE t (a, b); " + "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) "
FILL += "INSERT INTO t SELECT i, 'marker ' || i FROM n"


class Toy:
    """Its salt is in each file's first bytes; each page ends with a checksum, of 32 bytes."""

    def __init__(self, key: bytes = b"k", page_size: int = 2048, reserve: int = 32) -> None:
        self.key, self.page_size, self.reserve = key, page_size, reserve
        self.opened = 0
        # The call of encrypt or decrypt that fails, and what it raises.
        self.failing: tuple[int, BaseException] | None = None
        self.calls = 0

    def open(self, path: str, first: bytes | None) -> CodecFile:
        if "refused" in path:
            raise LookupError("no key for this file")
        self.opened += 1
        return ToyFile(self, first or os.urandom(16))


class ToyFile:
    def __init__(self, toy: Toy, salt: bytes) -> None:
        self.toy, self.salt, self.size = toy, salt, toy.page_size - 32

    def mask(self, page: int) -> int:
        stream = hashlib.shake_128(self.toy.key + self.salt + page.to_bytes(4, "big")).digest(self.size)
        return int.from_bytes(stream, "big")

    def sum(self, body: bytes, page: int) -> bytes:
        return hashlib.sha256(self.toy.key + self.salt + page.to_bytes(4, "big") + body).digest()

    def fail(self) -> None:
        self.toy.calls += 1
        if self.toy.failing is not None and self.toy.calls >= self.toy.failing[0]:
            raise self.toy.failing[1]

    def turned(self, page: int, body: bytes) -> bytes:
        return (int.from_bytes(body, "big") ^ self.mask(page)).to_bytes(len(body), "big")

    def encrypt(self, page: int, plain: bytes) -> bytes:
        self.fail()
        body = self.turned(page, plain[:-32])
        if page == 1:
            body = self.salt + body[16:]
        return body + self.sum(body, page)

    def decrypt(self, page: int, image: bytes) -> bytes | None:
        self.fail()
        body, tag = image[:-32], image[-32:]
        return self.turned(page, body) + tag if tag == self.sum(body, page) else None


def count(database: Database) -> Any:
    return database.query("SELECT count(*) FROM t").fetch_all()[0][0]


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_codec_holds_a_database(path: Path, tmp_path: Path, mode: Any) -> None:
    toy = Toy()
    with Database(path, cipher=Cipher(codec=toy), journal_mode=mode) as database:
        database.execute_script(FILL)
        database.execute_script("BEGIN; UPDATE t SET b = zeroblob(100); ROLLBACK")
        assert database.check_pages() == []
        database.backup(tmp_path / "copy.db")
    for file in (path, tmp_path / "copy.db"):
        assert b"marker" not in file.read_bytes()
        assert b"SQLite" not in file.read_bytes()
        with Database(file, cipher=Cipher(codec=Toy()), journal_mode=mode) as database:
            assert count(database) == 500
        with pytest.raises(WrongKeyError):
            Database(file, cipher=Cipher(codec=Toy(b"other")))
    assert path.read_bytes()[:16] != (tmp_path / "copy.db").read_bytes()[:16]


def test_files_are_converted_and_attached(path: Path, tmp_path: Path) -> None:
    with Database(path) as database:
        database.execute_script(FILL)
    first, second = Cipher(codec=Toy(b"first")), Cipher(codec=Toy(b"second", page_size=8192, reserve=40))
    passphrase = Cipher("a passphrase", rounds=5)
    encrypt(path, first)
    for old, new in ((first, second), (second, passphrase), (passphrase, first)):
        rekey(path, old, new)
    with Database(tmp_path / "main.db", cipher=Cipher("another", rounds=5)) as database:
        database.attach(path, "toy", cipher=first)
        assert database.query("SELECT count(*) FROM toy.t").fetch_all()[0][0] == 500
    decrypt(path, first)
    with Database(path) as database:
        assert count(database) == 500


def test_threads_share_a_file(path: Path) -> None:
    toy = Toy()
    database: Database | None = Database(path, cipher=Cipher(codec=toy))
    database.execute_script(FILL)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(count(database))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [500] * 6
    database.close()
    database = Database(path, cipher=Cipher(codec=toy))
    assert count(database) == 500
    # Whoever collects it closes the file, and the codec must be there still.
    database = None
    gc.collect()
    assert toy.opened > 1


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_codec_that_fails_stops_the_statement_and_loses_nothing(
    path: Path, mode: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda _kind, error, _traceback: told.append(error))
    with Database(path, cipher=Cipher(codec=Toy()), journal_mode=mode) as database:
        database.execute_script(FILL)
    failed = 0
    for call in range(1, 120, 7):
        toy = Toy()
        toy.failing = (call, ArithmeticError("no more"))
        try:
            database = Database(path, cipher=Cipher(codec=toy), journal_mode=mode)
        except ArithmeticError:
            failed += 1
            continue
        try:
            database.execute_script("PRAGMA cache_size = 5; UPDATE t SET b = zeroblob(150)")
        except OperationalError:
            failed += 1
            assert str(told[-1]) == "no more"
        database.close()
    assert failed > 5
    with Database(path, cipher=Cipher(codec=Toy()), journal_mode=mode) as database:
        assert database.query("PRAGMA integrity_check").fetch_all()[0][0] == "ok"
        assert count(database) == 500


def test_a_codec_that_changes_its_mind_is_not_heard(path: Path) -> None:
    toy = Toy()
    with Database(path, cipher=Cipher(codec=toy)) as database:
        toy.page_size, toy.reserve = 2048, 200
        database.execute_script(FILL)
        assert count(database) == 500
    # The file keeps fewer bytes free than the codec wants now: nothing may be written over.
    with pytest.raises(Error), Database(path, cipher=Cipher(codec=toy)) as database:
        database.execute_script("CREATE TABLE u (a)")
    with Database(path, cipher=Cipher(codec=Toy())) as database:
        assert count(database) == 500


class Short(ToyFile):
    def encrypt(self, page: int, plain: bytes) -> bytes:
        return super().encrypt(page, plain)[:-1]


class ShortToy(Toy):
    def open(self, path: str, first: bytes | None) -> CodecFile:
        return Short(self, first or os.urandom(16))


def test_what_cannot_be_a_codec_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for toy in (Toy(page_size=1000), Toy(page_size=2**32 + 4096), Toy(page_size=-1), Toy(reserve=256), Toy(reserve=-1)):
        with pytest.raises(ProgrammingError):
            Database(tmp_path / "new.db", cipher=Cipher(codec=toy))
    with pytest.raises(ProgrammingError, match="neither key nor settings"):
        Cipher("key", codec=Toy())
    with pytest.raises(ProgrammingError, match="neither key nor settings"):
        Cipher(codec=Toy(), page_size=4096)
    with pytest.raises(ProgrammingError):
        Cipher()
    with pytest.raises(LookupError, match="no key for this file"):
        Database(tmp_path / "refused.db", cipher=Cipher(codec=Toy()))
    told: list[BaseException] = []
    monkeypatch.setattr("sys.excepthook", lambda _kind, error, _traceback: told.append(error))
    with (
        Database(tmp_path / "short.db", cipher=Cipher(codec=ShortToy())) as database,
        pytest.raises(OperationalError, match="codec"),
    ):
        database.execute_script(FILL)
    assert "no page of 2048 bytes" in str(told[0])
    with Database(tmp_path / "more.db", cipher=Cipher(codec=Toy())) as database:
        bundle = Bundle()
        bundle.add("0001", "CREATE TABLE t (a)")
        bundle.apply(database)
        assert count(database) == 0
