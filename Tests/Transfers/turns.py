#!/usr/bin/env python3
"""How long processes that write to one file wait for each other: `turns.py FILE`.

Shows the waits before transactions in milliseconds, mean, longest and the one that all but a thousandth stay under, how
often more than two transactions of each other process came first while one waited, how many the busiest and the least
busy process had, and how many there were in a second. With --ring they have an SQLite of their own and hand on a byte,
through pipes of the system, which says who writes next: no lock is fairer, so that long waits there are the machine's.
"""

from __future__ import annotations

import argparse
import bisect
import multiprocessing
import os
import sqlite3
import statistics
import time
from multiprocessing.synchronize import Barrier


def write(path: str, rows: int, seconds: float, raw: bool, barrier: Barrier, waits: multiprocessing.Queue) -> None:
    from cormorant import Database

    mine = []
    db = None if raw else Database(path, busy_timeout=60)
    other = sqlite3.connect(path, timeout=60, isolation_level=None) if raw else None
    barrier.wait()
    end = time.monotonic() + seconds
    while (began := time.monotonic()) < end:
        if db is not None:
            with db.transaction():
                mine.append((began, time.monotonic()))
                for _ in range(rows):
                    db.execute("INSERT INTO a VALUES (?)", ["x" * 100])
        elif other is not None:
            other.execute("BEGIN IMMEDIATE")
            mine.append((began, time.monotonic()))
            for _ in range(rows):
                other.execute("INSERT INTO a VALUES (?)", ["x" * 100])
            other.execute("COMMIT")
    waits.put((raw, mine))


def write_in_a_ring(
    path: str, rows: int, seconds: float, ends: tuple[int, int], barrier: Barrier, waits: multiprocessing.Queue
) -> None:
    mine = []
    db = sqlite3.connect(path, timeout=60, isolation_level=None)
    db.execute("PRAGMA synchronous = NORMAL")
    barrier.wait()
    end = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        turn = os.read(ends[0], 1)
        if time.monotonic() > end:
            turn = b"-"  # Who has it hands it on, and is done.
        if turn == b"x":
            db.execute("BEGIN IMMEDIATE")
            mine.append((began, time.monotonic()))
            for _ in range(rows):
                db.execute("INSERT INTO a VALUES (?)", ["x" * 100])
            db.execute("COMMIT")
        os.write(ends[1], turn)
        if turn != b"x":
            break
    waits.put((False, mine))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--foreign", type=int, default=0, help="how many of them have an SQLite of their own")
    parser.add_argument("--ring", action="store_true", help="each after another, by the system's pipes")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rows", type=int, default=100, help="that each transaction inserts")
    given = parser.parse_args()
    with sqlite3.connect(given.file) as file:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("CREATE TABLE a (x)")
    context = multiprocessing.get_context("spawn")
    barrier, waits = context.Barrier(given.processes), context.Queue()
    pipes = [os.pipe() for _ in range(given.processes)]
    if given.ring:
        context = multiprocessing.get_context("fork")
        barrier, waits = context.Barrier(given.processes), context.Queue()
        os.write(pipes[0][1], b"x")
    processes = [
        context.Process(
            target=write_in_a_ring,
            args=(given.file, given.rows, given.seconds, (pipes[number - 1][0], pipes[number][1]), barrier, waits),
        )
        if given.ring
        else context.Process(
            target=write, args=(given.file, given.rows, given.seconds, number < given.foreign, barrier, waits)
        )
        for number in range(given.processes)
    ]
    for process in processes:
        process.start()
    all_waits = [waits.get(timeout=given.seconds + 60) for _ in processes]
    for process in processes:
        process.join()
    ours = [mine for raw, mine in all_waits if not raw] or [mine for _, mine in all_waits]
    together = sorted((end - began) * 1000 for mine in ours for began, end in mine)
    ends = sorted(end for _, mine in all_waits for _, end in mine)
    before = [bisect.bisect_left(ends, end) - bisect.bisect(ends, began) for mine in ours for began, end in mine]
    print(
        f"mean={statistics.mean(together):.3f} longest={together[-1]:.3f} "
        f"thousandth={together[-1 - len(together) // 1000]:.3f} "
        f"passed_over={sum(count > 2 * (given.processes - 1) for count in before)} fewest={min(map(len, ours))} "
        f"most={max(map(len, ours))} a_second={len(ends) / given.seconds:.0f}"
    )
    with sqlite3.connect(given.file) as file:
        count = sum(len(mine) for _, mine in all_waits) * given.rows
        assert file.execute("SELECT count(*) FROM a").fetchone() == (count,)


if __name__ == "__main__":
    main()
