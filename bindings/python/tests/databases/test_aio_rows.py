"""Rows that are awaited one after the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from awaiting import on
from models import Note

from cormorant import AsyncDatabase, AsyncResult, BusyError, Database, ProgrammingError, select


def test_rows_come_one_after_the_other(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        await db.insert_many(Note(text=str(number)) for number in range(1000))
        texts = [note.text async for note in db.cursor(Note, order_by="id")]
        assert texts == [str(number) for number in range(1000)]
        assert [row async for row in db.query("SELECT 1, 'a'")] == [(1, "a")]
        result = db.cursor(select(Note.id, Note.text).order_by(Note.id))
        assert await result.columns == ("id", "text")
        assert await result.fetch_one() == (1, "0")
        assert len(await result.fetch_all()) == 999
        assert await result.fetch_one() is None
        assert await result.fetch_all() == []
        assert await db.query("SELECT 1 AS a").dicts().fetch_all() == [{"a": 1}]
        assert await db.cursor(Note, order_by="id").tuples().fetch_one() == (1, "0", "new", 1)
        assert await db.query("SELECT 1 AS a").json() == '[{"a":1}]'
        async with db.cursor(Note) as notes:
            async for _ in notes:
                break
        for again in (notes.fetch_one, notes.fetch_all):
            with pytest.raises(ProgrammingError, match="closed before its rows were read"):
                await again()
        with pytest.raises(ProgrammingError, match="SELEC"):
            await db.query("SELEC").fetch_one()
        begun = await db.query("SELECT 1 UNION SELECT 2")
        assert await begun.fetch_one() == (1,)
        assert await begun.fetch_all() == [(2,)]
        with pytest.raises(ProgrammingError, match="SELEC"):
            await db.query("SELEC")

    on(path, body)


def test_a_loop_over_rows_that_is_left_gives_its_reader_back(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        await db.insert_many(Note(text=str(number)) for number in range(1000))
        for _ in range(20):
            async for _ in db.cursor(Note):
                break
        assert len(await db.fetch_all(Note)) == 1000

    on(path, body, reader_count=1, busy_timeout=0.5)


def test_cursors_inside_cursors_come_to_an_end(path: Path) -> None:
    """More than there are readers: the innermost is refused, and nothing hangs."""

    async def body(db: AsyncDatabase) -> None:
        await db.insert_many(Note(text=str(number)) for number in range(1000))

        async def nest(depth: int) -> None:
            async for _ in db.cursor(Note):
                if depth:
                    await nest(depth - 1)
                break

        await nest(1)
        with pytest.raises(BusyError, match="readers"):
            await nest(4)
        await nest(1)

    on(path, body, reader_count=2, busy_timeout=0.2)


def test_a_loop_that_is_cancelled_is_over_though_somebody_holds_it(path: Path) -> None:
    """Mended: a cursor stayed open as long as the traceback of its cancelled task"""

    async def body(db: AsyncDatabase) -> None:
        await db.insert_many(Note(text=str(number)) for number in range(1000))
        # The rows are there when it is cancelled, and still made into objects.
        result = db.query("SELECT id FROM notes", into=lambda id: time.sleep(0.001))
        task = asyncio.create_task(result.fetch_one())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        workers = db.database._workers
        assert workers is not None
        end = time.monotonic() + 2
        while workers.keeping._free != 32 and time.monotonic() < end:
            await asyncio.sleep(0.01)
        assert workers.keeping._free == 32

    on(path, body)


def test_calls_in_loops_over_rows_wait_for_no_loop(path: Path) -> None:
    """More loops than there are readers and threads, each with calls in it while it is not at its end."""

    async def body(db: AsyncDatabase) -> list[int]:
        await db.insert_many(Note(text=str(number)) for number in range(1000))

        async def walk() -> int:
            found = 0
            async for note in db.cursor(Note):
                if found < 20:
                    found += await db.find(Note, note.id) is not None
                    found += len(await db.fetch_all(Note, limit=1))
            return found

        return await asyncio.gather(*[walk() for _ in range(10)])

    assert on(path, body, reader_count=2, worker_count=2, busy_timeout=0.5) == [20] * 10


def test_two_tasks_do_not_read_one_result(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        await db.insert_many(Note(text=str(number)) for number in range(1000))
        result = db.cursor(Note)
        told = await asyncio.gather(result.fetch_one(), result.fetch_one(), return_exceptions=True)
        assert isinstance(told[0], Note)
        assert isinstance(told[1], ProgrammingError)
        await result.close()

    on(path, body)


def test_what_writes_has_written_once_it_is_awaited(path: Path) -> None:
    async def body(db: AsyncDatabase) -> int:
        result = await db.query("INSERT INTO notes (text, state) VALUES ('a', 'new') RETURNING id")
        await result.close()
        await db.query("INSERT INTO notes (text, state) VALUES ('b', 'new')")
        return await db.count(Note)

    assert on(path, body) == 2


def test_rows_behind_a_read_that_was_cancelled_are_not_none(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"
        result = db.query(endless)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(result.fetch_one(), 0.1)
        with pytest.raises(ProgrammingError, match="closed before its rows were read"):
            await result.fetch_all()

    on(path, body)


def test_a_result_is_closed_behind_its_database(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        results: list[AsyncResult[Any]] = [
            db.query("SELECT 1"),
            db.query("SELECT 1 UNION ALL SELECT 2"),
            db.cursor(Note),
        ]
        assert await results[0].fetch_all() == [(1,)]
        assert await results[1].fetch_one() == (1,)
        await results[1].close()
        await db.close()
        for result in results:
            await asyncio.wait_for(result.close(), 5)

    on(path, body)


def test_to_close_what_is_over_waits_for_nobody(path: Path) -> None:
    """The thread that it ran on may be another call's by then."""

    async def body(db: AsyncDatabase) -> None:
        closed = asyncio.Event()
        loop = asyncio.get_running_loop()
        result = db.query("SELECT 1")
        assert await result.fetch_all() == [(1,)]

        def wait(_: object) -> None:
            asyncio.run_coroutine_threadsafe(closed.wait(), loop).result(5)

        performed = asyncio.create_task(db.perform(wait))
        await asyncio.sleep(0.1)
        await result.close()
        closed.set()
        await performed

    on(path, body)


def test_a_loop_of_another_kind_takes_no_turn(path: Path) -> None:
    with Database(path, busy_timeout=0.2) as plain:
        plain.create_tables(Note)
        db = AsyncDatabase(plain)
        calls: list[Callable[[], Coroutine[Any, Any, object]]] = [
            lambda: db.execute("CREATE TABLE t (x)"),
            lambda: db.transaction().__aenter__(),
            lambda: db.query("SELECT 1").fetch_all(),
            lambda: db.find(Note, 1),
        ]
        for call in calls * 10:
            with pytest.raises(ProgrammingError, match="no loop"):
                call().send(None)
        asyncio.run(db.execute("CREATE TABLE t (x)"))
        assert asyncio.run(db.query("SELECT * FROM t").fetch_all()) == []
