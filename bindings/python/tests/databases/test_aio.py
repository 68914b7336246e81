"""AsyncDatabase: the calls of Database, awaited."""

from __future__ import annotations

import asyncio
import gc
import inspect
import warnings
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from awaiting import ENDLESS, on
from models import Department, Note, Person

from cormorant import (
    AsyncDatabase,
    Database,
    OperationalError,
    ProgrammingError,
    Registry,
    insert,
    select,
    update,
)


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
        if name[0] != "_" and inspect.isfunction(member) and name not in ("tracing", "timeout", "queue", "reopen"):
            assert hasattr(AsyncDatabase, name) or name in (
                "shared_transaction",
                "logging_statements",
                "opentelemetry_spans",
                # There as a function once it was asked for.
                "studio",
            ), name
    assert inspect.iscoroutinefunction(AsyncDatabase.find)
    assert AsyncDatabase.vacuum.__doc__ == Database.vacuum.__doc__


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
