"""corm diff, plan, migrate, down, status, generate-migration, seal, squash, adopt, resolve."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_runs import Corm, rows
from running import make

FIRST = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
SECOND = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);\n"
SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO person (name) SELECT i FROM n;\n"


@pytest.fixture
def bundle(corm: Corm) -> Path:
    """A bundle of two steps."""
    (corm.folder / "first.sql").write_text(FIRST)
    (corm.folder / "second.sql").write_text(SECOND)
    corm.run("generate-migration", "steps", "create_people", "first.sql")
    corm.run("generate-migration", "steps", "add_email", "second.sql")
    return corm.folder / "steps"


def columns(corm: Corm, path: str = "app.db") -> list[str]:
    return [name for (name,) in rows(corm.folder / path, "SELECT name FROM pragma_table_info('person')")]


def test_a_bundle_from_its_first_step_to_its_last_and_back(corm: Corm, bundle: Path) -> None:
    assert [path.name for path in sorted(bundle.iterdir())] == [
        "0001_create_people",
        "0002_add_email",
        "manifest.sha256",
    ]
    make(corm.folder / "app.db", "")
    plan = corm.run("plan", "app.db", "steps", "--json", status=2).json
    assert [step["id"] for step in plan["steps"]] == ["0001_create_people", "0002_add_email"]
    assert "CREATE TABLE" in plan["steps"][0]["sql"]
    assert (
        "2. 0002_add_email (safe)\n     -- risk: safe; add column" in corm.run("plan", "app.db", "steps", status=2).out
    )

    assert corm.run("migrate", "app.db", "steps", "--to", "0001_create_people").out == "applied 0001_create_people\n"
    assert columns(corm) == ["id", "name"]
    states = corm.run("status", "app.db", "steps", "--json", status=2).json
    assert [(step["id"], step["state"]) for step in states["steps"]] == [
        ("0001_create_people", "applied"),
        ("0002_add_email", "pending"),
    ]
    assert "corm migrate runs it" in corm.run("status", "app.db", "steps", status=2).out

    assert corm.run("migrate", "app.db", "steps", "--json").json == {"applied": ["0002_add_email"]}
    assert columns(corm) == ["id", "name", "email"]
    assert corm.run("migrate", "app.db", "steps").out == "nothing to do\n"
    assert corm.run("plan", "app.db", "steps").out == "nothing to do\n"
    assert corm.run("status", "app.db", "steps").out.count("applied ") == 3

    assert corm.run("down", "app.db", "steps").out == "reverted 0002_add_email\n"
    assert columns(corm) == ["id", "name"]
    assert corm.run("down", "app.db", "steps", "--all", "--json").json == {"reverted": ["0001_create_people"]}
    assert columns(corm) == []
    assert corm.run("down", "app.db", "steps").out == "nothing to do\n"
    corm.fails("down", "app.db", "steps", "--all", "--to", "0001_create_people", status=64)


def test_a_file_that_is_not_there_is_made_when_told_to(corm: Corm, bundle: Path) -> None:
    assert "there is no file" in corm.fails("migrate", "app.db", "steps")
    assert not (corm.folder / "app.db").exists()
    corm.run("migrate", "app.db", "steps", "--create")
    assert columns(corm) == ["id", "name", "email"]


def test_a_file_made_for_a_step_that_fails_does_not_stay(corm: Corm, bundle: Path) -> None:
    assert "there is no step" in corm.fails("migrate", "app.db", "steps", "--create", "--to", "0009")
    assert not list(corm.folder.glob("app.db*"))


def test_a_schema_that_loses_something_asks_for_leave(corm: Corm, bundle: Path) -> None:
    make(corm.folder / "app.db", SECOND + "INSERT INTO person VALUES (1, 'Ada', 'ada@example.org')")
    plan = corm.run("plan", "app.db", "first.sql", "--json", status=2).json
    assert plan["steps"][0]["problems"][0]["message"].startswith('column "person.email" would go')
    said = corm.fails("migrate", "app.db", "first.sql")
    assert said == (
        'corm: column "person.email" would go with its 1 value\n'
        "hint: nothing was changed; --allow-drop person.email drops it\n"
    )
    assert "--allow-drop person.email" in corm.fails("generate-migration", "steps", "smaller", "first.sql")
    assert columns(corm) == ["id", "name", "email"]
    corm.run("migrate", "app.db", "first.sql", "--allow-drop", "person.email", "--snapshot", "before.db")
    assert columns(corm) == ["id", "name"]
    assert columns(corm, "before.db") == ["id", "name", "email"]
    assert rows(corm.folder / "app.db", "SELECT * FROM person") == [(1, "Ada")]
    assert "a schema has none" in corm.fails("migrate", "app.db", "first.sql", "--to", "0001")


def test_diff_between_files_scripts_and_bundles(corm: Corm, bundle: Path) -> None:
    make(corm.folder / "old.db", FIRST + "CREATE INDEX by_name ON person (name);")
    assert corm.run("diff", "old.db", "second.sql", status=2).out == (
        '+ add column "person.email": email TEXT\n- drop index "by_name"\n'
    )
    assert corm.run("diff", "second.sql", "steps").out == "no difference\n"
    [change] = corm.run("diff", "-", "second.sql", "--json", stdin=FIRST, status=2).json["changes"]
    assert change == {
        "kind": "add column",
        "table": "person",
        "name": "email",
        "before": None,
        "after": "email TEXT",
    }
    assert corm.run("diff", "first.sql", "first.sql", "--json").json == {"changes": []}


def test_scripts_that_cannot_be_read_name_the_place(corm: Corm) -> None:
    (corm.folder / "broken.sql").write_text("CREATE TABLE a (x,\n  y));\n")
    (corm.folder / "latin.sql").write_bytes(b"CREATE TABLE caf\xe9 (x);")
    assert "  y));\n" in corm.fails("diff", "broken.sql", "broken.sql")
    assert "is not UTF-8" in corm.fails("diff", "latin.sql", "latin.sql")
    assert "there is no file" in corm.fails("diff", "nothing.sql", "broken.sql")


def test_what_was_changed_by_hand_is_shown_and_refused(corm: Corm, bundle: Path) -> None:
    corm.run("migrate", "app.db", "steps", "--create", "--to", "0001_create_people")
    make(corm.folder / "app.db", "ALTER TABLE person ADD COLUMN fax TEXT")
    assert '- drop column "person.fax"' in corm.run("status", "app.db", "steps", status=2).out
    assert corm.run("status", "app.db", "steps", "--json", status=2).json["drift"][0]["kind"] == "drop column"
    for command in ("plan", "migrate", "down"):
        assert "undo what was changed by hand" in corm.fails(command, "app.db", "steps")


def test_a_step_changed_by_hand_is_refused_until_sealed(corm: Corm, bundle: Path) -> None:
    with (bundle / "0002_add_email" / "up.sql").open("a") as file:
        file.write("CREATE INDEX by_name ON person (name);\n")
    assert "seal" in corm.fails("migrate", "app.db", "steps", "--create")
    # A way back that no longer fits is found when it is sealed.
    assert (
        'the way back of step 0002_add_email does not lead to the schema before it: drop index "by_name"'
        in corm.fails("seal", "steps")
    )
    down = bundle / "0002_add_email" / "down.sql"
    down.write_text("DROP INDEX by_name;\n" + down.read_text())
    assert corm.run("seal", "steps").out == "sealed 2 steps\n"
    corm.run("migrate", "app.db", "steps", "--create")
    assert rows(corm.folder / "app.db", "SELECT name FROM sqlite_schema WHERE type = 'index' AND name = 'by_name'")


def test_squash_and_adopt(corm: Corm, bundle: Path) -> None:
    corm.run("migrate", "old.db", "steps", "--create")
    assert corm.run("squash", "steps").out == "joined 2 steps into 0002_add_email\n"
    corm.run("migrate", "old.db", "steps")
    corm.run("status", "old.db", "steps")
    make(corm.folder / "found.db", SECOND)
    assert corm.run("adopt", "found.db", "steps").out == "adopted 0002_add_email\n"
    corm.run("status", "found.db", "steps")
    make(corm.folder / "other.db", FIRST)
    assert "differs from" in corm.fails("adopt", "other.db", "steps")


def steps(corm: Corm, *sql: str) -> None:
    for number, text in enumerate(sql, 1):
        folder = corm.folder / "own" / f"000{number}_step"
        folder.mkdir(parents=True)
        (folder / "up.sql").write_text(text)


def test_a_joined_step_renames_as_its_parts_did(corm: Corm) -> None:
    steps(
        corm,
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p); CREATE TABLE old (x);",
        "PRAGMA legacy_alter_table = ON; ALTER TABLE old RENAME TO new;",
        "ALTER TABLE p RENAME TO pp;",
    )
    corm.run("seal", "own")
    corm.run("migrate", "parts.db", "own", "--create")
    corm.run("squash", "own")
    corm.run("migrate", "joined.db", "own", "--create")
    corm.run("diff", "parts.db", "joined.db")
    corm.run("seal", "own")


def test_lines_of_engines_are_comments_of_their_own(corm: Corm) -> None:
    steps(
        corm,
        """CREATE TABLE t (x); INSERT INTO t VALUES ('a
-- engine: postgresql
b');
/* in the server's words this were
-- engine: postgresql
*/
CREATE TABLE u (y);
-- engine: postgresql
CREATE TABLE v (it text DEFAULT $$it's
-- engine: all
$$);
-- engine: sqlite
CREATE TABLE [it's] (z);
-- engine: all
CREATE TABLE w (z);
""",
    )
    corm.run("seal", "own")
    corm.run("migrate", "app.db", "own", "--create")
    assert rows(corm.folder / "app.db", "SELECT x FROM t") == [("a\n-- engine: postgresql\nb",)]
    names = rows(corm.folder / "app.db", "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'corm%' ORDER BY rowid")
    assert [name for (name,) in names] == ["t", "u", "it's", "w"]
    (corm.folder / "own" / "0001_step" / "up.sql").write_text(
        "CREATE TABLE t (x);\n-- engine: postgres\nCREATE TABLE u (x);"
    )
    assert 'the line "-- engine: postgres" names no engine' in corm.fails("seal", "own")


def test_what_is_temporary_ends_with_its_step(corm: Corm) -> None:
    steps(
        corm,
        "CREATE TABLE t (x); CREATE TEMP TABLE k (x); CREATE INDEX temp.i ON k (x);"
        "CREATE TEMP VIEW v AS SELECT x FROM k;"
        "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO k VALUES (new.x); END; INSERT INTO t VALUES (1);",
        "INSERT INTO t SELECT x FROM k;",
    )
    assert "no such table: k" in corm.fails("seal", "own")


@pytest.mark.parametrize("before", ["", "\n\n", "-- make it smaller\n", "/* a\n b */\n\r\n", "-- engine: all\n"])
def test_nothing_but_comments_stands_before_the_line_that_ends_a_transaction(corm: Corm, before: str) -> None:
    steps(corm, f"{before}-- outside transaction\nCREATE TABLE t (x);\nVACUUM;\n")
    corm.run("seal", "own")
    corm.run("migrate", "app.db", "own", "--create")
    corm.run("status", "app.db", "own")
    (corm.folder / "own" / "0001_step" / "up.sql").write_text(
        f"{before}CREATE TABLE t (x);\n-- outside transaction\nVACUUM;\n"
    )
    assert "a step may not hold VACUUM" in corm.fails("seal", "own")


def test_a_step_cut_short_is_resolved(corm: Corm, bundle: Path) -> None:
    (bundle / "0003_tidy").mkdir()
    (bundle / "0003_tidy" / "up.sql").write_text("-- outside transaction\nSELECT no_such_function();\n")
    corm.fails("migrate", "app.db", "steps", "--create")
    make(corm.folder / "empty.db", "")
    (bundle / "0003_tidy" / "up.sql").write_text(
        "-- outside transaction\nINSERT INTO person VALUES (NULL, 'x', 'y');\n"
    )
    corm.run("seal", "steps")
    make(corm.folder / "trigger.db", "")
    corm.run("migrate", "trigger.db", "steps", "--to", "0002_add_email")
    # A row in the way makes the step fail after it was recorded as begun.
    (bundle / "0003_tidy" / "up.sql").write_text("-- outside transaction\nINSERT INTO person VALUES (1, 'x', 'y');\n")
    corm.run("seal", "steps")
    make(corm.folder / "trigger.db", "INSERT INTO person VALUES (1, 'a', 'b')")
    corm.fails("migrate", "trigger.db", "steps")
    assert "corm resolve" in corm.run("status", "trigger.db", "steps", status=2).out
    corm.fails("migrate", "trigger.db", "steps")
    corm.run("resolve", "trigger.db", "steps", "0003_tidy", "--applied")
    corm.run("status", "trigger.db", "steps")
    assert "is not dirty" in corm.fails("resolve", "trigger.db", "steps", "0003_tidy", "--undone")


def test_ctrl_c_in_a_migration_leaves_the_file_as_it_was(corm: Corm, bundle: Path) -> None:
    path = corm.folder / "app.db"
    corm.run("migrate", "app.db", "steps", "--create")
    (bundle / "0003_fill").mkdir()
    (bundle / "0003_fill" / "up.sql").write_text(SLOW.replace("FROM n)", "FROM n LIMIT 3)"))
    corm.run("seal", "steps")
    (bundle / "0003_fill" / "up.sql").write_text(SLOW)
    manifest = (bundle / "manifest.sha256").read_text().splitlines()
    import hashlib

    digest = hashlib.sha256(SLOW.encode()).hexdigest()
    lines = [f"{digest}  0003_fill/up.sql" if line.endswith("0003_fill/up.sql") else line for line in manifest]
    (bundle / "manifest.sha256").write_text("\n".join(lines) + "\n")
    shown = corm.terminal(
        "migrate", "app.db", "steps", "--snapshot", "before.db", status=130, interrupt=lambda text: " rows" in text
    )
    # The bar counts rows, and is gone from the line when the message comes.
    assert "0003_fill" in shown
    assert "\r\x1b[2K\x1b[1;31mcorm:" in shown
    assert rows(path, "SELECT count(*) FROM person") == [(0,)]
    assert not list(corm.folder.glob("before.db*"))


def test_wrong_names(corm: Corm, bundle: Path) -> None:
    assert "is no folder" in corm.fails("status", "app.db", "nowhere")
    assert "letters, digits and underscores" in corm.fails("generate-migration", "steps", "../evil", "second.sql")
    assert corm.run("generate-migration", "steps", "nothing", "second.sql").out == "nothing to do\n"
    assert "0001_create_people" in corm.fails("squash", "steps", "--to", "0009")
