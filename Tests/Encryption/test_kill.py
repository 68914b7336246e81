"""Processes that are killed while they write or convert: nothing that was committed is lost, no file is left broken.

CORMORANT_KILLS makes it more of them.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import FILL, HERE, OURS, RAW, SQLCIPHER, check, killed, run
from cormorant import Cipher, Database

KILLS = int(os.environ.get("CORMORANT_KILLS", "2"))
VICTIM = HERE / "victim.py"
CONVERTER = HERE / "converter.py"
NEW_KEY = RAW.replace("2DD2", "AAAA")


def start(*arguments: object) -> subprocess.Popen[bytes]:
    """A process that has begun with its work."""
    command = [sys.executable, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    line = process.stdout.readline()
    assert line == b"ready\n", process.communicate()[1].decode()
    return process


def kill(process: subprocess.Popen[bytes], delay: float) -> bytes:
    """What it printed before; it ended by itself or was killed."""
    try:
        process.wait(delay)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    output, errors = process.communicate(timeout=60)
    assert process.returncode in (0, -signal.SIGKILL), errors.decode()
    if process.returncode != 0:
        killed.append(1)
    return output


def committed(path: Path, reader: str, mode: str) -> set[int]:
    rows = run(reader, path, "SELECT b, count(*) FROM t WHERE b LIKE 'round %' GROUP BY b", mode=mode)[0]
    assert all(count == 5 for _, count in rows), "a transaction is there in part"
    return {int(text.split()[1]) for text, _ in rows}


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_nothing_committed_is_lost(path: Path, mode: str) -> None:
    """The writer is the library or SQLCipher, and so is who recovers the file."""
    generator = random.Random(mode)
    run(OURS, path, *FILL, mode=mode)
    acknowledged: set[int] = set()
    for round in range(KILLS):
        writer, reader = generator.choice([(OURS, SQLCIPHER), (SQLCIPHER, OURS), (OURS, OURS)])
        output = kill(start(VICTIM, writer, path, mode, 1000 * (round + 1), 900), generator.uniform(0.05, 0.5))
        acknowledged |= {int(line) for line in output.split(b"\n")[:-1]}
        assert committed(path, reader, mode) >= acknowledged, (writer, reader)
    assert acknowledged
    check(path, mode=mode)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_both_write_at_once_and_are_killed_together(path: Path, mode: str) -> None:
    """In WAL mode each goes on from the checksum that the other left in the wal-index."""
    generator = random.Random(mode)
    run(OURS, path, *FILL, mode=mode)
    acknowledged: set[int] = set()
    for round in range(max(3, KILLS // 2)):
        writers = [
            start(VICTIM, engine, path, mode, 1000 * (10 * round + place), 900)
            for place, engine in enumerate([OURS, SQLCIPHER, OURS, SQLCIPHER], start=1)
        ]
        with suppress(subprocess.TimeoutExpired):
            writers[0].wait(generator.uniform(0.2, 0.8))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            output, _ = writer.communicate(timeout=60)
            killed.append(1)
            acknowledged |= {int(line) for line in output.split(b"\n")[:-1]}
        reader = [OURS, SQLCIPHER][round % 2]
        assert committed(path, reader, mode) >= acknowledged, reader
    assert acknowledged
    check(path, mode=mode)


@pytest.mark.parametrize("mode", ["wal", "truncate", "persist"])
def test_one_is_killed_while_the_others_write(path: Path, mode: str) -> None:
    """Who lives goes on with what the dead one left, in its locks and its half of a transaction."""
    generator = random.Random(f"{mode} {os.environ.get('CORMORANT_SEED', '1')}")
    run(OURS, path, *FILL, mode=mode)
    numbers = itertools.count(1)
    acknowledged: set[int] = set()

    def begin(engine: str) -> subprocess.Popen[bytes]:
        return start(VICTIM, engine, path, mode, 1000 * next(numbers), 900)

    def end(writer: subprocess.Popen[bytes]) -> None:
        acknowledged.update(int(line) for line in kill(writer, 0).split(b"\n")[:-1])

    writers = [begin(engine) for engine in (OURS, SQLCIPHER, OURS, SQLCIPHER)]
    for _ in range(max(2, KILLS // 2)):
        time.sleep(generator.uniform(0.05, 0.3))
        place = generator.randrange(len(writers))
        end(writers[place])
        writers[place] = begin(generator.choice([OURS, SQLCIPHER]))
    for writer in writers:
        end(writer)
    for reader in (SQLCIPHER, OURS):
        assert committed(path, reader, mode) >= acknowledged, reader
    assert acknowledged
    check(path, mode=mode)


@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "rekey"])
def test_a_conversion_that_is_killed_leaves_the_old_file_or_the_new(path: Path, tmp_path: Path, operation: str) -> None:
    original = tmp_path / "original.db"
    big = FILL[1].replace("400", "20000")
    run(OURS, original, FILL[0], big, FILL[2], key=None if operation == "encrypt" else RAW, mode="wal")
    old = None if operation == "encrypt" else RAW
    new = {"encrypt": RAW, "decrypt": None, "rekey": NEW_KEY}[operation]
    expected = content(original, old)
    generator = random.Random(operation)
    seen: set[str] = set()
    for _ in range(KILLS):
        for file in tmp_path.glob("test.db*"):
            file.unlink()
        shutil.copy(original, path)
        process = start(CONVERTER, operation, path)
        kill(process, generator.uniform(0.0, 0.35))
        for state, key in (("old", old), ("new", new)):
            try:
                assert content(path, key) == expected
                seen.add(state)
                break
            except AssertionError:
                raise
            except Exception as error:
                assert state == "old", error
        # What a killed conversion leaves beside the file is in nobody's way.
        if state == "old":
            again = start(CONVERTER, operation, path)
            assert again.wait(60) == 0
            again.communicate()
            assert content(path, new) == expected
        assert [file.name for file in tmp_path.glob("test.db-corm-new*")] == []
    assert seen


def content(path: Path, key: str | None) -> object:
    cipher = None if key is None else Cipher(key)
    with Database(path, cipher=cipher) as database:
        assert database.query("PRAGMA quick_check").fetch_all() == [("ok",)]
        return database.query("SELECT count(*), sum(id), sum(length(b)), min(c), max(c) FROM t").fetch_one()
