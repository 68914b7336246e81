"""Files on file systems of the network, whose machines share no memory: WAL mode is refused there."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from test_hostile_files import BUILD, ENVIRONMENT, FACES

SOURCES = Path(__file__).resolve().parents[2] / "bindings/python/src"


@pytest.fixture
def network(tmp_path: Path) -> Path:
    (tmp_path / "network").mkdir()
    source = Path(__file__).with_name("network.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "network.so", source], check=True)
    return tmp_path / "network"


def environment(network: Path) -> dict[str, str]:
    return {"LD_PRELOAD": str(network.parent / "network.so"), "PYTHONPATH": str(SOURCES)}


@pytest.mark.parametrize("face", FACES)
def test_wal_mode_is_refused(network: Path, face: str) -> None:
    (network.parent / "disk").mkdir()
    done = subprocess.run(
        FACES[face],
        input=f"{network / 'a.db'}\n{network.parent / 'disk/a.db'}\n",
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | environment(network) | {"SWIFT_BACKTRACE": "enable=no"},
    )
    refused, opened = done.stdout.splitlines()
    assert refused in ("refused CORM_E_CANNOT_OPEN", "refused cannotOpen")
    assert opened.startswith("read "), "on a disk it is opened"


def python(network: Path, code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"from cormorant import Cipher, Database\n{code}"],
        cwd=network,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | environment(network),
    )
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


@pytest.mark.parametrize("cipher", ["None", "Cipher('k', rounds=5)"], ids=["plain", "encrypted"])
def test_it_is_said_what_to_do(network: Path, cipher: str) -> None:
    told = python(network, f"Database('a.db', cipher={cipher})")
    assert '"a.db" is on a network file system (nfs), on which WAL mode loses data' in told
    assert "open it with journal mode DELETE" in told
    work = "db.execute_script('CREATE TABLE t (x); INSERT INTO t VALUES (1)'); print(db.fetch_value('SELECT x FROM t'))"
    assert python(network, f"with Database('b.db', journal_mode='delete', cipher={cipher}) as db: {work}") == "1\n"
    # Of a file that is there already, too; nothing of it is changed, and it can be read.
    assert "network file system" in python(network, f"Database('b.db', cipher={cipher})")
    read = "print(db.fetch_value('SELECT x FROM t'))"
    assert python(network, f"with Database('b.db', mode='read_only', cipher={cipher}) as db: {read}") == "1\n"


def test_the_command_makes_files_that_have_no_log(network: Path) -> None:
    (network / "t.csv").write_text("id,name\n1,one\n")
    subprocess.run(
        [BUILD / "corm", "import", "a.db", "t.csv"],
        cwd=network,
        check=True,
        capture_output=True,
        env=ENVIRONMENT | environment(network),
    )
    with sqlite3.connect(network / "a.db") as file:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert file.execute("SELECT * FROM t").fetchall() == [(1, "one")]
