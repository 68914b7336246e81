"""Signals that raise while a transaction begins and ends, and transactions that nobody ends."""

from __future__ import annotations

import gc
import random
import signal
import sqlite3
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from models import Department

from cormorant import Database
from cormorant.result import PausedCollector


@pytest.fixture
def other(db: Database, path: Path) -> sqlite3.Connection:
    db.insert(Department("first"))
    return sqlite3.connect(path)


def count(other: sqlite3.Connection) -> int:
    number: int = other.execute("SELECT count(*) FROM departments").fetchone()[0]
    return number


# One that the signal met between its beginning and its block is dropped.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_a_signal_raises_leaves_no_transaction_open(db: Database, other: sqlite3.Connection) -> None:
    seed = random.randrange(1 << 30)
    times = random.Random(seed)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for trial in range(300):
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, times.uniform(1e-5, 1e-4))
                while True:
                    with db.transaction():
                        if trial % 2:
                            db.insert(Department(f"within {trial}"))
                            db.execute("DELETE FROM departments WHERE name LIKE 'within%'")
            db.insert(Department(f"behind {trial}"))
            assert db.count(Department) == count(other), f"trial {trial} of {seed}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not db._innermost


def test_a_transaction_that_is_dropped_is_rolled_back(db: Database, other: sqlite3.Connection) -> None:
    record = Department("lost")
    dropped = db.transaction()
    dropped.__enter__()
    db.insert(record)
    with pytest.warns(ResourceWarning, match="is rolled back"):
        del dropped
        gc.collect()
    assert record.id is None
    db.insert(Department("kept"))
    assert db.count(Department) == count(other) == 2


def test_one_that_is_dropped_inside_another_leaves_that_as_it_is(db: Database, other: sqlite3.Connection) -> None:
    with db.transaction():
        db.insert(Department("outer"))
        with pytest.warns(ResourceWarning, match="is rolled back"):
            db.transaction().__enter__()
        db.insert(Department("also outer"))
    assert db.count(Department) == count(other) == 3


def test_the_collector_goes_on_after_a_block_that_never_ended(db: Database) -> None:
    dropped = PausedCollector()
    dropped.__enter__()
    assert not gc.isenabled()
    del dropped
    db.fetch_all(Department)
    assert gc.isenabled()
    with PausedCollector():
        db.fetch_all(Department)
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_signals_handler_reads_while_a_read_begins_or_ends(db: Database) -> None:
    """Wherever in the block's beginning and end it comes: a line of theirs after the other."""
    code = {PausedCollector.__enter__.__code__, PausedCollector.__exit__.__code__}
    for turn in range(40):
        left, handled = turn, False

        def at_line(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal left, handled
            if frame.f_code not in code:
                return None
            if event == "line" and not handled:
                left -= 1
                if left < 0:
                    handled = True
                    db.fetch_all(Department)
            return at_line

        sys.settrace(at_line)
        try:
            db.fetch_all(Department)
        finally:
            sys.settrace(None)
        assert gc.isenabled(), turn
        if not handled:
            break
    assert 10 < turn < 39
