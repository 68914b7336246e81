"""corm import."""

from __future__ import annotations

import http.server
import json
import os
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import COMMAND, ENVIRONMENT, Corm, make, rows


def put(corm: Corm, name: str, text: str | bytes) -> Path:
    path = corm.folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def declared(corm: Corm, table: str, file: str = "a.db") -> list[tuple[str, str]]:
    return [(row[1], row[2]) for row in rows(corm.folder / file, f'PRAGMA table_info("{table}")')]


def everything(corm: Corm, table: str, file: str = "a.db") -> list[tuple[Any, ...]]:
    return rows(corm.folder / file, f'SELECT * FROM "{table}"')


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


def test_unknown_titles_are_refused_at_once(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (name); CREATE VIEW v AS SELECT name FROM t")
    put(corm, "t.csv", "nmae\nx\n")
    assert "did you mean name?" in corm.fails("import", "a.db", "t.csv")
    assert "is a view" in corm.fails("import", "a.db", "t.csv", "--table", "v")
    put(corm, "t.csv", "name,name\nx,y\n")
    assert "two columns" in corm.fails("import", "a.db", "t.csv")
    assert "two columns" in corm.fails("import", "a.db", "t.csv", "--table", "new")
    assert everything(corm, "t") == []


# --- Rejected records ---


def test_records_that_do_not_fit_are_left_out_and_told(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER CHECK (n > 0), name TEXT)")
    put(
        corm,
        "t.csv",
        b'id,n,name\n1,1,a\n1,2,twice\n2,x,b\n3,-1,c\n4,1\n5,1,a,b\n6,1,"x" y\n7,1,a"b\n8,1,\xff\n9,1.5,z\n'
        b'99999999999999999999,1,z\n10,2,"two\nlines"\n11,1,"never closed\n12,3,last\n',
    )
    result = corm.run("import", "a.db", "t.csv", "--rejects", "bad.csv", status=2)
    assert result.out == "3 rows imported, 11 rejected\n"
    assert everything(corm, "t") == [(1, 1, "a"), (10, 2, "two\nlines"), (12, 3, "last")]
    lines = result.err.splitlines()
    assert lines[0].startswith("rejected: line 3: UNIQUE constraint failed: t.id")
    assert lines[-1] == "and 1 more"
    import csv

    told = list(csv.DictReader((corm.folder / "bad.csv").open(newline="")))
    assert [int(one["line"]) for one in told] == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15]
    assert told[0]["record"] == "1,2,twice"
    assert "is no integer" in told[1]["reason"]
    assert "CHECK" in told[2]["reason"]
    assert told[3]["reason"] == "it has 2 fields where 3 are wanted"
    assert told[5]["record"] == '6,1,"x" y'
    assert told[7]["reason"] == "it is not UTF-8"
    assert "never closed" in told[10]["reason"]


def test_lines_that_are_no_object_are_rejected(corm: Corm) -> None:
    put(corm, "t.ndjson", '{"a": 1}\n[1]\n{"a": 2\n{"a": 3} x\n{"a": 1, "a": 2}\n{"a": 4}\n')
    result = corm.run("import", "a.db", "t.ndjson", "--json", status=2)
    assert result.json == {"table": "t", "imported": 2, "rejected": 4}
    assert everything(corm, "t") == [(1,), (4,)]


def test_unknown_keys_are_rejected(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a)")
    put(corm, "t.json", '[{"a": 1}, {"a": 2, "b": 3}, 5]')
    assert 'no column "b"' in corm.run("import", "a.db", "t.json", status=2).err
    assert everything(corm, "t") == [(1,)]


def test_a_broken_foreign_key_rejects_its_record(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (p REFERENCES p)")
    put(corm, "t.csv", "p\n1\n")
    assert "FOREIGN KEY" in corm.run("import", "a.db", "t.csv", status=2).err


# --- What fails as a whole leaves the file as it was ---


@pytest.mark.parametrize(
    "text", ['[{"a": 1}, {"a": 2', '[{"a": 1}, {"a": tru', '[{"a": 1} {"a": 2}]', '{"a": 1}', "[1] x", ""]
)
def test_json_that_is_cut_or_broken_imports_nothing(corm: Corm, text: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a)")
    put(corm, "t.json", text)
    assert "the document is no JSON" in corm.fails("import", "a.db", "t.json", "--rejects", "bad.csv")
    assert everything(corm, "t") == []
    assert "no JSON" in corm.fails("import", "new.db", "t.json")
    assert sorted(os.listdir(corm.folder)) == ["a.db", "t.json"]


def test_what_cannot_be_read_or_written(corm: Corm) -> None:
    put(corm, "t.csv", "a\n1\n")
    put(corm, "empty.csv", "")
    put(corm, "wide.csv", "a,b\n1,2\n".encode("utf-16"))
    assert "nothing to import" in corm.fails("import", "a.db", "empty.csv")
    assert "not UTF-8" in corm.fails("import", "a.db", "wide.csv")
    assert "written over" in corm.fails("import", "a.db", "t.csv", "--rejects", "t.csv")
    assert "cannot be opened" in corm.fails("import", "a.db", "missing.csv")
    assert "folder" in corm.fails("import", "a.db", ".", "--format", "csv", "--table", "t")
    assert "folder" in corm.fails("import", "a.db", "t.csv", "--rejects", "no/such/file")
    assert "--format" in corm.fails("import", "a.db", "-", status=64)
    assert "--table" in corm.fails("import", "a.db", "-", "--format", "csv", status=64)
    assert "no SQLite database" in corm.fails("import", "t.csv", "t.csv")
    assert sorted(os.listdir(corm.folder)) == ["empty.csv", "t.csv", "wide.csv"]


def test_a_trigger_that_rolls_back_fails_the_import(corm: Corm) -> None:
    script = (
        "CREATE TABLE t (a); CREATE TRIGGER r BEFORE INSERT ON t WHEN new.a = 3 BEGIN SELECT raise(ROLLBACK, 'no'); END"
    )
    make(corm.folder / "a.db", script)
    put(corm, "t.csv", "a\n1\n2\n3\n4\n")
    corm.fails("import", "a.db", "t.csv")
    assert everything(corm, "t") == []


def slow_import(corm: Corm, *arguments: str) -> subprocess.Popen[bytes]:
    """An import that waits for more of its data."""
    import_ = corm.start("import", "a.db", "-", "--format", "csv", "--table", "t", *arguments, TMPDIR=str(corm.folder))
    assert import_.stdin is not None
    import_.stdin.write(b"a\n" + b"1\n" * 200_000)
    import_.stdin.flush()
    time.sleep(0.5)
    return import_


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_new", [True, False])
def test_an_interrupted_import_leaves_nothing(corm: Corm, number: int, is_new: bool) -> None:
    if not is_new:
        make(corm.folder / "a.db", "CREATE TABLE t (a)")
    import_ = slow_import(corm, "--rejects", "bad.csv")
    import_.send_signal(number)
    _, err = import_.communicate(timeout=20)
    assert (import_.returncode, err.decode()) == (130, "corm: interrupted\n")
    assert os.listdir(corm.folder) == ([] if is_new else ["a.db"])
    if not is_new:
        assert everything(corm, "t") == []


def test_a_killed_import_leaves_the_file_as_it_was(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a); INSERT INTO t VALUES ('mine')")
    import_ = slow_import(corm)
    import_.kill()
    import_.communicate()
    assert everything(corm, "t") == [("mine",)]


def test_progress_is_shown_on_a_terminal(corm: Corm) -> None:
    put(corm, "t.csv", "a,b,c\n" + "12345,some text that is not short,0.125\n" * 400_000)
    shown = corm.terminal("import", "a.db", "t.csv")
    assert "looking at the types" in shown
    assert "importing, " in shown
    assert shown.endswith("400000 rows imported\n")
    assert "importing" not in corm.run("import", "a.db", "t.csv").err


def test_ctrl_c_on_a_terminal(corm: Corm) -> None:
    put(corm, "t.csv", "a,b,c\n" + "12345,some text that is not short,0.125\n" * 1_000_000)
    make(corm.folder / "a.db", "CREATE TABLE t (a, b, c)")
    shown = corm.terminal("import", "a.db", "t.csv", status=130, interrupt=lambda text: "importing" in text)
    assert "interrupted" in shown
    assert everything(corm, "t") == []


# --- URLs ---


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"id,name\n" + b"".join(b"%d,name %d\n" % (n, n) for n in range(20_000))
        if self.path == "/moved.csv":
            self.send_response(302)
            self.send_header("Location", "/t.csv")
            self.end_headers()
            return
        if self.path == "/away.csv":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return
        if not self.path.startswith(("/t.csv", "/cut.csv")):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:1000] if self.path == "/cut.csv" else body)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("path", ["t.csv", "t.csv?key=a/b.json#x", "moved.csv"])
def test_a_url_is_imported(corm: Corm, url: str, path: str) -> None:
    result = corm.run("import", "a.db", f"{url}/{path}", "--table", "t", TMPDIR=str(corm.folder))
    assert result.out == "20000 rows imported\n"
    assert rows(corm.folder / "a.db", "SELECT sum(id), max(name) FROM t") == [(199990000, "name 9999")]
    assert os.listdir(corm.folder) == ["a.db"]


@pytest.mark.parametrize(
    ("path", "reason"), [("missing.csv", "answered 404"), ("cut.csv", "cannot be read"), ("away.csv", "cannot be read")]
)
def test_a_url_that_gives_no_whole_data_imports_nothing(corm: Corm, url: str, path: str, reason: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (id, name)")
    assert reason in corm.fails("import", "a.db", f"{url}/{path}", "--table", "t")
    assert everything(corm, "t") == []


def test_a_server_that_is_not_there(corm: Corm) -> None:
    assert "cannot be read" in corm.fails("import", "a.db", "http://127.0.0.1:1/t.csv")
    assert os.listdir(corm.folder) == []


# --- Memory ---


def test_memory_stays_flat(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a INTEGER, b TEXT, c REAL)")

    def peak(count: int) -> int:
        put(corm, "t.csv", "a,b,c\n" + "12345,some text that is not short,0.125\n" * count)
        with subprocess.Popen(
            [COMMAND, "import", "a.db", "t.csv"], cwd=corm.folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL
        ) as running:
            _, status, usage = os.wait4(running.pid, 0)
            running.returncode = status
        assert status == 0
        return usage.ru_maxrss

    small, large = peak(20_000), peak(400_000)
    assert large < small + 8192, (small, large)


def test_sqlite_reads_what_was_imported(corm: Corm) -> None:
    put(corm, "t.csv", "a\n" + "".join(f"{n}\n" for n in range(1000)))
    corm.run("import", "a.db", "t.csv")
    with sqlite3.connect(corm.folder / "a.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
