"""A journal names the super-journal of its transaction, which SQLite deletes once it has rolled back."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path

import pytest

from cormorant import Database, DatabaseError

MAGIC = bytes((0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7))


def with_journal(path: Path, named: Path) -> None:
    """A file with a hot journal without pages, which names a file."""
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE t (x); INSERT INTO t VALUES (1);")
    connection.close()
    pages = path.stat().st_size // 4096
    name = str(named).encode()
    end = struct.pack(">I", 0x40000000 // 4096 + 1) + name + struct.pack(">II", len(name), sum(name)) + MAGIC
    path.with_name(path.name + "-journal").write_bytes(
        MAGIC + struct.pack(">IIIII", 0, 0, pages, 512, 4096) + bytes(512 - 28) + end
    )


@pytest.mark.parametrize("untrusted", [False, True])
def test_a_journal_cannot_have_any_file_deleted(tmp_path: Path, untrusted: bool) -> None:
    path, canary = tmp_path / "a.db", tmp_path / "canary"
    canary.write_text("stays")
    with_journal(path, canary)
    with pytest.raises(DatabaseError) as raised, Database(path, untrusted=untrusted) as db:
        db.fetch_value("SELECT x FROM t")
    assert raised.value.code == "CORM_E_CORRUPT"
    assert canary.read_text() == "stays"


def test_a_super_journal_is_deleted_as_ever(tmp_path: Path) -> None:
    path, named = tmp_path / "a.db", tmp_path / "b.db-mj0A1B2C9D3"
    named.write_bytes(b"of-another-journal\0")
    with_journal(path, named)
    with Database(path) as db:
        assert db.fetch_value("SELECT x FROM t") == 1
    assert not named.exists()


def test_a_super_journal_stays_until_each_of_its_journals_is_rolled_back(tmp_path: Path) -> None:
    """SQLite opens the journals that it names as it does the super-journal."""
    a, b, named = tmp_path / "a.db", tmp_path / "b.db", tmp_path / "a.db-mj0A1B2C9D3"
    named.write_bytes(b"".join(bytes(path) + b"-journal\0" for path in (b, a)))
    for path in (a, b):
        with_journal(path, named)
    with Database(a) as db:
        assert db.fetch_value("SELECT x FROM t") == 1
    assert named.exists()
    # No journal is one of these by its name alone.
    hostile = tmp_path / "hostile.db"
    with_journal(hostile, b.with_name("b.db-journal"))
    with pytest.raises(DatabaseError) as raised, Database(hostile) as db:
        db.fetch_value("SELECT x FROM t")
    assert raised.value.code == "CORM_E_CORRUPT"
    with Database(b) as db:
        assert db.fetch_value("SELECT x FROM t") == 1
    assert not named.exists()
