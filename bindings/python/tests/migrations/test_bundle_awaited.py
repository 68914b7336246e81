"""What takes a database, given an AsyncDatabase: awaited, or told what to write."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from cormorant import (
    AsyncDatabase,
    Bundle,
    Column,
    Database,
    MigrationError,
    Model,
    Plan,
    ProgrammingError,
    Registry,
    Schema,
    column,
    counting,
)


class Person(Model, table="people"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]


class Aged(Model, table="people"):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    age: Column[int | None] = column(default=None)


def on(path: Path, body: Callable[[AsyncDatabase], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with AsyncDatabase(path) as db:
            await asyncio.wait_for(body(db), 30)

    asyncio.run(main())


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    Bundle.generate(tmp_path / "migrations", "people", Person)
    made = Bundle(tmp_path / "migrations")

    def fill(database: Database) -> None:
        assert type(database) is Database
        database.insert(Person("Ann"))

    made.add("0002_fill", up=fill, down="DELETE FROM people")
    return made


def test_the_steps_of_a_bundle_are_awaited(path: Path, bundle: Bundle) -> None:
    async def body(db: AsyncDatabase) -> None:
        assert [item.state for item in await bundle.status(db)] == ["pending", "pending"]
        await bundle.apply(db, "0001_people")
        assert await db.count(Person) == 0
        await bundle.apply(database=db)
        assert [item.state for item in await bundle.status(db)] == ["applied", "applied"]
        assert not await bundle.drift(db)
        assert await db.count(Person) == 1
        await bundle.revert(db, "0001_people", allow_lossy=True)
        assert await db.count(Person) == 0
        with pytest.raises(MigrationError):
            await bundle.resolve(db, "0001_people", applied=True)

    on(path, body)


def test_the_loop_goes_on_while_a_step_runs(path: Path) -> None:
    slow = Bundle()
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) "
    slow.add("0001_slow", up=f"CREATE TABLE t (i); INSERT INTO t {sql} SELECT max(i) FROM n")

    async def body(db: AsyncDatabase) -> None:
        running, turns = asyncio.ensure_future(slow.apply(db)), 0
        while not running.done():
            await asyncio.sleep(0)
            turns += 1
        await running
        assert turns > 10
        assert await db.fetch_values("SELECT i FROM t") == [400_000]

    on(path, body)


def test_a_file_that_was_made_without_them_is_adopted(path: Path, tmp_path: Path) -> None:
    Bundle.generate(tmp_path / "steps", "people", Person)
    steps = Bundle(tmp_path / "steps")

    async def body(db: AsyncDatabase) -> None:
        await db.create_tables(Person)
        await steps.adopt(db)
        assert [item.state for item in await steps.status(db)] == ["applied"]

    on(path, body)


def test_a_plan_is_carried_out(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        await db.create_tables(Person)
        plan = await db.plan(Aged)
        await plan.apply(db)
        assert not await db.plan(Aged)

    on(path, body)


def test_plain_databases_are_not_awaited(path: Path, bundle: Bundle) -> None:
    with Database(path) as db:
        assert [item.state for item in bundle.status(db)] == ["pending", "pending"]
        bundle.apply(database=db)
        assert db.count(Person) == 1
    assert list(inspect.signature(Bundle.apply).parameters)[:3] == ["self", "database", "last"]


def test_an_error_is_raised_where_it_is_awaited(path: Path) -> None:
    failing = Bundle()

    def fail(database: Database) -> None:
        raise LookupError("no")

    failing.add("0001_fail", up=fail)

    async def body(db: AsyncDatabase) -> None:
        with pytest.raises(LookupError, match="no"):
            await failing.apply(db)
        async with db.transaction() as tx:
            with pytest.raises(ProgrammingError):
                await failing.apply(tx)

    on(path, body)


def test_what_takes_a_database_alone_says_what_to_write(path: Path, tmp_path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        wrong: Any = db
        old, new = Schema.of(Person), Schema.of(Aged)
        with Registry(str(tmp_path / "{name}.db")) as registry:
            calls: list[Callable[[], object]] = [
                lambda: Plan.between(old, new, database=wrong),
                lambda: Bundle.generate(tmp_path / "steps", "people", Person, server=wrong),
                lambda: registry.attach("other", wrong, "other"),
                lambda: counting(wrong).__enter__(),
            ]
            for call in calls:
                with pytest.raises(ProgrammingError, match=r"AsyncDatabase stands where a Database is wanted.*perform"):
                    call()
        await db.create_tables(Person)
        assert await db.perform(lambda database: Plan.between(old, new, database=database))
        with pytest.raises(AttributeError, match=r"AsyncDatabase has no 'timeout'.*asyncio\.timeout"):
            wrong.timeout(1)
        for name in ("logging_statements", "opentelemetry_spans", "tracing", "queue", "reopen", "studio", "changes"):
            with pytest.raises(AttributeError, match=rf"AsyncDatabase has no '{name}'.*db\.database\.{name}"):
                getattr(wrong, name)
        for name in ("inserted", "_unknown", "__len__"):
            with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
                getattr(wrong, name)
        assert not hasattr(wrong, "timeout")

    on(path, body)


def test_what_the_plain_database_traces_is_awaited_too(path: Path) -> None:
    async def body(db: AsyncDatabase) -> None:
        await db.create_tables(Person)
        with counting(db.database, at_most=1) as seen:
            await db.count(Person)
        assert any("count(*)" in statement.sql for statement in seen)

    on(path, body)
