"""What is said of a migration that cannot be done: what is wrong, where, and what to do, in the user's names."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import make
from cormorant import Bundle, Column, Database, Error, Model, Plan, Schema, column

ROOT = Path(__file__).resolve().parents[2]
CORM = Path(os.environ.get("CORMORANT_BUILD", ROOT / "build")).resolve() / "corm"


class Kept(Model, table="t"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)


class More(Model, table="t"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    x: Column[int | None]


def said(body: Callable[[], object]) -> tuple[str, str]:
    """The message and the hint of what a call throws."""
    with pytest.raises(Error) as refused:
        body()
    hint = refused.value.hint or ""
    message = str(refused.value).removesuffix(f" ({hint})")
    for text in (message, hint):
        assert "corm_new_" not in text
        assert "\n" not in text
    return message, hint


def corm(path: Path, *arguments: object, status: int = 1) -> tuple[str, str]:
    """The message and the hint of the command, run where the file is; its output where it does not fail."""
    done = subprocess.run([CORM, *map(str, arguments)], cwd=path.parent, capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done
    if status in (0, 2):
        return done.stdout, done.stderr
    message, _, hint = done.stderr.removeprefix("corm: ").partition("\nhint: ")
    return message.rstrip("\n"), hint.rstrip("\n")


def between(path: Path, before: str, after: str, *allow_drop: str) -> tuple[str, str]:
    """The one problem of the way from a file to a schema, and what the command says of it."""
    make(path, before)
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse(after), database=db, allow_drop=allow_drop)
    [problem] = plan.problems
    (path.parent / "after.sql").write_text(after)
    options = [part for name in allow_drop for part in ("--allow-drop", name)]
    message, hint = corm(path, "migrate", path.name, "after.sql", *options)
    assert message == problem.message
    return message, hint.removeprefix("nothing was changed; ")


def bundle(folder: Path, **steps: str) -> Path:
    """A sealed folder of steps by their names and SQL."""
    for name, sql in steps.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "up.sql").write_text(sql)
    Bundle.seal(folder)
    return folder


COLUMN = "CREATE TABLE t (id INTEGER PRIMARY KEY, w);"
LESS = "CREATE TABLE t (id INTEGER PRIMARY KEY);"
IN_TARGET = "change it in the schema that the plan leads to, or leave it out there"
USES = {
    "CREATE INDEX by_w ON t (w);": (
        'drop column "t.w" cannot be done: index "by_w" stands in the way (no such column: w)', "index:by_w"),
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT NEW.w; END;": (
        'trigger "g" would no longer work: no such column: NEW.w', "trigger:g"),
    "CREATE VIEW v AS SELECT w FROM t;": ('view "v" would no longer work: no such column: w', "view:v"),
}  # fmt: skip


@pytest.mark.parametrize("more", USES)
def test_what_uses_a_column_that_goes(path: Path, more: str) -> None:
    # finding migrations.md message 1
    message, name = USES[more]
    make(path, COLUMN + more)
    with Database(path) as db:
        said_message, hint = said(lambda: db.sync(Kept, allow_drop=["t.w"]))
    assert message in said_message
    assert f'allow_drop "{name}"' in said_message + hint
    # A schema that has both cannot be reached: leave to drop would change nothing.
    (path.parent / "after.sql").write_text(LESS + more)
    said_message, hint = corm(path, "migrate", path.name, "after.sql", "--allow-drop", "t.w")
    assert said_message == message
    assert hint.removeprefix("nothing was changed; ") == IN_TARGET


def test_a_trigger_that_would_break_is_named(path: Path) -> None:
    # finding migrations.md message 2
    class Other(Model, table="other"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)

    make(path, LESS + "CREATE TABLE other (id INTEGER PRIMARY KEY, x);"
         "CREATE TRIGGER fine AFTER DELETE ON t BEGIN SELECT 1; END;"
         "CREATE TRIGGER ins AFTER INSERT ON t BEGIN INSERT INTO other (x) VALUES (1); END;")  # fmt: skip
    with Database(path) as db:
        message, _ = said(lambda: db.sync(Kept, Other, allow_drop=["other.x"]))
    assert 'trigger "ins" would no longer work: table other has no column named x' in message


def test_rows_that_are_alike(path: Path) -> None:
    # finding migrations.md message 3
    before = "CREATE TABLE r (name TEXT UNIQUE);"
    after = "CREATE TABLE r (name TEXT COLLATE NOCASE UNIQUE);"
    rows = "INSERT INTO r VALUES ('a'), ('A');"
    assert between(path, before + rows, after) == (
        '2 rows of "r" are alike in "name", which is to be unique', "mend the rows")  # fmt: skip
    with Database(path) as db:
        by_hand = Bundle()
        by_hand.add("1", up="UPDATE r SET name = lower(name)")
        assert said(lambda: by_hand.apply(db)) == (
            "step 1: line 1 of up: UNIQUE constraint failed: r.name",
            "another row has the same value: mend the rows first, or in the same step",
        )


def test_rows_whose_parents_are_missing(path: Path) -> None:
    # finding migrations.md message 4
    item = "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE item (p);"
    assert between(
        path, item + "INSERT INTO item VALUES (1), (2)",
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE item (p REFERENCES p)",
    ) == ('2 rows of "item" refer to no row of "p"', "mend the rows, or leave the reference out")  # fmt: skip
    steps = Bundle()
    steps.add("1", up="ALTER TABLE item ADD COLUMN q REFERENCES p; UPDATE item SET q = p WHERE p = 1")
    with Database(path) as db:
        message, hint = said(lambda: steps.apply(db))
    assert message == 'step 1: 1 row of "item" would refer to rows of "p" that are not there'
    assert hint.startswith("change or delete those rows in the same migration")


def test_a_parent_that_is_renamed(path: Path) -> None:
    # finding migrations.md message 5
    class Person(Model, table="person", renamed_from="p"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)

    class Child(Model, table="ch"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        p: Column[int | None] = column(default=None, references="p")

    make(path, "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE ch (id INTEGER PRIMARY KEY, p REFERENCES p);"
         "INSERT INTO p VALUES (1), (2); INSERT INTO ch VALUES (1, 1), (2, 2)")  # fmt: skip
    with Database(path) as db:
        message, _ = said(lambda: db.sync(Person, Child))
    assert message.endswith('"ch.p" would refer to "p", which is renamed to "person" (let it refer to "person")')


def test_shadow_tables_are_no_difference(path: Path) -> None:
    # finding migrations.md message 6
    make(path, "CREATE VIRTUAL TABLE search USING fts5 (a)")
    connection = sqlite3.connect(path)
    shell = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
    connection.close()
    (path.parent / "shell.sql").write_text("".join(f"{sql};\n" for sql in shell))
    assert corm(path, "plan", path.name, "shell.sql", status=0)[0] == "nothing to do\n"


def test_a_history_that_is_not_the_bundles(path: Path) -> None:
    # finding migrations.md message 7 and C2: the table of states, and what the other commands say
    folder = path.parent
    three = bundle(folder / "three", **{f"000{n}_s": f"CREATE TABLE t{n} (a);" for n in (1, 2, 3)})
    two = bundle(folder / "two", **{f"000{n}_s": f"CREATE TABLE t{n} (a);" for n in (1, 2)})
    other = bundle(folder / "other", **{f"000{n}_o": f"CREATE TABLE o{n} (a);" for n in (1, 2, 3)})
    with Database(path) as db:
        Bundle(three).apply(db)

    def states(name: Path) -> list[list[str]]:
        lines = corm(path, "status", path.name, name.name, status=2)[0].splitlines()[2:]
        return [line.split()[:2] for line in lines]

    assert states(two) == [["0001_s", "applied"], ["0002_s", "applied"], ["0003_s", "newer"]]
    assert [state for _, state in states(other)] == ["order", "missing", "order", "missing", "order", "newer"]
    for command in ("plan", "migrate", "down"):
        assert corm(path, command, path.name, "two") == (
            "the file has 0003_s, which is later than every step known here",
            "use the newer version of the program, or go back with the bundle that has what is later",
        )
    (other / "0004_o").mkdir()
    (other / "0004_o/up.sql").write_text("CREATE TABLE o4 (a);")
    Bundle.seal(other)
    assert corm(path, "migrate", path.name, "other") == (
        "the file has 0001_s, 0002_s, 0003_s, which are not among the steps",
        "take the bundle that the file was migrated with, or bring back what it lacks; squash joins steps",
    )
    half = path.with_name("half.db")
    with Database(half) as db:
        Bundle(two).apply(db)
    Bundle.squash(three)
    assert "order" in corm(half, "status", half.name, "three", status=2)[0]
    assert corm(half, "migrate", half.name, "three") == (
        "0003_s joins 0001_s, 0002_s, 0003_s, of which the file has 0001_s, 0002_s alone",
        "apply the others first, with the bundle as it was before they were joined",
    )


def test_a_snapshot_that_is_there_already(path: Path) -> None:
    # finding migrations.md message 8
    make(path, LESS)
    (path.parent / "snap.db").write_text("any file")
    with Database(path) as db:
        message, hint = said(lambda: db.sync(More, snapshot=path.parent / "snap.db"))
    assert message == f'the file "{path.parent / "snap.db"}", where the snapshot is to be, is there already'
    assert hint.startswith("name another")


def test_two_programs_with_equal_ids(path: Path) -> None:
    # finding migrations.md message 9
    bundle(path.parent / "mine", **{f"000{n}_start": f"CREATE TABLE mine{n} (a);" for n in (1, 2)})
    bundle(path.parent / "other", **{f"000{n}_start": f"CREATE TABLE other{n} (a);" for n in (1, 2)})
    with Database(path) as db:
        Bundle(path.parent / "mine").apply(db)
    message, hint = corm(path, "migrate", path.name, "other")
    assert message == "0001_start, 0002_start are not the steps that were applied to the file by those names"
    assert hint.endswith("a file of another program takes that one's steps")


def test_a_table_that_would_go_with_its_rows(path: Path) -> None:
    # finding migrations.md message 10
    make(path, "CREATE TABLE e (a); CREATE TABLE f (a); CREATE TABLE g (a);"
         "INSERT INTO f VALUES (1); INSERT INTO g VALUES (1), (2)")  # fmt: skip
    (path.parent / "empty.sql").write_text("")
    assert corm(path, "migrate", path.name, "empty.sql") == (
        'table "e" would go, which is empty; table "f" would go with 1 row; table "g" would go with 2 rows',
        "nothing was changed; --allow-drop e --allow-drop f --allow-drop g drop them",
    )


def test_a_squash_says_what_it_joined(path: Path) -> None:
    # finding migrations.md message 11
    bundle(path.parent / "steps", **{f"000{n}_s": f"CREATE TABLE t{n} (a);" for n in (1, 2, 3)})
    assert corm(path, "squash", "steps", status=0)[0] == "joined 3 steps into 0003_s\n"
    assert corm(path, "squash", "steps") == ("there are no two steps to join", "the bundle has but one")


def test_a_schema_has_no_annotations(path: Path) -> None:
    # finding migrations.md message 12
    message, hint = between(path, "CREATE TABLE t (a); INSERT INTO t VALUES (NULL)", "CREATE TABLE t (a NOT NULL)")
    assert (message, hint) == ('1 row holds NULL in "t.a"', "give it a default, or mend the rows")
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse("CREATE TABLE t (b)"), database=db)
        assert [problem.annotation for problem in plan.problems] == ['allow_drop "t.a"']
        message, hint = said(lambda: plan.apply(db))
    for text in (message, hint):
        assert not {"sync", "model", "models", "convert_sql", "renamed_from"} & set(text.split())


def test_a_collation_of_another_program(path: Path) -> None:
    # finding migrations.md message 13 and C11
    connection = sqlite3.connect(path)
    connection.create_collation("unicase", lambda left, right: (left > right) - (left < right))
    connection.executescript("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT COLLATE unicase);"
                             "CREATE INDEX by_name ON t (name); INSERT INTO t VALUES (1, 'a')")  # fmt: skip
    connection.close()

    class Named(Model, table="t"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        name: Column[str | None] = column(check="name <> ''")

    before = path.read_bytes()
    with Database(path, journal_mode="delete") as db:
        message, hint = said(lambda: db.sync(Named))
    assert (
        message
        == """add CHECK "t": CONSTRAINT "t_name_check" CHECK (name <> ''): no such collation sequence: unicase"""
    )
    assert hint.startswith("the file's own program registers it")
    assert path.read_bytes() == before


def test_values_that_nobody_looked_at(path: Path) -> None:
    # finding migrations.md message 14
    Bundle.generate_to(path.parent / "steps", "a", Schema.parse("CREATE TABLE t (v TEXT)"))
    (path.parent / "b.sql").write_text("CREATE TABLE t (v INTEGER)")
    assert corm(path, "generate-migration", "steps", "b", "b.sql") == (
        'values of "t.v" may be such that they would change by going from TEXT to INTEGER',
        "nothing was changed; convert it in a step written by hand; without a file there are no values to look at",
    )


def test_a_step_without_leave_to_drop_needs_a_decision(tmp_path: Path) -> None:
    with Database(tmp_path / "file.db") as db:
        db.sync(More)
        db.insert(More(x=1))
        plan = db.plan(Kept)
        assert '1. drop column "t.x" (needs a decision, 1 row)\n' in str(plan)
        assert (plan.risk, plan.steps[0].risk) == ("undecided", "undecided")
