"""What type checkers refuse of awaited calls."""

from cormorant import AsyncDatabase, Bundle, Column, Database, Model


class Person(Model):
    name: Column[str]


async def calls(db: AsyncDatabase, plain: Database, bundle: Bundle) -> None:
    for _ in bundle.status(db):  # error
        pass
    await bundle.status(plain)  # error
    await bundle.apply(db, lost="x")  # error
    db.timeout(1)  # error
    await db.find(Person.name, 1)  # error
    await db.fetch_all(1)  # error
    await db.inserted(Person("Ida"))  # error
    await plain.insert(Person("Ida"))  # error
    db.insert(Person("Ida")) + 1  # error
    await db.transaction()  # error
    with db.transaction():  # error
        pass
    for _ in db.cursor(Person):  # error
        pass
    async with db.transaction("imediate"):  # error
        pass
    AsyncDatabase("x", worker_count="3")  # error
