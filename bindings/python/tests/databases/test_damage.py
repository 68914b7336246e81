"""What is told of damage, and what the program's function may do."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from cormorant import Cipher, Damage, Database, DatabaseError, ProgrammingError

CIPHER = Cipher("k", rounds=5)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    with Database(path, cipher=CIPHER, journal_mode="delete") as db:
        db.execute_script(
            "CREATE TABLE t (a); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) "
            "INSERT INTO t SELECT randomblob(500) FROM n"
        )
    content = bytearray(path.read_bytes())
    content[9 * 4096 + 7] ^= 1
    path.write_bytes(content)
    return path


def read(db: Database) -> None:
    with pytest.raises(DatabaseError):
        db.query("SELECT sum(length(a)) FROM t").fetch_all()


def test_it_is_told_with_its_page_and_what_to_do(damaged: Path) -> None:
    told: list[Damage] = []
    with Database(damaged, cipher=CIPHER, damaged=told.append) as db:
        read(db)
        read(db)
    [damage] = told
    assert (damage.path, damage.page, damage.code) == (str(damaged), 10, "CORM_E_ALTERED")
    assert "page 10" in damage.message
    assert "repair" in damage.hint


def test_the_function_may_use_the_database_and_close_it(damaged: Path) -> None:
    seen: list[object] = []
    done = threading.Event()

    def tell(damage: Damage) -> None:
        seen.append(db.query("SELECT count(*) FROM sqlite_schema").fetch_all())
        seen.append(threading.current_thread() is threading.main_thread())
        db.close()
        done.set()

    db = Database(damaged, cipher=CIPHER, damaged=tell)
    read(db)
    assert done.wait(10)
    assert seen == [[(1,)], False]
    with pytest.raises(ProgrammingError):
        db.execute("SELECT 1")


def test_closing_waits_for_the_function(damaged: Path) -> None:
    begun, ended = threading.Event(), threading.Event()

    def tell(damage: Damage) -> None:
        begun.set()
        threading.Event().wait(0.2)
        ended.set()

    db = Database(damaged, cipher=CIPHER, damaged=tell)
    read(db)
    assert begun.wait(10)
    db.close()
    assert ended.is_set()


def test_what_the_function_raises_goes_to_the_hook(damaged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, *_: raised.append(kind))

    def tell(damage: Damage) -> None:
        raise ZeroDivisionError

    with Database(damaged, cipher=CIPHER, damaged=tell) as db:
        read(db)
    assert raised == [ZeroDivisionError]


def test_the_schema_is_kept_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    copy = tmp_path / "a.db-corm-schema"
    with Database(path, keep_schema=True) as db:
        assert not copy.exists()
        db.execute_script("CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t")
    for more in ("", "CREATE INDEX i ON t (a)", "DROP VIEW v"):
        with Database(path, keep_schema=True) as db:
            db.execute_script(more)
        with Database(path) as db, Database(copy, mode="read_only") as kept:
            wanted = db.query("SELECT sql FROM sqlite_schema").fetch_all()
            assert kept.query("SELECT sql FROM schema").fetch_all() == wanted
    with Database(path, mode="read_only", keep_schema=True):
        pass
