"""Awaited calls have the types of those of Database."""

from collections.abc import AsyncIterator
from typing import Any

from typing_extensions import assert_type

from cormorant import (
    AsyncDatabase,
    AsyncTransaction,
    Bundle,
    BundleState,
    Column,
    Database,
    Model,
    Plan,
    column,
    insert,
    select,
)


class Person(Model):
    name: Column[str]
    age: Column[int | None] = column(default=None)
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)


async def calls(db: AsyncDatabase) -> None:
    person = assert_type(await Person("Ida").insert(db), Person)
    assert_type(await person.update(db, Person.age), Person)
    assert_type(await person.refresh(db), Person)
    assert_type(await person.delete(db), bool)
    assert_type(await person.update_changes(db, person), tuple[str, ...])
    assert_type(await db.find(Person, 1), Person | None)
    assert_type(await db.fetch_all(Person, name="Ida"), list[Person])
    assert_type(await db.fetch_all(select(Person.name, Person.age)), list[tuple[str, int | None]])
    assert_type(await db.fetch_one(Person.where(Person.age > 3)), Person | None)
    assert_type(await db.fetch_value(select(Person.name)), str | None)
    assert_type(await db.fetch_all("SELECT ?", (1,)), list[tuple[Any, ...]])
    assert_type(await db.one(Person, name="Ida"), Person)
    assert_type(await db.one(select(Person.name, Person.age)), tuple[str, int | None])
    assert_type(await db.one_value(insert(Person).values(name="x").returning(Person.name)), str)
    assert_type(await db.fetch_all(insert(Person).values(name="x").returning(Person.name)), list[tuple[str]])
    assert_type(await db.get_or_create(person), tuple[Person, bool])
    assert_type(await db.insert_many([person]), int)
    assert_type(await db.version, int)
    assert_type(await db.perform(lambda db: db.count(Person)), int)
    assert_type(await db.perform(Database.find, Person, 1), Person | None)


async def migrations(db: AsyncDatabase, plain: Database, bundle: Bundle) -> None:
    await bundle.apply(db, "0002_fill", progress=True)
    await bundle.revert(db, None)
    assert_type(await bundle.status(db), list[BundleState])
    assert_type(await bundle.drift(db), Plan)
    await (await db.plan(Person)).apply(db, drop_snapshot=True)
    assert_type(bundle.status(database=plain), list[BundleState])
    async with db.transaction() as tx:
        assert_type(await bundle.status(tx), list[BundleState])


async def rows(db: AsyncDatabase) -> AsyncIterator[Person]:
    async for name, age in db.cursor(select(Person.name, Person.age)):
        assert_type(name, str)
        assert_type(age, int | None)
    assert_type(await db.query("SELECT 1").fetch_one(), tuple[Any, ...] | None)
    assert_type(await db.cursor(Person).dicts().fetch_all(), list[dict[str, Any]])
    async for person in db.cursor(Person, order_by="name"):
        yield person


async def transactions(path: str) -> None:
    async with AsyncDatabase(path, worker_count=3, busy_timeout=1) as db:
        assert_type(db, AsyncDatabase)
        async with db.transaction("deferred") as tx:
            assert_type(tx, AsyncTransaction)
            assert_type(tx.database, Database)
            # It is one, for code that takes one.
            await calls(tx)
            await tx.commit()
        async with db.read():
            assert_type(await db.count(Person), int)
        with db.database.shared_transaction() as shared:
            assert_type(shared, Database)
