"""A step of a bundle that makes a table anew keeps what is in it, or needs leave; the usual recipes need none."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import check, make, rows
from cormorant import Bundle, Database, Error

BEFORE = "CREATE TABLE o (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO o VALUES (1, 'x'), (2, 'y'), (3, NULL);"
NEW = "(id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT '')"

KEEPING = {
    "the twelve steps": f"CREATE TABLE n {NEW}; INSERT INTO n SELECT id, ifnull(a, '') FROM o; DROP TABLE o;"
    "ALTER TABLE n RENAME TO o",
    "the old one renamed": f"ALTER TABLE o RENAME TO o_old; CREATE TABLE o {NEW};"
    "INSERT INTO o SELECT id, ifnull(a, '') FROM o_old; DROP TABLE o_old",
    "made of a SELECT": "CREATE TABLE tmp AS SELECT id, a FROM o; DROP TABLE o; ALTER TABLE tmp RENAME TO o",
    "by a temporary table": f"CREATE TEMPORARY TABLE b (id, a); INSERT INTO b SELECT id, a FROM o; DROP TABLE o;"
    f"CREATE TABLE o {NEW}; INSERT INTO o SELECT id, ifnull(a, '') FROM b; DROP TABLE b",
    "by a temporary table of a SELECT": f"CREATE TEMP TABLE b AS SELECT * FROM o; DROP TABLE o; CREATE TABLE o {NEW};"
    "INSERT INTO o SELECT id, ifnull(a, '') FROM b; DROP TABLE b",
    "quoted, with WITH": 'CREATE TABLE IF NOT EXISTS main."n" (id INTEGER PRIMARY KEY, a TEXT);'
    'WITH w AS (SELECT * FROM o) INSERT INTO main."n" SELECT * FROM w; DROP TABLE IF EXISTS "main"."o";'
    "ALTER TABLE [n] RENAME TO `o`",
    "a column renamed first": "ALTER TABLE o RENAME COLUMN a TO b; CREATE TABLE n (id INTEGER PRIMARY KEY, b TEXT);"
    "INSERT INTO n SELECT id, b FROM o; DROP TABLE o; ALTER TABLE n RENAME TO o",
    "rows deleted by its own word": "DELETE FROM o WHERE id = 2; CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT);"
    "INSERT INTO n SELECT id, a FROM o; DROP TABLE o; ALTER TABLE n RENAME TO o",
}

LOSING = {
    "made anew": (f"DROP TABLE o; CREATE TABLE o {NEW}", '3 rows of "o"'),
    "nothing copied": (f"CREATE TABLE n {NEW}; DROP TABLE o; ALTER TABLE n RENAME TO o", '3 rows of "o"'),
    "nothing copied of the renamed one": (
        f"ALTER TABLE o RENAME TO o_old; CREATE TABLE o {NEW}; DROP TABLE o_old",
        '3 rows of "o"',
    ),
    "a part copied": (
        "CREATE TABLE n (id INTEGER PRIMARY KEY, a UNIQUE); INSERT INTO n SELECT id, a FROM o WHERE id > 1;"
        "DROP TABLE o; ALTER TABLE n RENAME TO o",
        '1 row of "o"',
    ),
    "a column not copied": (
        "CREATE TABLE n (id INTEGER PRIMARY KEY, a); INSERT INTO n (id) SELECT id FROM o; DROP TABLE o;"
        "ALTER TABLE n RENAME TO o",
        '2 values of "o.a"',
    ),
    "a column not selected": (
        "CREATE TABLE n AS SELECT id FROM o; DROP TABLE o; ALTER TABLE n RENAME TO o",
        '2 values of "o.a"',
    ),
    "one that was there takes the name": ("DROP TABLE o; ALTER TABLE p RENAME TO o", '3 rows of "o"'),
    "dropped behind a CREATE that did nothing": ("CREATE TABLE IF NOT EXISTS o (id); DROP TABLE o", '3 rows of "o"'),
}


@pytest.mark.parametrize("name", KEEPING)
def test_a_step_that_copies_all_needs_no_leave(path: Path, name: str) -> None:
    make(path, BEFORE)
    bundle = Bundle()
    bundle.add("1", KEEPING[name])
    with Database(path) as db:
        bundle.apply(db)
    left = [1, 3] if "deleted" in name else [1, 2, 3]
    assert rows(path, "SELECT id FROM o ORDER BY id") == [(id,) for id in left]
    check(path)


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("name", LOSING)
def test_a_step_that_loses_needs_leave(path: Path, name: str, down: bool) -> None:
    sql, lost = LOSING[name]
    make(path, BEFORE + "CREATE TABLE p (id INTEGER PRIMARY KEY, a TEXT)")
    bundle = Bundle()
    bundle.add("1", *(("SELECT 1", sql) if down else (sql,)))
    before = rows(path, "SELECT * FROM o")
    with Database(path) as db:
        if down:
            bundle.apply(db)
        with pytest.raises(Error, match=f"step 1 would lose {lost} ") as refused:
            bundle.revert(db, None) if down else bundle.apply(db)
        assert "allow_lossy" in (refused.value.hint or "")
        assert rows(path, "SELECT * FROM o") == before
        if not down:
            bundle.apply(db, allow_lossy=True)


def test_outside_a_transaction_the_statements_are_judged(path: Path) -> None:
    make(path, BEFORE)
    sql, lost = LOSING["made anew"]
    with Database(path) as db:
        bundle = Bundle()
        bundle.add("1", "-- outside transaction\n" + sql)
        with pytest.raises(Error, match=f"step 1 would lose {lost} "):
            bundle.apply(db)
        bundle = Bundle()
        bundle.add("1", "-- outside transaction\n" + KEEPING["the twelve steps"])
        bundle.apply(db)
    assert rows(path, "SELECT count(*) FROM o") == [(3,)]


@pytest.mark.parametrize(
    ("sql", "lost"),
    [
        ('ALTER TABLE t RENAME "to" TO x; DROP TABLE t', '2 rows of "t"'),
        ('ALTER TABLE t RENAME "to" TO "x y"; DROP TABLE t', '2 rows of "t"'),
        ('DROP TABLE "if"', '1 row of "if"'),
        ('DROP TABLE IF EXISTS "if"', '1 row of "if"'),
        ('ALTER TABLE t RENAME "column" TO y; ALTER TABLE t DROP COLUMN y', '2 values of "t.column"'),
        ('ALTER TABLE t DROP "column"', '2 values of "t.column"'),
        ('CREATE TABLE "exists" (a); DROP TABLE "if"', '1 row of "if"'),
        ('ALTER TABLE "if" RENAME TO "to"; DROP TABLE main."to"', '1 row of "if"'),
    ],
)
def test_words_in_quotes_are_names(path: Path, sql: str, lost: str) -> None:
    make(
        path,
        """CREATE TABLE t ("to" INT, a INT, "column" INT); INSERT INTO t VALUES (1, 2, 3), (4, 5, 6);
        CREATE TABLE "if" (a); INSERT INTO "if" VALUES (1);""",
    )
    bundle = Bundle()
    bundle.add("1", sql)
    with Database(path) as db:
        with pytest.raises(Error, match=f"step 1 would lose {lost}"):
            bundle.apply(db)
        bundle.apply(db, allow_lossy=True)
