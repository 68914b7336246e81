"""Transactions over awaits whose tasks end otherwise: cancelled, out of time, with their loop; and storms of them."""

from __future__ import annotations

import asyncio
import gc
import random
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from awaiting import ENDLESS, on
from models import Department, Note
from test_aio_transactions import names

from cormorant import AsyncDatabase, AsyncTransaction, Database, Error
from cormorant._worker import Job
from cormorant.transaction import Transaction


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


class Committed:
    """Has its task cancelled while the worker commits: when the commit is done, or before it has begun."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, begun: bool, cancel: Callable[[], object]) -> None:
        self._begun, self._commit, self._cancel = begun, Transaction.commit, cancel
        self._loop = asyncio.get_running_loop()
        monkeypatch.setattr(Transaction, "commit", self._commits(monkeypatch))

    def _commits(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[Transaction], None]:
        def commit(transaction: Transaction) -> None:
            if transaction._notes._outer is None:
                monkeypatch.undo()
                if self._begun:
                    self._commit(transaction)
                self._loop.call_soon_threadsafe(self._cancel)
                # The loop has told the job of it when it does the next but one.
                for _ in range(3):
                    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self._loop).result(10)
                if self._begun:
                    return
            self._commit(transaction)

        return commit


has_counts = pytest.mark.skipif(sys.version_info < (3, 11), reason="nobody knows whether a task is to be cancelled")


@has_counts
@pytest.mark.parametrize("call", ["block", "commit"])
def test_cancelled_is_rolled_back_and_committed_is_told(path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    async def body(db: AsyncDatabase) -> None:
        went: list[str] = []

        async def work(begun: bool) -> None:
            async with db.transaction() as tx:
                await db.insert(Department(f"{begun}"))
                Committed(monkeypatch, begun, lambda: task.cancel("stop"))
                if call == "commit":
                    await tx.commit()
                    went.append("committed")
            went.append("done")
            with pytest.raises(asyncio.CancelledError, match="stop"):
                await asyncio.sleep(5)
            went.append("cancelled")
            await asyncio.sleep(0)
            await db.insert(Department("later"))

        task = asyncio.create_task(work(False))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await names(db), went) == ([], [])
        task = asyncio.create_task(work(True))
        await task
        assert await names(db) == ["True", "later"]
        assert went[-2:] == ["done", "cancelled"]

    on(path, body)


@has_counts
def test_a_time_limit_that_is_over_while_the_commit_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(db: AsyncDatabase) -> None:
        async def write(name: str, then: float) -> None:
            timeout: Any = vars(asyncio)["timeout"]
            async with timeout(60) as limit:
                async with db.transaction():
                    await db.insert(Department(name))
                    Committed(monkeypatch, True, lambda: limit.reschedule(0))
                if then:
                    await asyncio.sleep(then)

        await asyncio.create_task(write("done", 0))
        task: Any = asyncio.current_task()
        # In one task with what comes behind it, which is not cancelled.
        await write("done, too", 0)
        await asyncio.sleep(0.01)
        assert task.cancelling() == 0
        with pytest.raises(TimeoutError):
            await write("and more", 30)
        await asyncio.sleep(0.01)
        assert await names(db) == ["and more", "done", "done, too"]

    on(path, body)


@has_counts
def test_a_call_that_is_cancelled_has_done_nothing(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        told = 0

        async def work() -> None:
            nonlocal told
            while True:
                await db.insert(Note(text="x"))
                told += 1

        for _ in range(50):
            task = asyncio.create_task(work())
            await asyncio.sleep(0.002)
            before = told
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # At most the one that was done when it was cancelled.
            assert told - before <= 1
        assert await db.count(Note) == told

    on(path, body)


@has_counts
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_task_begins_nothing_more(path: Path, monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    """Though its calls are always done before they are cancelled."""
    anyio = pytest.importorskip("anyio")
    pytest.importorskip(backend)
    cancel = Job.cancel

    def cancel_late(job: Job[Any]) -> None:
        while not hasattr(job, "_value") and not job.has_failed:
            time.sleep(0.0001)
        cancel(job)

    async def main() -> None:
        async with AsyncDatabase(path) as db:
            await db.create_tables(Note)
            told = total = 0

            async def work() -> None:
                nonlocal told
                for _ in range(20):
                    await db.insert(Note(text="x"))
                    told += 1

            async def work_in_transactions() -> None:
                nonlocal told
                for _ in range(20):
                    async with db.transaction():
                        await db.insert(Note(text="x"))
                    told += 1

            for body in (work, work_in_transactions):
                told = 0
                async with anyio.create_task_group() as group:
                    group.start_soon(body)
                    while not told:
                        await anyio.sleep(0)
                    with monkeypatch.context() as patch:
                        patch.setattr(Job, "cancel", cancel_late)
                        before = told
                        group.cancel_scope.cancel()
                        with anyio.CancelScope(shield=True):
                            await anyio.sleep(0.1)
                    assert told - before <= 1
                total += told
                assert await db.count(Note) == total

    anyio.run(main, backend=backend)


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


def test_a_program_s_own_error_is_not_hidden_by_a_close_that_is_refused(path: Path) -> None:
    async def main() -> None:
        db = AsyncDatabase(path)

        async def hold() -> None:
            async with db.transaction():
                await asyncio.sleep(10)

        holding = None
        with pytest.raises(ValueError, match="own") as raised:
            async with db:
                holding = asyncio.create_task(hold())
                await asyncio.sleep(0.05)
                raise ValueError("own")
        if sys.version_info >= (3, 11):
            assert "the database stays open" in raised.value.__notes__[0]
        assert holding
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding
        await db.close()

    asyncio.run(main())


def test_a_task_that_is_cancelled_while_it_opens_in_vain_is_cancelled(path: Path) -> None:
    begun = threading.Event()

    def fail(_: object) -> None:
        begun.set()
        time.sleep(0.2)
        raise LookupError("no tenant")

    async def opening() -> None:
        async with AsyncDatabase(path, set_up=fail):
            pass

    async def main() -> None:
        task = asyncio.create_task(opening())
        await asyncio.to_thread(begun.wait, 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
