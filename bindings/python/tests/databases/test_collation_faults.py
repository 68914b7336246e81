"""A collation that fails: the statement that asked it fails with its error and changes nothing, no other one."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

import pytest

from cormorant import Database, DataError, OperationalError, ProgrammingError

NUMBERS = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT i FROM n)"
FOREVER = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
WRITES = {
    "delete": "DELETE FROM t WHERE id = 1 AND name = 'other' COLLATE bad",
    "update": "UPDATE t SET name = 'new' WHERE id = 1 AND name = 'other' COLLATE bad",
    "insert": "INSERT INTO u VALUES ('other')",
    "ignored": "INSERT OR IGNORE INTO u VALUES ('other')",
    "replaced": "INSERT OR REPLACE INTO u VALUES ('other')",
    "returning": "DELETE FROM t WHERE id = 1 AND name = 'other' COLLATE bad RETURNING id",
}


@pytest.fixture
def kept(db: Database) -> Database:
    db.register_collation("bad", lambda a, b: (a > b) - (a < b))
    db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)")
    db.execute("INSERT INTO t VALUES (1, 'kept'), (2, 'too')")
    db.execute("CREATE TABLE u (name TEXT UNIQUE COLLATE bad)")
    db.execute("INSERT INTO u VALUES ('kept')")
    db.register_collation("bad", fails)
    return db


def fails(_left: str, _right: str) -> int:
    raise LookupError("no order")


def rows(db: Database) -> list[tuple[object, ...]]:
    return db.query("SELECT * FROM t").fetch_all() + db.query("SELECT * FROM u").fetch_all()


def run(db: Database, sql: str) -> None:
    if "RETURNING" in sql:
        db.query(sql).fetch_all()
    else:
        db.execute(sql)


def refused(work: Callable[[], object]) -> None:
    with pytest.raises(DataError, match="collation bad raised") as caught:
        work()
    assert caught.value.code == "CORM_E_CALLBACK"
    assert isinstance(caught.value.__cause__, LookupError)


@pytest.mark.parametrize("sql", WRITES.values(), ids=WRITES.keys())
def test_nothing_is_written(kept: Database, sql: str) -> None:
    before = rows(kept)
    refused(lambda: run(kept, sql))
    assert rows(kept) == before
    kept.execute("INSERT INTO t VALUES (3, 'next')")
    # By the path of scripts, too.
    refused(lambda: kept.execute_script(sql))
    assert rows(kept) == [*before[:2], (3, "next"), *before[2:]]


@pytest.mark.parametrize("sql", WRITES.values(), ids=WRITES.keys())
def test_nothing_is_written_in_a_transaction(kept: Database, sql: str) -> None:
    before = rows(kept)

    def work() -> None:
        with kept.transaction():
            run(kept, sql)

    refused(work)
    assert rows(kept) == before
    with pytest.raises(ProgrammingError, match="rolled this transaction back"), kept.transaction():
        refused(lambda: run(kept, sql))
        kept.execute("DELETE FROM t")
    assert rows(kept) == before
    with kept.transaction():
        kept.execute("DELETE FROM t WHERE id = 2")
    assert rows(kept) == [before[0], *before[2:]]


def test_a_select_that_reads_one_row(kept: Database) -> None:
    refused(lambda: kept.query("SELECT 'a' = 'b' COLLATE bad").fetch_all())
    refused(lambda: kept.query("SELECT id FROM t WHERE id = 1 AND name = 'x' COLLATE bad").fetch_all())
    refused(lambda: kept.query("SELECT id FROM t ORDER BY name || '' COLLATE bad").fetch_all())
    with kept.transaction():
        kept.execute("INSERT INTO t VALUES (3, 'next')")
        refused(lambda: kept.query("SELECT 'a' = 'b' COLLATE bad").fetch_all())
    assert len(kept.query("SELECT 1 FROM t").fetch_all()) == 3


def test_another_statement_has_its_own_error(kept: Database) -> None:
    with contextlib.suppress(DataError):
        kept.execute(WRITES["delete"])
    timer = threading.Timer(0.3, kept.interrupt)
    timer.start()
    with pytest.raises(OperationalError) as caught:
        kept.query(FOREVER).fetch_all()
    timer.join()
    assert caught.value.code == "CORM_E_INTERRUPTED"


def test_a_statement_beside_it_goes_on(kept: Database) -> None:
    with kept.transaction():
        kept.execute("INSERT INTO t VALUES (3, 'next')")
        with kept.query("SELECT a.id FROM t a, " + NUMBERS) as beside:
            assert next(beside)[0] == 1
            refused(lambda: kept.query("SELECT id FROM t ORDER BY name || '' COLLATE bad").fetch_all())
            kept.execute("INSERT INTO t VALUES (4, 'last')")
            assert sum(1 for _ in beside) > 100_000
    assert len(kept.query("SELECT 1 FROM t").fetch_all()) == 4
