"""Each bound of what a statement may take in a file that is not trusted, beside the same in one that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant import Database, Error

SCHEMA = """
CREATE TABLE t (n INTEGER);
CREATE TRIGGER deeper AFTER INSERT ON t WHEN new.n < 200 BEGIN INSERT INTO t VALUES (new.n + 1); END;
"""
BOUNDS = {
    "length": "SELECT 1 -- " + "x" * 1_000_000,
    "depth": "SELECT " + "(" * 30 + "1" + " + 1" * 600 + ")" * 30,
    "compound": " UNION ALL ".join(["SELECT 1"] * 201),
    "triggers": "INSERT INTO t VALUES (1)",
    "pattern": "SELECT 'a' LIKE printf('%.*c', 10001, 'a')",
}


def run(path: Path, sql: str, untrusted: bool) -> None:
    with Database(path, untrusted=untrusted) as db:
        db.execute_script("PRAGMA recursive_triggers = ON")
        if sql.startswith("SELECT"):
            db.query(sql).fetch_all()
        else:
            db.execute(sql)


@pytest.mark.parametrize("bound", BOUNDS)
def test_each_bound(tmp_path: Path, bound: str) -> None:
    path = tmp_path / "a.db"
    with Database(path) as db:
        db.execute_script(SCHEMA)
    run(path, BOUNDS[bound], untrusted=False)
    with Database(path) as db:
        db.execute_script("DELETE FROM t")
    with pytest.raises(Error) as caught:
        run(path, BOUNDS[bound], untrusted=True)
    assert caught.value.code in ("CORM_E_SQL", "CORM_E_TOO_BIG")
    with Database(path) as db:
        assert db.query("SELECT count(*) FROM t").fetch_all() == [(0,)]


def test_what_is_attached_and_columns_have_those_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Database(path, untrusted=True) as db:
        with pytest.raises(Error, match="too many columns"):
            db.execute(f"CREATE TABLE wide ({', '.join(f'c{number}' for number in range(2001))})")
        for number in range(10):
            db.attach(":memory:", f"a{number}")
        with pytest.raises(Error, match="too many attached databases"):
            db.attach(":memory:", "one_more")
