"""asyncpg, with a slots dataclass."""

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
from postgres_workload import CREATE, LIST, SAVE, Item, as_tuple, parts
from workload import COLUMNS, Job, checksum, run


async def insert(job: Job, connection: asyncpg.Connection) -> None:
    items = [Item(*row) for row in job.rows_to_insert()]
    await connection.execute(CREATE)
    with job.measured():
        await connection.copy_records_to_table("item", records=map(as_tuple, items), columns=COLUMNS)


async def fetch(job: Job, connection: asyncpg.Connection) -> None:
    await connection.fetchrow(f"SELECT {LIST} FROM item WHERE id = 1")
    with job.measured():
        items = [Item(*row) for row in await connection.fetch(f"SELECT {LIST} FROM item")]
    job.checksum = checksum(map(as_tuple, items))


async def lookup(job: Job, connection: asyncpg.Connection) -> None:
    keys = job.keys_to_find()
    total = 0
    await connection.fetchrow(f"SELECT {LIST} FROM item WHERE id = 1")
    with job.measured():
        statement = await connection.prepare(f"SELECT {LIST} FROM item WHERE id = $1")
        for key in keys:
            item = Item(*await statement.fetchrow(key))
            total += item.quantity + len(item.name)
    job.checksum = total


async def save(job: Job, connection: asyncpg.Connection) -> None:
    items = [Item(*row) for row in job.rows_to_update()]
    places = ", ".join(f"${number}" for number in range(1, 11))
    with job.measured():
        async with connection.transaction():
            await connection.executemany(
                f"INSERT INTO item ({LIST}) VALUES ({places}) ON CONFLICT (id) DO UPDATE SET {SAVE}",
                map(as_tuple, items),
            )


def work(body: Callable[[Job, asyncpg.Connection], Awaitable[None]]) -> Callable[[Job], None]:
    async def connected(job: Job) -> None:
        await body(job, await asyncpg.connect(**parts(job.path)))

    return lambda job: asyncio.run(connected(job))


run({"insert": work(insert), "fetch": work(fetch), "lookup": work(lookup), "save": work(save)})
