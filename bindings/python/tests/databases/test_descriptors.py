"""A process that may open no more files is told so, whatever it opens one for."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from cormorant import Cipher, Database, Error
from cormorant.cipher import encrypt
from cormorant.maintenance import repair

CIPHER = Cipher("k", rounds=5)


@contextmanager
def left(count: int) -> Iterator[None]:
    """Only so many files can be opened."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (300, before[1]))
    files = []
    try:
        try:
            while True:
                files.append(os.open("/dev/null", os.O_RDONLY))
        except OSError:
            pass
        for _ in range(count):
            os.close(files.pop())
        yield
    finally:
        for file in files:
            os.close(file)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def opens(folder: Path) -> dict[str, Callable[[], object]]:
    return {
        "new": lambda: Database(folder / "new.db").close(),
        "old": lambda: Database(folder / "old.db").close(),
        "read only": lambda: Database(folder / "old.db", mode="read_only").close(),
        "encrypted": lambda: Database(folder / "encrypted.db", cipher=CIPHER).close(),
        "new and encrypted": lambda: Database(folder / "new2.db", cipher=CIPHER).close(),
        "template": lambda: Database(folder / "new3.db", template=folder / "old.db").close(),
        "encrypt": lambda: encrypt(folder / "plain.db", CIPHER, progress=None),
        "repair": lambda: repair(folder / "old.db", folder / "repaired.db"),
    }


@pytest.mark.parametrize("way", list(opens(Path())))
def test_no_files_left(tmp_path: Path, way: str) -> None:
    Database(tmp_path / "old.db").close()
    Database(tmp_path / "encrypted.db", cipher=CIPHER).close()
    with Database(tmp_path / "plain.db") as db:
        db.execute_script("CREATE TABLE t (x)")
        # Modules are imported and libraries loaded.
        db.backup(tmp_path / "copy.db", cipher=CIPHER)
    call, refused = opens(tmp_path)[way], 0
    for count in range(12):
        with left(count):
            error: BaseException | None = None
            try:
                call()
            except (Error, OSError) as caught:
                error = caught
        if error is None:
            break
        refused += 1
        if isinstance(error, Error):
            assert error.code == "CORM_E_CANNOT_OPEN"
            assert "Too many open files" in str(error)
            assert "ulimit -n" in str(error)
    assert 0 < refused < 12, "it is done when there are some"


def test_an_attached_file(tmp_path: Path) -> None:
    Database(tmp_path / "other.db").close()
    with (
        Database(tmp_path / "a.db") as db,
        left(0),
        pytest.raises(Error, match=r"other\.db\" cannot be opened: Too many open files"),
    ):
        db.attach(tmp_path / "other.db", "other")


@pytest.mark.parametrize("length", [248, 252, 255])
def test_a_name_that_leaves_no_room_for_those_beside_it(tmp_path: Path, length: int) -> None:
    for cipher in (None, CIPHER):
        with pytest.raises(Error, match=r"File name too long \(give a shorter name"):
            Database(tmp_path / ("x" * length), cipher=cipher)


def test_the_longest_names(tmp_path: Path) -> None:
    with Database(tmp_path / ("x" * 247)) as db:
        db.execute_script("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    with Database(tmp_path / ("x" * 247)) as db:
        assert db.fetch_value("SELECT x FROM t") == 1


@pytest.mark.parametrize("cipher", [None, CIPHER], ids=["plain", "encrypted"])
@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_file_that_may_not_grow(tmp_path: Path, cipher: Cipher | None, mode: Literal["wal", "delete"]) -> None:
    """What SQLite says of it is told, not what another question to SQLite has left ("not an error")."""
    handler, before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.getrlimit(resource.RLIMIT_FSIZE)
    with Database(tmp_path / "a.db", cipher=cipher, journal_mode=mode) as db:
        db.execute_script("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            with pytest.raises(Error, match="disk I/O error") as caught:
                db.execute("INSERT INTO t VALUES (randomblob(300000))")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
        assert caught.value.code == "CORM_E_IO"
        assert db.fetch_value("SELECT count(*) FROM t") == 1
        db.execute("INSERT INTO t VALUES (randomblob(300000))")
