"""What a write queue acknowledged is in the file after a kill. CORMORANT_KILLS makes it more of them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import pytest

import cormorant
from cormorant import Database

KILLS = int(os.environ.get("CORMORANT_KILLS", "20"))
# Prints the number of each write once it was told that it is committed, while eight threads go on adding.
WRITER = """
import os, sys, threading
from cormorant import Cipher, Database
key = os.environ.get("CORMORANT_TEST_KEY")
db = Database(sys.argv[1], synchronous=sys.argv[2], cipher=Cipher(key) if key else None)
queue = db.queue(capacity=64)
first = int(sys.argv[3])
def insert(db, number):
    db.execute("INSERT INTO done VALUES (?, zeroblob(300))", [number])
    return number
def tell(write):
    os.write(1, b"%d\\n" % write.result())
def work(thread):
    for number in range(first + thread, first + 10_000_000, 8):
        queue.add(insert, number).add_done_callback(tell)
for thread in range(8):
    threading.Thread(target=work, args=(thread,), daemon=True).start()
threading.Event().wait()
"""


@pytest.mark.parametrize("synchronous", ["normal", "full"])
def test_every_acknowledged_write_is_there_after_a_kill(path: Path, synchronous: Literal["normal", "full"]) -> None:
    pick = random.Random(7)
    environment = {**os.environ, "PYTHONPATH": str(Path(cormorant.__file__).parents[1])}
    with Database(path) as db:
        db.execute("CREATE TABLE done (number INTEGER PRIMARY KEY, filling BLOB)")
    acknowledged: set[int] = set()
    for round in range(max(1, KILLS // 2)):
        line = [sys.executable, "-c", WRITER, str(path), synchronous, str(round * 10_000_000)]
        with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            head = writer.stdout.readline()
            time.sleep(pick.uniform(0, 0.15))
            writer.send_signal(signal.SIGKILL)
            told = head + writer.stdout.read()
        # A line that was cut off tells nothing.
        acknowledged.update(int(number) for number in told.splitlines(keepends=True) if number.endswith(b"\n"))
        with Database(path) as db:
            found = {row[0] for row in db.query("SELECT number FROM done").fetch_all()}
            assert acknowledged <= found
            assert db.query("PRAGMA integrity_check").fetch_all() == [("ok",)]
    assert len(acknowledged) > KILLS
