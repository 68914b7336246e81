"""Transactions over awaits: whose they are, and how they end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from models import Department, Note
from test_aio import ENDLESS, on

from cormorant import (
    AsyncDatabase,
    AsyncTransaction,
    BusyError,
    ConflictError,
    Database,
    Error,
    IntegrityError,
    ProgrammingError,
    select,
)


async def names(db: AsyncDatabase) -> list[str]:
    return await db.fetch_values(select(Department.name).order_by(Department.name))


@contextlib.contextmanager
def refused(text: str) -> Iterator[None]:
    with pytest.raises(ProgrammingError, match=text) as caught:
        yield
    assert caught.value.code == "CORM_E_TRANSACTION"
    assert caught.value.hint


def test_it_commits_at_its_end_and_not_before(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.transaction():
            await db.insert(Department("a"))
            await asyncio.sleep(0.01)
            await db.insert(Department("b"))
            assert await names(db) == ["a", "b"]
            # Of another task that was begun before, or of plain code.
            assert db.database.count(Department) == 0
        assert await names(db) == ["a", "b"]

    on(path, body)


def test_an_exception_takes_all_of_it_back(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        record = Department("a")
        with pytest.raises(KeyError):
            async with db.transaction():
                await db.insert(record)
                assert record.id
                raise KeyError
        assert record.id is None
        with pytest.raises(IntegrityError):
            async with db.transaction():
                await db.insert(Department("b"))
                await db.insert(Department("b"))
        assert await names(db) == []

    on(path, body)


def test_tasks_take_turns(path: Path) -> None:
    """Plain transactions refuse in this place (test_transaction_owners.py): here all that ended well are there."""

    async def body(db: AsyncDatabase) -> None:
        async def handle(name: str, wait: float, fails: bool) -> str:
            async with db.transaction():
                await db.insert(Department(name))
                await asyncio.sleep(wait)
                if fails:
                    raise ValueError(name)
            return name

        tasks = [handle(f"n{number:02}", 0.002, number % 3 == 0) for number in range(24)]
        told = await asyncio.gather(*tasks, return_exceptions=True)
        assert await names(db) == [name for name in told if isinstance(name, str)]
        assert sum(isinstance(error, ValueError) for error in told) == 8

    on(path, body)


def test_one_inside_another_is_a_savepoint(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.transaction() as outer:
            await db.insert(Department("a"))
            with pytest.raises(KeyError):
                async with db.transaction():
                    await db.insert(Department("b"))
                    # By the outer one's object, too: it is this task's innermost that is meant.
                    await outer.insert(Department("c"))
                    raise KeyError
            async with outer.transaction():
                await db.insert(Department("d"))
        assert await names(db) == ["a", "d"]

    on(path, body)


def test_commit_and_rollback_end_it_early(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.transaction() as tx:
            await db.insert(Department("a"))
            await tx.commit()
            # By itself.
            await db.insert(Department("b"))
            with refused("has ended"):
                await tx.insert(Department("c"))
        async with db.transaction() as tx:
            await db.insert(Department("d"))
            await tx.rollback()
        assert await names(db) == ["a", "b"]
        async with tx:
            await db.insert(Department("e"))
            with pytest.raises(ProgrammingError, match="open already"):
                await tx.__aenter__()
        assert await names(db) == ["a", "b", "e"]

    on(path, body)


def test_what_only_reads_sees_one_state(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.read():
            assert await names(db) == []
            await asyncio.to_thread(db.database.insert, Department("a"))
            assert await names(db) == []
            with pytest.raises(ProgrammingError, match="only reads") as caught:
                await db.insert(Department("b"))
            assert caught.value.code == "CORM_E_TRANSACTION"
        assert await names(db) == ["a"]

    on(path, body)


def test_tasks_that_take_part_say_so(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.transaction() as tx:
            with refused("begun inside of another task's transaction"):
                await asyncio.gather(db.insert(Department("a")))
            with refused("begun inside of another task's transaction"):
                await asyncio.create_task(db.perform(lambda db: db.count(Department)))
            with refused("begun inside of another task's transaction"):
                await asyncio.create_task(db.database.perform(lambda db: db.count(Department)))
            await asyncio.gather(*[tx.insert(Department(f"{number}")) for number in range(5)])

            async def inner(name: str, fails: bool) -> None:
                async with tx.transaction():
                    await db.insert(Department(name))
                    await asyncio.sleep(0.005)
                    await db.insert(Department(name + "!"))
                    if fails:
                        raise KeyError

            told = await asyncio.gather(
                inner("x", False), inner("y", True), inner("z", False), tx.count(Department), return_exceptions=True
            )
            assert isinstance(told[1], KeyError)
            assert told[0] is told[2] is None
        assert await names(db) == ["0", "1", "2", "3", "4", "x", "x!", "z", "z!"]

    on(path, body)


def test_a_task_that_outlives_it_is_on_its_own(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async def later(tx: AsyncTransaction) -> None:
            await over.wait()
            await db.insert(Department("alone"))
            with refused("has ended"):
                await tx.insert(Department("never"))

        over = asyncio.Event()
        with pytest.raises(KeyError):
            async with db.transaction() as tx:
                task = asyncio.create_task(later(tx))
                await db.insert(Department("lost"))
                raise KeyError
        over.set()
        await task
        assert await names(db) == ["alone"]

    on(path, body)


def test_an_inner_one_that_outlives_the_outer_takes_all_back(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        begun, over = asyncio.Event(), asyncio.Event()

        async def inner(tx: AsyncTransaction) -> None:
            async with tx.transaction():
                await db.insert(Department("inner"))
                begun.set()
                await over.wait()

        with refused("left before the one inside it"):
            async with db.transaction() as tx:
                await db.insert(Department("outer"))
                task = asyncio.create_task(inner(tx))
                await begun.wait()
        over.set()
        with refused("has ended"):
            await task
        assert await names(db) == []
        await db.insert(Department("next"))
        async with db.transaction():
            await db.insert(Department("next, too"))
        assert await names(db) == ["next", "next, too"]

    on(path, body)


def test_one_inside_that_waits_for_the_outer_does_not_hang(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.transaction() as tx:
            go = asyncio.Event()

            async def child() -> None:
                await go.wait()
                await tx.insert(Department("child"))

            task = asyncio.create_task(child())
            async with tx.transaction():
                go.set()
                with pytest.raises(BusyError, match="inside of this one"):
                    await task
            await tx.insert(Department("a"))
        assert await names(db) == ["a"]

    on(path, body, busy_timeout=0.2)


@pytest.mark.parametrize("where", ["call", "sleep", "enter", "commit"])
def test_a_task_that_is_cancelled_rolls_back(path: Path, where: str) -> None:
    async def body(db: AsyncDatabase) -> None:
        async def work() -> None:
            async with db.transaction():
                await db.insert(Department("a"))
                if where == "call":
                    await db.fetch_value(ENDLESS)
                elif where == "sleep":
                    await asyncio.sleep(60)

        async def hold() -> None:
            async with db.transaction():
                await asyncio.sleep(0.3)

        holding = asyncio.create_task(hold()) if where == "enter" else None
        await asyncio.sleep(0.05)
        task = asyncio.create_task(work())
        await asyncio.sleep(0.1 if where != "commit" else 0)
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        # Nothing is open when it has ended.
        if holding is None:
            db.database.insert(Department("b"))
            assert await names(db) == ["b"]
        else:
            await holding
            await db.insert(Department("b"))
            assert await names(db) == ["b"]

    on(path, body, busy_timeout=2)


@pytest.mark.parametrize("seed", range(4))
def test_cancelled_at_any_moment(path: Path, seed: int) -> None:
    """What is there is what was told to be, or what was cancelled while it was committed, as a whole."""
    dice = random.Random(seed)

    async def body(db: AsyncDatabase) -> None:
        told: list[str] = []

        async def work(name: str) -> None:
            async with db.transaction():
                await db.insert(Department(name))
                for _ in range(dice.randrange(3)):
                    await asyncio.sleep(dice.choice([0, 0.0005]))
                async with db.transaction():
                    await db.insert(Department(name + "!"))
                if dice.random() < 0.2:
                    raise KeyError(name)
            told.append(name)

        for start in range(0, 120, 6):
            tasks = [asyncio.create_task(work(f"{number:03}")) for number in range(start, start + 6)]
            for task in tasks:
                if dice.random() < 0.5:
                    await asyncio.sleep(dice.choice([0, 0, 0.001, 0.003]))
                    task.cancel()
            await asyncio.wait(tasks)
            for task in tasks:
                if not task.cancelled():
                    assert task.exception() is None or isinstance(task.exception(), KeyError)
        found = await names(db)
        assert set(told) <= set(found)
        assert {name for name in found if name[-1] != "!"} == {name[:-1] for name in found if name[-1] == "!"}
        async with db.transaction():
            await db.insert(Department("last"))

    on(path, body)


def test_a_time_limit(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async def work() -> None:
            async with db.transaction():
                await db.insert(Department("a"))
                await db.fetch_value(ENDLESS)

        start = time.monotonic()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(work(), 0.2)
        assert time.monotonic() - start < 5
        assert await names(db) == []

    on(path, body)


def test_one_that_is_dropped_is_rolled_back(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async def forget() -> None:
            transaction = db.transaction()
            await transaction.__aenter__()
            await db.insert(Department("lost"))

        with pytest.warns(ResourceWarning, match="rolled back"):
            await asyncio.create_task(forget())
            gc.collect()
        await db.insert(Department("next"))
        assert await names(db) == ["next"]

    on(path, body, busy_timeout=1)


def test_a_loop_that_is_closed_leaves_nothing_open(db: Database) -> None:
    view = AsyncDatabase(db)
    kept: list[AsyncTransaction] = []

    async def begin() -> None:
        kept.append(view.transaction())
        await kept[0].__aenter__()
        await view.insert(Department("lost"))

    asyncio.run(begin())
    with pytest.warns(ResourceWarning, match="rolled back"):
        kept.clear()
        gc.collect()
    db.insert(Department("next"))

    # One that waits when its loop is closed keeps nobody waiting.
    async def hold() -> None:
        async with view.transaction():
            loop = asyncio.new_event_loop()
            waiting = view.insert(Department("never"))

            def wait() -> None:
                asyncio.set_event_loop(loop)
                task = loop.create_task(waiting)
                loop.call_later(0.05, loop.stop)
                loop.run_forever()
                task._log_destroy_pending = False  # type: ignore[attr-defined]
                loop.close()

            await asyncio.to_thread(wait)

    asyncio.run(hold())
    gc.collect()
    asyncio.run(insert_next(view))
    assert sorted(item.name for item in db.fetch_all(Department)) == ["more", "next"]


async def insert_next(view: AsyncDatabase) -> None:
    await view.insert(Department("more"))


def test_loops_of_several_threads(db: Database) -> None:
    view = AsyncDatabase(db)

    async def main(part: int) -> None:
        async def write(number: int) -> None:
            async with view.transaction():
                await view.insert(Note(text=f"{part}.{number}"))
                await asyncio.sleep(0)

        await asyncio.gather(*[write(number) for number in range(25)])

    threads = [threading.Thread(target=lambda part=part: asyncio.run(main(part))) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert db.count(Note) == 100


def test_plain_code_on_any_thread_takes_part(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.transaction() as tx:
            plain = tx.database
            await asyncio.to_thread(plain.insert, Department("a"))
            await asyncio.gather(*[asyncio.to_thread(plain.insert, Department(f"{n}")) for n in range(5)])
            assert await db.count(Department) == 6
            assert await db.perform(lambda db: db.count(Department)) == 6
            assert await db.database.perform(lambda db: db.count(Department)) == 6
        with refused("has ended"):
            plain.insert(Department("b"))
        assert db.database.count(Department) == 6

    on(path, body)


async def plain(db: AsyncDatabase) -> None:
    db.database.insert(Department("b"))


def test_plain_code_that_waits_for_its_own_task_is_told(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.transaction():
            for call in (asyncio.to_thread(db.database.insert, Department("a")), plain(db)):
                with pytest.raises(BusyError, match="the transaction of the task itself") as caught:
                    await call
                assert "await the call" in str(caught.value)

    on(path, body, busy_timeout=0.1)


def test_a_generator_that_is_ended_elsewhere(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async def scoped() -> AsyncIterator[AsyncTransaction]:
            async with db.transaction() as tx:
                yield tx

        generator: Any = scoped()
        tx = await asyncio.create_task(generator.__anext__())
        await asyncio.create_task(tx.insert(Department("a")))
        with contextlib.suppress(StopAsyncIteration):
            await asyncio.create_task(generator.__anext__())
        assert await names(db) == ["a"]

    on(path, body)


def test_closing_while_one_is_open_is_refused(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        async with db.transaction() as tx:
            await db.insert(Department("a"))
            with pytest.raises(ProgrammingError, match="in use"):
                await db.close()
            with pytest.raises(ProgrammingError, match="no database to close"):
                await tx.close()
            await db.insert(Department("b"))
        assert await names(db) == ["a", "b"]

    on(path, body)


@pytest.mark.parametrize("seed", range(3))
def test_a_storm_leaves_nothing_behind(path: Path, seed: int) -> None:
    """Calls, cursors, transactions of all kinds, cancelled at any moment: each thread and each turn is given back."""
    dice = random.Random(seed)

    async def body(db: AsyncDatabase) -> None:
        await db.insert_many(Note(text=str(number)) for number in range(500))

        async def read() -> None:
            async for _ in db.cursor(Note):
                if dice.random() < 0.01:
                    break

        async def snapshot() -> None:
            async with db.read():
                await db.count(Note)
                await asyncio.sleep(dice.random() / 500)

        async def write(depth: int = 0) -> None:
            async with db.transaction() as tx:
                await db.insert(Note(text="x"))
                if depth < 2 and dice.random() < 0.5:
                    await write(depth + 1)
                if dice.random() < 0.3:
                    await asyncio.gather(*[tx.insert(Note(text="y")) for _ in range(3)])
                if dice.random() < 0.2:
                    await asyncio.to_thread(tx.database.insert, Note(text="z"))
                if dice.random() < 0.2:
                    raise KeyError

        async def shared() -> None:
            def run() -> None:
                with db.database.shared_transaction() as tx:
                    tx.insert(Note(text="s"))

            await asyncio.to_thread(run)

        kinds: list[Callable[[], Coroutine[Any, Any, Any]]]
        kinds = [read, snapshot, write, shared, lambda: db.insert(Note(text="w")), lambda: db.perform(Database.vacuum)]
        for _ in range(15):
            tasks: list[asyncio.Task[Any]] = [asyncio.create_task(dice.choice(kinds)()) for _ in range(12)]
            for task in dice.sample(tasks, 6):
                await asyncio.sleep(dice.choice([0, 0, 0.001, 0.004]))
                task.cancel()
            await asyncio.wait(tasks)
            for task in tasks:
                if not task.cancelled() and (error := task.exception()):
                    # A vacuum is refused while others read.
                    assert isinstance(error, KeyError | Error), error
        gc.collect()
        workers = db.database._workers
        assert workers is not None
        end = time.monotonic() + 5
        turns = (workers.calls, workers.keeping, workers.writing)
        while [turn._free for turn in turns] != [6, 6, 1] and time.monotonic() < end:
            await asyncio.sleep(0.01)
        assert [turn._free for turn in turns] == [6, 6, 1]
        assert not any(turn._waiting for turn in turns)
        assert len(workers._idle) <= 13
        await db.insert(Note(text="last"))

    on(path, body, worker_count=6, reader_count=2)


def test_limits_of_anyio(path: Path) -> None:
    """Which cancels again and again, until the block is left."""
    anyio = pytest.importorskip("anyio")

    async def main() -> None:
        async with AsyncDatabase(path, busy_timeout=1) as db:
            await db.create_tables(Department)
            for _ in range(3):
                with anyio.move_on_after(0.05) as scope:
                    async with db.transaction():
                        await db.insert(Department("lost"))
                        await db.fetch_value(ENDLESS)
                assert scope.cancelled_caught
            async with db.transaction() as tx, anyio.create_task_group() as group:
                group.start_soon(tx.insert, Department("a"))
                group.start_soon(tx.insert, Department("b"))
            assert await names(db) == ["a", "b"]

    anyio.run(main, backend="asyncio")
    path.unlink()
    pytest.importorskip("trio")
    anyio.run(main, backend="trio")


def test_one_connection_for_all() -> None:
    async def body() -> None:
        async with AsyncDatabase(":memory:") as db:
            await db.create_tables(Department)

            async def write(name: str) -> None:
                async with db.transaction():
                    await db.insert(Department(name))
                    await asyncio.sleep(0.002)

            await asyncio.gather(*[write(f"{number}") for number in range(10)], *[db.count(Department)] * 1)
            assert await db.count(Department) == 10

    asyncio.run(body())


def test_a_coroutine_function_is_run_again_where_another_transaction_was_in_its_way(path: Path) -> None:
    calls: list[int | None] = []

    async def body(tx: AsyncTransaction, most: int) -> int:
        department = Department(f"{most} {len(calls)}")
        await tx.insert(department)
        calls.append(department.id)
        if len(calls) < most:
            raise ConflictError("another wrote it", code="CORM_E_CONFLICT")
        return len(calls)

    async def run(db: AsyncDatabase) -> None:
        assert await db.transact(body, 3) == 3
        assert await names(db) == ["3 2"]
        calls.clear()
        with pytest.raises(ConflictError):
            await db.transact(body, 100)
        assert len(calls) == 10
        calls.clear()
        with pytest.raises(ConflictError):
            async with db.transaction() as tx:
                await tx.transact(body, 100)
        assert len(calls) == 1
        assert await names(db) == ["3 2"]

    on(path, run)
