"""Transactions of several connections that are in each other's way: run again, they add up."""

from __future__ import annotations

import asyncio
import threading
import time

from cormorant import AsyncDatabase, AsyncTransaction, Column, Database, Model, column

THREADS, TURNS = 3, 15


class Counter(Model):
    id: Column[int] = column(primary_key=True)
    value: Column[int]


def test_functions_are_run_again(url: str) -> None:
    runs: list[int] = []

    def add(db: Database, amount: int) -> None:
        runs.append(amount)
        counter = db.find(Counter, 1)
        time.sleep(0.002)
        counter.value += amount
        db.update(counter)

    def work() -> None:
        with Database(url) as db:
            for _ in range(TURNS):
                db.transact(add, 2)

    with Database(url) as db:
        db.create_tables(Counter)
        db.insert(Counter(1, 0))
        threads = [threading.Thread(target=work) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert db.find(Counter, 1).value == 2 * THREADS * TURNS
    # Else nothing was in the way of anything.
    assert len(runs) > THREADS * TURNS


def test_coroutine_functions_are_run_again(url: str) -> None:
    runs = 0

    async def add(tx: AsyncTransaction) -> None:
        nonlocal runs
        runs += 1
        counter = await tx.find(Counter, 1)
        await asyncio.sleep(0.002)
        counter.value += 1
        await tx.update(counter)

    async def work() -> None:
        async with AsyncDatabase(url) as db:
            for _ in range(TURNS):
                await db.transact(add)

    async def main() -> None:
        await asyncio.gather(*[work() for _ in range(THREADS)])

    with Database(url) as db:
        db.create_tables(Counter)
        db.insert(Counter(1, 0))
        asyncio.run(main())
        assert db.find(Counter, 1).value == THREADS * TURNS
    assert runs > THREADS * TURNS
