"""Key-value stores of several processes and threads on one file."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import cormorant
from cormorant import Database

COUNT = 300
INCREMENT = f"""
import sys
from cormorant import Database
with Database(sys.argv[1]) as db:
    store = db.store("counters")
    for _ in range({COUNT}):
        while True:
            entry = store.entry("hits")
            value, version = (entry.value, entry.version) if entry else (0, 0)
            if store.compare_and_set("hits", value + 1, version):
                break
"""


def test_no_increment_of_two_processes_is_lost(path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(cormorant.__file__).parents[1])}
    line = [sys.executable, "-c", INCREMENT, str(path)]
    processes = [subprocess.Popen(line, env=environment) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    with Database(path) as db:
        assert db.store("counters")["hits"] == 2 * COUNT


def test_threads_share_a_store(db: Database) -> None:
    store = db.store("shared")

    def increment() -> None:
        for _ in range(COUNT):
            with db.transaction():
                store["hits"] = store.get("hits", 0) + 1

    threads = [threading.Thread(target=increment) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store["hits"] == 4 * COUNT
