"""corm export, and what corm import makes of it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command_runs import Corm, rows
from running import COMMAND, ENVIRONMENT, make

VALUES = """
CREATE TABLE t (id INTEGER PRIMARY KEY, i INTEGER, r REAL, s TEXT, b BLOB, x, ok BOOLEAN, g AS (i + 1));
INSERT INTO t (i, r, s, b, x, ok) VALUES
  (9223372036854775807, 0.1, 'a,b"c' || char(10) || 'd', x'00ff', 5, 1), (NULL, NULL, NULL, NULL, NULL, NULL),
  (-1, 9e999, '', x'', 1.5, 0), (0, -2.5e-8, '日本 🐦', x'41', 'text', 1);
CREATE VIEW v AS SELECT i, s FROM t WHERE i > 0;
"""


@pytest.fixture(autouse=True)
def file(corm: Corm) -> Path:
    return make(corm.folder / "a.db", VALUES)


@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.ndjson"])
def test_what_is_exported_is_imported_as_it_was(corm: Corm, name: str) -> None:
    corm.run("export", "a.db", "t", "--out", name)
    make(corm.folder / "b.db", VALUES.split("INSERT")[0])
    corm.run("import", "b.db", name)
    sql = "SELECT *, typeof(x) FROM t"
    assert rows(corm.folder / "b.db", sql) == rows(corm.folder / "a.db", sql)


def test_formats(corm: Corm) -> None:
    assert corm.run("export", "a.db", "v", "--out", "-").out == corm.run("export", "a.db", "v").out
    assert not (corm.folder / "-").exists()
    assert corm.run("export", "a.db", "v").out == 'i,s\n9223372036854775807,"a,b""c\nd"\n'
    assert corm.run("export", "a.db", "v", "--format", "json").json == [{"i": 9223372036854775807, "s": 'a,b"c\nd'}]
    assert corm.run("export", "a.db", "V", "--format", "ndjson").out.count("\n") == 1
    make(corm.folder / "b.db", "CREATE TABLE e (a, b)")
    assert corm.run("export", "b.db", "e").out == "a,b\n"
    assert corm.run("export", "b.db", "e", "--format", "json").json == []
    assert corm.run("export", "b.db", "e", "--format", "ndjson").out == ""


def test_a_file_is_whole_or_as_it_was(corm: Corm) -> None:
    (corm.folder / "t.csv").write_text("mine")
    assert "did you mean t?" in corm.fails("export", "a.db", "tt", "--out", "t.csv")
    assert (corm.folder / "t.csv").read_text() == "mine"
    make(corm.folder / "b.db", "CREATE TABLE bad (a); INSERT INTO bad VALUES ('x'), (CAST(x'ff' AS TEXT))")
    corm.fails("export", "b.db", "bad", "--out", "t.json")
    corm.run("export", "a.db", "v", "--out", "t.csv")
    assert (corm.folder / "t.csv").read_text().startswith("i,s\n")
    assert sorted(os.listdir(corm.folder)) == ["a.db", "b.db", "t.csv"]


def test_what_cannot_be_written(corm: Corm) -> None:
    assert "folder" in corm.fails("export", "a.db", "t", "--out", ".")
    assert "written over" in corm.fails("export", "a.db", "t", "--out", "./a.db")
    for name in ["a.db-wal", "./a.db-journal", f"{corm.folder}/a.db-shm"]:
        assert "written over" in corm.fails("export", "a.db", "t", "--out", name)
    make(corm.folder / "other.db", "CREATE TABLE kept (x)")
    assert "is a database" in corm.fails("export", "a.db", "t", "--out", "other.db")
    assert "is a database" in corm.fails("diagram", "a.db", "--format", "svg", "--out", "other.db")
    assert rows(corm.folder / "other.db", "SELECT name FROM sqlite_schema") == [("kept",)]
    (corm.folder / "other.db-wal").touch()
    assert "belongs to" in corm.fails("export", "a.db", "t", "--out", "other.db-wal")
    (corm.folder / "secret.db").write_bytes(os.urandom(8192))
    assert "is a database" in corm.fails("export", "a.db", "t", "--out", "secret.db")
    (corm.folder / "packed.png").write_bytes(b"\x89PNG" + os.urandom(8192))
    corm.run("export", "a.db", "t", "--format", "csv", "--out", "packed.png")
    assert "cannot be written" in corm.fails("export", "a.db", "t", "--out", "no/such/file.csv")
    assert "cannot be written" in corm.fails("export", "a.db", "t", "--out", "/dev/full")


def test_a_file_that_is_replaced_keeps_who_may_read_it(corm: Corm) -> None:
    (corm.folder / "t.csv").touch()
    (corm.folder / "t.csv").chmod(0o600)
    corm.run("export", "a.db", "v", "--out", "t.csv")
    assert (corm.folder / "t.csv").stat().st_mode & 0o777 == 0o600
    (corm.folder / "link.csv").symlink_to("t.csv")
    corm.run("export", "a.db", "t", "--out", "link.csv")
    assert (corm.folder / "link.csv").is_symlink()
    assert (corm.folder / "t.csv").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("out", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_standard_output_by_its_name(corm: Corm, out: str) -> None:
    script = f"{{ echo before; {COMMAND} export a.db v --out {out}; echo after; }} > t.txt"
    subprocess.run(["bash", "-c", script], cwd=corm.folder, env=ENVIRONMENT, check=True, timeout=60)
    assert (corm.folder / "t.txt").read_text() == 'before\ni,s\n9223372036854775807,"a,b""c\nd"\nafter\n'


@pytest.mark.parametrize("name", ["t.csv", "t.json"])
def test_a_row_that_import_does_not_read_is_told(corm: Corm, name: str) -> None:
    make(corm.folder / "b.db", "CREATE TABLE t (a BLOB); INSERT INTO t VALUES (zeroblob(51000000))")
    assert "a row is longer than 64 MB" in corm.run("export", "b.db", "t", "--out", name).err
    assert "longer than 64 MB" in corm.fails("import", "b.db", name)


def test_a_full_disk_leaves_the_file_as_it_was(corm: Corm) -> None:
    big(corm)
    (corm.folder / "t.csv").write_text("mine")
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 1000; exec {COMMAND} export big.db t --out t.csv"],
        cwd=corm.folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot be written: File too large" in done.stderr
    assert (corm.folder / "t.csv").read_text() == "mine"
    assert sorted(os.listdir(corm.folder)) == ["a.db", "big.db", "t.csv"]


def big(corm: Corm) -> None:
    make(
        corm.folder / "big.db",
        "CREATE TABLE t (a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) "
        "INSERT INTO t SELECT i, 'some text' FROM n",
    )


def test_a_pipe_that_is_closed_early_ends_quietly(corm: Corm) -> None:
    big(corm)
    export = corm.start("export", "big.db", "t")
    assert export.stdout is not None
    assert export.stdout.readline() == b"a,b\n"
    export.stdout.close()
    assert export.stderr is not None
    assert export.stderr.read() == b""
    assert export.wait(timeout=20) == 141


def test_an_interrupted_export_leaves_no_file(corm: Corm) -> None:
    big(corm)
    export = corm.start("export", "big.db", "t", "--out", "t.csv")
    # The whole takes 0.3 s and more.
    while export.poll() is None and not list(corm.folder.glob("t.csv.*")):
        time.sleep(0.005)
    export.send_signal(signal.SIGINT)
    export.communicate(timeout=20)
    assert export.returncode == 130
    assert os.listdir(corm.folder).count("t.csv") == 0
    assert sorted(os.listdir(corm.folder)) == ["a.db", "big.db"]


def test_what_a_killed_process_of_the_same_number_left_is_in_nobodys_way(corm: Corm) -> None:
    """In a container each run may have the number 1."""
    make(corm.folder / "b.db", VALUES)
    (corm.folder / "other").write_text("stays")
    script = f"""
        for name in t.csv.$$.part t.csv.$$.0 out/.corm.$$.0 out/.corm-$$.tmp; do ln -s "$PWD/other" "$name"; done
        exec "{COMMAND}" "$@"
    """
    (corm.folder / "out").mkdir()
    for command in (
        ["export", "b.db", "t", "--out", "t.csv"],
        ["generate", "b.db", "--language", "python", "--out", "out"],
    ):
        subprocess.run(["/bin/bash", "-c", script, "corm", *command], cwd=corm.folder, env=ENVIRONMENT, check=True)
    assert (corm.folder / "other").read_text() == "stays"
    assert (corm.folder / "t.csv").read_text().startswith("id,i,r,s,b,x,ok")
    assert list((corm.folder / "out").glob("*.py"))


def test_progress_is_shown_on_a_terminal(corm: Corm) -> None:
    big(corm)
    assert "exporting" in corm.terminal("export", "big.db", "t", "--out", "t.csv")


def test_the_key_that_is_read_is_not_written_over(corm: Corm) -> None:
    (corm.folder / "key").write_text("of a file")
    (corm.folder / "t.csv").write_text("i,s\n1,a\nno,b\n")
    corm.run("encrypt", "a.db", "--key-file", "key")
    for command in (
        ("export", "a.db", "t", "--out", "key"),
        ("diagram", "a.db", "--format", "svg", "--out", "key"),
        ("import", "a.db", "t.csv", "--rejects", "key"),
    ):
        told = corm.fails(*command, "--key-file", "key")
        assert "would be written over while it is read" in told
    assert (corm.folder / "key").read_text() == "of a file"
