"""The threads that do what is awaited: how many they are, what they take along, and in which order they write."""

from __future__ import annotations

import asyncio
import contextvars
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from awaiting import ENDLESS, on
from models import Note

from cormorant import AsyncDatabase, BusyError, Database, ProgrammingError, select

request = contextvars.ContextVar("request", default="none")


def test_the_loop_goes_on_meanwhile(path: Path) -> None:
    async def body(db: AsyncDatabase) -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(db.query(ENDLESS).fetch_all(), 0.5)
        ticking.cancel()
        return ticks

    assert on(path, body) > 10


def test_a_task_that_is_cancelled_stops_its_call(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        for call in (lambda: db.fetch_value(ENDLESS), lambda: db.query(ENDLESS).fetch_one()):
            task = asyncio.create_task(call())
            await asyncio.sleep(0.1)
            start = time.monotonic()
            task.cancel()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - start < 2
        assert await db.count(Note) == 0

    on(path, body, reader_count=1, busy_timeout=0.3)


def test_context_variables_go_both_ways(path: Path) -> None:
    async def body(db: AsyncDatabase) -> tuple[str, str]:
        request.set("r17")

        def see(db: Database) -> str:
            seen = request.get()
            request.set("from the thread")
            return seen

        seen = await db.perform(see)
        # Also of those that an error leaves.
        with pytest.raises(ZeroDivisionError):
            await db.perform(lambda db: (request.set("failed"), 1 // 0))
        assert request.get() == "failed"
        request.set("from the task")
        return seen, await asyncio.create_task(db.perform(see))

    assert on(path, body) == ("r17", "from the task")


def test_threads_are_as_many_as_are_wanted_and_one_that_writes(path: Path) -> None:
    seen: set[int] = set()

    def note(db: Database) -> None:
        seen.add(threading.get_ident())
        time.sleep(0.01)

    async def body(db: AsyncDatabase) -> int:
        await asyncio.gather(*[db.perform(note) for _ in range(20)])
        # A write goes beside them.
        slow = [asyncio.create_task(db.perform(lambda db: time.sleep(0.5))) for _ in range(3)]
        await asyncio.sleep(0.05)
        start = time.monotonic()
        await db.insert(Note(text="x"))
        assert time.monotonic() - start < 0.4
        await asyncio.gather(*slow)
        return len(seen)

    assert 1 <= on(path, body, worker_count=3) <= 3
    with pytest.raises(ProgrammingError, match="worker_count"):
        Database(path, worker_count=0)


def test_threads_end_with_the_database(path: Path) -> None:
    def count() -> int:
        return sum(thread.name == "cormorant" for thread in threading.enumerate())

    before = count()
    on(path, lambda db: asyncio.gather(*[db.count(Note) for _ in range(5)]))  # type: ignore[arg-type, return-value]
    end = time.monotonic() + 5
    while count() > before and time.monotonic() < end:
        time.sleep(0.01)
    assert count() <= before


def test_long_reads_do_not_keep_a_write_waiting(path: Path) -> None:
    """Reads that take longer than the busy timeout, more than there are readers and threads."""

    async def body(db: AsyncDatabase) -> None:
        async def slow() -> None:
            async with db.read():
                await db.count(Note)
                await asyncio.sleep(0.5)

        reads = [asyncio.create_task(slow()) for _ in range(8)]
        await asyncio.sleep(0.1)
        start = time.monotonic()
        await db.insert(Note(text="x"))
        async with db.transaction():
            await db.insert(Note(text="y"))
        assert time.monotonic() - start < 0.4
        told = await asyncio.gather(*reads, return_exceptions=True)
        assert not any(told)

    on(path, body, reader_count=2, busy_timeout=1, worker_count=4)


def test_writers_go_in_the_order_in_which_they_came(path: Path) -> None:
    async def body(db: AsyncDatabase) -> list[str]:
        async def write(number: int) -> None:
            async with db.transaction():
                await db.insert(Note(text=str(number)))
                await asyncio.sleep(0.001)

        tasks = []
        for number in range(60):
            tasks.append(asyncio.create_task(write(number) if number % 2 else db.insert(Note(text=str(number)))))
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        return await db.fetch_values(select(Note.text).order_by(Note.id))

    assert on(path, body) == [str(number) for number in range(60)]


def test_a_write_that_waits_in_vain_is_told(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async def hold() -> None:
            async with db.transaction():
                await asyncio.sleep(0.6)

        holding = asyncio.create_task(hold())
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError, match="another transaction is open"):
            await db.insert(Note(text="x"))
        assert await db.count(Note) == 0
        await holding
        await db.insert(Note(text="y"))
        assert await db.count(Note) == 1

    on(path, body, busy_timeout=0.2)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="tasks have contexts of their own")
def test_what_another_task_of_the_same_context_sets_meanwhile_stays(path: Path) -> None:
    async def body(db: AsyncDatabase) -> str:
        context = contextvars.copy_context()
        context.run(request.set, "first")
        options: Any = {"context": context}

        async def call() -> None:
            await db.perform(lambda _: time.sleep(0.2))

        async def set_one() -> None:
            request.set("second")

        calling = asyncio.create_task(call(), **options)
        await asyncio.sleep(0.05)
        await asyncio.create_task(set_one(), **options)
        await calling
        return context[request]

    assert on(path, body) == "second"
