"""Lookups by an integer key, which CPython calls without ctypes; the first of each model goes through ctypes."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import uuid
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from models import Department, Everything, Person, Setting

from cormorant import Database, DataError, Error, ProgrammingError, record

VALUES: dict[str, list[Any]] = {
    "number": [None, 0, -1, 2**15, 2**30, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**45, 2**63 - 1, -(2**63)],
    "flag": [None, True, False],
    "real": [None, 0.0, -0.0, 1.5, float("inf"), 5e-324],
    "text": [None, "", "a", "Zürich", "\0", "x" * 255, "x" * 256, "é" * 70_000, "x" * 300_000],
    "data": [None, b"", b"\0\xff", bytes(300_000)],
    "moment": [None, datetime(2026, 1, 2, 3, 4, 5, 6, timezone.utc)],
    "token": [None, uuid.UUID(int=7)],
    "amount": [None, Decimal("1.50")],
    "extra": [None, {"a": [1, None, "ü"]}],
}


def test_a_lookup_gives_what_was_stored(db: Database) -> None:
    dice = random.Random(7)
    stored = [Everything(**{name: dice.choice(values) for name, values in VALUES.items()}) for _ in range(200)]
    stored += [Everything(**{name: value}) for name, values in VALUES.items() for value in values]
    db.insert_many(stored)
    for thing in stored:
        assert db.find(Everything, thing.id) == thing
    assert db.find(Everything, len(stored) + 1) is None
    assert db.find(Everything, -1) is None


def test_bad_keys_and_bad_rows(db: Database) -> None:
    ann = Person("Ann")
    db.insert(ann)
    for _ in range(2):
        assert db.find(Person, 1) == ann
        assert db.find(Person, True) == ann
        for key in (2**63, -(2**63) - 1, 2**100):
            with pytest.raises(DataError, match="the key does not fit into signed 64 bits"):
                db.find(Person, key)
        with pytest.raises(ProgrammingError, match="1 value, 2 values were given"):
            db.find(Person, 1, 2)
        with pytest.raises(ProgrammingError, match="2 values, 1 value was given"):
            db.find(Setting, 1)
        with pytest.raises(ProgrammingError, match="1 value, 0 values were given"):
            db.find(Person)
        for one in (("size", "a"), ["size", "a"]):
            for call in (db.find, db.delete_key):
                with pytest.raises(ProgrammingError, match=f"a key of Setting is one {type(one).__name__}") as told:
                    call(Setting, one)
                assert told.value.hint == "give its values one by one, as in find(Setting, section, name)"
    db.execute("UPDATE people SET name = CAST(x'ff' AS TEXT)")
    with pytest.raises(DataError, match="not UTF-8") as caught:
        db.find(Person, 1)
    assert caught.value.code == "CORM_E_ENCODING"
    assert caught.value.columns == ("name",)
    db.execute("DROP TABLE people")
    with pytest.raises(ProgrammingError, match="does not fit the file"):
        db.find(Person, 1)
    db.close()
    with pytest.raises(Error, match="closed"):
        db.find(Person, 1)


def test_another_interpreter_finds_through_ctypes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "finder", None)
    with Database(path) as db:
        db.create_tables(Department, Person)
        db.insert(Person("Ann"))
        for _ in range(3):
            found = db.find(Person, 1)
            assert found is not None
            assert found.name == "Ann"
            assert db.find(Person, 2) is None


def test_other_threads_run_while_a_lookup_waits() -> None:
    """Where it kept the GIL, the thread that it waits for could not go on."""
    with Database(":memory:") as db:
        db.create_tables(Department, Person)
        db.insert(Person("Ann"))
        db.find(Person, 1)
        began, found = threading.Event(), []

        def look() -> None:
            began.set()
            found.append(db.find(Person, 1))

        with db.transaction():
            db.insert(Person("Bob"))
            thread = threading.Thread(target=look)
            thread.start()
            began.wait()
            thread.join(0.2)
            assert thread.is_alive()
        thread.join()
        assert [person.name for person in found if person] == ["Ann"]


def test_threads_find_beside_one_another(db: Database) -> None:
    db.insert_many([Person(f"p{number}", number) for number in range(1, 101)])
    wrong = []

    def look(seed: int) -> None:
        dice = random.Random(seed)
        for _ in range(3_000):
            number = dice.randrange(1, 103)
            found = db.find(Person, number)
            if (found and found.age) != (number if number <= 100 else None):
                wrong.append((number, found))

    threads = [threading.Thread(target=look, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


MEMORY = """
import gc, sys, tracemalloc
from contextlib import suppress
from cormorant import Column, Database, DataError, Model, column

class Person(Model):
    id: Column[int] = column(primary_key=True)
    born: Column[str]

db = Database(sys.argv[1])
db.create_tables(Person)
db.save(Person(1, "x" * 5_000))

def look():
    for _ in range(500):
        db.find(Person, 1)
        db.find(Person, 2)
        with suppress(DataError):
            db.find(Person, 2**63)
    gc.collect()
    return tracemalloc.get_traced_memory()[0]

look()
nones = sys.getrefcount(None)
tracemalloc.start()
look()
before = look()
print(look() - before < 10_000, abs(sys.getrefcount(None) - nones) < 400)
"""


def run_alone(program: str, path: Path) -> str:
    """What a program prints in a process of its own, where no other test's threads allocate."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_lookup_keeps_no_memory(path: Path) -> None:
    assert run_alone(MEMORY, path) == "True True\n"


AT_EXIT = """
import sys, threading, time
from cormorant import Column, Database, Model, column

class Person(Model):
    id: Column[int] = column(primary_key=True)
    name: Column[str]

db = Database(sys.argv[1])
db.create_tables(Person)
db.save(Person(1, "Ann"))

def look():
    while True:
        assert db.find(Person, 1).name == "Ann"

for _ in range(4):
    threading.Thread(target=look, daemon=True).start()
time.sleep(0.2)
"""


def test_threads_that_look_when_the_interpreter_ends(path: Path) -> None:
    for _ in range(5):
        run_alone(AT_EXIT, path)
