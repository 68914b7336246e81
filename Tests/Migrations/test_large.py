"""Large schemas: as many columns as SQLite takes, and many tables and steps."""

from __future__ import annotations

import time
from pathlib import Path

from conftest import check, make, rows
from cormorant import Bundle, Database, Plan, Schema

COLUMNS = 1999  # SQLITE_MAX_COLUMN is one more, and a copy also takes the rowid.


def wide(declaration: str, count: int = COLUMNS) -> str:
    return "CREATE TABLE w (" + ", ".join(f"c{index} {declaration}" for index in range(count)) + ");"


def test_rows_of_the_widest_table_are_looked_at(path: Path) -> None:
    # finding migrations.md, tables of 2,000 columns: none of them was, and the plan took a minute
    make(path, wide("TEXT") + "INSERT INTO w (c1, c1998) VALUES (1, 'x'), (NULL, '12')")
    with Database(path) as db:
        began = time.process_time()
        plan = Plan.between(db.schema(), Schema.parse(wide("INTEGER")), database=db)
        assert time.process_time() - began < 10
        assert [problem.message for problem in plan.problems] == [
            '1 value of "w.c1998" would change by going from TEXT to INTEGER'
        ]
        db.execute("UPDATE w SET c1998 = 5")
        Plan.between(db.schema(), Schema.parse(wide("INTEGER NOT NULL DEFAULT 7")), database=db).apply(db)
    assert rows(path, "SELECT c0, c1, c1998, typeof(c1) FROM w") == [(7, 1, 5, "integer"), (7, 7, 5, "integer")]


def test_many_columns_go_at_once(path: Path) -> None:
    make(path, wide("TEXT") + "INSERT INTO w (c0, c5) VALUES ('kept', 'gone')")
    names = [f"w.c{index}" for index in range(1, COLUMNS)]
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse(wide("TEXT", 1)), database=db, allow_drop=names)
        assert [step.summary for step in plan.steps] == ['rebuild "w" for 1998 changes']
        assert '1 value of "w.c5"' in str(plan)
        plan.apply(db)
    assert rows(path, "SELECT * FROM w") == [("kept",)]


def test_many_steps_keep_their_schemas(tmp_path: Path) -> None:
    # finding migrations.md C10: what a step left is not read again by the next
    folder, path = tmp_path / "steps", tmp_path / "test.db"
    for number in range(1, 61):
        (folder / f"{number:04}_t").mkdir(parents=True)
        parent = max(1, number - 1)
        (folder / f"{number:04}_t/up.sql").write_text(
            f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, p REFERENCES t{parent});"
        )
        (folder / f"{number:04}_t/down.sql").write_text(f"DROP TABLE t{number};")
    Bundle.seal(folder)

    bundle = Bundle(folder)
    with Database(path) as db:
        bundle.apply(db)
        history = rows(path, "SELECT schema_before, schema_after FROM corm_migrations ORDER BY id")
        assert [before for before, _ in history][1:] == [after for _, after in history][:-1]
        assert history[-1][1] == db.schema().hash
        assert not bundle.drift(db)
    check(path)


def test_thousands_of_tables_go_in_seconds(path: Path) -> None:
    # What is left was read anew after each of them: 2,000 took a minute in a debug build.
    count = 1600
    make(path, "".join(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, name TEXT UNIQUE);" for n in range(count)))
    with Database(path) as db:
        schema, target = db.schema(), Schema.parse("CREATE TABLE kept (x);")
        began = time.process_time()
        plan = Plan.between(schema, target, database=db, allow_drop=[f"t{n}" for n in range(count)])
        assert time.process_time() - began < 10
    assert len(plan.steps) == count + 1
