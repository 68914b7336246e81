"""A plan tells what becomes of each value: nothing that would change or go is called safe, and each is counted."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from conftest import make
from cormorant import Column, Database, MigrationError, Model, Plan, Schema, column

STORED = "SELECT id, typeof(v), quote(v) FROM t ORDER BY id"
# A usual trick, which leaves values that the new type would not have let in.
RETYPED = (
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE t (id INTEGER PRIMARY KEY, v {})' "
    "WHERE name = 't'; PRAGMA writable_schema = RESET;"
)


def stored(path: Path, sql: str = STORED) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def plan(path: Path, target: str, *allow_drop: str) -> Plan:
    with Database(path) as db:
        return Plan.between(db.schema(), Schema.parse(target), database=db, allow_drop=allow_drop)


def table(column: str, more: str = "") -> str:
    return f"CREATE TABLE t (id INTEGER PRIMARY KEY, {column}) {more};"


# What would change a value: before, after, and the message of the problem. findings: migration_losses.py L1 to L5,
# migrations.md B1, B3, B5
CHANGES = {
    "the ANY of a STRICT table becomes an affinity of numbers": (
        table("v ANY", "STRICT") + "INSERT INTO t VALUES (1, '00123'), (2, '9007199254740993.0'), (3, 'x'), (4, 5.5)",
        table("v ANY"),
        '2 values of "t.v" would become numbers by affinity NUMERIC',
    ),
    "a stored column becomes a computed one": (
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, v INTEGER);"
        "INSERT INTO t VALUES (1, 'abc', 99), (2, 'abc', 3), (3, 'abc', NULL)",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, v INTEGER AS (length(a)));",
        '2 values of "t.v" would be replaced by length(a)',
    ),
    "texts in a column of numbers": (
        table("v TEXT") + "INSERT INTO t VALUES (1, '007'), (2, '1e5'), (3, 'x');" + RETYPED.format("INTEGER"),
        table("v INTEGER, CHECK (id > 0)"),
        '2 values of "t.v" would become numbers by affinity INTEGER',
    ),
    "numbers in a column of texts": (
        table("v") + "INSERT INTO t VALUES (1, 7), (2, 1.5), (3, x'00');" + RETYPED.format("TEXT"),
        table("v TEXT, CHECK (id > 0)"),
        '2 values of "t.v" would become texts by affinity TEXT',
    ),
    "whole reals in a column of integers": (
        table("v") + "INSERT INTO t VALUES (1, 7.0), (2, 1.5);" + RETYPED.format("INTEGER"),
        table("v INTEGER, CHECK (id > 0)"),
        '1 value of "t.v" would become a number by affinity INTEGER',
    ),
    "integers beyond what a real can say": (
        table("v INTEGER") + "INSERT INTO t VALUES (1, 9007199254740993), (2, 9007199254740992)",
        table("v REAL"),
        '1 value of "t.v" would change by going from INTEGER to REAL',
    ),
    "a text with NUL in it, compared without regard to case": (
        table("v TEXT COLLATE NOCASE") + "INSERT INTO t VALUES (1, '1' || char(0)), (2, '2')",
        table("v INTEGER COLLATE NOCASE"),
        '1 value of "t.v" would change by going from TEXT to INTEGER',
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_of_values_is_a_problem(path: Path, what: str) -> None:
    before, after, message = CHANGES[what]
    make(path, before)
    values = stored(path)
    found = plan(path, after)
    assert [problem.message for problem in found.problems] == [message]
    assert found.risk == "undecided"
    with Database(path) as db, pytest.raises(MigrationError, match="needs a decision"):
        found.apply(db)
    assert stored(path) == values


# What a rebuild keeps as it is. findings: migration_losses.py L3, migrations.md B2
KEPT = {
    "texts without a type": (table("v TEXT") + "INSERT INTO t VALUES (1, '0012'), (2, '')", table("v")),
    "texts in a BLOB column": (table("v VARCHAR(9)") + "INSERT INTO t VALUES (1, '0012')", table("v BLOB")),
    "all that ANY may hold": (
        table("v ANY", "STRICT") + "INSERT INTO t VALUES (1, '007'), (2, 5.0), (3, 5), (4, x'00'), (5, NULL)",
        table("v"),
    ),
    "a computed column becomes a stored one": (
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT AS (id + 1)); INSERT INTO t VALUES (1), (2)",
        table("v TEXT"),
    ),
    "computed as it was stored": (
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, '2'), (2, '3')",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT AS (id + 1));",
    ),
    "values at the ends of their types": (
        table("v NUMERIC")
        + "INSERT INTO t VALUES (1, 9223372036854775807), (2, 9e999), (3, 4611686018427387904.0), (4, '1x')",
        table("v NUMERIC, CHECK (id > 0)"),
    ),
}


@pytest.mark.parametrize("what", KEPT)
def test_values_stay_what_they_are(path: Path, what: str) -> None:
    before, after = KEPT[what]
    make(path, before)
    values = stored(path)
    found = plan(path, after)
    assert (found.risk, found.problems) == ("safe", ())
    with Database(path) as db:
        found.apply(db)
    assert stored(path) == values


def test_nulls_that_a_default_replaces_are_counted(path: Path) -> None:
    # findings: migration_losses.py L4, migrations.md B7
    make(path, table("v TEXT DEFAULT 'n/a'") + "INSERT INTO t VALUES (1, NULL), (2, NULL), (3, 'x')")
    found = plan(path, table("v TEXT NOT NULL DEFAULT 'n/a'"))
    assert (found.risk, found.steps[0].notes) == ("annotated", ("2 NULLs of \"t.v\" become 'n/a'",))
    make(path, "DELETE FROM t WHERE v IS NULL")
    assert plan(path, table("v TEXT NOT NULL DEFAULT (random())")).risk == "safe"


def test_a_column_that_becomes_computed_may_go(path: Path) -> None:
    before, after, _ = CHANGES["a stored column becomes a computed one"]
    make(path, before)
    found = plan(path, after, "t.v")
    assert (found.risk, found.steps[0].losses) == ("lossy", ('2 values of "t.v", which is computed from now on',))
    assert 'LOSES 2 values of "t.v"' in str(found)


def test_values_that_go_are_counted(path: Path) -> None:
    make(path, table("v") + "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1204) "
         "INSERT INTO t SELECT i, i FROM n; INSERT INTO t VALUES (9999, NULL); CREATE TABLE u (a); CREATE TABLE e (a);"
         "INSERT INTO u VALUES (1)")  # fmt: skip
    messages = [problem.message for problem in plan(path, "CREATE TABLE t (id INTEGER PRIMARY KEY);").problems]
    assert messages == [
        'column "t.v" would go with its 1,204 values',
        'table "u" would go with 1 row',
        'table "e" would go, which is empty',
    ]
    found = plan(path, "CREATE TABLE t (id INTEGER PRIMARY KEY);", "t.v", "u", "e")
    assert [step.losses for step in found.steps] == [('1,204 values of "t.v"',), ('1 row of "u"',), ()]
    assert '1. drop column "t.v" (LOSES 1,204 values of "t.v", 1,205 rows)' in str(found)


def test_a_plan_without_a_file_is_not_called_safe_where_rows_decide() -> None:
    for before, after in [
        ("v TEXT", "v TEXT NOT NULL"),
        ("v", "v CHECK (v > 0)"),
        ("v", "v UNIQUE"),
        ("v", "v REFERENCES t"),
    ]:
        assert Plan.between(Schema.parse(table(before)), Schema.parse(table(after))).risk == "unchecked"
    found = Plan.between(Schema.parse(table("v")), Schema.parse(table("v, w DEFAULT 1")))
    assert found.risk == "safe"


# What the copy would run into, told before. findings: migrations.md C4
FOUND = {
    "a collation that makes values alike": (
        "CREATE TABLE t (a TEXT UNIQUE); INSERT INTO t VALUES ('x'), ('X'), ('y')",
        "CREATE TABLE t (a TEXT COLLATE NOCASE UNIQUE)",
        '2 rows of "t" are alike in "a", which is to be unique',
    ),
    "a collation under ON CONFLICT IGNORE": (
        "CREATE TABLE t (a TEXT UNIQUE ON CONFLICT IGNORE); INSERT INTO t VALUES ('x'), ('X'), ('y')",
        "CREATE TABLE t (a TEXT COLLATE NOCASE UNIQUE ON CONFLICT IGNORE)",
        '2 rows of "t" are alike in "a", which is to be unique',
    ),
    "a unique index over values that become alike": (
        "CREATE TABLE t (a TEXT); CREATE UNIQUE INDEX i ON t (a); INSERT INTO t VALUES ('x'), ('X')",
        "CREATE TABLE t (a TEXT COLLATE NOCASE); CREATE UNIQUE INDEX i ON t (a)",
        '2 rows of "t" are alike in a, which is to be unique',
    ),
    "a STRICT table": (
        "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES ('x', 'y'), (1, x'00')",
        "CREATE TABLE t (a INTEGER, b TEXT) STRICT",
        '1 value of "t.a" does not fit INTEGER in a STRICT table; 1 value of "t.b" does not fit TEXT in a STRICT table',
    ),
    "a key without rowids": (
        "CREATE TABLE t (a TEXT PRIMARY KEY); INSERT INTO t VALUES (NULL), ('x')",
        "CREATE TABLE t (a TEXT PRIMARY KEY) WITHOUT ROWID",
        '1 row holds NULL in "t.a"',
    ),
    "a key that becomes the rowid": (
        "CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (NULL), ('x'), (3)",
        "CREATE TABLE t (a INTEGER PRIMARY KEY)",
        '2 values of "t.a" are no integers, which INTEGER PRIMARY KEY holds alone',
    ),
    "a parent whose key changes": (
        "CREATE TABLE p (k TEXT PRIMARY KEY); CREATE TABLE c (k TEXT REFERENCES p);"
        "INSERT INTO p VALUES ('1'); INSERT INTO c VALUES ('1')",
        "CREATE TABLE p (k INTEGER NOT NULL UNIQUE, n TEXT PRIMARY KEY); CREATE TABLE c (k TEXT REFERENCES p)",
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FOUND)
def test_the_plan_tells_what_the_copy_would_meet(path: Path, what: str) -> None:
    before, after, message = FOUND[what]
    make(path, before)
    found = plan(path, after)
    assert found.problems
    if message:
        assert "; ".join(problem.message for problem in found.problems) == message


def test_the_greatest_integers_are_no_reals(path: Path) -> None:
    for affinity in ["REAL", "DOUBLE"]:
        path.unlink(missing_ok=True)
        make(path, table("v INTEGER") + "INSERT INTO t VALUES (1, 9223372036854775807), (2, 9223372036854774784)")
        [problem] = plan(path, table(f"v {affinity}")).problems
        assert problem.message == f'1 value of "t.v" would change by going from INTEGER to {affinity}'


@pytest.mark.parametrize("strict", ["", "STRICT"])
def test_whole_reals_become_integers_as_far_as_those_go(path: Path, strict: str) -> None:
    make(path, table("v REAL", strict) + "INSERT INTO t VALUES (1, 18014398509481984.0), (2, -9223372036854774784.0)")
    found = plan(path, table("v INTEGER", "STRICT"))
    assert found.problems == ()
    with Database(path) as db:
        found.apply(db)
    assert [row[1:] for row in stored(path)] == [("integer", "18014398509481984"), ("integer", "-9223372036854774784")]


class Whole(Model, table="t"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    v: Column[int]


def test_models_read_whole_reals_as_integers(path: Path) -> None:
    make(path, table("v REAL NOT NULL") + "INSERT INTO t VALUES (1, 18014398509481984.0)")
    with Database(path) as db:
        db.sync(Whole)
        assert [row.v for row in db.fetch_all(Whole)] == [18014398509481984]
