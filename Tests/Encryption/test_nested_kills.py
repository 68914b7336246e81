"""Kills among processes whose transactions outgrow the cache, with nested ones rolled back and statements that fail:
nothing that was acknowledged is lost, no transaction is there in part. SQLite itself writes to plain files, too.

CORMORANT_NESTED_KILLS says how many for each kind of file, CORMORANT_SEED which.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cormorant import Cipher, Database, Error

KILLS = int(os.environ.get("CORMORANT_NESTED_KILLS", "12"))
SEED = int(os.environ.get("CORMORANT_SEED", "1"))
# Where pytest finds the package.
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
# A file grows: another one is begun then.
KILLS_OF_A_FILE = 12
FILL = (
    "INSERT INTO t WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
    "SELECT i, hex(randomblob(100)), zeroblob(300) FROM n"
)
SCHEMA = (
    "CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, b BLOB); CREATE INDEX ti ON t (k);"
    "CREATE TABLE before (id INTEGER PRIMARY KEY); CREATE TABLE after (id INTEGER PRIMARY KEY);"
)


def opened(path: str, is_encrypted: bool) -> Database:
    return Database(path, cipher=Cipher("k", rounds=5) if is_encrypted else None, busy_timeout=60_000)


def undo(db: Database, chance: random.Random) -> None:
    """Most of the time, and never by half."""
    with db.transaction():
        db.execute("UPDATE t SET b = zeroblob(?)", [chance.choice([20, 100, 900])])
        if chance.random() < 0.5:
            more = "INSERT INTO t SELECT NULL, hex(randomblob(100)), zeroblob(?) FROM t LIMIT ?"
            db.execute(more, [chance.choice([50, 3000]), chance.choice([50, 400])])
        if chance.random() < 0.8:
            raise KeyError


def fail(db: Database) -> None:
    """With its last row, which is there already."""
    db.execute(
        "INSERT INTO t SELECT * FROM (SELECT id + 100000 AS i, k, zeroblob(2000) FROM t WHERE id < 100000 LIMIT 400) "
        "UNION ALL SELECT 1, '', ''"
    )


def write(path: str, is_encrypted: bool, seed: int) -> None:
    chance = random.Random(seed)
    db = opened(path, is_encrypted)
    cache, pages = chance.choice([4, 10, -2000]), chance.choice([5, 50, 1000])
    db.execute_script(f"PRAGMA cache_size = {cache}; PRAGMA wal_autocheckpoint = {pages}")
    for number in range(seed * 100_000, (seed + 1) * 100_000):
        with db.transaction():
            db.execute("INSERT INTO before VALUES (?)", [number])
            try:
                if chance.random() < 0.6:
                    undo(db, chance)
                elif chance.random() < 0.5:
                    fail(db)
            except (KeyError, Error):
                pass
            if chance.random() < 0.3:
                db.execute("DELETE FROM t WHERE id % 7 = ? AND id > 200", [number % 7])
            db.execute("INSERT INTO after VALUES (?)", [number])
        print(number, flush=True)


def write_by_sqlite(path: str, seed: int) -> None:
    db = sqlite3.connect(path, timeout=60, isolation_level=None)
    for number in range(seed * 100_000, (seed + 1) * 100_000):
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO before VALUES (?)", [number])
        db.execute("INSERT INTO after VALUES (?)", [number])
        db.execute("COMMIT")
        print(number, flush=True)
        time.sleep(random.random() * 0.01)


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["plain", "encrypted"])
def test_what_is_acknowledged_around_nested_transactions_is_not_lost(tmp_path: Path, is_encrypted: bool) -> None:
    chance, seed, kills = random.Random(SEED), SEED * 10_000, 0
    kinds = ["ours"] * 3 + ([] if is_encrypted else ["sqlite"])
    while kills < KILLS:
        path = tmp_path / f"{kills}.db"
        with opened(str(path), is_encrypted) as db:
            db.execute_script(SCHEMA)
            db.execute(FILL)
        acknowledged: set[int] = set()
        for _ in range(KILLS_OF_A_FILE // len(kinds)):
            writers = []
            for kind in kinds:
                seed += 1
                command = [sys.executable, __file__, str(path), kind, str(int(is_encrypted)), str(seed)]
                writers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT))
            # Not before one of them has written, however busy the machine is.
            first = chance.choice(writers).stdout
            assert first
            acknowledged |= {int(line) for line in [first.readline()] if line.endswith("\n")}
            time.sleep(chance.uniform(0, 0.9))
            for writer in chance.sample(writers, len(writers)):
                writer.kill()
            for writer in writers:
                said, _ = writer.communicate()
                assert writer.returncode == -signal.SIGKILL
                acknowledged |= {int(line) for line in said.splitlines(keepends=True) if line.endswith("\n")}
            kills += len(writers)
            with opened(str(path), is_encrypted) as db:
                before = {number for (number,) in db.query("SELECT id FROM before").fetch_all()}
                after = {number for (number,) in db.query("SELECT id FROM after").fetch_all()}
                assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
            assert acknowledged <= before, f"CORMORANT_SEED={SEED}: {sorted(acknowledged - before)}"
            assert before == after, f"CORMORANT_SEED={SEED}"
        assert acknowledged
        for file in tmp_path.glob(f"{path.name}*"):
            file.unlink()
    print(f"kills around nested transactions: {kills} runs")


if __name__ == "__main__":
    if sys.argv[2] == "sqlite":
        write_by_sqlite(sys.argv[1], int(sys.argv[4]))
    else:
        write(sys.argv[1], sys.argv[3] == "1", int(sys.argv[4]))
