"""corm check of files that their log or journal heals, as a crash leaves them: the file alone looks damaged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_runs import Corm

ROOT = Path(__file__).resolve().parents[2]
KEY = "x'2DD29CA851E7B56E4697B0E1F08507293D761A05CE4D1B628663F411A8086D99'"
PAGE = 4096
VICTIM = """
import os, resource, signal, sys
sys.path.insert(0, {source!r})
from cormorant import Cipher, Database

db = Database({path!r}, cipher={cipher}, journal_mode="wal" if {mode!r} == "wal" else "delete", synchronous="full")
db.execute_script("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
db.execute("INSERT INTO t SELECT i, printf('%500d', i) FROM ("
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) SELECT i FROM n)")
if {mode!r} == "wal":
    db.checkpoint("truncate")
    db.execute_script("PRAGMA wal_autocheckpoint = 0; UPDATE t SET x = x || '!'")
    db.vacuum()
elif {mode!r} == "commit":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize({path!r}) + 10 * 4096,) * 2)
    db.execute("INSERT INTO t SELECT id + 1000, x FROM t")
else:
    db.execute_script("PRAGMA cache_size = 5")
    with db.transaction():
        db.execute("UPDATE t SET x = x || '!'")
        os.kill(os.getpid(), signal.SIGKILL)
os.kill(os.getpid(), signal.SIGKILL)
"""


def crash(corm: Corm, mode: str, is_encrypted: bool) -> Path:
    path = corm.folder / "a.db"
    cipher = f"Cipher({KEY!r})" if is_encrypted else "None"
    source = str(ROOT / "bindings/python/src")
    code = VICTIM.format(source=source, path=str(path), mode=mode, cipher=cipher)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == -(signal.SIGXFSZ if mode == "commit" else signal.SIGKILL), done.stderr
    return path


def environment(is_encrypted: bool) -> dict[str, str]:
    return {"CORM_KEY": KEY} if is_encrypted else {}


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
@pytest.mark.parametrize("torn", ["pages", "end", "first", "zeroed"])
def test_a_log_heals_what_a_checkpoint_left(corm: Corm, torn: str, is_encrypted: bool) -> None:
    """Every page of the file half written, or its end missing, or its first page: the log has all."""
    path = crash(corm, "wal", is_encrypted)
    content = bytearray(path.read_bytes())
    assert (corm.folder / "a.db-wal").stat().st_size > len(content)
    if torn == "end":
        content = content[: 10 * PAGE + 1000]
    elif torn == "zeroed":
        content[:PAGE] = bytes(PAGE)
    else:
        for page in range(0 if torn == "first" else 1, 1 if torn == "first" else len(content) // PAGE):
            content[page * PAGE + 2048 : (page + 1) * PAGE] = os.urandom(2048)
    path.write_bytes(content)
    found = corm.run("check", "a.db", "--json", status=None, **environment(is_encrypted))
    assert [each for each in found.json["findings"] if each["severity"] == "damage"] == []
    assert found.status == 0
    shown = corm.run("query", "a.db", "SELECT count(*), sum(x LIKE '%!') FROM t", "--csv", **environment(is_encrypted))
    assert shown.out.splitlines()[1] == "500,500"


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
@pytest.mark.parametrize("moment", ["transaction", "commit"])
def test_a_hot_journal_heals_what_a_transaction_left(corm: Corm, moment: str, is_encrypted: bool) -> None:
    """Some of its pages written, or the first one lost as it was: only a commit writes that."""
    path = crash(corm, moment, is_encrypted)
    if moment == "commit":
        content = bytearray(path.read_bytes())
        content[:PAGE] = bytes(PAGE)
        path.write_bytes(content)
    assert (corm.folder / "a.db-journal").stat().st_size > PAGE
    found = corm.run("check", path.name, "--json", status=None, **environment(is_encrypted))
    assert [each for each in found.json["findings"] if each["severity"] == "damage"] == []
    assert found.status == 0
    shown = corm.run("query", "a.db", "SELECT count(*), sum(x LIKE '%!') FROM t", "--csv", **environment(is_encrypted))
    assert shown.out.splitlines()[1] == "500,0"


def test_what_no_log_heals_is_damage_all_the_same(corm: Corm) -> None:
    path = crash(corm, "wal", True)
    content = bytearray(path.read_bytes())
    content[5 * PAGE + 2048 : 6 * PAGE] = os.urandom(2048)
    path.write_bytes(content)
    log = (corm.folder / "a.db-wal").read_bytes()
    (corm.folder / "a.db-wal").write_bytes(log[: 32 + 2 * (PAGE + 24)])
    found = corm.run("check", "a.db", "--json", status=3, CORM_KEY=KEY)
    assert "backup" in found.json["findings"][0]["hint"]


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
def test_what_a_log_has_behind_damage_is_told(corm: Corm, is_encrypted: bool) -> None:
    """SQLite reads a log up to the first frame that is not as it was written. Looking changes nothing."""
    path = crash(corm, "wal", is_encrypted)
    log = bytearray((corm.folder / "a.db-wal").read_bytes())
    log[32 + 5 * (PAGE + 24) + 2000] ^= 1
    (corm.folder / "a.db-wal").write_bytes(log)
    found = corm.run("check", "a.db", "--json", status=2, **environment(is_encrypted)).json["findings"]
    (told,) = [each for each in found if each["severity"] == "warning"]
    assert told["check"] == "wal"
    assert "the write-ahead log is damaged, and has 2 transactions that are not read" in told["message"]
    assert "-wal" in told["hint"]
    assert (corm.folder / "a.db-wal").read_bytes() == log
    assert path.stat().st_size > 0
