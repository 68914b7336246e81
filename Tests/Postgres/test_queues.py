"""Queues, whose writes have a connection of the pool's."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import Literal

import pytest
from cormorant import Batch, Database, ProgrammingError, UniqueViolation
from writers import WAIT, Counter, Entry, at_once


def test_queues_write_beside_transactions(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Counter)
        with db.queue() as queue:
            with db.transaction():
                db.insert(Counter(1, 0))
                batch = Batch(queue)
                batch.insert(Counter(2, 0))
                write = batch.commit()
                # Waited for by another thread; this one may have what it waits for.
                assert at_once(lambda: write.result(WAIT))
            assert db.count(Counter) == 2


@pytest.mark.parametrize("mode", ["read_write", "read_only"])
def test_a_write_of_a_queue_sees_what_was_committed_before_it_was_added(
    url: str, mode: Literal["read_write", "read_only"]
) -> None:
    with Database(url) as db, Database(url, mode=mode) as other, other.queue() as queue:
        db.create_tables(Counter)
        counted = threading.Event()

        def count_until_another_waits(other: Database) -> int:
            count = other.count(Counter)
            counted.set()
            end = time.monotonic() + WAIT
            while not len(queue) and time.monotonic() < end:
                time.sleep(0.001)
            return count

        before = queue.add(count_until_another_waits)
        assert counted.wait(WAIT)
        db.insert(Counter(1, 0))
        after = queue.add(lambda other: other.count(Counter))
        assert (before.result(WAIT), after.result(WAIT)) == (0, 1)


def test_a_write_of_a_queue_may_not_ignore_errors(url: str) -> None:
    with Database(url) as db:
        db.create_tables(Entry)

        def write(_: Database) -> None:
            db.insert(Entry("a"))
            with suppress(UniqueViolation):
                db.insert(Entry("a"))

        with db.queue() as queue:
            with pytest.raises(ProgrammingError, match="an error has ended this transaction") as caught:
                queue.add(write).result(WAIT)
            assert "nested transaction" in str(caught.value)
            assert queue.add(lambda _: db.insert(Entry("b"))).exception(WAIT) is None
        assert [entry.text for entry in db.fetch_all(Entry)] == ["b"]


def test_a_batch_that_goes_on_after_errors_is_run_again_after_a_conflict(url: str) -> None:
    with Database(url) as db, Database(url) as other:
        db.create_tables(Counter)
        db.insert(Counter(1, 0))
        with db.queue() as queue:
            batch = queue.begin()
            batch.execute("DELETE FROM counter WHERE id = (SELECT 9 FROM pg_sleep(0.5))")
            batch.execute("UPDATE counter SET value = value + 1 WHERE id = 1")
            ticket = batch.commit(on_error="continue")
            time.sleep(0.2)
            other.execute("UPDATE counter SET value = value + 1 WHERE id = 1")
            assert [result.error for result in ticket.result(WAIT)] == [None, None]
        assert db.fetch_value("SELECT value FROM counter") == 2
