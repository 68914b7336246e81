"""Transactions over awaits: whose they are, and how they end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from awaiting import on
from models import Department

from cormorant import (
    AsyncDatabase,
    AsyncTransaction,
    BusyError,
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
