"""Values of changes that a row on the disk does not have: virtual columns and defaults of columns that were added."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cormorant import Column, Database, Model, Region, column, key

Row = tuple[Any, ...]


class Kept(Model, table="kept"):
    id: Column[int] = key()
    a: Column[str]


class Added(Model, table="kept"):
    id: Column[int] = key()
    a: Column[str]
    n: Column[int] = column(default=7, default_sql="7")
    s: Column[str | None] = column(default="dflt", default_sql="'dflt'")


def told(db: Database, table: str, sql: str) -> list[tuple[str, Row | None, Row | None]]:
    with db.observe(Region(table), values=True) as observer:
        db.execute_script(sql)
        changes: list[tuple[str, Row | None, Row | None]] = []
        while event := observer.next(0):
            changes += [(change.kind, change.old, change.new) for change in event.changes]
        return changes


def test_a_column_that_a_migration_added_is_told_with_its_default() -> None:
    with Database(":memory:") as db:
        db.sync(Kept)
        db.insert_many([Kept("A"), Kept("B")])
        db.sync(Added)
        with db.observe(Added, values=True) as observer, db.observe(Added, key=2) as second:
            record = db.find(Added, 1)
            assert record
            record.s = None
            record.update(db, "s")
            event = observer.next(0)
            assert event
            (change,) = event.changes
            assert change.old
            assert change.new
            assert (change.old.n, change.old.s, change.new.n, change.new.s) == (7, "dflt", 7, None)
            db.execute("UPDATE kept SET s = NULL WHERE id = 2")
            assert second.next(0)


@pytest.mark.parametrize("keeps", [True, False])
def test_what_calls_a_function_of_the_program_is_not_told_by_rows(keeps: bool) -> None:
    with Database(":memory:") as db:
        db.register_function(lambda x: x * 2, name="twice", deterministic=True, in_schema=True)
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v AS (twice(a)), a)")
        if keeps:
            assert told(db, "t", "INSERT INTO t (a) VALUES (2)") == [("unknown", None, None)]
        else:
            with db.observe(Region("t", "v")) as observer, db.observe(Region("t", "a")) as other:
                db.execute_script("INSERT INTO t (a) VALUES (2); UPDATE t SET a = 3")
                for watch in (observer, other):
                    assert [watch.next(0) is not None for _ in range(3)] == [True, True, False]


def test_a_number_that_cannot_be_told_is_unknown() -> None:
    """SQLite 3.40 gives a column that stands behind a virtual one as a number of the type that another column has."""
    with Database(":memory:") as db:
        db.execute_script(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v AS (x), r REAL, x, b INTEGER);"
            "INSERT INTO t (r, x, b) VALUES (1, 2, 9007199254740993)"
        )
        for _ in range(2):
            ((kind, old, new),) = told(db, "t", "UPDATE t SET r = r + 1")
            assert kind == "unknown" or (old, new) == ((1, 2, 1.0, 2, 2**53 + 1), (1, 2, 2.0, 2, 2**53 + 1))


def schema(numbers: random.Random) -> tuple[str, list[str], bool]:
    """A table with virtual columns anywhere, a key of some kind, and columns that were added."""
    stored = [(f"c{index}", numbers.choice(["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB"])) for index in range(4)]
    names = [name for name, _ in stored]
    parts = [f"{name} {type}" for name, type in stored]
    ending, kind = "", numbers.choice(["rowid", "none", "unique", "without"])
    if kind == "rowid":
        parts.insert(numbers.randrange(5), "id INTEGER PRIMARY KEY")
    elif kind != "none":
        parts = [part + " NOT NULL" for part in parts]
    for index in range(numbers.randrange(3)):
        parts.insert(
            numbers.randrange(len(parts) + 1),
            f"v{index} {numbers.choice(['', 'TEXT', 'REAL'])} AS ({' || '.join(numbers.sample(names, 2))})",
        )
    if kind in ("unique", "without"):
        parts.append(f"PRIMARY KEY ({', '.join(numbers.sample(names, 2))})")
        ending = " WITHOUT ROWID" if kind == "without" else ""
    return f"CREATE TABLE t ({', '.join(parts)}){ending}", names, kind in ("none", "rowid")


@pytest.mark.parametrize("seed", range(40))
def test_told_is_what_the_table_has(seed: int) -> None:
    numbers = random.Random(seed)
    sql, names, allows_null = schema(numbers)

    def value() -> str:
        kinds = ["1", "2.5", "3.0", "'t'", "'4'", "x'05'", "7e20"] + ["NULL"] * allows_null
        return numbers.choice(kinds)

    with Database(":memory:") as db:
        db.execute(sql)

        def rows() -> list[Row]:
            return db.query("SELECT * FROM t").fetch_all()

        known: list[Row] = []
        unknown = 0
        for step in range(40):
            if step == 15:
                default = numbers.choice(["8", "'9'", "1.5", "NULL", "x'0a'", "word"])
                type = numbers.choice(["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", ""])
                db.execute(f"ALTER TABLE t ADD COLUMN added {type} DEFAULT {default}")
                names.append("added")
                known = rows()
            verb = numbers.choice(["INSERT", "INSERT", "UPDATE", "DELETE"])
            name = numbers.choice(names)
            condition = f"WHERE c0 IS {value()}" if numbers.random() < 0.7 else ""
            if verb == "INSERT":
                change = f"INSERT OR REPLACE INTO t (c0, c1, c2, c3) VALUES ({', '.join(value() for _ in range(4))})"
            elif verb == "UPDATE":
                change = f"UPDATE OR IGNORE t SET {name} = {value()} {condition}"
            else:
                change = f"DELETE FROM t {condition if numbers.random() < 0.5 else 'WHERE c1 IS ' + value()}"
            changes = told(db, "t", change)
            now = rows()
            if any(kind == "unknown" for kind, _, _ in changes):
                unknown += 1
            else:
                expected = list(map(repr, known))
                for _, old, _ in changes:
                    if old is not None:
                        expected.remove(repr(old))
                expected += [repr(new) for _, _, new in changes if new is not None]
                assert sorted(expected) == sorted(map(repr, now)), (sql, change, changes)
            known = now
        assert not unknown or "AS (" in sql or "WITHOUT ROWID" in sql
