"""corm repair."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from pathlib import Path

import pytest
from command_runs import Corm, rows
from running import COMMAND, ENVIRONMENT, make

PAGE = 4096


@pytest.fixture
def damaged(corm: Corm) -> Path:
    path = make(corm.folder / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE u (y)")
    with sqlite3.connect(path) as file:
        file.executemany("INSERT INTO t (x) VALUES (?)", [("x" * 100,)] * 1000)
        file.execute("INSERT INTO u VALUES (1)")
    with path.open("r+b") as content:
        content.seek(9 * PAGE)
        content.write(bytes(PAGE))
    return path


def test_what_is_left_is_told(corm: Corm, damaged: Path) -> None:
    assert "corm repair FILE --out NEW" in corm.run("check", "a.db", status=3).out
    before = damaged.read_bytes()
    report = corm.run("repair", "a.db", "--out", "b.db", "--json", status=2).json
    assert damaged.read_bytes() == before
    t, u = report["tables"]
    assert (t["name"], t["lostRows"], t["lostPages"], t["problem"]) == ("t", 0, 1, None)
    assert 900 < t["rows"] < 1000
    assert (u["name"], u["rows"], u["lostPages"]) == ("u", 1, 0)
    assert rows(corm.folder / "b.db", "SELECT count(*) FROM t") == [(t["rows"],)]
    assert corm.run("check", "b.db").status == 0
    shown = corm.run("repair", "a.db", "--out", "c.db", status=2).out
    assert f"t: {t['rows']} rows, 1 page lost\nu: 1 row\n" in shown


def test_a_good_file_loses_nothing(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    assert corm.run("repair", "a.db", "--out", "b.db").out == "t: 1 row\nnothing was lost\n"


def test_an_encrypted_file_keeps_its_key(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    corm.run("encrypt", "a.db", CORM_KEY="secret")
    assert "nothing was lost" in corm.run("repair", "a.db", "--out", "b.db", CORM_KEY="secret").out
    assert corm.run("query", "b.db", "SELECT x FROM t", "--csv", CORM_KEY="secret").out == "x\n1\n"
    assert "opens no page" in corm.fails("repair", "a.db", "--out", "c.db", CORM_KEY="wrong")


def test_a_schema_is_taken_from_a_script_or_a_file(corm: Corm, damaged: Path) -> None:
    with damaged.open("r+b") as content:
        content.write(bytes(PAGE))
    (corm.folder / "s.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE u (y);")
    corm.run("repair", "a.db", "--out", "b.db", "--schema", "s.sql", status=2)
    make(corm.folder / "s.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
    corm.run("repair", "a.db", "--out", "c.db", "--schema", "s.db", status=2)
    for name in ("b.db", "c.db"):
        assert rows(corm.folder / name, "SELECT count(*) > 900 FROM t") == [(1,)]


def test_what_is_there_stays(corm: Corm, damaged: Path) -> None:
    (corm.folder / "b.db").write_text("mine")
    assert "is there already" in corm.fails("repair", "a.db", "--out", "b.db")
    assert (corm.folder / "b.db").read_text() == "mine"
    assert "there is no file" in corm.fails("repair", "none.db", "--out", "c.db")


def test_a_log_beside_a_file_without_a_first_page_is_told_and_kept(corm: Corm) -> None:
    path = make(corm.folder / "a.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    file = sqlite3.connect(path)
    with file:
        file.executescript("INSERT INTO t VALUES (2); CREATE TABLE u (y)")
    log = (corm.folder / "a.db-wal").read_bytes()
    main = path.read_bytes()
    file.close()
    # The log of the second one does not have the first page.
    for content, beside, words in (
        (b"", log, '"a.db-wal" has what was written to it'),
        (bytes(PAGE) + main[PAGE:], log[:32] + log[32 + 24 + PAGE :], "no SQLite database"),
    ):
        for command in (
            ["check", "a.db"],
            ["query", "a.db", "SELECT 1"],
            ["backup", "a.db", "b.db"],
            ["inspect", "a.db"],
        ):
            path.write_bytes(content)
            (corm.folder / "a.db-wal").write_bytes(beside)
            message = corm.fails(*command)
            assert words in message
            assert "corm repair FILE --out NEW" in message
            assert (corm.folder / "a.db-wal").read_bytes() == beside
    (corm.folder / "a.db-wal").write_bytes(log)
    path.write_bytes(b"")
    assert corm.run("repair", "a.db", "--out", "c.db").out == "t: 2 rows\nu: 0 rows\nnothing was lost\n"


def test_a_plain_file_whose_first_page_is_chance_is_one(corm: Corm) -> None:
    path = make(
        corm.folder / "a.db",
        "CREATE TABLE t (x); WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
        "INSERT INTO t SELECT 'row ' || i FROM n",
    )
    path.write_bytes(os.urandom(PAGE) + path.read_bytes()[PAGE:])
    assert "is no SQLite database" in corm.fails("query", "a.db", "SELECT 1")
    corm.run("repair", "a.db", "--out", "b.db", status=2)
    assert rows(corm.folder / "b.db", "SELECT count(*) FROM lost_and_found") == [(5000,)]


def test_a_name_that_is_not_utf_8_is_refused(corm: Corm) -> None:
    make(corm.folder / "data\ufffd.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    name = os.fsencode(corm.folder) + b"/data\xff.db"
    with open(name, "wb"):
        pass
    done = subprocess.run(
        [COMMAND, "query", name, "DELETE FROM t", "--write"], capture_output=True, check=False, env=ENVIRONMENT
    )
    assert done.returncode == 1
    assert b"argument 2 is not UTF-8" in done.stderr
    assert rows(corm.folder / "data\ufffd.db", "SELECT count(*) FROM t") == [(1,)]
