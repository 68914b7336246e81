"""What the command says of mistakes: what is wrong, where, and what to do."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_runs import Corm, put
from running import COMMAND, ENVIRONMENT, make

DUMP = "PRAGMA foreign_keys=OFF;\r\nCREATE TABLE t (a);\r\nINSERT INTO t VALUES (1);\r\n"


@pytest.fixture
def folder(corm: Corm) -> Corm:
    make(corm.folder / "a.db", "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);")
    put(corm, "dump.sql", DUMP)
    put(corm, "text.txt", "hello world")
    put(corm, "empty.csv", "")
    (corm.folder / "empty").mkdir()
    os.mkfifo(corm.folder / "pipe")
    return corm


# The command, what it says, and what the hint says.
MISTAKES = [
    # finding python.md section 2, 11
    (("generate", "dump.sql", "--language", "c", "--out", "o"), 'CREATE was expected at byte 0: near "PRAGMA"',
     "sqlite3 FILE < DUMP"),
    (("diff", "text.txt", "a.db"), 'CREATE was expected at byte 0: near "hello"', "a script has CREATE statements"),
    # What would be "nothing to do" for whatever path.
    (("plan", "a.db", "empty"), 'the folder "empty" has no steps', "check the path; corm generate-migration"),
    (("migrate", "a.db", "empty"), 'the folder "empty" has no steps', "check the path"),
    (("status", "a.db", "empty"), 'the folder "empty" has no steps', "check the path"),
    (("check", "a.db", "--bundle", "empty"), 'the folder "empty" has no steps', "check the path"),
    (("adopt", "a.db", "empty"), 'the folder "empty" has no steps', "check the path"),
    (("diff", "a.db", "empty"), 'the folder "empty" has no steps', "check the path"),
    # Each waited for ever, or was an empty database.
    *((command, '"pipe" is a pipe or a device', "into a file first") for command in (
        ("inspect", "pipe"), ("check", "pipe"), ("query", "pipe", "SELECT 1"), ("export", "pipe", "t"),
        ("migrate", "pipe", "a.db", "--create"), ("kv", "list", "pipe", "s"), ("backup", "pipe", "b.db"))),
    (("inspect", "/dev/null"), '"/dev/null" is a pipe or a device', "into a file first"),
    (("inspect", "empty"), '"empty" cannot be opened: it is a directory', "a file in it"),
    (("inspect", "text.txt"), '"text.txt" is no SQLite database', "check the path"),
    # A password may stand in it.
    (("inspect", "mysql://ada:secret@host/shop"), 'a URL that begins with "mysql://" cannot be opened', '"postgresql://"'),
    (("inspect", "gone.db"), 'there is no file "gone.db"', "check the path"),
    (("inspect", "a.db", "tt"), 'there is no table "tt"', "did you mean t?"),
    (("query", "a.db", "INSERT INTO t VALUES (1, 2)"), "the statement would change the database", "--write"),
    (("query", "a.db", "SELECT ?", "--bind", "1", "--bind", "2"), "parameter", ""),
    (("generate", "a.db", "--language", "c", "--out", "o", "--name", "stdio"), '"stdio.h" would take the place',
     "another name with --name"),
    (("generate", "a.db", "--language", "c", "--out", "o", "--name", "Big"), '"Big" is no name', "small letters"),
    (("export", "a.db", "tt"), 'there is no table or view "tt"', "did you mean t?"),
    (("import", "a.db", "empty.csv"), "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("command", "message", "hint"), MISTAKES, ids=lambda part: str(part)[:40])
def test_mistakes(folder: Corm, command: tuple[str, ...], message: str, hint: str) -> None:
    error = folder.fails(*command)
    assert message in error.splitlines()[0], error
    assert not hint or hint in error.split("hint: ")[1], error
    assert "\\r" not in error
    assert sorted(path.name for path in folder.folder.iterdir()) == [
        "a.db", "dump.sql", "empty", "empty.csv", "pipe", "text.txt"]  # fmt: skip


def test_a_script_may_come_through_a_pipe(folder: Corm) -> None:
    """As bash has it: corm diff <(sqlite3 a.db .schema) b.sql."""
    done = subprocess.run(
        ["bash", "-c", f"{COMMAND} diff a.db <(echo 'CREATE TABLE t (a INTEGER PRIMARY KEY);')"],
        cwd=folder.folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, '- drop column "t.b"\n'), done


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that others may look into; those of pytest are closed to them by each run of it that begins."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another")
def test_what_may_not_be_written(shared: Path) -> None:
    make(shared / "a.db", "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);")
    done = subprocess.run(
        [COMMAND, "query", "a.db", "INSERT INTO t VALUES (1, 2)", "--write"],
        cwd=shared, env=ENVIRONMENT, capture_output=True, text=True, user=65534,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == 'corm: "a.db" is read-only\nhint: make the file and its folder writable\n'


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another")
def test_a_file_in_wal_mode_in_a_folder_that_may_not_be_written(shared: Path) -> None:
    make(shared / "w.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    for mode in (0o666, 0o444):
        (shared / "w.db").chmod(mode)
        done = subprocess.run(
            [COMMAND, "query", "w.db", "SELECT * FROM t"],
            cwd=shared, env=ENVIRONMENT, capture_output=True, text=True, user=65534,
        )  # fmt: skip
        assert done.stderr == (
            'corm: "w.db" is in WAL mode and its folder cannot be written\nhint: let the folder be written, '
            "or copy the file, with the -wal file beside it, to a folder of yours\n"
        )


def test_what_programs_write_is_said_in_options(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2); CREATE VIEW v AS SELECT 1 AS one")
    put(corm, "b.sql", "CREATE TABLE t (a);")
    shown = corm.run("plan", "a.db", "b.sql", status=2).out
    assert '! column "t.b" would go with its 1 value: --allow-drop t.b\n' in shown
    assert "! view \"v\" would go: --allow-drop 'view:v'\n" in shown
    assert "hint: run them one by one\n" in corm.fails("query", "a.db", "SELECT 1; SELECT 2")
    corm.run("generate-migration", "steps", "one", "b.sql")
    (corm.folder / "steps" / "0002_two").mkdir()
    put(corm, "steps/0002_two/up.sql", "DROP TABLE t;")
    corm.run("seal", "steps")
    corm.run("migrate", "c.db", "steps", "--create", "--to", "0001_one")
    corm.run("query", "c.db", "INSERT INTO t VALUES (1)", "--write")
    assert "allow it with the option --allow-lossy;" in corm.fails("migrate", "c.db", "steps")


def test_sql_of_a_step_is_told_with_its_line(corm: Corm) -> None:
    put(corm, "a.sql", "CREATE TABLE t (a);")
    corm.run("generate-migration", "steps", "one", "a.sql")
    (corm.folder / "steps" / "0002_two").mkdir()
    up = "-- a note\nCREATE TABLE u (a);\n\nCREATE TABLE v (\n  a,\n  b c d,, e);\n"
    for text, message in [
        (up, 'step 0002_two: line 6 of up: near ",": syntax error'),
        (
            up.replace(",,", ",") + "INSERT INTO v\nVALUES (missing, 1)",
            "step 0002_two: line 8 of up: no such column",
        ),
        (
            up.replace(",,", ",") + "\nINSERT INTO t VALUES\n(1, 2);",
            "step 0002_two: line 8 of up: table t has 1 columns",
        ),
    ]:
        put(corm, "steps/0002_two/up.sql", text)
        assert message in corm.fails("seal", "steps")
    put(corm, "steps/0002_two/up.sql", "CREATE TABLE u (a);")
    put(corm, "steps/0002_two/down.sql", "\n\nDROP TABLE v;")
    assert "step 0002_two: line 3 of down: no such table: v" in corm.fails("seal", "steps")


@pytest.mark.parametrize(
    "command", [("repair", "a.db", "--out", "new.db", "--schema"), ("check", "a.db", "--schema"), ("diff", "a.db")]
)
def test_a_device_without_an_end_is_no_schema(corm: Corm, command: tuple[str, ...]) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a)")
    assert "has a gigabyte or more" in corm.fails(*command, "/dev/zero")


def test_waiting_for_a_pipe_is_interrupted(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a)")
    os.mkfifo(corm.folder / "pipe")
    waiting = corm.start("diff", "a.db", "pipe")
    time.sleep(0.5)
    waiting.send_signal(signal.SIGINT)
    assert waiting.wait(10) == 130
