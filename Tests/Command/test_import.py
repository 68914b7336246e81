"""corm import: into new tables and those that are there."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys

import pytest
from command_runs import Corm, declared, everything, put, rows
from running import COMMAND, ENVIRONMENT, make

MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

# --- A new table ---


def test_a_new_table_has_types_that_hold_every_value(corm: Corm) -> None:
    put(
        corm,
        "t.csv",
        "id,zip,price,on,note,big,x\n1,01234,0.5,true,a,12345678901234567890,x'00ff'\n2,99999,2,false,,1,\n",
    )
    assert corm.run("import", "a.db", "t.csv").out == "2 rows imported\n"
    assert declared(corm, "t") == [
        ("id", "INTEGER"), ("zip", "TEXT"), ("price", "REAL"), ("on", "BOOLEAN"), ("note", "TEXT"), ("big", "TEXT"),
        ("x", "BLOB"),
    ]  # fmt: skip
    assert everything(corm, "t") == [
        (1, "01234", 0.5, 1, "a", "12345678901234567890", b"\x00\xff"),
        (2, "99999", 2.0, 0, None, "1", None),
    ]


def test_types_are_those_of_all_records(corm: Corm) -> None:
    put(corm, "t.csv", "a\n" + "1\n" * 5000 + "x\n")
    corm.run("import", "a.db", "t.csv")
    assert declared(corm, "t") == [("a", "TEXT")]
    assert rows(corm.folder / "a.db", "SELECT count(*), max(a) FROM t WHERE typeof(a) = 'text'") == [(5001, "x")]


def test_from_a_pipe_the_types_are_those_of_all_records_too(corm: Corm) -> None:
    text = "a,b\n" + "1,2\n" * 5000 + "1,x\n"
    result = corm.run("import", "a.db", "-", "--format", "csv", "--table", "t", stdin=text, TMPDIR=str(corm.folder))
    assert result.out == "5001 rows imported\n"
    assert declared(corm, "t") == [("a", "INTEGER"), ("b", "TEXT")]
    assert os.listdir(corm.folder) == ["a.db"]


def test_what_was_read_of_standard_input_is_not_read_again(corm: Corm) -> None:
    put(corm, "t.csv", "not,mine\na,b\n1,2\n")
    script = f"{{ read line; {COMMAND} import a.db - --format csv --table t; }} < t.csv"
    subprocess.run(["bash", "-c", script], cwd=corm.folder, env=ENVIRONMENT, check=True, timeout=60)
    assert declared(corm, "t") == [("a", "INTEGER"), ("b", "INTEGER")]
    assert everything(corm, "t") == [(1, 2)]


def test_json_makes_a_table_of_all_its_keys(corm: Corm) -> None:
    records = [{"id": 1, "name": "Ada", "tags": [1, {"x": 2}]}, {"id": 2, "score": 1.5, "ok": True, "name": None}]
    put(corm, "t.json", json.dumps(records))
    assert corm.run("import", "a.db", "t.json", "--json").json == {"table": "t", "imported": 2, "rejected": 0}
    assert declared(corm, "t") == [
        ("id", "INTEGER"), ("name", "TEXT"), ("tags", "TEXT"), ("score", "REAL"), ("ok", "BOOLEAN"),
    ]  # fmt: skip
    assert everything(corm, "t") == [(1, "Ada", '[1, {"x": 2}]', None, None), (2, None, None, 1.5, 1)]


def test_ndjson_is_an_object_on_each_line(corm: Corm) -> None:
    put(corm, "t.ndjson", '\ufeff{"a": "x\\n\\u00e9\\ud83d\\udc26"}\n\n  {"a": "", "b": 9223372036854775807}\r\n{}')
    assert corm.run("import", "a.db", "t.ndjson").out == "3 rows imported\n"
    assert everything(corm, "t") == [("x\né🐦", None), ("", 9223372036854775807), (None, None)]


def test_the_key_of_an_upsert_is_the_key_of_a_new_table(corm: Corm) -> None:
    put(corm, "t.csv", "id,name\n1,a\n2,b\n1,c\n")
    assert corm.run("import", "a.db", "t.csv", "--upsert", "id").out == "3 rows imported\n"
    assert everything(corm, "t") == [(1, "c"), (2, "b")]
    put(corm, "u.csv", "a,b,n\n1,1,x\n1,1,y\n")
    corm.run("import", "a.db", "u.csv", "--upsert", "a,b")
    assert everything(corm, "u") == [(1, 1, "y")]


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["3,4", '3,"4"', "3,", '"3",'])
def test_the_last_line_may_end_anyhow(corm: Corm, last: str, end: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a, b)")
    put(corm, "t.csv", f"a,b\n1,2\n{last}{end}")
    assert corm.run("import", "a.db", "t.csv").out == "2 rows imported\n"
    assert corm.run("import", "a.db", "t.csv", "--table", "new").out == "2 rows imported\n"
    assert [str(row[0]) for row in everything(corm, "t")] == ["1", "3"]


@pytest.mark.parametrize("name", ['with "quotes"', "🐦", "select", "a;b", "../up", "a\tb", "'"])
def test_hostile_names(corm: Corm, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    put(corm, "t.csv", f"{quoted},b\n1,2\n")
    corm.run("import", "a.db", "t.csv", "--table", name)
    assert rows(corm.folder / "a.db", f"SELECT {quoted}, b FROM {quoted}") == [(1, 2)]
    assert sorted(os.listdir(corm.folder)) == ["a.db", "t.csv"]


# --- A table that is there ---


def test_a_table_that_is_there_keeps_its_types(corm: Corm) -> None:
    make(
        corm.folder / "a.db",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, n REAL, ok BOOLEAN DEFAULT 1, b BLOB, any)",
    )
    put(corm, "t.csv", "NAME,id,n,ok,b,any\n007,7,1e3,yes,x'41',5\n,8, 2 ,0,,x'42'\n\"\",,,,,\"t\"\n")
    corm.run("import", "a.db", "t.csv")
    assert everything(corm, "t") == [
        (7, "007", 1000.0, 1, b"A", 5), (8, "", 2.0, 0, None, b"B"), (9, "", None, None, None, "t"),
    ]  # fmt: skip


def test_missing_columns_have_their_defaults(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a DEFAULT 'd', g AS (id + 1))")
    put(corm, "t.ndjson", '{"id": 1}\n{"id": 2, "a": null}\n{"a": "x", "g": 99}\n{}\n')
    assert corm.run("import", "a.db", "t.ndjson").out == "4 rows imported\n"
    assert everything(corm, "t") == [(1, "d", 2), (2, None, 3), (3, "x", 4), (4, "d", 5)]


def test_records_without_titles_go_into_the_columns_in_order(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a, g AS (a), b)")
    put(corm, "t.csv", "1,2\n3,4\n")
    corm.run("import", "a.db", "t.csv", "--no-header")
    assert everything(corm, "t") == [(1, 1, 2), (3, 3, 4)]
    corm.run("import", "a.db", "t.csv", "--no-header", "--table", "u")
    assert declared(corm, "u") == [("c1", "INTEGER"), ("c2", "INTEGER")]


def test_an_upsert_updates_what_the_data_gives(corm: Corm) -> None:
    make(
        corm.folder / "a.db",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name, kept DEFAULT 'k');"
        "INSERT INTO t VALUES (1, 'a', 'old', 'mine')",
    )
    put(corm, "t.csv", "code,name\na,new\nb,other\n")
    corm.run("import", "a.db", "t.csv", "--upsert", "code")
    assert everything(corm, "t") == [(1, "a", "new", "mine"), (2, "b", "other", "k")]
    assert "no key" in corm.fails("import", "a.db", "t.csv", "--upsert", "name")
    assert "--upsert" in corm.fails("import", "a.db", "t.csv", "--upsert", "nam")
    assert "--upsert" in corm.fails("import", "a.db", "t.csv", "--upsert", "id")


def test_an_upsert_wants_the_key_of_each_record(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, name)")
    put(corm, "t.ndjson", '{"id": 1, "name": "a"}\n{"name": "b"}\n{"id": null, "name": "c"}\n{"ID": 1, "name": "d"}\n')
    result = corm.run("import", "a.db", "t.ndjson", "--upsert", "Id", status=2)
    assert result.out == "2 rows imported, 2 rejected\n"
    assert result.err.count('it has no value of "Id", by which --upsert finds its row') == 2
    assert everything(corm, "t") == [(1, "d")]


def test_unknown_titles_are_refused_at_once(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (name); CREATE VIEW v AS SELECT name FROM t")
    put(corm, "t.csv", "nmae\nx\n")
    assert "did you mean name?" in corm.fails("import", "a.db", "t.csv")
    assert "is a view" in corm.fails("import", "a.db", "t.csv", "--table", "v")
    put(corm, "t.csv", "name,name\nx,y\n")
    assert "two columns" in corm.fails("import", "a.db", "t.csv")
    assert "two columns" in corm.fails("import", "a.db", "t.csv", "--table", "new")
    assert everything(corm, "t") == []


# --- Memory ---


def test_memory_stays_flat(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a INTEGER, b TEXT, c REAL)")

    def peak(count: int) -> int:
        put(corm, "t.csv", "a,b,c\n" + "12345,some text that is not short,0.125\n" * count)
        # Behind a small process: until it is the command, a new one counts as large as the one that starts it.
        line = [sys.executable, "-c", MEASURE, COMMAND, "import", "a.db", "t.csv"]
        done = subprocess.run(line, cwd=corm.folder, env=ENVIRONMENT, capture_output=True, text=True, check=True)
        return int(done.stdout)

    small, large = peak(20_000), peak(400_000)
    assert large < small + 8192, (small, large)


def test_sqlite_reads_what_was_imported(corm: Corm) -> None:
    put(corm, "t.csv", "a\n" + "".join(f"{n}\n" for n in range(1000)))
    corm.run("import", "a.db", "t.csv")
    with sqlite3.connect(corm.folder / "a.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
