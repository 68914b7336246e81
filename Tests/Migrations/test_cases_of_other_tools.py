"""What other tools have lost, each case by its name: the file afterwards still has it."""

from __future__ import annotations

from pathlib import Path

import cormorant
import pytest
from conftest import check, dump, make, rows
from cormorant import Column, Database, MigrationError, Model, Plan, Schema, column


def migrate(path: Path, target: str, *, allow_drop: tuple[str, ...] = ()) -> Plan:
    """Brings a file to the schema of a text."""
    with Database(path) as db:
        plan = Plan.between(db.schema(), Schema.parse(target), database=db, allow_drop=allow_drop)
        plan.apply(db)
        assert not Plan.between(db.schema(), Schema.parse(target), database=db), "a second diff must be empty"
    check(path)
    return plan


PARENT = "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT);"
PARENT_STRICTER = "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"


@pytest.mark.parametrize("action", ["CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION"])
def test_drizzle_5782_and_3065_and_prisma_24540_children_outlive_the_rebuild_of_their_parent(
    path: Path, action: str
) -> None:
    child = (
        f"CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER DEFAULT 1 REFERENCES parent ON DELETE {action});"
    )
    make(
        path,
        PARENT
        + child
        + "INSERT INTO parent VALUES (1, 'a'), (2, 'b'); INSERT INTO child VALUES (1, 1), (2, 2), (3, 2);",
    )
    migrate(path, PARENT_STRICTER + child)
    assert rows(path, "SELECT id, parent FROM child ORDER BY id") == [(1, 1), (2, 2), (3, 2)]


def test_atlas_3317_and_ent_2954_foreign_keys_are_off_during_the_rebuild_and_on_after_it(path: Path) -> None:
    child = "CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent ON DELETE CASCADE);"
    make(path, PARENT + child + "INSERT INTO parent VALUES (1, 'a'); INSERT INTO child VALUES (1, 1);")
    with Database(path) as db:
        with pytest.raises(cormorant.Error) as refused, db.transaction():
            Plan.between(db.schema(), Schema.parse(PARENT_STRICTER + child), database=db).apply(db)
        assert refused.value.code == "CORM_E_TRANSACTION"
        Plan.between(db.schema(), Schema.parse(PARENT_STRICTER + child), database=db).apply(db)
        assert db.query("PRAGMA foreign_keys").fetch_all() == [(1,)]
    with Database(path, foreign_keys=False) as db:
        Plan.between(db.schema(), Schema.parse(PARENT + child), database=db).apply(db)
        assert db.query("PRAGMA foreign_keys").fetch_all() == [(0,)]
    assert rows(path, "SELECT * FROM child") == [(1, 1)]


def test_sqlite_utils_794_a_rebuild_keeps_the_collation_and_default_of_every_column(path: Path) -> None:
    columns = "code TEXT COLLATE NOCASE DEFAULT 'x', stamp TEXT DEFAULT CURRENT_TIMESTAMP, n DEFAULT (1 + 1)"
    make(path, f"CREATE TABLE t (id INTEGER PRIMARY KEY, {columns}, old INTEGER); INSERT INTO t (old) VALUES (1);")
    migrate(path, f"CREATE TABLE t (id INTEGER PRIMARY KEY, {columns}, old TEXT);")
    make(path, "INSERT INTO t (old) VALUES ('two');")
    assert rows(path, "SELECT code, n, length(stamp), old FROM t WHERE code = 'X'") == [
        ("x", 2, 19, "1"),
        ("x", 2, 19, "two"),
    ]


def test_alembic_1207_views_do_not_break_the_rebuild(path: Path) -> None:
    view = "CREATE VIEW names AS SELECT name FROM parent; CREATE VIEW longer AS SELECT name || '!' AS n FROM names;"
    make(path, PARENT + view + "INSERT INTO parent VALUES (1, 'a');")
    migrate(path, PARENT_STRICTER + view)
    assert rows(path, "SELECT * FROM longer") == [("a!",)]


def test_alembic_1112_a_partial_index_keeps_its_condition(path: Path) -> None:
    index = "CREATE UNIQUE INDEX one_boss ON parent (name) WHERE name LIKE 'boss%';"
    make(path, PARENT + index + "INSERT INTO parent VALUES (1, 'a'), (2, 'a'), (3, 'boss');")
    migrate(path, PARENT_STRICTER + index)
    assert "WHERE name LIKE 'boss%'" in rows(path, "SELECT sql FROM sqlite_schema WHERE name = 'one_boss'")[0][0]


def test_alembic_batch_unnamed_and_named_checks_stay(path: Path) -> None:
    checks = "CHECK (a > 0), CONSTRAINT small CHECK (a < 100)"
    make(path, f"CREATE TABLE t (a INTEGER CHECK (a <> 13), b TEXT, {checks}); INSERT INTO t VALUES (1, 'x');")
    migrate(path, f"CREATE TABLE t (a INTEGER CHECK (a <> 13), b TEXT NOT NULL, {checks});")
    for wrong in (0, 13, 100):
        with pytest.raises(Exception, match="CHECK constraint failed"):
            make(path, f"INSERT INTO t VALUES ({wrong}, 'y')")


def test_phoenix_15039_an_index_keeps_the_order_of_its_columns(path: Path) -> None:
    index = "CREATE INDEX newest ON parent (name DESC, id ASC);"
    make(path, PARENT + index)
    migrate(path, PARENT_STRICTER + index)
    assert rows(path, "SELECT name, \"desc\" FROM pragma_index_xinfo('newest') WHERE key") == [("name", 1), ("id", 0)]


def test_taskdog_881_all_indexes_are_there_after_a_rebuild(path: Path) -> None:
    indexes = "".join(f"CREATE INDEX i{n} ON parent (name, id + {n});" for n in range(5))
    make(path, PARENT + indexes)
    migrate(path, PARENT_STRICTER + indexes)
    assert rows(path, "SELECT count(*) FROM sqlite_schema WHERE type = 'index'") == [(5,)]


def test_gorm_236_triggers_and_strict_stay(path: Path) -> None:
    def table(column: str) -> str:
        return f"CREATE TABLE t (id INTEGER PRIMARY KEY, {column}) STRICT;"

    trigger = "CREATE TRIGGER log AFTER INSERT ON t BEGIN INSERT INTO seen VALUES (NEW.id); END;"
    seen = "CREATE TABLE seen (id INTEGER);"
    make(path, seen + table("a TEXT") + trigger + "INSERT INTO t VALUES (1, 'x');")
    migrate(path, seen + table("a TEXT NOT NULL") + trigger)
    make(path, "INSERT INTO t VALUES (2, 'y');")
    assert rows(path, "SELECT id FROM seen") == [(1,), (2,)], "the copy itself must not fire triggers"
    assert rows(path, "SELECT strict FROM pragma_table_list WHERE name = 't'") == [(1,)]


def test_django_29182_a_rebuild_does_not_repoint_foreign_keys(path: Path) -> None:
    child = "CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent(id));"
    make(path, PARENT + child)
    migrate(path, PARENT_STRICTER + child)
    assert rows(path, "SELECT \"table\" FROM pragma_foreign_key_list('child')") == [("parent",)]


def test_atlas_1597_an_index_with_an_expression_is_no_difference(path: Path) -> None:
    index = "CREATE INDEX lowered ON parent (lower( name ) COLLATE NOCASE, (id+1) DESC) WHERE name IS NOT NULL;"
    make(path, PARENT + index)
    with Database(path) as db:
        same = "CREATE INDEX LOWERED ON parent(lower(name) COLLATE nocase,( id + 1 ) DESC) WHERE name is not null;"
        assert not Plan.between(db.schema(), Schema.parse(PARENT + same))


def test_prisma_29024_a_column_is_added_without_a_rebuild(path: Path) -> None:
    make(path, PARENT + "INSERT INTO parent VALUES (1, 'a');")
    plan = migrate(path, "CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT, n INTEGER NOT NULL DEFAULT 3);")
    assert [step.sql for step in plan.steps] == [('ALTER TABLE "parent" ADD COLUMN n INTEGER NOT NULL DEFAULT 3',)]
    assert rows(path, "SELECT n FROM parent") == [(3,)]


def test_sqlite_orm_967_sync_drops_no_data(path: Path) -> None:
    class Parent(Model, table="parent"):
        id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
        title: Column[str | None] = column(default=None)

    make(path, PARENT + "INSERT INTO parent VALUES (1, 'a');")
    before = dump(path)
    with Database(path) as db, pytest.raises(MigrationError, match=r'"parent\.name" would go with its 1 value'):
        db.sync(Parent)
    assert dump(path) == before


def test_androidx_310_a_mismatch_says_what_differs(path: Path, tmp_path: Path) -> None:
    from cormorant import Bundle

    folder = tmp_path / "migrations"
    Bundle.generate_to(folder, "start", Schema.parse(PARENT))
    with Database(path) as db:
        Bundle(folder).apply(db)
        db.execute("ALTER TABLE parent ADD COLUMN extra TEXT")
        Bundle.generate_to(folder, "more", Schema.parse(PARENT + "CREATE TABLE more (id INTEGER PRIMARY KEY);"))
        with pytest.raises(MigrationError, match=r'add column "parent\.extra"') as drift:
            Bundle(folder).apply(db)
        assert drift.value.code == "CORM_E_MIGRATION_DRIFT"


def test_drift_2426_an_old_step_does_not_look_at_todays_models(path: Path, tmp_path: Path) -> None:
    from cormorant import Bundle

    folder = tmp_path / "migrations"

    def note(**later: object) -> type[Model]:
        fields = {"id": Column[int], "text": Column[str], **later}
        values = {"__annotations__": fields, "id": column(primary_key=True), "__module__": __name__}
        if "stars" in later:
            values["stars"] = column(default=0, default_sql="5")
        return type("Note", (Model,), values)  # type: ignore[return-value]

    first, second = note(), note(stars=Column[int])
    Bundle.generate(folder, "notes", first)
    Bundle.generate(folder, "stars", second)
    with Database(path) as db:
        Bundle(folder).apply(db, "0001_notes")
        assert db.schema() == Schema.of(first)
        db.execute("INSERT INTO note VALUES (1, 'x')")
        Bundle(folder).apply(db)
        assert db.schema() == Schema.of(second)
    assert rows(path, "SELECT * FROM note") == [(1, "x", 5)]


def test_the_high_water_mark_of_autoincrement_stays(path: Path) -> None:
    make(
        path,
        "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT); INSERT INTO t VALUES (1, 'x'), (900, 'y');"
        "DELETE FROM t WHERE id = 900;",
    )
    migrate(path, "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT NOT NULL);")
    make(path, "INSERT INTO t (a) VALUES ('z');")
    assert rows(path, "SELECT id FROM t") == [(1,), (901,)]


def test_hidden_rowids_stay(path: Path) -> None:
    make(path, "CREATE TABLE t (a TEXT); INSERT INTO t (rowid, a) VALUES (5, 'x'), (9, NULL);")
    migrate(path, "CREATE TABLE t (a TEXT, CHECK (a <> ''));")
    assert rows(path, "SELECT rowid, a FROM t") == [(5, "x"), (9, None)]


def test_generated_columns_and_without_rowid_stay(path: Path) -> None:
    def table(end: str) -> str:
        return (
            "CREATE TABLE t (a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2) VIRTUAL, c AS (a + b) STORED, "
            f"d TEXT{end}, PRIMARY KEY (a DESC)) WITHOUT ROWID;"
        )

    make(path, table("") + "INSERT INTO t (a, d) VALUES (1, 'x'), (2, 'y');")
    migrate(path, table(" NOT NULL"))
    assert rows(path, "SELECT * FROM t") == [(2, 4, 6, "y"), (1, 2, 3, "x")]
