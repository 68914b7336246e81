"""Watchers in other processes and languages, of a file that Python's own sqlite3 writes and is killed at.

CORMORANT_COMMITS says how many commits; `./dev soak` makes it 100,000. CORMORANT_SWIFT_BUILD names the folder in which
Tests/EdgeValues, a package, was built.
"""

from __future__ import annotations

import bisect
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import cormorant

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMITS = int(os.environ.get("CORMORANT_COMMITS", "1500"))
WATCHERS: dict[str, list[str | Path]] = {
    "C": [ROOT / "build/Tests/C/watch_file"],
    "Python": [sys.executable, HERE / "watch_file.py"],
    "Swift": [ROOT / os.environ.get("CORMORANT_SWIFT_BUILD", ".build/test") / "debug/watch_file"],
}

WRITER = """
import sqlite3, sys, time
file = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
file.execute("PRAGMA synchronous = NORMAL")
pause = float(sys.argv[2])
while True:
    number = file.execute("UPDATE state SET number = number + 1 RETURNING number").fetchall()[0][0]
    print(number, f"{time.monotonic():.6f}", flush=True)
    time.sleep(pause)
"""


class Watcher:
    """A process that prints the numbers it sees, and when."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.seen: list[tuple[int, float]] = []
        environment = {**os.environ, "PYTHONPATH": str(Path(cormorant.__file__).parents[1])}
        self.process = subprocess.Popen(
            [*WATCHERS[name], path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.wait_for(0)

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            number, seconds = line.split()
            self.seen.append((int(number), float(seconds)))

    def wait_for(self, number: int) -> None:
        end = time.monotonic() + 30
        while not self.seen or self.seen[-1][0] < number:
            assert time.monotonic() < end, f"{self.name} saw {self.seen[-1:]}, not {number}"
            time.sleep(0.002)

    def processor_ticks(self) -> int:
        """Of the kernel's clock, which counts 100 a second."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def end(self) -> None:
        with self.process as process:
            assert process.stdin
            process.stdin.close()
            self.reader.join(30)
        assert process.returncode == 0


def write(path: Path, commits: int, pause: float) -> list[tuple[int, float]]:
    """Has a process commit so often, or a little less often, and kills it; what it says it committed, and when."""
    command = [sys.executable, "-c", WRITER, str(path), str(pause)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        lines = [writer.stdout.readline() for _ in range(random.randint(commits // 2 + 1, commits))]
        writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.readlines()
    return [
        (int(number), float(seconds)) for number, seconds in (line.split() for line in lines if line.endswith("\n"))
    ]


def number_in(path: Path) -> int:
    """The number as another connection reads it, which may also be the last to close the log."""
    file = sqlite3.connect(path)
    try:
        (number,) = file.execute("SELECT number FROM state").fetchone()
        return int(number)
    finally:
        file.close()


def test_every_last_state_is_seen_whoever_writes(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    file = sqlite3.connect(path)
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("CREATE TABLE state (number INTEGER)")
    file.execute("INSERT INTO state VALUES (0)")
    file.commit()
    file.close()
    watchers = [Watcher(name, path) for name in WATCHERS]
    said: list[tuple[int, float]] = []
    number = 0
    try:
        while number < COMMITS:
            said += write(path, min(COMMITS // 8, 2500), random.choice([0, 0.001]))
            number = number_in(path)
            for watcher in watchers:
                watcher.wait_for(number)
        for watcher in watchers:
            numbers = [seen for seen, _ in watcher.seen]
            assert numbers == sorted(set(numbers))
            assert numbers[-1] == number
            delays = []
            for committed, when in said:
                _, seen = watcher.seen[bisect.bisect_left(numbers, committed)]
                delays.append(max(0.0, seen - when))
            print(f"{watcher.name}: {number} commits, median {statistics.median(delays) * 1000:.2f} ms")
            # A few commits on a machine that is busy with other tests say little.
            assert statistics.median(delays) < (0.005 if COMMITS >= 100_000 else 0.05)
        # They look more and more rarely.
        time.sleep(1)
        before = [watcher.processor_ticks() for watcher in watchers]
        time.sleep(2)
        for watcher, used in zip(watchers, before, strict=True):
            assert watcher.processor_ticks() - used <= 2
    finally:
        for watcher in watchers:
            watcher.end()
