"""AsyncDatabase: the calls of Database, awaited."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import inspect
import threading
import time
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from models import Department, Note, Person

from cormorant import (
    AsyncDatabase,
    BusyError,
    Database,
    OperationalError,
    ProgrammingError,
    Registry,
    insert,
    select,
    update,
)

T = TypeVar("T")
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
request = contextvars.ContextVar("request", default="none")


def on(path: Path, body: Callable[[AsyncDatabase], Coroutine[Any, Any, T]], **options: Any) -> T:
    """What body(db) gives in a loop of its own."""

    async def main() -> T:
        async with AsyncDatabase(path, **options) as db:
            await db.create_tables(Department, Person, Note)
            return await asyncio.wait_for(body(db), 30)

    return asyncio.run(main())


def test_calls_are_awaited(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        ida = await Person("Ida", 40).insert(db)
        assert await db.find(Person, ida.id) == ida
        ida.age = 41
        assert await ida.update(db, Person.age) is ida
        assert await db.insert_many(Person(f"p{number}") for number in range(3)) == 3
        assert await db.fetch_values(select(Person.age).where(Person.name == "Ida")) == [41]
        assert await db.count(Person) == 4
        assert await db.execute(update(Person).set(age=1)) == 4
        assert (await ida.refresh(db)).age == 1
        before = Person(**vars(ida))
        ida.name = "Ada"
        assert await ida.update_changes(db, before) == ("name",)
        assert await ida.delete(db)
        assert not await db.delete(ida)
        assert await (await Department("x").save(db)).delete(db)
        assert await db.fetch_all(insert(Department).values(name="y").returning(Department.name)) == [("y",)]
        assert await db.version == 0

    on(path, body)


def test_every_call_of_a_database_is_there() -> None:
    for name, member in vars(Database).items():
        if name[0] != "_" and inspect.isfunction(member) and name not in ("tracing", "timeout", "queue"):
            assert hasattr(AsyncDatabase, name) or name in (
                "shared_transaction",
                "logging_statements",
                "opentelemetry_spans",
            ), name
    assert inspect.iscoroutinefunction(AsyncDatabase.find)
    assert AsyncDatabase.vacuum.__doc__ == Database.vacuum.__doc__


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
        assert await notes.fetch_one() is None
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


def test_a_view_of_an_open_database_leaves_it_open(db: Database) -> None:
    async def main() -> None:
        async with AsyncDatabase(db) as view:
            assert view.database is db
            await view.insert(Department("x"))
        await AsyncDatabase(db).insert(Department("y"))

    asyncio.run(main())
    # Another loop.
    asyncio.run(main_count(db))
    assert db.count(Department) == 2
    with pytest.raises(ProgrammingError, match="options"):
        AsyncDatabase(db, busy_timeout=1)


async def main_count(db: Database) -> None:
    assert await AsyncDatabase(db).count(Department) == 2


def test_a_database_of_a_registry(tmp_path: Path) -> None:
    async def main() -> None:
        with Registry(tmp_path / "{name}.db", worker_count=2) as registry, registry.use("a") as db:
            view = AsyncDatabase(db)
            await view.create_tables(Note)
            assert await view.count(Note) == 0

    asyncio.run(main())


def test_one_that_is_not_open_says_so(path: Path) -> None:
    async def main() -> None:
        db = AsyncDatabase(path)
        with pytest.raises(ProgrammingError, match="not open"):
            await db.count(Note)
        async with db:
            with pytest.raises(ProgrammingError, match="open already"):
                await db.__aenter__()
            assert "closed" not in repr(db)
        assert "closed" in repr(db)
        with pytest.raises(ProgrammingError, match=r"test\.db' is closed"):
            await db.count(Note)
        async with db, db.read():
            pass
        with pytest.raises(OperationalError):
            async with AsyncDatabase(path.parent / "none" / "x.db"):
                pass

    asyncio.run(main())


def test_a_call_without_a_loop_says_so(db: Database) -> None:
    coroutine = AsyncDatabase(db).count(Note)
    with pytest.raises(ProgrammingError, match="no loop"):
        coroutine.send(None)


def test_a_store(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        store = db.store("settings")
        await store.put("b", [1])
        await store.put_many({f"k{number:04}": number for number in range(1500)})
        assert await store.get("b") == [1]
        assert await store.get("none", 3) == 3
        assert await store.contains("b")
        assert await store.count() == 1501
        found = [entry.value async for entry in store.scan(prefix="k")]
        assert found == list(range(1500))
        async with db.transaction():
            await store.delete("b")
            assert await store.get("b") is None
        entry = await store.entry("k0001")
        assert entry is not None
        assert await store.compare_and_set("k0001", 7, entry.version)

    on(path, body)


def test_observers(path: Path) -> None:
    async def body(db: AsyncDatabase) -> list[list[str]]:
        seen: list[list[str]] = []
        with await db.observe_live(Note.where(Note.text > "a")) as notes:
            async for event in notes:
                seen.append([note.text for note in event.rows])
                if len(seen) == 2:
                    break
                await db.insert(Note(text="b"))
        return seen

    assert on(path, body) == [[], ["b"]]


def test_a_generator_that_streams_a_response(path: Path) -> None:
    async def body(db: AsyncDatabase) -> int:
        await db.insert_many(Note(text=str(number)) for number in range(500))

        async def lines() -> AsyncIterator[str]:
            async with db.read():
                async for note in db.cursor(Note):
                    yield note.text

        count = 0
        async for _ in lines():
            count += 1
            if count == 300:
                break
        gc.collect()
        await asyncio.sleep(0.05)
        await db.insert(Note(text="x"))
        return count

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert on(path, body) == 300


def test_on_trio(path: Path) -> None:
    trio = pytest.importorskip("trio")

    async def main() -> None:
        async with AsyncDatabase(path, busy_timeout=1) as db:
            await db.create_tables(Note)

            async def write(number: int) -> None:
                async with db.transaction():
                    await db.insert(Note(text=str(number)))
                    await trio.sleep(0.001)

            async with trio.open_nursery() as nursery:
                for number in range(20):
                    nursery.start_soon(write, number)
            assert await db.count(Note) == 20
            with trio.move_on_after(0.1) as scope:
                async with db.transaction():
                    await db.insert(Note(text="lost"))
                    await db.fetch_value(ENDLESS)
            assert scope.cancelled_caught
            assert [note.text async for note in db.cursor(Note, order_by="-id", limit=1)] != ["lost"]
            await db.insert(Note(text="z"))

            async def take_part() -> None:
                with pytest.raises(ProgrammingError, match="inside of another task's transaction"):
                    await db.count(Note)

            async with db.transaction() as tx, trio.open_nursery() as nursery:
                nursery.start_soon(take_part)
                nursery.start_soon(tx.insert, Note(text="part"))
            assert await db.count(Note) == 22

    trio.run(main)


def test_on_uvloop(path: Path) -> None:
    uvloop = pytest.importorskip("uvloop")

    async def main() -> int:
        async with AsyncDatabase(path) as db:
            await db.create_tables(Note)
            await asyncio.gather(*[db.insert(Note(text=str(number))) for number in range(50)])
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(db.fetch_value(ENDLESS), 0.1)
            return await db.count(Note)

    loop = uvloop.new_event_loop()
    try:
        assert loop.run_until_complete(main()) == 50
    finally:
        loop.close()
