"""corm move, between files and a server, both ways: what arrives is what was there, or nothing is written."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from conftest import ROOT
from cormorant import Database, IntegrityError

CORM = ROOT / "build" / "corm"
CHINOOK = ROOT.parent / "shared" / "data" / "chinook.sqlite"


def corm(*arguments: object, status: int = 0) -> str:
    done = subprocess.run([CORM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def rows(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of the tables of a file."""
    with sqlite3.connect(file) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        quoted = {name: '"' + name.replace('"', '""') + '"' for name in tables}
        return {name: sorted(db.execute(f"SELECT * FROM {quoted[name]}"), key=repr) for name in tables}


def made(file: Path, script: str) -> Path:
    with sqlite3.connect(file) as db:
        db.executescript(script)
    return file


EDGES = """
CREATE TABLE kinds (
    id INTEGER PRIMARY KEY, whole INTEGER, small INT, flag BOOLEAN, ratio REAL, label TEXT, data BLOB, moment DATETIME,
    day DATE, hour TIME, token UUID_TEXT, price DECIMAL_TEXT, extra JSON, mixed NUMERIC);
INSERT INTO kinds VALUES (
    1, 9223372036854775807, -2147483648, 1, 1.7976931348623157e308, 'é' || char(10) || '🦤', x'00ff',
    '2024-02-29 23:59:59.999999', '0001-01-01', '23:59:59.000001', '00112233-4455-6677-8899-aabbccddeeff',
    '-12345678901234567890.1200', '{"b":[1,2.50,null,true],"a":"\\u00e9"}', 1.5);
INSERT INTO kinds VALUES (
    -5, -9223372036854775808, 2147483647, 0, -5e-324, '', x'', '9999-12-31 23:59:59', '9999-12-31', '00:00:00',
    'ffffffff-ffff-ffff-ffff-ffffffffffff', '0', '[]', 2);
INSERT INTO kinds (id, ratio) VALUES (9223372036854775807, 9e999);
CREATE TABLE keyless (name TEXT, n INTEGER);
INSERT INTO keyless VALUES ('b', 2), ('a', 1), ('b', 2), (NULL, NULL);
CREATE TABLE "od""d é" ("the key" TEXT, "select" REAL, PRIMARY KEY ("the key", "select"));
INSERT INTO "od""d é" VALUES ('Z', 1), ('a', -1), ('B', 0.5), ('é', 2), ('', 0);
CREATE TABLE prices (price DECIMAL_TEXT PRIMARY KEY);
INSERT INTO prices VALUES ('9'), ('10'), ('-1.50'), ('1.5');
CREATE TABLE parent (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE CHECK (length(name) > 0) DEFAULT 'x');
CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL REFERENCES parent (id) ON DELETE CASCADE);
CREATE INDEX child_parent ON child (parent);
INSERT INTO parent (id, name) VALUES (7, 'seven');
INSERT INTO child VALUES (1, 7);
"""


def test_edge_values_go_there_and_back(url: str, tmp_path: Path) -> None:
    file = made(tmp_path / "edges.db", EDGES)
    before = rows(file)
    assert "equal" in corm("move", file, url)
    with Database(url) as server:
        # The next key is behind those that were moved.
        server.execute("INSERT INTO parent (name) VALUES ('eight')")
        assert server.query("SELECT id FROM parent WHERE name = 'eight'").fetch_all()[0][0] == 8
        server.execute("DELETE FROM parent WHERE name = 'eight'")
        assert not server.query("SELECT to_regclass('corm_move') IS NOT NULL").fetch_all()[0][0]
    assert "equal" in corm("move", file, url, "--verify")
    back = tmp_path / "back.db"
    assert "equal" in corm("move", url, back)
    after = rows(back)
    # Without the key that a table without one has got, and without SQLite's own table of AUTOINCREMENT.
    after["keyless"] = sorted((row[1:] for row in after["keyless"]), key=repr)
    del before["sqlite_sequence"]
    # JSON is as the server writes it.
    for found in (before, after):
        found["kinds"] = [(*row[:12], row[13]) for row in found["kinds"]]
    assert after == before


@pytest.mark.skipif(not CHINOOK.exists(), reason="no ../shared/data/chinook.sqlite")
def test_chinook_goes_there_and_back(url: str, tmp_path: Path) -> None:
    assert "compared 15607 rows of 11 tables: equal" in corm("move", CHINOOK, url)
    back = tmp_path / "back.db"
    assert "equal" in corm("move", url, back)
    assert rows(back) == rows(CHINOOK)


def test_what_does_not_fit_is_told_before_anything_is_written(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "odd.db",
        """
        CREATE TABLE odd (id INTEGER PRIMARY KEY, n INTEGER, label TEXT, token UUID_TEXT, ratio REAL);
        INSERT INTO odd VALUES
            (1, 'many', 'fine', NULL, 1), (2, 2, 'nul' || char(0), 'ABC', 1), (3, 1.5, x'00', NULL, 9007199254740993);
        """,
    )
    told = corm("move", file, url, status=2)
    assert 'does not fit: odd.n, id 1: "many"' in told
    assert "does not fit: odd.n, id 3: 1.5" in told
    assert "does not fit: odd.label, id 2: a text with NUL" in told
    assert "does not fit: odd.label, id 3: a blob of 1 bytes" in told
    assert 'does not fit: odd.token, id 2: "ABC"' in told
    assert "nothing was written" in told
    with Database(url) as server:
        assert server.query("SELECT to_regclass('odd') IS NULL").fetch_all()[0][0]


def test_what_would_be_left_out_is_told(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "more.db",
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT CHECK (a GLOB '[a-z]*'), b AS (a || printf('%d', id)));
        CREATE VIEW v AS SELECT a FROM t;
        CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END;
        CREATE INDEX i ON t (lower(a));
        INSERT INTO t (a) VALUES ('one');
        """,
    )
    told = corm("move", file, url, status=2)
    for thing in ("the view v", "the trigger g on t", "the index i on t", "what computes t.b"):
        assert f"left out: {thing}" in told, told
    assert "equal" in corm("move", file, url, "--leave-out")
    with Database(url) as server:
        assert server.query("SELECT a, b FROM t").fetch_all() == [("one", "one1")]


def test_a_collation_that_nothing_there_holds_is_told(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "caseless.db",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b TEXT COLLATE NOCASE UNIQUE)",
    )
    told = corm("move", file, url, status=2)
    assert "left out: the collation of t.a: NOCASE" in told
    assert "t.b" not in told
    corm("move", file, url, "--leave-out")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE p (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE c (a INT REFERENCES p, b INT UNIQUE,"
        " PRIMARY KEY (a, b)); CREATE INDEX i ON c (b)",
        "CREATE TABLE t (a TEXT PRIMARY KEY, b TEXT COLLATE NOCASE UNIQUE, c INT CHECK (c > 5)) WITHOUT ROWID",
        "CREATE TABLE t (a TEXT, b INT)",
        "CREATE TABLE t (id INT PRIMARY KEY, x ANY) STRICT",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE)",
    ],
)
def test_what_was_moved_does_not_differ(url: str, tmp_path: Path, sql: str) -> None:
    file = made(tmp_path / "a.db", sql)
    corm("move", file, url, "--leave-out")
    assert "no difference" in corm("diff", file, url)
    assert "no difference" in corm("diff", url, file)
    corm("move", url, tmp_path / "b.db", "--leave-out")
    assert "no difference" in corm("diff", url, tmp_path / "b.db")


def test_what_a_file_does_not_check_is_told(url: str, tmp_path: Path) -> None:
    with Database(url) as db:
        db.execute_script(
            "CREATE TABLE p (a integer, b integer, PRIMARY KEY (a, b)); CREATE TABLE c (id integer PRIMARY KEY, "
            "a integer, b integer, d integer CONSTRAINT late UNIQUE DEFERRABLE, "
            "CONSTRAINT whole FOREIGN KEY (a, b) REFERENCES p MATCH FULL, "
            "CONSTRAINT part FOREIGN KEY (a, b) REFERENCES p ON DELETE SET NULL (b))"
        )
    told = corm("move", url, tmp_path / "new.db", status=2)
    for what in ("foreign key whole: it is MATCH FULL", "foreign key part: it sets", "unique late: it is DEFERRABLE"):
        assert f"left out: {what}" in told
    assert os.listdir(tmp_path) == []


def test_a_target_that_has_the_tables_is_refused(url: str, tmp_path: Path) -> None:
    file = made(tmp_path / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x')")
    corm("move", file, url)
    assert "the target has t already" in corm("move", file, url, status=1)
    with Database(url) as server:
        server.execute("UPDATE t SET a = 'y'")
    assert 'differs: t.a, id 1: "x" and "y"' in corm("move", file, url, "--verify", status=2)
    with Database(url) as server:
        server.execute("DELETE FROM t")
    assert "differs: t: there are more rows in the source" in corm("move", file, url, "--verify", status=2)


def moved(server: Database) -> int:
    """How many rows are there by now."""
    if server.fetch_value("SELECT to_regclass('many') IS NULL"):
        return 0
    count: int = server.fetch_value("SELECT count(*) FROM many")
    return count


@pytest.mark.parametrize("ends", [signal.SIGKILL, signal.SIGTERM])
def test_a_move_that_was_ended_goes_on(url: str, tmp_path: Path, ends: signal.Signals) -> None:
    file = made(
        tmp_path / "many.db",
        """
        CREATE TABLE many (a TEXT, b INTEGER, n INTEGER NOT NULL, PRIMARY KEY (a, b)) WITHOUT ROWID;
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300000)
        INSERT INTO many SELECT 'é' || (i % 7), i, i * 3 FROM c;
        """,
    )
    with Database(url) as server:
        for _ in range(2):
            before = moved(server)
            mover = subprocess.Popen([CORM, "move", file, url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while moved(server) == before and mover.poll() is None:
                time.sleep(0.001)
            mover.send_signal(ends)
            mover.wait()
        assert 0 < moved(server) < 300_000
        told = corm("move", file, url)
        assert "compared 300000 rows of 1 tables: equal" in told
        found = server.query("SELECT count(*), CAST(sum(n) AS bigint) FROM many").fetch_all()
        assert found == [(300000, 3 * 300000 * 300001 // 2)]
        assert server.query("SELECT to_regclass('corm_move') IS NULL").fetch_all()[0][0]


def test_two_files_or_two_urls_are_refused(url: str, tmp_path: Path) -> None:
    assert "neither is a URL" in corm("move", tmp_path / "a", tmp_path / "b", status=1)
    assert "both are URLs" in corm("move", url, url, status=1)
    assert os.listdir(tmp_path) == []


def test_what_a_file_has_no_words_for_is_left_out(url: str, tmp_path: Path) -> None:
    with Database(url) as db:
        db.execute_script(
            """
            CREATE TABLE t (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), a text CHECK (a LIKE 'x%'),
                n integer DEFAULT 3, half double precision GENERATED ALWAYS AS (n * 0.5::double precision) STORED,
                at timestamptz DEFAULT now(), CONSTRAINT small CHECK (n < 10));
            CREATE INDEX i ON t (n) WHERE a LIKE 'x%';
            INSERT INTO t (a) VALUES ('xy');
            """
        )
    file = tmp_path / "new.db"
    assert "there is no file" in corm("move", url, file, "--verify", status=1)
    told = corm("move", url, file, status=2)
    assert os.listdir(tmp_path) == []
    for thing in ("the default of t.id", "the check of t: ", "what computes t.half", "the index i on t"):
        assert f"left out: {thing}" in told, told
    assert told.count("left out:") == 4
    assert "equal" in corm("move", url, file, "--leave-out")
    with sqlite3.connect(file) as db:
        db.execute("INSERT INTO t (id) VALUES ('x')")
        assert db.execute("SELECT n, half FROM t ORDER BY half DESC").fetchall() == [(3, 1.5), (3, None)]
        assert "CURRENT_TIMESTAMP" in db.execute("SELECT sql FROM sqlite_schema").fetchone()[0]
        with pytest.raises(sqlite3.IntegrityError, match="small"):
            db.execute("INSERT INTO t (id, n) VALUES ('y', 10)")


def test_defaults_go_there_and_back(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "defaults.db",
        """
        CREATE TABLE t (
            id INTEGER PRIMARY KEY, a DATETIME DEFAULT CURRENT_TIMESTAMP, b DATE DEFAULT CURRENT_DATE,
            c TIME DEFAULT CURRENT_TIME, d REAL DEFAULT -1.5, e REAL DEFAULT 2, f INTEGER DEFAULT -3,
            g TEXT DEFAULT 'it''s', h BOOLEAN DEFAULT TRUE, i DECIMAL_TEXT DEFAULT '1.50',
            j TEXT DEFAULT CURRENT_TIMESTAMP, k INTEGER DEFAULT (1 + 2));
        """,
    )
    corm("move", file, url)
    back = tmp_path / "back.db"
    corm("move", url, back)
    answers = []
    for path in (file, back):
        with sqlite3.connect(path) as db:
            db.execute("INSERT INTO t (id) VALUES (1)")
            answers.append(db.execute("SELECT d, e, f, g, h, i, k, a = j, date(a) = b, time(a) = c FROM t").fetchall())
    assert answers[0] == answers[1] == [(-1.5, 2, -3, "it's", 1, "1.50", 3, 1, 1, 1)]


def test_the_truth_of_a_number_is_asked_for_there(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "truth.db",
        """
        CREATE TABLE t (
            id INTEGER PRIMARY KEY, a INTEGER CHECK (a IS NOT FALSE), g AS (a IS TRUE) STORED,
            h AS (a IS NOT TRUE) STORED);
        INSERT INTO t (a) VALUES (7), (-1), (NULL);
        """,
    )
    assert "equal" in corm("move", file, url)
    with Database(url) as db:
        assert db.query("SELECT g, h FROM t ORDER BY id").fetch_all() == [(1, 0), (1, 0), (0, 1)]
        with pytest.raises(IntegrityError):
            db.execute("INSERT INTO t (a) VALUES (0)")


def test_keys_that_were_given_are_not_given_again(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "given.db",
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT);
        CREATE TABLE emptied (id INTEGER PRIMARY KEY AUTOINCREMENT);
        INSERT INTO t VALUES (5, 'a'), (100, 'b');
        DELETE FROM t WHERE id = 100;
        INSERT INTO emptied VALUES (7);
        DELETE FROM emptied;
        """,
    )
    corm("move", file, url)
    with Database(url) as db:
        assert db.query("INSERT INTO t (a) VALUES ('c') RETURNING id").fetch_all() == [(101,)]
        assert db.query("INSERT INTO emptied DEFAULT VALUES RETURNING id").fetch_all() == [(8,)]


def test_foreign_keys_are_checked_when_they_were(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "deferred.db",
        """
        CREATE TABLE p (id INTEGER PRIMARY KEY);
        CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED);
        """,
    )
    back = tmp_path / "back.db"
    corm("move", file, url)
    corm("move", url, back)
    with Database(url) as db, db.transaction():
        db.execute("INSERT INTO c VALUES (1, 1)")
        db.execute("INSERT INTO p VALUES (1)")
    with sqlite3.connect(back) as there:
        there.execute("PRAGMA foreign_keys = ON")
        there.execute("INSERT INTO c VALUES (1, 1)")
        there.execute("INSERT INTO p VALUES (1)")
