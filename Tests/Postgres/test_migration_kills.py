"""A migration that is killed at any moment, with its process or its server's: the schema is the old one or a whole step
further, all rows are there, and the same call goes on to the end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import migration_client
import pytest
from cormorant import Database

CLIENT = Path(__file__).with_name("migration_client.py")
ROUNDS = int(os.environ.get("CORMORANT_KILL_ROUNDS", "2"))

INVALID = "SELECT count(*) FROM pg_index WHERE NOT indisvalid"
UNVALIDATED = "SELECT count(*) FROM pg_constraint WHERE NOT convalidated"
NOT_NULL_CHECKS = "SELECT count(*) FROM pg_constraint WHERE conname LIKE 'corm\\_not\\_null\\_%'"


def one(db: Database, sql: str) -> object:
    return db.query(sql).fetch_all()[0][0]


def run(url: str, way: str, chance: random.Random, longest: float) -> float:
    """Starts the client, and ends it or its backend at a moment of chance."""
    process = subprocess.Popen(
        [sys.executable, CLIENT, url, way], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline().strip() == "open"
    start = time.monotonic()
    time.sleep(chance.random() * longest)
    if chance.random() < 0.5:
        process.send_signal(signal.SIGKILL)
    else:
        with Database(url) as db:
            db.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
            ).fetch_all()
    process.communicate(timeout=60)
    return time.monotonic() - start


def resume(url: str, way: str) -> None:
    """Whoever was killed may hold its locks for a moment longer."""
    for attempt in range(3):
        result = subprocess.run([sys.executable, CLIENT, url, way], capture_output=True, text=True, timeout=120)
        if result.returncode == 0:
            return
        time.sleep(1 + attempt)
    raise AssertionError(result.stderr)


@pytest.mark.parametrize("round", range(ROUNDS))
@pytest.mark.parametrize("way", ["sync", "bundle"])
def test_what_was_killed_goes_on(url: str, way: str, round: int) -> None:
    chance = random.Random(f"{way}{round}{os.environ.get('CORMORANT_KILL_SEED', '')}")
    with Database(url) as db:
        db.execute_script(migration_client.OLD)
        total = one(db, "SELECT sum(price) FROM item")
    run(url, way, chance, 0.5)
    with Database(url) as db:
        assert one(db, "SELECT count(*) FROM item") == 20000
        if way == "bundle":
            applied = [state.id for state in migration_client.steps().status(db) if state.state == "applied"]
            has_log = one(db, "SELECT count(*) FROM pg_class WHERE relname = 'log'") == 1
            assert has_log == ("0001_stock" in applied)
            assert int(str(one(db, "SELECT sum(price) FROM item"))) == int(str(total)) + (20000 if has_log else 0)
    resume(url, way)
    with Database(url) as db:
        assert one(db, "SELECT count(*) FROM item") == 20000
        assert (one(db, INVALID), one(db, UNVALIDATED), one(db, NOT_NULL_CHECKS)) == (0, 0, 0)
        if way == "sync":
            assert not db.sync(migration_client.Kind, migration_client.Item)
            assert not db.plan(migration_client.Kind, migration_client.Item)
            assert (
                one(
                    db,
                    "SELECT count(*) FROM pg_attribute WHERE attrelid = 'item'::regclass"
                    " AND attname = 'price' AND attnotnull",
                )
                == 1
            )
        else:
            assert {state.state for state in migration_client.steps().status(db)} == {"applied"}
            assert [row[0] for row in db.query("SELECT n FROM log ORDER BY n").fetch_all()] == [1, 2, 3]
