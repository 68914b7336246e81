"""What a migration must not break or drop beside its tables: references, views, triggers, constraints."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import dump, make
from cormorant import Column, Database, MigrationError, Model, Plan, Schema, column
from cormorant.error import ProgrammingError


class Q(Model, table="p"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    body: Column[str]


class P(Model, table="person", renamed_from="p"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    body: Column[str]


def test_a_rename_takes_no_table_of_another_model(path: Path) -> None:
    # finding migrations.md B4
    with Database(path, auto_sync=True) as db:
        db.save(Q(body="q row"))
        with pytest.raises(ProgrammingError, match='model P is renamed from "p", which is the table of model Q'):
            db.save(P(body="p row"))
        assert [row.body for row in db.fetch_all(Q)] == ["q row"]
    with Database(path) as db:
        db.sync(Q)
        with pytest.raises(ProgrammingError, match="which is the table of model Q"):
            db.sync(P)
    with Database(path) as db:  # A program without Q.
        db.sync(P)
        assert [row.body for row in db.fetch_all(P)] == ["q row"]
    refusal = 'the table "p" of model Q is "person" now'
    with Database(path, auto_sync=True) as db:  # And one with it, which must not begin anew with an empty table.
        with pytest.raises(ProgrammingError, match=refusal):
            db.save(Q(body="lost"))
        with pytest.raises(ProgrammingError, match=refusal):
            db.plan(Q)
        assert [row.body for row in db.fetch_all(P)] == ["q row"]


def test_a_former_name_is_free_once_no_model_says_it(path: Path) -> None:
    class Person(Model, table="person"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        body: Column[str]

    class Back(Model, table="p", renamed_from="person"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        body: Column[str]

    with Database(path) as db:
        db.sync(P)
        with pytest.raises(ProgrammingError, match='is "person" now'):
            db.sync(Q)
        db.sync(Person)
        db.sync(Q)
        db.sync(Q, Person)
    other = path.with_name("other.db")
    with Database(other) as db:
        db.sync(P)
        db.save(P(body="stays"))
    with Database(other) as db:  # A later release gives the table its former name back.
        db.sync(Back)
        assert [row.body for row in db.fetch_all(Back)] == ["stays"]


def test_what_models_declared_before_renames_were_kept_is_read(path: Path) -> None:
    with Database(path) as db:
        db.sync(P)
    make(path, "ALTER TABLE corm_models DROP COLUMN renamed_from")
    with Database(path, mode="read_only") as db:
        db.sync(P)
    with Database(path) as db:
        db.sync(P)
    with Database(path) as db, pytest.raises(ProgrammingError, match='is "person" now'):
        db.sync(Q)


# finding migrations.md B6: before, after, allow_drop, and the problem
REFERENCES = {
    "ADD COLUMN that refers to columns that are no key": (
        "CREATE TABLE t (a INTEGER NOT NULL, b INTEGER NOT NULL, PRIMARY KEY (a, b));",
        "CREATE TABLE t (a INTEGER NOT NULL, b INTEGER NOT NULL, c INTEGER REFERENCES t, PRIMARY KEY (a, b));",
        [],
        '"t.c" would refer to "t.a", "t.b", not unique',
    ),
    "a parent that is not there": (
        "CREATE TABLE t (a);",
        "CREATE TABLE t (a, b REFERENCES nowhere);",
        [],
        '"t.b" would refer to "nowhere", which is not there',
    ),
    "a parent without a key": (
        "CREATE TABLE p (a); CREATE TABLE t (a);",
        "CREATE TABLE p (a); CREATE TABLE t (a REFERENCES p);",
        [],
        '"t.a" would refer to "p", which has no key',
    ),
    "a parent whose UNIQUE goes": (
        "CREATE TABLE p (a, b UNIQUE); CREATE TABLE t (a REFERENCES p (b));",
        "CREATE TABLE p (a, b); CREATE TABLE t (a REFERENCES p (b));",
        ["unique:p"],
        '"t.a" would refer to "p.b", not unique',
    ),
    "a parent with another collation": (
        "CREATE TABLE p (a TEXT); CREATE TABLE t (a);",
        "CREATE TABLE p (a TEXT); CREATE UNIQUE INDEX i ON p (a COLLATE NOCASE); CREATE TABLE t (a REFERENCES p (a));",
        [],
        '"t.a" would refer to "p.a", not unique',
    ),
    "a parent that is dropped": (
        "CREATE TABLE p (a PRIMARY KEY); CREATE TABLE t (a REFERENCES p);",
        "CREATE TABLE t (a REFERENCES p);",
        ["p"],
        '"t.a" would refer to "p", which is not there',
    ),
}


@pytest.mark.parametrize("what", REFERENCES)
def test_a_reference_that_cannot_work_is_refused(path: Path, what: str) -> None:
    before, after, allow_drop, message = REFERENCES[what]
    make(path, before)
    there = dump(path)
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse(after), database=db, allow_drop=allow_drop)
        assert message in [problem.message for problem in plan.problems]
        with pytest.raises(MigrationError):
            plan.apply(db)
    assert dump(path) == there


def test_a_reference_to_a_renamed_parent_names_the_rename(path: Path) -> None:
    class Person(Model, table="person", renamed_from="p"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)

    class Child(Model, table="ch"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        p: Column[int | None] = column(default=None, references="p")

    make(path, "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE ch (id INTEGER PRIMARY KEY, p REFERENCES p);"
         "INSERT INTO p VALUES (1); INSERT INTO ch VALUES (1, 1)")  # fmt: skip
    with Database(path) as db, pytest.raises(MigrationError) as refused:
        db.sync(Person, Child)
    assert '"ch.p" would refer to "p", which is renamed to "person" (let it refer to "person")' in str(refused.value)


def test_a_file_with_such_references_can_go_on(path: Path) -> None:
    make(path, "CREATE TABLE t (a REFERENCES nowhere, b REFERENCES t (c), c);")
    with Database(path) as db:
        plan = Plan.between(
            db.schema(), Schema.parse("CREATE TABLE t (a REFERENCES nowhere, b REFERENCES t (c), c, d)"), database=db
        )
        assert not plan.problems


DOC = "CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT);"
SEARCH = "CREATE VIRTUAL TABLE search USING fts5 (body, content = 'doc', content_rowid = 'id');"


def test_a_full_text_table_whose_content_is_renamed(path: Path) -> None:
    # finding migrations.md B8
    class Text(Model, table="text", renamed_from="doc"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        body: Column[str | None]

    class Doc(Model, table="doc"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        words: Column[str | None] = column(renamed_from="body")

    make(path, DOC + SEARCH + "INSERT INTO doc VALUES (1, 'a')")
    there = dump(path)
    for model in (Text, Doc):
        with (
            Database(path) as db,
            pytest.raises(MigrationError, match='virtual table "search" would no longer work: no such'),
        ):
            db.sync(model)
    assert dump(path) == there


# findings migrations.md B9 and messages 1, 2: what the target lacks goes only when it is named
GOES = {
    "a trigger": ("CREATE TABLE t (a); CREATE TRIGGER g BEFORE DELETE ON t BEGIN SELECT raise(ABORT, 'no'); END;",
                  "CREATE TABLE t (a);", 'trigger "g" would go', "trigger:g"),
    "a view": ("CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t;", "CREATE TABLE t (a);",
               'view "v" would go', "view:V"),
    "a unique index": ("CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a);", "CREATE TABLE t (a);",
                       'index "i" would go', "index:i"),
    "a CHECK": ("CREATE TABLE t (a CHECK (a > 0));", "CREATE TABLE t (a);",
                '"t" would lose its CHECK (a > 0)', "check:t"),
    "a UNIQUE": ("CREATE TABLE t (a, b, UNIQUE (a, b));", "CREATE TABLE t (a, b);",
                 '"t" would lose its UNIQUE (a, b)', "unique:T"),
    "a foreign key": ("CREATE TABLE t (a PRIMARY KEY, b REFERENCES t);", "CREATE TABLE t (a PRIMARY KEY, b);",
                      '"t" would lose its REFERENCES t', "foreign_key:t"),
}  # fmt: skip


@pytest.mark.parametrize("what", GOES)
def test_what_guards_rows_goes_only_when_it_is_named(path: Path, what: str) -> None:
    before, after, message, name = GOES[what]
    make(path, before)
    there = dump(path)
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse(after), database=db)
        assert [problem.message for problem in plan.problems] == [message]
        with pytest.raises(MigrationError):
            plan.apply(db)
        assert dump(path) == there
        plan = Plan.between(db.schema(), Schema.parse(after), database=db, allow_drop=[name])
        assert (plan.problems, plan.risk) == ((), "annotated")
        plan.apply(db)
        assert db.schema() == Schema.parse(after)


REPLACED = [
    ("CREATE TABLE t (a CHECK (a > 0));", "CREATE TABLE t (a CHECK (a > 1));"),
    ("CREATE TABLE t (a UNIQUE);", "CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a);"),
    ("CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a);", "CREATE TABLE t (a UNIQUE);"),
    ("CREATE TABLE t (a); CREATE UNIQUE INDEX i ON t (a);", "CREATE TABLE t (a); CREATE UNIQUE INDEX j ON t (a);"),
    ("CREATE TABLE t (a); CREATE VIEW v AS SELECT 1;", "CREATE TABLE t (a); CREATE VIEW v AS SELECT 2;"),
    ("CREATE TABLE t (a); CREATE INDEX i ON t (a);", "CREATE TABLE t (a);"),
]


@pytest.mark.parametrize(("before", "after"), REPLACED)
def test_what_is_replaced_needs_no_leave(path: Path, before: str, after: str) -> None:
    make(path, before)
    with Database(path) as db:
        assert Plan.between(db.schema(), Schema.parse(after), database=db).risk == "safe"


class Kept(Model, table="t"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)


@pytest.mark.parametrize(
    ("more", "message", "name"),
    [
        ("CREATE INDEX by_w ON t (w);", 'index "by_w" stands in the way', "index:by_w"),
        ("CREATE VIEW v AS SELECT w FROM t;", 'view "v" would no longer work: no such column: w', "view:v"),
        ("CREATE VIEW v AS SELECT w FROM t; CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN SELECT NEW.w; END;",
         'view "v" would no longer work: no such column: w', "view:v"),
        ("CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT NEW.w; END;"
         "CREATE TRIGGER h AFTER INSERT ON t BEGIN SELECT 1; END;",
         'trigger "g" would no longer work: no such column: NEW.w', "trigger:g"),
    ],
)  # fmt: skip
def test_what_uses_a_column_that_goes_is_named_and_may_go(path: Path, more: str, message: str, name: str) -> None:
    make(path, "CREATE TABLE t (id INTEGER PRIMARY KEY, w);" + more)
    with Database(path) as db:
        with pytest.raises(MigrationError) as refused:
            db.sync(Kept, allow_drop=["t.w"])
        assert message in str(refused.value)
        assert f'allow_drop "{name}"' in str(refused.value)
        db.sync(Kept, allow_drop=["t.w", name])
        assert not db.plan(Kept)


@pytest.mark.parametrize("view", ["SELECT nope FROM t", "SELECT * FROM nosuch", "SELECT nosuch(id) FROM t"])
def test_a_view_that_does_not_work_is_no_obstacle(path: Path, view: str) -> None:
    more = f"CREATE VIEW v AS {view}; CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN SELECT 1; END;"
    make(path, "CREATE TABLE t (id INTEGER PRIMARY KEY, w);" + more)
    with Database(path) as db:
        db.sync(Kept, allow_drop=["t.w"])
        assert not db.plan(Kept)


def test_what_sqlites_shell_writes_is_a_target(path: Path) -> None:
    # finding migrations.md C1
    make(path, "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); CREATE VIRTUAL TABLE s USING fts5 (a);"
         "CREATE VIRTUAL TABLE r USING rtree (id, x, y); CREATE VIRTUAL TABLE o USING fts4 (a);"
         "INSERT INTO t VALUES (1, 1)")  # fmt: skip
    import sqlite3

    connection = sqlite3.connect(path)
    shell = (
        ";\n".join(row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")) + ";"
    )
    connection.close()
    with Database(path) as db:
        assert not Plan.between(db.schema(), Schema.parse(shell), database=db)
    with Database(path.with_name("new.db")) as db:
        Plan.between(db.schema(), Schema.parse(shell), database=db).apply(db)


@pytest.mark.parametrize("module", ["fts5(a)", "fts4(a)", "rtree(id, a, b)"])
def test_a_virtual_table_comes_and_goes_with_the_tables_behind_it(path: Path, module: str) -> None:
    make(path, "CREATE TABLE t (a); CREATE TABLE search_data_of_mine (a); INSERT INTO t VALUES (1);")
    without = dump(path)
    with Database(path) as db:
        searched = f"{db.schema().sql} CREATE VIRTUAL TABLE search USING {module};"
        there = db.schema()
        for target in (Schema.parse(searched), there):
            Plan.between(db.schema(), target, database=db, allow_drop=["search"]).apply(db)
        assert dump(path) == without
