"""corm check."""

from __future__ import annotations

import sqlite3
from typing import Any

from command_runs import Corm, rows
from running import make

FINE = """
CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE album (id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist (id));
CREATE INDEX album_artist ON album (artist);
"""
FILL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) "


def findings(corm: Corm, *arguments: str, status: int) -> list[dict[str, Any]]:
    found = corm.run("check", "a.db", *arguments, "--json", status=status).json["findings"]
    for finding in found:
        assert finding["hint"]
    return found


def test_nothing_is_wrong(corm: Corm) -> None:
    make(corm.folder / "a.db", FINE)
    assert corm.run("check", "a.db").out == "nothing is wrong with a.db\nnot encrypted\n"
    assert findings(corm, status=0) == []


def test_rows_that_refer_to_nothing(corm: Corm) -> None:
    make(corm.folder / "a.db", FINE + "INSERT INTO album VALUES (1, 5), (2, 6), (3, NULL)")
    [finding] = findings(corm, status=2)
    assert finding["message"] == '2 rows of "album" refer to rows of "artist" that are not there'
    command = finding["hint"].split(": corm ")[1].replace("FILE", "a.db")
    import shlex

    assert corm.run(*shlex.split(command), "--csv").out == "rowid\n1\n2\n"
    assert "warning: 2 rows" in corm.run("check", "a.db", status=2).out


def test_foreign_keys_without_index(corm: Corm) -> None:
    make(
        corm.folder / "a.db",
        """
        CREATE TABLE p (a INTEGER, b INTEGER, c INTEGER PRIMARY KEY, UNIQUE (a, b));
        CREATE TABLE bad (x INTEGER REFERENCES p (c), y INTEGER, z INTEGER, FOREIGN KEY (y, z) REFERENCES p (a, b));
        CREATE INDEX partial ON bad (x) WHERE y > 1;
        CREATE TABLE good (
          x INTEGER REFERENCES p (c), y INTEGER, z INTEGER,
          FOREIGN KEY (y, z) REFERENCES p (a, b), PRIMARY KEY (z, y)
        );
        CREATE INDEX good_x ON good (x, y);
        """,
    )
    found = findings(corm, status=2)
    assert [finding["check"] for finding in found] == ["indexes", "indexes"]
    # What it says to do is SQL that helps.
    for finding in found:
        make(corm.folder / "a.db", finding["hint"].split("rows: ")[1])
    assert findings(corm, status=0) == []


def test_times_that_do_not_compare_as_time(corm: Corm) -> None:  # finding python.md B3
    import shlex

    make(
        corm.folder / "a.db",
        """
        CREATE TABLE rental (id INTEGER PRIMARY KEY, at DATETIME, back TIMESTAMP, day DATE);
        INSERT INTO rental (at, back, day) VALUES ('2005-05-24 22:53:30.000', '2005-05-24 22:53:30', '2005-05-24');
        INSERT INTO rental (at) VALUES ('2005-05-24T22:53:30+02:00'), (NULL), ('2005-05-24 22:53:30.250000');
        """,
    )
    [finding] = findings(corm, status=2)
    assert (finding["severity"], finding["check"], finding["table"]) == ("warning", "times", "rental")
    assert finding["message"] == (
        '"rental"."at" holds "2005-05-24 22:53:30.000", which is not the form of a datetime column (2 rows)'
    )
    corm.run(*shlex.split(finding["hint"].split(": corm ")[1].replace("FILE", "a.db")))
    assert rows(corm.folder / "a.db", "SELECT at FROM rental") == [
        ("2005-05-24 22:53:30",), ("2005-05-24 20:53:30",), (None,), ("2005-05-24 22:53:30.250000",),
    ]  # fmt: skip
    assert findings(corm, status=0) == []


def test_references_that_cannot_work(corm: Corm) -> None:
    make(
        corm.folder / "a.db",
        """
        CREATE TABLE p (a INTEGER);
        CREATE TABLE c (x INTEGER REFERENCES p (a), y INTEGER REFERENCES gone (a));
        CREATE INDEX c_x ON c (x);
        CREATE INDEX c_y ON c (y);
        INSERT INTO c VALUES (1, 2);
        """,
    )
    messages = [finding["message"] for finding in findings(corm, status=2)]
    assert any("neither its key nor unique" in message for message in messages)
    assert any('"gone", which is not there' in message for message in messages)


def test_damage(corm: Corm) -> None:
    path = make(corm.folder / "a.db", FINE + "INSERT INTO artist " + FILL + "SELECT i, 'name ' || i FROM n")
    damaged = bytearray(path.read_bytes())
    damaged[8 * 4096 : 12 * 4096] = b"\xff" * 4096 * 4
    path.write_bytes(damaged)
    found = findings(corm, status=3)
    assert found[0]["severity"] == "damage"
    assert "backup" in found[0]["hint"]
    damaged[100:2000] = b"\xff" * 1900
    path.write_bytes(damaged)
    assert findings(corm, status=3)[0]["severity"] == "damage"


def test_an_index_that_lacks_rows(corm: Corm) -> None:
    path = make(corm.folder / "a.db", FINE + "INSERT INTO artist VALUES (1, 'a')")
    make(
        path,
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = sql || ' WHERE id < 0' WHERE name = 'album_artist';
        """,
    )
    make(path, "INSERT INTO album VALUES (1, 1)")
    make(
        path,
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX album_artist ON album (artist)' WHERE name = 'album_artist';
        """,
    )
    found = findings(corm, status=3)
    assert all("REINDEX" in finding["hint"] for finding in found)
    assert findings(corm, "--quick", status=0) == []
    corm.run("query", "a.db", "REINDEX", "--write")
    assert findings(corm, status=0) == []


def test_rows_against_their_constraints(corm: Corm) -> None:
    path = make(corm.folder / "a.db", "CREATE TABLE t (x CHECK (x > 0), y)")
    make(path, "PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (-1, NULL)")
    [finding] = findings(corm, status=2)
    assert (finding["severity"], finding["check"]) == ("warning", "constraints")


def test_the_write_ahead_log(corm: Corm) -> None:
    path = make(corm.folder / "a.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (x CHECK (x <> 0))")
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM t").fetchall()
    make(path, "INSERT INTO t VALUES (1)")
    found = findings(corm, status=0)
    assert [(finding["severity"], finding["check"]) for finding in found] == [("note", "constraints"), ("note", "wal")]
    # Nothing was tidied away.
    assert (corm.folder / "a.db-wal").stat().st_size > 0
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    writer.execute("INSERT INTO t " + FILL.replace("5000", "70") + "SELECT randomblob(1000000) FROM n")
    writer.commit()
    assert "wal_checkpoint" in findings(corm, "--quick", status=2)[-1]["hint"]
    reader.close()
    writer.close()


def test_drift(corm: Corm) -> None:
    (corm.folder / "schema.sql").write_text(FINE)
    corm.run("generate-migration", "steps", "start", "schema.sql")
    corm.run("migrate", "a.db", "steps", "--create")
    assert findings(corm, "--bundle", "steps", "--schema", "schema.sql", status=0) == []
    make(corm.folder / "a.db", "ALTER TABLE artist ADD COLUMN born INTEGER")
    found = findings(corm, "--bundle", "steps", "--schema", "schema.sql", status=2)
    assert [finding["check"] for finding in found] == ["drift", "drift"]
    assert all('drop column "artist.born"' in finding["message"] for finding in found)
    make(corm.folder / "b.db", "")
    assert "corm migrate" in corm.run("check", "b.db", "--bundle", "steps", status=2).out


def test_what_is_not_understood(corm: Corm) -> None:
    path = make(corm.folder / "a.db", FINE)
    make(
        path,
        """
        PRAGMA writable_schema = ON;
        INSERT INTO sqlite_schema VALUES ('table', 'odd', 'odd', 0, 'CREATE VIRTUAL TABLE odd USING zork(a, b)');
        """,
    )
    assert rows(path, "SELECT count(*) FROM sqlite_schema") == [(4,)]
    assert any('"odd"' in finding["message"] for finding in findings(corm, status=2))
