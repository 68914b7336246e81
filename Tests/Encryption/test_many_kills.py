"""Kills in quick succession among processes of this library and another one that write to one file: nothing that was
acknowledged is lost, no transaction is there in part. CORMORANT_KILLS says how many in WAL mode for each kind of file,
CORMORANT_SEED which; in other modes, where writers wait for long, it is an eighth.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from conftest import FILL, HERE, OURS, RAW, SQLCIPHER, killed, run

KILLS = int(os.environ.get("CORMORANT_KILLS", "5"))
SEED = os.environ.get("CORMORANT_SEED", "1")
WRITERS = 4
# A file grows: another one is begun then.
KILLS_OF_A_FILE = 60


class Forge:
    """One engine's processes, and what they say."""

    def __init__(self, engine: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "forge.py"), engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout
        self.output = self.process.stdout.fileno()
        self.left = b""

    def ask(self, **request: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()

    def lines(self, timeout: float) -> Iterator[list[str]]:
        if not select.select([self.output], [], [], timeout)[0]:
            return
        piece = os.read(self.output, 1 << 20)
        assert piece, "the forge is gone"
        *whole, self.left = (self.left + piece).split(b"\n")
        for line in whole:
            words = line.decode().split(" ", 1)
            assert words[0] != "failed", json.loads(words[1])
            yield words


class File:
    def __init__(self, path: Path, mode: str, encrypted: bool, forges: list[Forge]) -> None:
        self.request = {"path": str(path), "mode": mode, "encrypted": encrypted}
        self.forges = forges
        self.writers: list[int] = []
        self.acknowledged: set[int] = set()
        self.first = 1000

    def begin(self, forge: Forge) -> None:
        self.first += 1000
        forge.ask(do="write", first=self.first, **self.request)

    def listen(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            for forge in self.forges:
                for kind, what in forge.lines(max(0, end - time.monotonic()) / len(self.forges)):
                    if kind == "ack":
                        self.acknowledged.add(int(what))
                    else:
                        self.writers.append(int(what))
            if time.monotonic() >= end:
                return

    def wait_for_writers(self, count: int) -> None:
        for _ in range(6000):
            if len(self.writers) >= count:
                return
            self.listen(0.01)
        raise AssertionError("a writer does not begin")

    def kill(self, writer: int) -> None:
        self.writers.remove(writer)
        with suppress(ProcessLookupError):
            os.kill(writer, signal.SIGKILL)
        killed.append(1)
        # Once it is gone it can say no more: what it has said is in the pipe.
        for _ in range(3000):
            try:
                os.kill(writer, 0)
            except ProcessLookupError:
                break
            time.sleep(0.001)

    def check(self, forge: Forge, again: str) -> None:
        # What was told before the question.
        self.listen(0)
        acknowledged = set(self.acknowledged)
        forge.ask(do="read", **self.request)
        for _ in range(6000):
            for kind, what in forge.lines(0.01):
                if kind == "ack":
                    self.acknowledged.add(int(what))
                elif kind == "began":
                    self.writers.append(int(what))
                else:
                    rows, whole = json.loads(what)
                    assert whole == [["ok"]], again
                    assert all(count == 5 for _, count in rows), f"a transaction is there in part; {again}"
                    lost = acknowledged - {number for number, _ in rows}
                    assert not lost, (lost, again)
                    return
        raise AssertionError(f"the file cannot be read: {again}")


@contextmanager
def forges(*engines: str) -> Iterator[list[Forge]]:
    made = [Forge(engine) for engine in engines]
    yield made
    for forge in made:
        forge.process.kill()
        forge.process.communicate()


@pytest.mark.parametrize(
    ("mode", "encrypted"),
    [("wal", True), ("wal", False), ("delete", True), ("truncate", True), ("persist", True), ("delete", False)],
)
def test_many_are_killed(tmp_path: Path, mode: str, encrypted: bool) -> None:
    generator = random.Random(f"{mode} {encrypted} {SEED}")
    again = f"again: CORMORANT_SEED={SEED} CORMORANT_KILLS={KILLS} pytest {__file__} -k {mode}"
    done, wanted = 0, KILLS if mode == "wal" else max(5, KILLS // 8)
    with forges(OURS, SQLCIPHER if encrypted else "sqlite3") as engines:
        while done < wanted:
            path = tmp_path / f"{done}.db"
            run(OURS, path, *FILL, key=RAW if encrypted else None, mode=mode)
            file = File(path, mode, encrypted, engines)
            for number in range(WRITERS):
                file.begin(engines[number % 2])
            file.wait_for_writers(WRITERS)
            for number in range(min(KILLS_OF_A_FILE, wanted - done)):
                file.listen(generator.choice([0, 0.002, 0.01, 0.03]))
                for writer in generator.sample(file.writers, generator.choice([1, 1, 1, 2, WRITERS])):
                    file.kill(writer)
                    done += 1
                    file.begin(generator.choice(engines))
                file.wait_for_writers(WRITERS)
                if number % 8 == 7:
                    file.check(generator.choice(engines), again)
            for writer in list(file.writers):
                file.kill(writer)
                done += 1
            for engine in engines:
                file.check(engine, again)
            assert file.acknowledged
            for left in tmp_path.iterdir():
                # The last process of those that read may close it now.
                left.unlink(missing_ok=True)
