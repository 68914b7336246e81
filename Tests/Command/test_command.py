"""What all subcommands share: help, mistakes, files that are not what they should be, colours, closed pipes, Ctrl-C."""

from __future__ import annotations

import random
import re
import resource
import signal
import sqlite3
import time
from pathlib import Path

import pytest
from command_runs import Corm, rows
from running import ROOT, make

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"


def test_version_is_the_library_s(corm: Corm) -> None:
    header = (ROOT / "include/cormorant/base.h").read_text()
    version = re.search(r'^#define CORM_VERSION "(.*)"', header, re.MULTILINE)
    assert version is not None
    assert corm.run("--version").out.strip() == version[1]


def test_without_arguments_it_helps(corm: Corm) -> None:
    assert "USAGE: corm" in corm.run().out


def test_mistakes_in_the_command_line_are_status_64(corm: Corm) -> None:
    for arguments in (["nonsense"], ["query"], ["query", "a.db", "SELECT 1", "--nope"]):
        assert "--help" in corm.fails(*arguments, status=64)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qery", "a.db"), "there is no command 'qery': did you mean query"),
        (("zzzzzzzz",), "there is no command 'zzzzzzzz': corm --help names them"),
        (("generate", "a.db", "--language", "c", "--out", "m.h"), "--out is a folder, and 'm.h' looks like a file"),
    ],
)
def test_what_was_meant_is_said(corm: Corm, arguments: tuple[str, ...], message: str) -> None:
    assert message in corm.fails(*arguments, status=64)
    assert not (corm.folder / "m.h").exists()


def test_files_that_cannot_be_opened_say_why(corm: Corm) -> None:
    (corm.folder / "text.db").write_text("this is no database\n" * 100)
    (corm.folder / "short.db").write_text("x")
    (corm.folder / "cipher.db").write_bytes(random.Random(1).randbytes(8192))
    (corm.folder / "cut.db").write_bytes(random.Random(1).randbytes(5000))
    (corm.folder / "folder.db").mkdir()
    for path, what in {
        "missing.db": 'there is no file "missing.db"',
        "text.db": '"text.db" is no SQLite database\n',
        "short.db": '"short.db" is no SQLite database\n',
        "cipher.db": "is encrypted, or is no database\nhint: give the key with --key-file FILE",
        "cut.db": "is encrypted, or is no database\nhint: give the key with --key-file FILE",
        "folder.db": "it is a directory",
        "": "the path is empty",
    }.items():
        assert what in corm.fails("query", path, "SELECT 1")
    assert not (corm.folder / "missing.db").exists()


def test_an_error_has_no_colours_in_a_pipe_nor_with_no_color(corm: Corm) -> None:
    assert "\x1b" not in corm.fails("query", "missing.db", "SELECT 1")
    assert "\x1b[1;31mcorm:" in corm.terminal("query", "missing.db", "SELECT 1", status=1)
    assert "\x1b" not in corm.terminal("query", "missing.db", "SELECT 1", status=1, NO_COLOR="1")
    assert "\x1b" not in corm.terminal("query", "missing.db", "SELECT 1", status=1, TERM="dumb")


@pytest.mark.parametrize(
    "command", [["inspect"], ["check"], ["query", "--write", "DELETE FROM t"], ["migrate", "s.sql"]]
)
def test_the_journal_of_a_file_that_is_not_understood_stays(corm: Corm, command: list[str]) -> None:
    # SQLite would roll back with it, whatever the file is: it is the journal's header that it trusts.
    path = make(corm.folder / "plain.db", "CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.executescript("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN")
    writer.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) INSERT INTO t SELECT i FROM n"
    )
    journal = Path(f"{path}-journal").read_bytes()
    writer.close()
    assert len(journal) > 512
    contents = {"a.db": random.Random(1).randbytes(8192), "a.db-journal": journal, "s.sql": b"CREATE TABLE t (x);"}
    path.unlink()
    for name, content in contents.items():
        (corm.folder / name).write_bytes(content)
    assert "give the key" in corm.fails(command[0], "a.db", *command[1:])
    assert "does not open" in corm.fails(command[0], "a.db", *command[1:], CORM_KEY="key")
    assert {entry.name: entry.read_bytes() for entry in corm.folder.iterdir()} == contents


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_reading_leaves_the_file_and_its_folder_as_they_were(corm: Corm, journal: str) -> None:
    path = make(corm.folder / "a.db", f"PRAGMA journal_mode = {journal}; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    before = path.read_bytes()
    assert corm.run("query", "a.db", "SELECT x FROM t", "--csv").out == "x\n1\n"
    assert path.read_bytes() == before
    assert [entry.name for entry in corm.folder.iterdir()] == ["a.db"]


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_writing_keeps_the_journal_mode(corm: Corm, journal: str) -> None:
    path = make(corm.folder / "a.db", f"PRAGMA journal_mode = {journal}; CREATE TABLE t (x)")
    corm.run("query", "a.db", "INSERT INTO t VALUES (1)", "--write")
    assert rows(path, "PRAGMA journal_mode") == [(journal,)]


def test_a_pipe_closed_early_ends_it_quietly(corm: Corm) -> None:
    make(corm.folder / "a.db", "")
    process = corm.start("query", "a.db", ENDLESS.format("i"), "--csv")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=20) == 141
    assert process.stderr.read() == b""


def test_ctrl_c_stops_a_statement(corm: Corm) -> None:
    make(corm.folder / "a.db", "")
    shown = corm.terminal(
        "query", "a.db", ENDLESS.format("count(*)"), status=130, interrupt=lambda _: time.sleep(0.5) is None
    )
    assert "interrupted" in shown


def test_an_interrupted_write_leaves_nothing(corm: Corm) -> None:
    path = make(corm.folder / "a.db", "CREATE TABLE t (x)")
    process = corm.start("query", "a.db", "INSERT INTO t " + ENDLESS.format("i"), "--write")
    journal = Path(f"{path}-journal")
    while not journal.exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 130
    assert rows(path, "SELECT count(*) FROM t") == [(0,)]
    assert [entry.name for entry in corm.folder.iterdir()] == ["a.db"]


def test_the_greatest_size_of_a_file_is_told(corm: Corm) -> None:
    """As a full disk, not by the death that SIGXFSZ is: findings migrations.md, C13."""
    make(corm.folder / "f.db", "CREATE TABLE t (a); INSERT INTO t VALUES ('kept')")
    fill = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)"
        " INSERT INTO t SELECT randomblob(1000) FROM n"
    )
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
    try:
        said = corm.fails("query", "f.db", fill, "--write")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "File too large" in said, said
    assert rows(corm.folder / "f.db", "SELECT a FROM t") == [("kept",)]


def test_a_full_disk_is_told(corm: Corm) -> None:
    make(corm.folder / "a.db", "")
    import subprocess

    from running import COMMAND, ENVIRONMENT

    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [COMMAND, "query", "a.db", "SELECT 1"],
            cwd=corm.folder,
            env=ENVIRONMENT,
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 1
    assert b"corm: standard output cannot be written: No space left on device" in done.stderr


def views(depth: int, family: str = "") -> str:
    """Each joins the one before it twice."""
    first = f"CREATE TABLE t{family} (a); CREATE VIEW v{family}_0 AS SELECT * FROM t{family};"
    return first + "".join(
        f"CREATE VIEW v{family}_{i} AS SELECT x.a FROM v{family}_{i - 1} x JOIN v{family}_{i - 1} y;"
        for i in range(1, depth)
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_while_sqlite_does_not_look_up(corm: Corm, number: int) -> None:
    """finding reliability.md A6: SQLite 3.40 prepares a statement to its end, here for many seconds."""
    make(corm.folder / "a.db", "BEGIN;" + "".join(views(14, f"{i}") for i in range(60)) + "COMMIT;")
    process = corm.start("query", "a.db", " UNION ALL ".join(f"SELECT * FROM v{i}_13" for i in range(60)))
    time.sleep(1)
    assert process.poll() is None
    began = time.monotonic()
    process.send_signal(number)
    _, told = process.communicate()
    assert time.monotonic() - began < 3
    assert process.returncode == 130
    assert told == b"corm: interrupted\n"


def test_views_that_explode_are_told_in_seconds(corm: Corm) -> None:
    """finding reliability.md A6"""
    make(corm.folder / "a.db", views(60))
    began = time.monotonic()
    out = corm.run("inspect", "a.db").out
    assert "view v_59: its columns are not known: it reads more than 1000 tables" in out
    assert "not understood: view v_3:" not in out
    for command in (
        ("check", "a.db"),
        ("generate", "a.db", "--language", "c", "--out", "out"),
        ("export", "a.db", "t"),
    ):
        corm.run(*command, status=None)
    assert time.monotonic() - began < 5


def test_a_view_whose_rows_take_long_is_told_in_seconds(corm: Corm) -> None:
    """Its columns are there, and the type of its values is asked for as long as there is time."""
    numbers = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT"
    make(
        corm.folder / "a.db",
        f"CREATE TABLE t (a INTEGER); CREATE VIEW slow AS {numbers} count(*) AS c FROM n a, n b, n c;"
        "CREATE VIEW quick AS SELECT a + 1 AS b FROM t;",
    )
    began = time.monotonic()
    corm.run("generate", "a.db", "--language", "c", "--out", "out")
    assert time.monotonic() - began < 10
