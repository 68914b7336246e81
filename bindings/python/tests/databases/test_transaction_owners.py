"""A transaction belongs to the thread that began it and, in asyncio, to the task."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import random
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from models import Department

from cormorant import Database, OperationalError, ProgrammingError, Result
from cormorant.transaction import Transaction

T = TypeVar("T")


def names(db: Database) -> list[str]:
    return [item.name for item in db.fetch_all(Department, order_by="name")]


@contextlib.contextmanager
def refused(text: str) -> Iterator[None]:
    with pytest.raises((OperationalError, ProgrammingError), match=text) as caught:
        yield
    assert caught.value.code == "CORM_E_TRANSACTION"
    assert caught.value.hint


async def handle(db: Database, name: str, wait: float, fails: bool) -> str:
    with db.transaction():
        Department(name).insert(db)
        await asyncio.sleep(wait)
        if fails:
            raise ValueError(name)
    return name


@pytest.mark.parametrize(
    ("waits", "fails"), [((0.01, 0.02), 1), ((0.01, 0.02), 0), ((0.02, 0.01), 1), ((0.02, 0.01), 0)]
)
def test_tasks_do_not_mix(db: Database, waits: tuple[float, float], fails: int) -> None:
    async def main() -> list[str | BaseException]:
        tasks = [handle(db, name, waits[i], fails == i) for i, name in enumerate("AB")]
        return await asyncio.gather(*tasks, return_exceptions=True)

    told = asyncio.run(main())
    assert names(db) == [item for item in told if isinstance(item, str)]
    assert "another task" in str(told[1])
    assert isinstance(told[0], ValueError) == (fails == 0)
    db.insert(Department("later"))


def test_calls_of_another_task_are_refused(db: Database) -> None:
    async def main() -> None:
        begun, done = asyncio.Event(), asyncio.Event()

        async def holder() -> None:
            with db.transaction():
                db.insert(Department("held"))
                begun.set()
                await done.wait()
                assert names(db) == ["held"]

        task = asyncio.create_task(holder())
        await begun.wait()
        calls: list[Callable[[], object]] = [
            lambda: db.insert(Department("mine")),
            lambda: db.find(Department, 1),
            lambda: db.fetch_all(Department),
            lambda: db.query("SELECT 1"),
            lambda: db.execute("DELETE FROM departments"),
            lambda: db.insert_many([Department("mine")]),
            lambda: db.execute_script("DELETE FROM departments"),
            lambda: db.store("s").put("a", 1),
            lambda: db.transaction().__enter__(),
            lambda: db.read().__enter__(),
        ]
        for call in calls:
            with refused("another task has a transaction open on this thread"):
                call()
        # Threads of their own are not concerned.
        assert await db.perform(names) == []
        done.set()
        await task

    asyncio.run(main())
    assert names(db) == ["held"]


def test_reading_tasks_do_not_mix(db: Database) -> None:
    async def main() -> None:
        begun = asyncio.Event()

        async def reader() -> int:
            with db.read():
                begun.set()
                await asyncio.sleep(0.02)
                return db.count(Department)

        # So that there are readers beside the writer.
        await db.perform(names)
        task = asyncio.create_task(reader())
        await begun.wait()
        for call in (lambda: db.count(Department), lambda: db.insert(Department("x")), lambda: db.read().__enter__()):
            with refused("another task|only reads"):
                call()
        assert await task == 0

    asyncio.run(main())
    db.insert(Department("later"))


def test_leaving_in_another_task_rolls_back(db: Database) -> None:
    async def main() -> None:
        transaction = db.transaction()

        async def enter() -> None:
            transaction.__enter__()
            db.insert(Department("a"))

        async def leave() -> None:
            with refused("left by another task"):
                transaction.__exit__(None, None, None)

        await asyncio.create_task(enter())
        await asyncio.create_task(leave())
        assert db.transaction_depth == 0

    asyncio.run(main())
    assert names(db) == []
    db.insert(Department("b"))


def fixture(db: Database, name: str) -> Generator[None]:
    with db.transaction():
        db.insert(Department(name))
        yield


def test_generators_that_end_out_of_turn(db: Database) -> None:
    first, second = fixture(db, "a"), fixture(db, "b")
    next(first)
    next(second)
    with refused("left before the one inside it"):
        next(first)
    with refused("the transaction around this one"):
        db.insert(Department("c"))
    with refused("the transaction around this one"):
        next(second)
    assert db.transaction_depth == 0
    assert names(db) == []
    db.insert(Department("d"))
    assert names(db) == ["d"]


def test_an_outer_one_that_fails_first_takes_the_inner_one(db: Database) -> None:
    first, second = fixture(db, "a"), fixture(db, "b")
    next(first)
    next(second)
    with pytest.raises(KeyError):
        first.throw(KeyError())
    with refused("the transaction around this one"):
        next(second)
    assert names(db) == []


@pytest.mark.parametrize("end", [Transaction.commit, Transaction.rollback])
def test_nothing_is_left_of_one_that_ends_before_what_is_inside(
    db: Database, end: Callable[[Transaction], None]
) -> None:
    outer, inner = db.transaction(), db.transaction()
    with contextlib.suppress(ProgrammingError), outer, inner:
        db.insert(Department("lost"))
        end(outer)
    assert not db._innermost


def test_what_closing_rolls_back_has_no_key_again(db: Database) -> None:
    lost = Department("lost")
    transaction = db.transaction()
    transaction.__enter__()
    db.insert(lost)
    db.close()
    assert lost.id is None
    with Database(":memory:") as other:
        other.create_tables(Department)
        other.insert(lost)
        with pytest.raises(ProgrammingError):
            transaction.rollback()
        assert lost.id == 1


def test_an_exit_stack_out_of_order(db: Database) -> None:
    outer, inner = db.transaction(), db.transaction()
    with refused("the transaction around this one"), contextlib.ExitStack() as stack:
        outer.__enter__()
        stack.enter_context(inner)
        db.insert(Department("a"))
        with refused("left before the one inside it"):
            outer.commit()
        with refused("the transaction around this one"):
            inner.commit()
    assert names(db) == []
    assert db.transaction_depth == 0


def test_one_that_is_entered_twice(db: Database) -> None:
    transaction = db.transaction()
    with transaction:
        with pytest.raises(ProgrammingError, match="open already"):
            transaction.__enter__()
        db.insert(Department("a"))
    with transaction:
        db.insert(Department("b"))
    assert names(db) == ["a", "b"]


def on(pool: ThreadPoolExecutor, body: Callable[[], T]) -> T:
    return pool.submit(body).result(timeout=20)


@pytest.mark.parametrize("make", [Database.transaction, Database.read])
def test_leaving_on_another_thread_rolls_back(db: Database, make: Callable[[Database], Transaction]) -> None:
    db.insert(Department("kept"))
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        for _ in range(20):
            transaction = make(db)
            on(one, transaction.__enter__)
            if make is Database.transaction:
                on(one, lambda: db.insert(Department("lost")))
            with refused("left on another thread"):
                on(other, functools.partial(transaction.__exit__, None, None, None))
            assert on(one, lambda: db.transaction_depth) == 0
            on(one, lambda: names(db))
        on(other, lambda: db.insert(Department("other")))
        on(one, lambda: db.insert(Department("one")))
    assert names(db) == ["kept", "one", "other"]


def test_what_a_thread_left_open_is_no_other_s(db: Database) -> None:
    """The number of a thread that has ended is given to the next one."""
    left: list[Transaction] = []
    kept: list[Department] = []

    def begin() -> None:
        left.append(db.transaction())
        left[-1].__enter__()
        db.insert(Department("gone"))

    def write() -> None:
        kept.append(Department(f"kept {len(kept)}"))
        db.insert(kept[-1])

    for _ in range(3):
        for body in (begin, write):
            thread = threading.Thread(target=body)
            thread.start()
            thread.join()
            if body is begin:
                with pytest.raises(ProgrammingError, match="a thread ended"):
                    db.insert(Department("refused"))
    for transaction in left:
        with contextlib.suppress(ProgrammingError, OperationalError):
            transaction.rollback()
    assert names(db) == ["kept 0", "kept 1", "kept 2"]
    assert db.fetch_all(Department, order_by="id") == kept
    assert not db._innermost


def test_nested_ones_that_are_left_on_another_thread(db: Database) -> None:
    with ThreadPoolExecutor(1) as one:
        outer, inner = db.transaction(), db.transaction()
        on(one, outer.__enter__)
        on(one, inner.__enter__)
        on(one, lambda: db.insert(Department("lost")))
        with refused("left on another thread"):
            outer.commit()
        for _ in range(3):
            with refused("left on another thread"):
                on(one, lambda: db.insert(Department("lost, too")))
            with refused("left on another thread"):
                on(one, lambda: db.read().__enter__())
        with refused("left on another thread"):
            on(one, inner.commit)
        on(one, lambda: db.insert(Department("kept")))
    assert names(db) == ["kept"]


def test_nothing_is_read_outside_a_snapshot_that_was_taken_away(db: Database) -> None:
    outer, inner = db.read(), db.read()
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        on(other, lambda: db.count(Department))
        on(one, outer.__enter__)
        on(one, inner.__enter__)
        assert on(one, lambda: names(db)) == []
        with refused("left on another thread"):
            on(other, outer.commit)
        db.insert(Department("new"))
        for _ in range(3):
            with refused("left on another thread"):
                on(one, lambda: names(db))
        assert on(other, lambda: names(db)) == ["new"]
        on(one, inner.rollback)
        assert on(one, lambda: names(db)) == ["new"]


def test_a_cursor_of_a_snapshot_that_was_taken_away(db: Database) -> None:
    with db.transaction():
        for number in range(2000):
            db.insert(Department(f"{number}"))

    def begin() -> Generator[Result[Department]]:
        with db.read():
            cursor = db.cursor(Department)
            next(iter(cursor))
            yield cursor

    generator = begin()
    cursor = next(generator)
    with ThreadPoolExecutor(1) as other:
        with contextlib.suppress(OperationalError, ProgrammingError):
            on(other, generator.close)
        with refused("left on another thread"):
            list(cursor)


def test_one_that_is_in_use_is_taken_away_after_the_call(db: Database) -> None:
    begun, left = threading.Event(), threading.Event()
    transaction = db.transaction()

    def hold() -> int:
        with transaction:
            db.insert(Department("lost"))
            begun.set()
            numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)"
            count = next(iter(db.query(f"{numbers} SELECT count(*) FROM n")))[0]
            left.wait(20)
            return int(count)

    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(hold)
        begun.wait(20)
        with refused("left on another thread"):
            transaction.commit()
        left.set()
        with refused("left on another thread"):
            work.result(20)
    db.insert(Department("kept"))
    assert names(db) == ["kept"]


def test_a_dependency_that_web_frameworks_run_on_pool_threads(db: Database) -> None:
    """As FastAPI does with `def tx(): with db.transaction(): yield db`: entered, used and left on threads of a pool."""

    def dependency() -> Generator[Database]:
        with db.transaction():
            yield db

    def request(name: str, pools: list[ThreadPoolExecutor]) -> str:
        dice = random.Random(name)
        generator = dependency()
        got = on(dice.choice(pools), lambda: next(generator))
        try:
            on(dice.choice(pools), lambda: got.insert(Department(name)))
        except Exception as error:
            failure = error
            on(dice.choice(pools), lambda: generator.throw(failure))
        on(dice.choice(pools), lambda: next(generator, None))
        return name

    told: list[str] = []
    with (
        Database(db.path, busy_timeout=0.05) as service,
        ThreadPoolExecutor(1) as one,
        ThreadPoolExecutor(1) as two,
        ThreadPoolExecutor(1) as three,
    ):
        # What it is in a service: one for all.
        db, mine = service, db
        for number in range(60):
            with contextlib.suppress(OperationalError, ProgrammingError):
                told.append(request(f"n{number:02}", [one, two, three]))
            # Nothing holds the service up.
            on(three, lambda: db.count(Department))
            on(two, lambda: db.execute("DELETE FROM departments WHERE id = -1"))
        db = mine
    assert names(db) == told
    assert 0 < len(told) < 60


@pytest.mark.parametrize("seed", range(4))
def test_a_thousand_interleavings_of_tasks(db: Database, seed: int) -> None:
    """The rows are those of the tasks that were told that they are committed, whatever the others do."""
    dice = random.Random(seed)

    async def work(name: str) -> str:
        if dice.random() < 0.3:
            return await db.perform(in_one_body, name, dice.random() < 0.3)
        with db.transaction():
            db.insert(Department(name))
            for _ in range(dice.randrange(3)):
                await asyncio.sleep(dice.choice([0, 0, 0.0005]))
            if dice.random() < 0.4:
                raise KeyError(name)
            if dice.random() < 0.3:
                with db.transaction():
                    db.insert(Department(name + " inner"))
                    await asyncio.sleep(0)
        return name

    async def main() -> list[str]:
        told: list[str] = []
        for start in range(0, 250, 5):
            tasks = [work(f"{number:03}") for number in range(start, start + 5)]
            told += [item for item in await asyncio.gather(*tasks, return_exceptions=True) if isinstance(item, str)]
            assert db.transaction_depth == 0
        return told

    told = asyncio.run(main())
    assert len(told) > 20
    assert sorted(told) == [name for name in names(db) if "inner" not in name]
    assert {name.split()[0] for name in names(db) if "inner" in name} <= set(told)


def in_one_body(db: Database, name: str, fails: bool) -> str:
    with db.transaction():
        db.insert(Department(name))
        if fails:
            raise KeyError(name)
    return name


@pytest.mark.parametrize("seed", range(2))
def test_interleavings_of_generators_and_threads(db: Database, seed: int) -> None:
    dice = random.Random(seed)
    told: list[str] = []
    number = 0

    def step(pools: list[ThreadPoolExecutor], running: dict[str, Generator[None]]) -> None:
        nonlocal number
        if len(running) < 3 and dice.random() < 0.5:
            name = f"{number:04}"
            number += 1
            generator = fixture(db, name)
            with contextlib.suppress(OperationalError, ProgrammingError):
                on(dice.choice(pools), lambda: next(generator))
                running[name] = generator
        elif running:
            name = dice.choice(list(running))
            generator = running.pop(name)
            with contextlib.suppress(OperationalError, ProgrammingError):
                on(dice.choice(pools), lambda: next(generator, None))
                told.append(name)

    with Database(db.path, busy_timeout=0.02) as mine, ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        db, outer = mine, db
        running: dict[str, Generator[None]] = {}
        for _ in range(600):
            step([one, one, one, other], running)
        for name in list(running):
            running.pop(name).close()
        db = outer
    assert len(told) > 20
    # One inside another is committed by that.
    assert set(names(db)) <= set(told)
