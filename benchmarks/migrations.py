"""What migrations cost: a rebuilt table over the bare copy of its rows, and opening a file that is up to date.

Alone: PYTHONPATH=bindings/python/src .venv/bin/python benchmarks/migrations.py [ROWS [ROUNDS]]
"""

from __future__ import annotations

import resource
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

from cormorant import Column, Database, Model, Plan, Schema, column

TABLE = """CREATE TABLE t (id INTEGER PRIMARY KEY, i INTEGER, j INTEGER, k INTEGER, r REAL, s REAL,
           a TEXT, b TEXT, c TEXT, d TEXT)"""
# A CHECK cannot be added to a table in place.
REBUILT = TABLE.replace("i INTEGER", "i INTEGER CHECK (i >= 0)")
FILL = """WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT ?)
          INSERT INTO t SELECT v, v, v * 2, v * 3, v / 3.0, v / 7.0, 'short text ' || v, 'another text ' || v,
          'third one ' || v, CASE v % 2 WHEN 0 THEN NULL ELSE 'x' || v END FROM n"""


def rebuild(rows: int, rounds: int) -> tuple[float, float]:
    """How many times a bare INSERT ... SELECT a rebuild takes, by medians of rounds in turn, and the peak in MB."""
    bare: list[float] = []
    ours: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        filled, work = Path(folder) / "filled.db", Path(folder) / "work.db"
        with _connect(filled) as connection:
            connection.execute(TABLE)
            connection.execute(FILL, (rows,))
        connection.close()
        before = _peak()
        for _ in range(rounds):
            _copy(filled, work)
            with _connect(work) as connection:
                start = time.perf_counter()
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(REBUILT.replace("TABLE t", "TABLE copy"))
                connection.execute("INSERT INTO copy SELECT * FROM t")
                connection.execute("COMMIT")
                bare.append(time.perf_counter() - start)
            connection.close()
            _copy(filled, work)
            with Database(work) as database:
                plan = Plan.between(database.schema(), Schema.parse(REBUILT), database=database)
                start = time.perf_counter()
                plan.apply(database)
                ours.append(time.perf_counter() - start)
                if "CHECK" not in database.schema().sql or _count(database, "t") != rows:
                    sys.exit("bench: the rebuild went wrong")
    return statistics.median(ours) / statistics.median(bare), _peak() - before


def open_seconds(models: int, rounds: int) -> float:
    """What sync adds to opening a file in which it finds nothing to do."""
    fields = {"name": Column[str], "size": Column[float], "id": Column[int | None]}
    key = {"id": column(primary_key=True, default=None)}
    kinds = [type(f"Model{number}", (Model,), {"__annotations__": fields, **key}) for number in range(models)]
    alone: list[float] = []
    synced: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "models.db"
        for _ in range(rounds + 1):
            start = time.perf_counter()
            with Database(path) as database:
                database.sync(*kinds)
                synced.append(time.perf_counter() - start)
            start = time.perf_counter()
            with Database(path) as database:
                _count(database, "sqlite_schema")
                alone.append(time.perf_counter() - start)
    # The first round makes the tables.
    return statistics.median(synced[1:]) - statistics.median(alone[1:])


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = FAST")
    return connection


def _count(database: Database, table: str) -> int:
    return database.query(f"SELECT count(*) FROM {table}").fetch_all()[0][0]


def _copy(source: Path, target: Path) -> None:
    for suffix in ("-wal", "-shm"):
        Path(f"{target}{suffix}").unlink(missing_ok=True)
    shutil.copyfile(source, target)


def _peak() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    rows, rounds = (*map(int, sys.argv[1:]), *(1_000_000, 3)[len(sys.argv) - 1 :])
    ratio, memory = rebuild(rows, rounds)
    print(f"a rebuild of {rows:,} rows: {ratio:.2f} x a bare copy, {memory:.1f} MB")
    print(f"opening with 200 models up to date: {1000 * open_seconds(200, 21):.2f} ms")
