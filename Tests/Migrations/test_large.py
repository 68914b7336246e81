"""Large schemas: as many columns as SQLite takes, and many tables and steps."""

from __future__ import annotations

import os
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


def bundle_of(count: int, folder: Path) -> Bundle:
    """So many steps, each with its way back."""
    for number in range(1, count + 1):
        step = folder / f"{number:04}_t"
        step.mkdir(parents=True)
        step.joinpath("up.sql").write_text(
            "CREATE TABLE t (a);" if number == 1 else f"INSERT INTO t VALUES ({number});"
        )
        step.joinpath("down.sql").write_text("DROP TABLE t;" if number == 1 else f"DELETE FROM t WHERE a = {number};")
    Bundle.seal(folder)
    return Bundle(folder)


def test_what_a_long_history_costs_grows_with_it_alone(tmp_path: Path) -> None:
    # To tell the status, and to apply one step more; a square would be 16 times as much.
    def seconds(count: int) -> float:
        bundle, path = bundle_of(count, tmp_path / f"steps{count}"), tmp_path / f"{count}.db"
        make(path, "CREATE TABLE t (a)")
        with Database(path) as db:
            bundle.adopt(db, f"{count - 1:04}_t")
            times = []
            for _ in range(3):
                began = time.process_time()
                assert len(bundle.status(db)) == count
                times.append(time.process_time() - began)
            began = time.process_time()
            bundle.apply(db)
            taken = time.process_time() - began
            assert db.fetch_value("SELECT a FROM t") == count
            return min(times) + taken

    few, many = seconds(125), seconds(500)
    assert many < 10 * few + 0.1, (few, many)


def test_a_long_history_from_nothing_and_back_costs_as_much_for_each_step(tmp_path: Path) -> None:
    def seconds(count: int) -> float:
        bundle, path = bundle_of(count, tmp_path / f"new{count}"), tmp_path / f"new{count}.db"
        with Database(path) as db:
            began = time.process_time()
            bundle.apply(db)
            assert db.fetch_value("SELECT count(*) FROM t") == count - 1
            bundle.revert(db, None, allow_lossy=True)
            assert not db.fetch_values("SELECT id FROM corm_migrations")
            return time.process_time() - began

    few, many = seconds(100), seconds(600)
    assert many < 12 * few + 0.1, (few, many)


def test_what_lies_under_the_name_of_an_unfinished_file_is_not_written_to(tmp_path: Path) -> None:
    # Of a link that somebody put there, what it leads to was written over.
    folder, other = tmp_path / "steps", tmp_path / "other"
    (folder / "0001_t").mkdir(parents=True)
    (folder / "0001_t/up.sql").write_text("CREATE TABLE t (a);")
    other.write_text("stays")
    for name in (f"manifest.sha256.{os.getpid()}.new", f"manifest.sha256.{os.getpid()}.0"):
        (folder / name).symlink_to(other)
    Bundle.seal(folder)
    assert other.read_text() == "stays"
    assert "0001_t/up.sql" in (folder / "manifest.sha256").read_text()
    assert not (folder / "manifest.sha256").is_symlink()


def test_deep_parentheses_are_read_in_seconds() -> None:
    # finding reliability.md A6: 22 s, and four times as much for twice as many
    for declaration in ("DEFAULT {}", "CHECK ({})"):
        began = time.process_time()
        Schema.parse(f"CREATE TABLE t (a {declaration.format('(' * 50_000 + '1' + ')' * 50_000)})")
        assert time.process_time() - began < 5


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


def test_to_plan_for_thousands_of_tables_costs_as_much_for_each(tmp_path: Path) -> None:
    def seconds(count: int) -> float:
        tables = "".join(f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY, name TEXT UNIQUE);" for n in range(count))
        few, many = Schema.parse("CREATE TABLE kept (x);"), Schema.parse("CREATE TABLE kept (x);" + tables)
        began = time.process_time()
        made = Plan.between(few, many)
        gone = Plan.between(many, few, allow_drop=[f"t{n}" for n in range(count)])
        assert len(made.steps) == len(gone.steps) == count
        return time.process_time() - began

    few, many = seconds(500), seconds(4000)
    assert many < 16 * few + 0.1, (few, many)


def test_many_tables_are_made_and_dropped_as_a_few_are(path: Path) -> None:
    # A plan makes them in groups, each apart from the rest.
    count = 1100

    def script(numbers: range) -> str:
        return "".join(
            f"CREATE TABLE t{n} (id INTEGER PRIMARY KEY{' AUTOINCREMENT' if n % 100 == 7 else ''}, name TEXT UNIQUE, "
            f"before INTEGER REFERENCES t{max(n - 600, 0)}); CREATE INDEX i{n} ON t{n}(before);"
            for n in numbers
        )

    others = "CREATE TABLE aside (name, x UNIQUE); CREATE INDEX beside ON aside(name); "
    views = "CREATE VIEW both AS SELECT a.id FROM t0 a JOIN t1099 b; "
    triggers = "CREATE TRIGGER changes AFTER INSERT ON t5 BEGIN DELETE FROM t1050; END;"
    all_of_them = Schema.parse(script(range(count)) + others + views + triggers)
    with Database(path) as db:
        Plan.between(db.schema(), all_of_them, database=db).apply(db)
        assert db.schema() == all_of_them
        more = Schema.parse(script(range(count)) + others + views + triggers + "CREATE TABLE one_more (x);")
        assert len(Plan.between(db.schema(), more).steps) == 1
        left = Schema.parse(script(range(300)) + others)
        allowed = [f"t{n}" for n in range(300, count)] + ["view:both", "trigger:changes"]
        Plan.between(db.schema(), left, database=db, allow_drop=allowed).apply(db)
        assert db.schema() == left
        assert db.fetch_value("PRAGMA integrity_check") == "ok"
