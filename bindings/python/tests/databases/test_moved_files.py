"""A file that its path leads to no more is not written to: nobody would find what was written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from cormorant import Cipher, Database, OperationalError
from cormorant.cipher import encrypt, rekey

JournalMode = Literal["wal", "delete", "truncate", "persist", "memory", "off"]
CIPHERS = pytest.mark.parametrize("cipher", [None, Cipher("k", rounds=5)], ids=["plain", "encrypted"])


def delete(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def rename(path: Path) -> None:
    path.rename(path.with_name("other.db"))


def replace(path: Path) -> None:
    """As tools do it that write a file anew: under another name, which then takes its place."""
    with Database(path.with_name("new.db"), journal_mode="delete") as other:
        other.execute_script("CREATE TABLE other (x)")
    path.with_name("new.db").replace(path)


def delete_folder(path: Path) -> None:
    shutil.rmtree(path.parent)


def rename_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def refused(db: Database, path: Path) -> None:
    """Nothing is written, however it is tried, and what is to be done is said."""
    for write in (
        lambda: db.execute("INSERT INTO t VALUES (2)"),
        lambda: db.execute_script("CREATE TABLE u (x)"),
        lambda: db.execute_script("BEGIN IMMEDIATE; INSERT INTO t VALUES (2); COMMIT"),
    ):
        with pytest.raises(OperationalError) as caught:
            write()
        assert caught.value.code == "CORM_E_IO"
        assert f'"{path}" was deleted, moved or replaced while it was open' in str(caught.value)
        assert "close the database and open it again" in str(caught.value)
    with pytest.raises(OperationalError, match="was deleted, moved or replaced"), db.transaction():
        db.execute("INSERT INTO t VALUES (2)")


@CIPHERS
@pytest.mark.parametrize("mode", ["wal", "delete", "truncate", "persist", "memory", "off"])
@pytest.mark.parametrize("happens", [delete, rename, replace, delete_folder, rename_folder])
def test_what_is_written_to_it_is_an_error(
    tmp_path: Path, happens: Callable[[Path], None], mode: JournalMode, cipher: Cipher | None
) -> None:
    path = tmp_path / "folder" / "a.db"
    path.parent.mkdir()
    with Database(path, journal_mode=mode, cipher=cipher) as db:
        db.execute_script("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        happens(path)
        refused(db, path)
        if mode == "persist" and happens in (delete, rename):
            # SQLite takes the journal that is left for one that is to be rolled back.
            with pytest.raises(OperationalError, match="was deleted, moved or replaced"):
                db.fetch_value("SELECT count(*) FROM t")
        else:
            assert db.fetch_value("SELECT count(*) FROM t") == 1, "what it has can still be read, to save it"
    assert happens is not delete or not path.exists()


@CIPHERS
def test_readers_do_not_see_the_file_that_took_its_place(tmp_path: Path, cipher: Cipher | None) -> None:
    path = tmp_path / "a.db"
    with Database(path, cipher=cipher) as db:
        db.execute_script("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        delete(path)
        with Database(path, cipher=cipher) as other:
            other.execute_script("CREATE TABLE t (x)")
        # Its readers are opened now.
        with db.read():
            assert db.fetch_value("SELECT count(*) FROM t") == 1


def test_an_attached_file_is_named(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db") as db:
        db.attach(tmp_path / "b.db", "other")
        db.execute_script("CREATE TABLE t (x); CREATE TABLE other.u (x)")
        (tmp_path / "b.db").unlink()
        with pytest.raises(OperationalError, match=r'b\.db" was deleted, moved or replaced'):
            db.execute("INSERT INTO other.u VALUES (1)")
        db.execute("INSERT INTO t VALUES (1)")


def test_a_transaction_that_has_begun_is_refused_where_it_begins_to_write(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db") as db:
        db.execute_script("CREATE TABLE t (x)")
        with pytest.raises(OperationalError, match="was deleted, moved or replaced"), db.transaction("deferred"):
            assert db.fetch_value("SELECT count(*) FROM t") == 0
            (tmp_path / "a.db").unlink()
            db.execute("INSERT INTO t VALUES (1)")


# What leads to the file as before ------------------------------------------------------------------------------------


def goes_on(db: Database) -> None:
    for value in range(3):
        db.execute("INSERT INTO t VALUES (?)", [value])
    assert db.fetch_value("SELECT count(*) FROM t") == 3
    db.execute("DELETE FROM t")


@CIPHERS
@pytest.mark.parametrize("mode", ["wal", "delete", "memory"])
def test_other_ways_to_a_file_are_none_to_another(tmp_path: Path, mode: JournalMode, cipher: Cipher | None) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    (real / "link.db").symlink_to("a.db")
    paths: list[Path | str] = [real / "a.db", tmp_path / "link" / "a.db", real / "link.db"]
    paths.append(f"{tmp_path}/./real/../real//a.db")
    with Database(paths[0], journal_mode=mode, cipher=cipher) as db:
        db.execute_script("CREATE TABLE t (x)")
    for path in paths:
        with Database(path, journal_mode=mode, cipher=cipher) as db:
            goes_on(db)
    with Database(tmp_path / "link" / "a.db", journal_mode=mode, cipher=cipher) as db:
        # A link that leads elsewhere by now: the file is where it was.
        (tmp_path / "link").unlink()
        goes_on(db)
        os.link(real / "a.db", tmp_path / "second.db")
        goes_on(db)
        (tmp_path / "second.db").unlink()
        goes_on(db)


@pytest.mark.parametrize("path", ["a.db", "./folder/../a.db", "file:a.db"])
def test_relative_paths_stay_those_of_the_folder_in_which_they_were_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with Database(path) as db:
        db.execute_script("CREATE TABLE t (x)")
        monkeypatch.chdir("/")
        goes_on(db)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system has no /proc")
def test_a_descriptors_path(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch()
    file = os.open(tmp_path / "a.db", os.O_RDWR)
    with Database(f"/proc/self/fd/{file}") as db:
        os.close(file)
        db.execute_script("CREATE TABLE t (x)")
        goes_on(db)


@pytest.mark.parametrize("path", [":memory:", "file:moved?mode=memory&cache=shared", "file:/moved?vfs=memdb"])
def test_memory_has_no_path(path: str) -> None:
    with Database(path, journal_mode="wal" if path == ":memory:" else "memory") as db:
        db.execute_script("CREATE TABLE t (x); CREATE TEMPORARY TABLE s (x); INSERT INTO s VALUES (1)")
        goes_on(db)


@CIPHERS
def test_what_makes_a_file_anew_is_no_other_file(tmp_path: Path, cipher: Cipher | None) -> None:
    path = tmp_path / "a.db"
    with Database(path, cipher=cipher) as db:
        db.execute_script("CREATE TABLE t (x); CREATE TEMPORARY TABLE s (x)")
        for step in (db.vacuum, db.optimize, db.checkpoint, lambda: db.backup(tmp_path / "copy.db", cipher=cipher)):
            step()
            goes_on(db)
    if cipher is None:
        encrypt(path, Cipher("k2", rounds=5))
    else:
        rekey(path, cipher, Cipher("k2", rounds=5))
    with Database(path, cipher=Cipher("k2", rounds=5)) as db:
        goes_on(db)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can mount")
def test_bind_mounts(tmp_path: Path) -> None:
    program = """
import subprocess, sys
from cormorant import Database
folder = sys.argv[1]
subprocess.run(["mount", "--bind", f"{folder}/real", f"{folder}/seen"], check=True)
for path in (f"{folder}/seen/a.db", f"{folder}/real/a.db"):
    with Database(path) as db:
        db.execute_script("CREATE TABLE IF NOT EXISTS t (x)")
        db.execute("INSERT INTO t VALUES (1)")
        # Another mount of the same file over it changes nothing.
        subprocess.run(["mount", "--bind", path, path], check=True)
        db.execute("INSERT INTO t VALUES (2)")
        subprocess.run(["umount", path], check=False)
        db.execute("INSERT INTO t VALUES (3)")
        print(db.fetch_value("SELECT count(*) FROM t"))
"""
    for name in ("real", "seen"):
        (tmp_path / name).mkdir()
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", program, tmp_path],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if "Operation not permitted" in done.stderr or "permission denied" in done.stderr:
        pytest.skip("this machine lets nobody mount")
    assert done.stdout.split() == ["3", "6"], done.stderr
