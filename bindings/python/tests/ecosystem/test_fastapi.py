"""Transactions of requests under FastAPI: in dependencies of both forms, for endpoints of both."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Annotated, Any

import fastapi
import httpx2 as httpx
import pytest
from models import Department, Person

from cormorant import AsyncDatabase, Database, ProgrammingError

REQUESTS = 24


def service(db: AsyncDatabase) -> fastapi.FastAPI:
    """Each of its endpoints writes a row, and fails where it is to."""
    app = fastapi.FastAPI()

    async def awaited() -> AsyncIterator[AsyncDatabase]:
        async with db.transaction() as tx:
            yield tx

    async def for_plain() -> AsyncIterator[Database]:
        async with db.transaction() as tx:
            yield tx.database

    def plain() -> Iterator[Database]:
        with db.database.shared_transaction() as tx:
            yield tx

    def also_plain(tx: Annotated[Database, fastapi.Depends(plain, scope="function")]) -> int:
        """A dependency of a dependency, which runs on a thread of its own, too."""
        return tx.count(Department)

    Awaited = Annotated[AsyncDatabase, fastapi.Depends(awaited, scope="function")]
    ForPlain = Annotated[Database, fastapi.Depends(for_plain, scope="function")]
    Plain = Annotated[Database, fastapi.Depends(plain, scope="function")]
    Count = Annotated[int, fastapi.Depends(also_plain, scope="function")]

    def refuse(fails: bool) -> None:
        if fails:
            raise fastapi.HTTPException(409)

    @app.post("/awaited/{name}")
    async def of_awaited(name: str, tx: Awaited, fails: bool = False) -> None:
        await tx.insert(Department(name))
        await asyncio.sleep(0.001)
        # The task is in the transaction, whatever object it calls by.
        await Department(name + "!").insert(db)
        refuse(fails)

    @app.post("/for_plain/{name}")
    def of_for_plain(name: str, tx: ForPlain, fails: bool = False) -> None:
        tx.insert(Department(name))
        time.sleep(0.001)
        with tx.transaction():
            Department(name + "!").insert(tx)
        refuse(fails)

    @app.post("/plain/{name}")
    def of_plain(name: str, tx: Plain, count: Count, fails: bool = False) -> None:
        tx.insert(Department(name))
        time.sleep(0.001)
        Department(name + "!").insert(tx)
        assert tx.count(Department) == count + 2 == len(list(tx.cursor(Department)))
        refuse(fails)

    return app


async def post(client: Any, path: str, fails: bool) -> int:
    answer = await client.post(path, params={"fails": fails})
    status: int = answer.status_code
    return status


@pytest.mark.parametrize("kind", ["awaited", "for_plain", "plain"])
def test_exactly_what_was_committed_is_there(path: Path, kind: str) -> None:
    """Mended: 2 to 10 of 24 requests were answered, and from then on none that wrote"""

    async def main() -> None:
        async with AsyncDatabase(path) as db:
            await db.create_tables(Department)
            transport = httpx.ASGITransport(app=service(db), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=60) as client:
                for turn in range(2):
                    names = [f"{turn}.{number:02}" for number in range(REQUESTS)]
                    told = await asyncio.gather(
                        *[post(client, f"/{kind}/{name}", number % 3 == 0) for number, name in enumerate(names)]
                    )
                    assert told == [409 if number % 3 == 0 else 200 for number in range(REQUESTS)]
            expected = [f"{turn}.{number:02}" for turn in range(2) for number in range(REQUESTS) if number % 3]
            found = [item.name async for item in db.cursor(Department)]
            assert sorted(found) == sorted(name + mark for name in expected for mark in ("", "!"))
            # And nothing keeps the next one waiting.
            await asyncio.wait_for(db.insert(Department("next")), 2)

    asyncio.run(main())


def test_all_kinds_at_once(path: Path) -> None:
    async def main() -> None:
        async with AsyncDatabase(path, worker_count=2, busy_timeout=10) as db:
            await db.create_tables(Department)
            transport = httpx.ASGITransport(app=service(db), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=60) as client:
                kinds = ["awaited", "for_plain", "plain"]
                told = await asyncio.gather(
                    *[post(client, f"/{kinds[number % 3]}/{number:02}", number % 4 == 0) for number in range(30)]
                )
            assert told.count(200) == 22
            assert await db.count(Department) == 44

    asyncio.run(main())


@pytest.mark.parametrize("plain", [False, True])
def test_an_answer_does_not_say_that_all_went_well_before_it_did(path: Path, plain: bool) -> None:
    """A commit that fails is seen by the client, as the cookbook has the dependency."""

    async def main() -> None:
        async with AsyncDatabase(path) as db:
            await db.create_tables(Department, Person)
            app = fastapi.FastAPI()

            async def awaited() -> AsyncIterator[Database]:
                async with db.transaction() as tx:
                    yield tx.database

            def of_threads() -> Iterator[Database]:
                with db.database.shared_transaction() as tx:
                    yield tx

            dependency = of_threads if plain else awaited

            @app.post("/")
            def write(tx: Annotated[Database, fastapi.Depends(dependency, scope="function")]) -> None:
                tx.execute("PRAGMA defer_foreign_keys = ON")
                tx.insert(Person("Ida", department=7))

            transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                assert (await client.post("/")).status_code == 500
            assert await db.count(Person) == 0
            await asyncio.wait_for(db.insert(Department("next")), 2)

    asyncio.run(main())


def test_a_client_that_goes_away_leaves_nothing_open(path: Path) -> None:
    async def main() -> None:
        async with AsyncDatabase(path) as db:
            await db.create_tables(Department)
            app = service(db)
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                for _ in range(20):
                    task = asyncio.create_task(client.post("/awaited/x"))
                    await asyncio.sleep(0.003)
                    task.cancel()
                    await asyncio.wait([task])
                    await db.delete_all(Department)
            await asyncio.wait_for(db.insert(Department("next")), 2)

    asyncio.run(main())


def test_one_that_was_not_to_be_shared_is_refused(path: Path) -> None:
    """`with db.transaction()` belongs to a thread: used on another, that is said, and nothing is written."""

    async def main() -> None:
        with Database(path, busy_timeout=0.2) as db:
            db.create_tables(Department)
            app = fastapi.FastAPI()

            def plain() -> Iterator[Database]:
                with db.transaction():
                    yield db

            @app.post("/")
            def write(tx: Annotated[Database, fastapi.Depends(plain)]) -> None:
                tx.insert(Department("x"))

            errors: list[Exception] = []

            @app.exception_handler(ProgrammingError)
            def note(request: Any, error: Exception) -> Any:
                errors.append(error)
                return fastapi.Response(status_code=500)

            transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                await asyncio.gather(*[client.post("/") for _ in range(8)])
            db.insert(Department("next"))

    asyncio.run(main())
