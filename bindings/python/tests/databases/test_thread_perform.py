"""perform(): many bodies at once, on threads of the database's own."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from models import Note

from cormorant import BusyError, Database, OperationalError, ProgrammingError

SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT max(i) FROM n"
request = contextvars.ContextVar("request", default="none")


def read_slowly(db: Database, seconds: float = 0.3) -> int:
    """One reader is taken for as long."""
    end = time.monotonic() + seconds
    with db.read():
        while time.monotonic() < end:
            db.query(SLOW, [1000]).fetch_all()
            time.sleep(0.001)
    return 1


def test_more_slow_reads_than_readers_wait_for_each_other(path: Path) -> None:
    """Mended: one of five failed with BusyError"""

    async def main() -> list[int]:
        with Database(path, busy_timeout=0.1, reader_count=2) as db:
            db.create_tables(Note)
            return await asyncio.gather(*[db.perform(read_slowly) for _ in range(7)])

    assert asyncio.run(main()) == [1] * 7


def test_readers_that_the_loop_itself_holds_are_not_waited_for_for_ever(path: Path) -> None:
    async def main() -> None:
        with Database(path, busy_timeout=0.2, reader_count=2) as db:
            db.create_tables(Note)
            await db.perform(lambda db: db.insert_many([Note(text="x") for _ in range(2000)]))
            cursors = [db.cursor(Note) for _ in range(2)]
            for cursor in cursors:
                next(iter(cursor))
            with pytest.raises(BusyError, match="readers"):
                await asyncio.wait_for(db.perform(lambda db: len(db.fetch_all(Note))), 20)
            cursors.pop().close()
            assert await db.perform(lambda db: len(db.fetch_all(Note))) == 2000

    asyncio.run(main())


def test_a_short_write_does_not_wait_behind_slow_reads(path: Path) -> None:
    """Mended: it waited 3.2 s"""

    async def main() -> float:
        with Database(path) as db:
            db.create_tables(Note)
            reads = [asyncio.ensure_future(db.perform(read_slowly, 1.0)) for _ in range(8)]
            await asyncio.sleep(0.1)
            start = time.monotonic()
            await db.perform(lambda db: db.insert(Note(text="x")))
            took = time.monotonic() - start
            await asyncio.gather(*reads)
            return took

    assert asyncio.run(main()) < 0.9


def test_a_read_that_waits_for_a_reader_can_be_cancelled(path: Path) -> None:
    async def main() -> float:
        with Database(path, reader_count=1) as db:
            db.create_tables(Note)
            read = asyncio.ensure_future(db.perform(read_slowly, 1.0))
            await asyncio.sleep(0.1)
            start = time.monotonic()
            try:
                await asyncio.wait_for(db.perform(lambda db: db.count(Note)), 0.1)
            except asyncio.TimeoutError:
                took = time.monotonic() - start
            await read
            return took

    assert asyncio.run(main()) < 0.8


def test_the_body_sees_context_variables(path: Path) -> None:
    """Mended: they were lost"""

    async def main() -> tuple[str, str]:
        request.set("r17")
        with Database(path) as db, db.queue() as queue:
            return await db.perform(lambda db: request.get()), await queue.perform(lambda db: request.get())

    assert asyncio.run(main()) == ("r17", "r17")


def test_no_statements_are_kept(path: Path) -> None:
    """Mended: 0 meant 64"""
    with Database(path, statement_cache_size=0) as db:
        for _ in range(3):
            assert db.query("SELECT 1").fetch_all() == [(1,)]


def test_the_database_is_given_by_the_call_alone(path: Path) -> None:
    """Mended: with a default argument the database took its place"""

    def body(db: Database, limit: object = None) -> object:
        return limit

    async def main() -> None:
        with Database(path) as db, db.queue() as queue:
            for perform in (db.perform, queue.perform):
                given: Any = perform
                with pytest.raises(ProgrammingError, match="database twice"):
                    await given(body, db)
            assert await db.perform(body, 3) == 3

    asyncio.run(main())


def test_a_coroutine_function_is_refused(path: Path) -> None:
    async def body(db: Database) -> int:
        return db.count(Note)

    async def main() -> None:
        with Database(path) as db:
            db.create_tables(Note)
            with db.queue() as queue:
                for perform in (db.perform, queue.perform):
                    given: Any
                    for given in (body, functools.partial(body), lambda db: body(db)):
                        with pytest.raises(ProgrammingError, match=r"coroutine.*plain function"):
                            await perform(given)
                with pytest.raises(ProgrammingError, match="coroutine"):
                    queue.add(given).result()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(main())
        gc.collect()


def test_a_body_that_is_cancelled_before_its_commit_leaves_nothing(path: Path) -> None:
    """Also where it calls the database no more."""

    def body(db: Database) -> None:
        with db.transaction():
            db.insert(Note(text="gone"))
            begun.set()
            assert goes_on.wait(10)

    async def main() -> None:
        with Database(path) as db:
            db.create_tables(Note)
            task = asyncio.create_task(db.perform(body))
            assert await asyncio.to_thread(begun.wait, 10)
            task.cancel()
            await asyncio.sleep(0.05)
            goes_on.set()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await db.perform(lambda db: db.count(Note)) == 0

    begun, goes_on = threading.Event(), threading.Event()
    asyncio.run(main())


def test_a_transaction_whose_time_is_over_is_not_committed(db: Database) -> None:
    with db.timeout(0.02), pytest.raises(OperationalError, match="cancelled before its commit"), db.transaction():
        db.insert(Note(text="late"))
        # The limit's own thread is late on a busy machine.
        time.sleep(0.5)
    assert db.count(Note) == 0
    with db.timeout(5), db.transaction():
        db.insert(Note(text="in time"))
    assert db.count(Note) == 1
