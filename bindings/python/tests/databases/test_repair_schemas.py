"""What repair makes of a schema: of the file, kept beside it or given, damaged or hostile."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest
from damaged import NUMBERS, PAGE, SCHEMA, Damaged, all_of

from cormorant import DatabaseError, repair

HOSTILE = [
    (
        "table",
        "z",
        "CREATE TABLE z AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c",
    ),
    ("table", "z", "CREATE TRIGGER z AFTER INSERT ON a BEGIN DELETE FROM a; END"),
    ("table", "z", "CREATE TEMP TRIGGER z AFTER INSERT ON a BEGIN INSERT INTO a VALUES (NULL, 'new'); END"),
    ("table", "z", "CREATE TABLE y (x)"),
    ("view", "z", "CREATE TABLE z (x)"),
    ("table", "a", "CREATE VIRTUAL TABLE a USING fts5 (x)"),
    ("table", "z", "CREATE VIRTUAL TABLE y USING fts5 (x)"),
    ("table", "z", "CREATE VIRTUAL TABLE z USING ("),
    ("table", "sqlite_schema", "CREATE VIRTUAL TABLE sqlite_schema USING fts5 (x)"),
    ("table", "f", "CREATE VIRTUAL TABLE f USING fts5 (y)"),
]


@pytest.mark.parametrize("row", [b"tableww", b"viewseenseen", b"triggertoldkeep", b"indexfoundkeep", b"tablebarebare"])
def test_a_row_of_the_schema_that_is_none_is_told(path: Path, row: bytes) -> None:
    file = Damaged(path, SCHEMA)
    file.bytes[file.bytes.index(row)] ^= 0x20
    report, saved = file.repair()
    assert not report.is_whole
    assert all_of(saved, "SELECT count(*) FROM keep") == [(100,)]
    if row == b"tableww":
        assert all_of(saved, "SELECT count(*) FROM lost_and_found WHERE c0 LIKE 'key %'") == [(2000,)]
    else:
        # An index that is not known has entries that may be rows of a table WITHOUT ROWID.
        assert report.found_rows == (101 if row == b"indexfoundkeep" else 1)
        name = row[-4:].decode() if row != b"triggertoldkeep" else "told"
        if row != b"indexfoundkeep":
            assert all_of(saved, f"SELECT c1 FROM lost_and_found WHERE c4 LIKE 'CREATE%{name}%'") == [(name,)]


@pytest.mark.parametrize("row", HOSTILE, ids=[str(number) for number in range(len(HOSTILE))])
def test_a_schema_does_nothing_but_make_what_it_says(path: Path, row: tuple[str, str, str]) -> None:
    script = "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x'), (2, 'y');"
    file = Damaged(path, script + "CREATE VIRTUAL TABLE f USING fts5 (x); INSERT INTO f VALUES ('found')")
    changed = sqlite3.connect(path)
    changed.execute("PRAGMA writable_schema = ON")
    with changed:
        changed.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, 0, ?)", (row[0], row[1], row[1], row[2]))
    changed.close()
    file.bytes = bytearray(path.read_bytes())
    report, saved = file.repair()
    assert [table.problem for table in report.tables if table.name == row[1] and table.problem]
    assert all_of(saved, "SELECT * FROM a") == [(1, "x"), (2, "y")]
    assert all_of(saved, "SELECT * FROM f ('found')") == [("found",)]
    assert all_of(saved, "SELECT name FROM sqlite_schema WHERE name GLOB '[a-eg-km-z]*'") == [("a",)]


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{other}' AS other; DROP TABLE other.kept",
        "VACUUM INTO '{made}'",
        "CREATE VIRTUAL TABLE g USING fts5 (x); ATTACH '{other}' AS other; DROP TABLE other.kept",
        "ATTACH '{made}' AS made; CREATE TABLE made.x (y)",
        "CREATE TABLE z AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        "CREATE TABLE a (broken",
    ],
)
@pytest.mark.parametrize("is_kept", [True, False])
def test_a_schema_that_is_given_does_nothing_but_make(path: Path, sql: str, is_kept: bool) -> None:
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    other, made = path.with_name("other.db"), path.with_name("made.db")
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE kept (x)")
    db.close()
    sql = sql.format(other=other, made=made)
    if is_kept:
        with sqlite3.connect(path.with_name(path.name + "-corm-schema")) as db:
            db.execute("CREATE TABLE schema (sql TEXT NOT NULL)")
            db.executemany("INSERT INTO schema VALUES (?)", [(sql,), ("CREATE TABLE added (x)",)])
        db.close()
        report, saved = file.repair()
        assert report.is_whole
        assert {("a",), ("added",)} <= set(all_of(saved, "SELECT name FROM sqlite_schema"))
    else:
        file.path.write_bytes(file.bytes)
        with pytest.raises(DatabaseError, match="incomplete input" if "broken" in sql else "more than CREATE"):
            repair(path, path.with_name("new.db"), schema="CREATE VIRTUAL TABLE f USING fts5 (x); " + sql)
    assert not made.exists()
    kept = sqlite3.connect(other)
    assert all_of(kept, "SELECT name FROM sqlite_schema") == [("kept",)]
    kept.close()


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE added (x DEFAULT '" + ";" * 300_000 + "')",
        "CREATE TABLE added (x); CREATE TRIGGER t AFTER INSERT ON added BEGIN " + "SELECT 1; " * 50_000 + "END",
    ],
    ids=["text", "trigger"],
)
def test_a_schema_of_many_semicolons_is_read_in_time(path: Path, sql: str) -> None:
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    file.path.write_bytes(file.bytes)
    start = time.monotonic()
    repair(path, path.with_name("new.db"), schema=sql + "; CREATE VIEW seen AS SELECT x FROM added")
    assert time.monotonic() - start < 10
    saved = sqlite3.connect(path.with_name("new.db"))
    assert {("a",), ("added",), ("seen",)} <= set(all_of(saved, "SELECT name FROM sqlite_schema"))
    saved.close()


def test_a_part_of_the_schema_that_is_lost_is_told(path: Path) -> None:
    script = "CREATE TABLE t (a); INSERT INTO t VALUES (1);"
    script += "".join(f"CREATE VIEW v{number} AS SELECT '{'x' * 200}';" for number in range(60))
    file = Damaged(path, script)
    leaf = int.from_bytes(file.bytes[108:112], "big")
    assert file.bytes[100] == 5
    file.bytes[file.at(leaf) : file.at(leaf + 1)] = bytes(PAGE)
    report, saved = file.repair()
    assert not report.is_whole
    assert [(table.name, bool(table.problem)) for table in report.tables] == [("t", False), ("sqlite_schema", True)]
    assert all_of(saved, "SELECT * FROM t") == [(1,)]


@pytest.mark.parametrize("is_vacuumed", [False, True])
def test_a_schema_as_the_shell_of_sqlite_prints_it(path: Path, is_vacuumed: bool) -> None:
    script = """
        CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b); INSERT INTO t (b) VALUES ('x');
        CREATE INDEX i ON t (b); CREATE VIRTUAL TABLE f USING fts5 (a); INSERT INTO f VALUES ('found');
        CREATE VIRTUAL TABLE r USING rtree (id, a, b); INSERT INTO r VALUES (1, 2, 3);
        CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT CASE WHEN 1 THEN ';' ELSE 'END;' END; END; ANALYZE;
    """
    file = Damaged(path, script + ("VACUUM" if is_vacuumed else ""))
    reader = sqlite3.connect(path)
    printed = "".join(f"{sql};\n" for (sql,) in reader.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    names = {name for (name,) in reader.execute("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL")}
    reader.close()
    file.bytes[100:PAGE] = bytes(PAGE - 100)
    path.write_bytes(file.bytes)
    report = repair(path, path.with_name("new.db"), schema=printed)
    assert all(table.problem is None for table in report.tables)
    saved = sqlite3.connect(path.with_name("new.db"))
    assert names - {"sqlite_stat1"} <= {name for (name,) in saved.execute("SELECT name FROM sqlite_schema")}
    saved.close()


def test_what_only_the_program_can_compute_is_told(path: Path) -> None:
    def twice(number: int) -> int:
        return number * 2

    program = sqlite3.connect(path)
    program.create_function("twice", 1, twice, deterministic=True)
    program.create_collation("backwards", lambda a, b: (a < b) - (a > b))
    program.executescript(
        "CREATE TABLE computed (a INT, g AS (twice(a)) STORED); INSERT INTO computed VALUES (1);"
        "CREATE TABLE plain (a INT); INSERT INTO plain VALUES (1);"
        "CREATE TABLE indexed (a INT, s TEXT); CREATE INDEX i ON indexed (twice(a));"
        "CREATE TABLE compared (s TEXT COLLATE backwards PRIMARY KEY) WITHOUT ROWID; INSERT INTO compared VALUES ('x');"
        "CREATE VIEW v AS SELECT twice(a) FROM plain"
    )
    program.close()
    report = repair(path, path.with_name("new.db"))
    told = {table.name for table in report.tables if table.problem and "only its program has" in table.problem}
    assert told == {"computed", "indexed", "compared"}


def test_a_copy_of_the_schema_that_is_no_table_ends(path: Path) -> None:
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    with sqlite3.connect(path.with_name(path.name + "-corm-schema")) as copy:
        copy.execute(
            "CREATE VIEW schema AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT i AS sql FROM n"
        )
    copy.close()
    start = time.monotonic()
    report, saved = file.repair()
    assert report.is_whole
    assert time.monotonic() - start < 10
    assert all_of(saved, "SELECT v FROM a") == [("x",)]


def test_what_is_not_run_of_a_copy_that_is_needed_is_told(path: Path) -> None:
    file = Damaged(path, "CREATE TABLE a (id INTEGER PRIMARY KEY, v); INSERT INTO a VALUES (1, 'x')")
    with sqlite3.connect(path.with_name(path.name + "-corm-schema")) as copy:
        copy.execute("CREATE TABLE schema (sql TEXT NOT NULL)")
        texts = ["CREATE TABLE a (id INTEGER PRIMARY KEY, v)", "CREATE VIRTUAL TABLE m USING nobodys_module (x)"]
        copy.executemany("INSERT INTO schema VALUES (?)", [(text,) for text in texts])
    copy.close()
    file.bytes[100:PAGE] = bytes(PAGE - 100)
    report, _ = file.repair()
    assert [table.name for table in report.tables if table.problem] == ["sqlite_schema"]


def test_rows_of_a_table_that_the_schema_lost_are_no_other_tables(path: Path) -> None:
    """Those of the one table that has lost its rows look like them."""
    people = (
        "CREATE TABLE {0} (id INTEGER PRIMARY KEY, who TEXT, what TEXT);"
        + NUMBERS.format(200).replace("{", "{{").replace("}", "}}")
        + "INSERT INTO {0} SELECT {1} + i, '{0}', i FROM n;"
    )
    filler = "".join(f"CREATE TABLE filler{number} (a /* {'x' * 3000} */);" for number in range(3))
    made = Damaged(path, people.format("note", 0) + filler + people.format("salary", 1000))
    (schema,) = [
        page
        for page in range(2, len(made.bytes) // PAGE + 1)
        if b"TABLE salary" in made.bytes[made.at(page) : made.at(page) + PAGE]
    ]
    for page in (schema, made.roots["note"]):
        made.bytes[made.at(page) : made.at(page) + PAGE] = bytes(PAGE)
    report, saved = made.repair()
    assert not report.is_whole
    assert "sqlite_schema" in [table.name for table in report.tables]
    assert all_of(saved, "SELECT count(*) FROM note WHERE who = 'salary'") == [(0,)]
    assert all_of(saved, "SELECT count(*) FROM lost_and_found WHERE c1 = 'salary'") == [(200,)]
