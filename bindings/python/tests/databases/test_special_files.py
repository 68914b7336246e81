"""What is no file is refused at once, whatever it would be opened for."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest

from cormorant import Cipher, Database, DatabaseError, OperationalError


@pytest.fixture(params=["pipe", "socket", "device", "directory"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    kind: str = request.param
    path = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    elif kind == "device":
        path.symlink_to("/dev/null")
    else:
        path.mkdir()
    return path, kind


@pytest.mark.parametrize("mode", ["create", "read_write", "read_only"])
@pytest.mark.parametrize("cipher", [None, Cipher("k", rounds=5)], ids=["plain", "encrypted"])
def test_it_is_said_what_it_is(
    special: tuple[Path, str], mode: Literal["create", "read_write", "read_only"], cipher: Cipher | None
) -> None:
    path, kind = special
    with pytest.raises(OperationalError, match=f"cannot be opened: it is a {kind}") as caught:
        Database(path, mode=mode, cipher=cipher)
    assert caught.value.code == "CORM_E_CANNOT_OPEN"
    with Database(":memory:") as db, pytest.raises(OperationalError, match=f"it is a {kind}"):
        db.attach(path, "other")


def test_a_pipe_is_no_template(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OperationalError, match="it is a pipe"):
        Database(tmp_path / "new.db", template=tmp_path / "pipe")
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("size", [15, 16, 99, 100, 511, 512, 1000, 4095, 4096, 8191])
def test_a_file_of_which_only_the_beginning_was_written_is_refused_and_stays(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.db"
    with Database(path, journal_mode="delete") as db:
        db.execute_script("CREATE TABLE t (a); INSERT INTO t VALUES (randomblob(9000))")
    part = path.read_bytes()[:size]
    path.write_bytes(part)
    with pytest.raises(DatabaseError) as caught:
        Database(path)
    assert caught.value.code in ("CORM_E_CORRUPT", "CORM_E_NOT_A_DATABASE")
    assert path.read_bytes() == part


def test_links_lead_to_their_file(tmp_path: Path) -> None:
    with Database(tmp_path / "a.db") as db:
        db.execute_script("CREATE TABLE t (a)")
    (tmp_path / "link").symlink_to("a.db")
    with Database(tmp_path / "link") as db:
        db.execute("INSERT INTO t VALUES (1)")
    with Database(tmp_path / "a.db") as db:
        assert db.query("SELECT a FROM t").fetch_all() == [(1,)]
    for name, target in (("dangling", "nowhere/a.db"), ("loop", "loop")):
        (tmp_path / name).symlink_to(target)
        with pytest.raises(OperationalError) as caught:
            Database(tmp_path / name)
        assert caught.value.code == "CORM_E_CANNOT_OPEN"


READ_ONLY_PLACE = """
import subprocess, sys
from cormorant import Cipher, Database, OperationalError
folder = sys.argv[1]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,ro", "none", folder], check=True)
for path in (folder + "/new.db", folder + "/none/new.db"):
    for more in ({}, {"cipher": Cipher("k", rounds=5)}, {"mode": "read_only"}):
        try:
            Database(path, **more)
        except OperationalError as error:
            print(error)
"""


def test_a_place_that_takes_no_files_is_told(tmp_path: Path) -> None:
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", READ_ONLY_PLACE, tmp_path],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if "Operation not permitted" in done.stderr or "permission denied" in done.stderr:
        pytest.skip("this machine lets nobody mount")
    lines = done.stdout.splitlines()
    assert len(lines) == 6, done.stderr
    for line in lines[:3]:
        assert "it is not there, and its folder takes no new file: Read-only file system" in line
    for line in lines[3:]:
        assert "cannot be opened: No such file or directory" in line


def test_a_url_of_another_library_is_told_to_be_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OperationalError, match=r"give the path of the file in place of a URL: shop\.db"):
        Database("sqlite:///shop.db")
    for scheme in ("postgresql+psycopg", "POSTGRESQL", "mysql"):
        with pytest.raises(
            OperationalError, match=f'begins with "{re.escape(scheme)}://" cannot be.*"postgresql://"'
        ) as caught:
            Database(f"{scheme}://ada:secret@localhost/shop")
        assert "secret" not in str(caught.value)


PIPED = """
import sys
from cormorant import Cipher, Database, DatabaseError
from cormorant.maintenance import repair
path = sys.argv[1]
for work in (lambda: Database(path).close(), lambda: repair(path, path + "-new"),
             lambda: Database(path, cipher=Cipher("k", rounds=5)).close()):
    try:
        work()
        print("done")
    except DatabaseError as error:
        print(error.code)
"""


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
@pytest.mark.parametrize("content", ["database", "empty"])
def test_a_pipe_in_the_place_of_a_log_keeps_nobody_waiting(tmp_path: Path, suffix: str, content: str) -> None:
    path = tmp_path / "a.db"
    path.touch()
    if content == "database":
        with Database(path) as db:
            db.execute("CREATE TABLE t (x)")
    os.mkfifo(f"{path}{suffix}")
    told = subprocess.run(
        [sys.executable, "-c", PIPED, path],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert told.stderr == ""
    repaired = "CORM_E_NOT_A_DATABASE" if content == "empty" else "CORM_E_CANNOT_OPEN"
    assert told.stdout.split() == ["CORM_E_CANNOT_OPEN", repaired, "CORM_E_CANNOT_OPEN"]
