"""Clients that are killed in their commits and copies: what they were told is committed is there, no transaction by
half. CORMORANT_COMMIT_KILLS makes it more of them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from commit_client import COUNT, Copied, Entry
from cormorant import Database

KILLS = int(os.environ.get("CORMORANT_COMMIT_KILLS", "20"))
CLIENT = Path(__file__).with_name("commit_client.py")


def test_what_was_acknowledged_is_there(url: str) -> None:
    chance = random.Random(1)
    first = 1
    acknowledged: list[int] = []
    with Database(url) as db:
        db.create_tables(Entry, Copied)
        for _ in range(KILLS):
            client = subprocess.Popen([sys.executable, CLIENT, url, str(first)], stdout=subprocess.PIPE, text=True)
            assert client.stdout is not None
            told = [int(client.stdout.readline())]
            time.sleep(chance.uniform(0, 0.05))
            client.kill()
            told += [int(line) for line in client.stdout.read().split("\n") if line]
            client.stdout.close()
            client.wait()
            acknowledged += told
            # The server notices a client that is gone when it has answered.
            while db.query(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
                "AND backend_type = 'client backend' AND state <> 'idle'"
            ).fetch_all()[0][0]:
                time.sleep(0.01)
            there = [entry.id for entry in db.fetch_all(Entry, order_by=("id", "half"))]
            assert there[::2] == there[1::2], "a transaction is there by half"
            copied = db.query("SELECT id, count(*) FROM copied GROUP BY id ORDER BY id").fetch_all()
            assert [tuple(row) for row in copied] == [(number, COUNT) for number in there[::2]], "a batch by half"
            assert set(acknowledged) <= set(there), "what was acknowledged is not there"
            # One more may be there, whose answer did not reach the client.
            assert len(there) // 2 - len(acknowledged) <= KILLS
            first = there[-1] + 1
    assert len(acknowledged) >= KILLS
