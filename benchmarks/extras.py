"""What is not a race: memory of a streamed result, size and start of the library, built queries, stores, migrations."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import encryption
import report
from contestants import BUILT, HERE, NATIVE, ROOT, SHEETS

if TYPE_CHECKING:
    from driver import Runner

LIBRARY = ROOT / "build" / "libcormorant.so"
LOAD = "import ctypes, sys, time; t = time.perf_counter(); ctypes.CDLL(sys.argv[1]); print(time.perf_counter() - t)"
SQLITE = "import sqlite3; print(sqlite3.sqlite_version)"
CONTESTANTS = {c.key: c for sheet in SHEETS for c in sheet.contestants}
# Who streams, its name here, and its empty process: a program of its language that does not use Cormorant.
STREAMS = [
    ("c", "C by hand", NATIVE.command),
    ("cormorant-c", "Cormorant C", NATIVE.command),
    ("cormorant-swift", "Cormorant Swift", CONTESTANTS["cormorant-swift"].command),
    ("cormorant-python", "Cormorant Python", (sys.executable, str(HERE / "python" / "workload.py"))),
]


# Whose pools are read beside a busy writer.
POOLS = {"cormorant-swift": "Cormorant Swift", "grdb-records": "GRDB's DatabasePool"}


def sqlite_version() -> str:
    return subprocess.run([sys.executable, "-c", SQLITE], capture_output=True, text=True, check=True).stdout.strip()


def measure(runner: Runner, rows: int) -> list[dict]:
    """One line per figure: what, its value, its unit and its budget."""
    lines = []
    right = None
    for key, title, empty_command in STREAMS:
        report.progress(f"{title}: memory of {rows:,} rows")
        empty = runner.call(empty_command, "empty", runner.filled, 0)["peak"]
        answer = runner.call(CONTESTANTS[key].command, "stream", runner.filled, rows)
        right = right or answer["checksum"]
        if answer["checksum"] != right:
            sys.exit(f"bench: {title} streamed the wrong rows")
        budget = None if key == "c" else 30
        lines.append(_line(f"{title}, {rows:,} rows streamed", (answer["peak"] - empty) / 1024, "MB", budget))
    lines.append(_line("libcormorant.so, size", LIBRARY.resolve().stat().st_size / 2**20, "MB", 8))
    lines.append(_line("libcormorant.so, loaded by ctypes", 1000 * _load_seconds(), "ms", 10))
    lines.append(_line("open a file with 50 known models", 1000 * _open_seconds(runner), "ms", 5))
    report.progress("built queries")
    line = [str(BUILT / "queries"), str(runner.folder / "queries.db")]
    built = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    lines.append(_line("a query of five conditions, compiled", built["compile_us"], "us", 5))
    lines.append(_line("a built, filtered fetch over the same by hand", built["filter"], "x", 1.05))
    lines.append(_line("1,000 parents with 10 children each, over two statements by hand", built["load"], "x", 1.5))
    report.progress("updates of some columns")
    line = [sys.executable, str(HERE / "python" / "partial_updates.py")]
    tables = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    for table, libraries in tables.items():
        for library, times in libraries.items():
            # Where nothing lies on the other columns, SQLite reads them for nothing.
            budget = None if library == "sqlite3" else 1.1 if table == "no indexes" else 1
            title = f"an update of one column of nine over one of all, {table} on the others, {library}"
            lines.append(_line(title, times["one"] / times["all"], "x", budget))
    report.progress("key-value stores")
    line = [str(BUILT / "key-value"), *(str(runner.folder / f"store-{number}.db") for number in range(3))]
    store = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    lines.append(_line("a store's get by key over the same by hand", store["get"], "x", 1.3))
    lines.append(_line("a store's puts in batches over INSERTs of the same columns by hand", store["put"], "x", 1.3))
    lines.append(_line("the same over a table of key and value alone", store["put_plain"], "x", None))
    report.progress("reads beside a writer")
    # A core for each thread.
    line = [str(BUILT / "readers"), str(max(1, (os.cpu_count() or 1) - 1))]
    readers = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    lines.append(_line("reads by key alone over those beside a busy writer", 1 / readers["ratio"], "x", 1.11))
    pools = {key: runner.race(CONTESTANTS[key].command, "readers", int(line[1])) for key in POOLS}
    for key, pool in pools.items():
        lines.append(_line(f"the same, {POOLS[key]}", 1 / pool["ratio"], "x", None))
    ours, peer = pools.values()
    title = "over GRDB's DatabasePool, Swift"
    ratio = peer["reads_beside_writer"] / ours["reads_beside_writer"]
    lines.append(_line(f"a read by key beside a busy writer {title}", ratio, "x", 1))
    lines.append(_line(f"a row of the writer beside them {title}", peer["writes"] / ours["writes"], "x", 1))
    report.progress("writes of eight threads through a queue")
    queue = json.loads(
        subprocess.run(
            [str(BUILT / "queue"), str(runner.folder / "queue.db")], capture_output=True, text=True, check=True
        ).stdout
    )
    # As times, so that less is better as everywhere: of one transaction per write, on the disk (synchronous=FULL).
    title = "a small write of 8 threads through a queue over one in its own transaction, FULL"
    lines.append(_line(f"{title}, up to 32 of each thread in flight", queue["direct"] / queue["in_flight"], "x", 0.1))
    lines.append(_line(f"{title}, each waited for", queue["direct"] / queue["waiting"], "x", None))
    report.progress("encrypted files")
    times = encryption.best(5)
    ours_encrypted, sqlcipher = (encryption.ratios(times, name) for name in ("cormorant", "sqlcipher"))
    for work, ratio in ours_encrypted.items():
        # After each commit SQLite reads its pages anew: the log's index says what SQLCipher expects, not what it wrote.
        budget = None if work == "1000 small transactions" else 1
        title = f"{work}: encrypted over plain, over the same in SQLCipher"
        lines.append(_line(title, ratio / sqlcipher[work], "x", budget))
    # It loads the library, which --help does without.
    import migrations

    report.progress(f"a rebuild of {rows:,} rows")
    ratio, memory = migrations.rebuild(rows, 3)
    lines.append(_line(f"a table of {rows:,} rows rebuilt, over INSERT ... SELECT by hand", ratio, "x", 1.3))
    lines.append(_line(f"a table of {rows:,} rows rebuilt, memory", memory, "MB", 30))
    lines.append(_line("200 models up to date, added to opening", 1000 * migrations.open_seconds(200, 21), "ms", 2))
    return lines


def _line(title: str, value: float, unit: str, budget: float | None) -> dict:
    return {"title": title, "value": value, "unit": unit, "budget": budget}


def _load_seconds() -> float:
    """Each load is in a new process, with the file in the system's cache."""
    line = [sys.executable, "-c", LOAD, str(LIBRARY)]
    runs = [float(subprocess.run(line, capture_output=True, text=True, check=True).stdout) for _ in range(11)]
    return statistics.median(runs)


def _open_seconds(runner: Runner) -> float:
    command = CONTESTANTS["cormorant-c"].command
    with tempfile.TemporaryDirectory(dir=runner.folder) as folder:
        # The first run makes the tables.
        runs = [runner.call(command, "open_models", Path(folder) / "models.db", 50)["seconds"] for _ in range(12)]
    return statistics.median(runs[1:])
