"""Threads, snapshots, time limits, asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager

from music import Artist, music

from cormorant import AsyncDatabase, Database, OperationalError, RawConnection


def share(db: Database) -> None:
    """Any number of threads use one database."""
    with ThreadPoolExecutor(4) as pool:
        for name in ("Ida", "Jon", "Kim"):
            pool.submit(db.insert, Artist(name))
    print(db.count(Artist))


def snapshot(db: Database) -> None:
    """Reads that belong together see one state of the file, whoever writes meanwhile."""
    with db.read():
        count = db.count(Artist)
        artists = db.fetch_all(Artist)
    assert len(artists) == count


def set_up() -> None:
    """Each connection that is opened is set up alike."""

    def tune(connection: RawConnection) -> None:
        connection.execute_script("PRAGMA cache_size = -20000")

    with Database(":memory:", set_up=tune) as db:
        print(db.query("SELECT cache_size FROM pragma_cache_size").fetch_all())


def limit(db: Database) -> None:
    """What takes too long is stopped."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    try:
        with db.timeout(0.1):
            db.query(endless).fetch_all()
    except OperationalError as error:
        print(error.code)


async def tasks(db: AsyncDatabase) -> None:
    """The calls of Database, awaited; what is awaited in the block of a transaction is part of it."""
    async with db.transaction() as tx:
        ida = await Artist("Ida B.").insert(db)
        await asyncio.sleep(0)
        # Tasks that take part call by the object of the block.
        await asyncio.gather(tx.insert(Artist("Jon B.")), tx.insert(Artist("Kim B.")))
    async for artist in db.cursor(Artist, order_by="name"):
        print(artist.name)
    print(await db.find(Artist, ida.id))


def rename(db: Database, old: str, new: str) -> Artist | None:
    """Plain code, which perform() runs on a thread."""
    with db.transaction():
        artist = db.fetch_one(Artist, name=old)
        if artist:
            artist.name = new
            artist.save(db)
        return artist


async def at_once(db: AsyncDatabase) -> None:
    """Much at once goes to a thread and back once."""
    print(await db.perform(rename, "Ida", "Ida C."))


async def transaction_of_request(db: AsyncDatabase) -> AsyncIterator[AsyncDatabase]:
    """A dependency: the endpoint is given what its transaction is, and an exception of it takes all back."""
    async with db.transaction() as tx:
        yield tx


async def transaction_for_plain(db: AsyncDatabase) -> AsyncIterator[Database]:
    """The same for endpoints that are plain functions, on whatever thread."""
    async with db.transaction() as tx:
        yield tx.database


def transaction_of_threads(db: Database) -> Iterator[Database]:
    """The same where nothing is awaited: it is entered, used and left on any threads."""
    with db.shared_transaction() as tx:
        yield tx


async def serve(db: AsyncDatabase) -> None:
    """What a framework does with them."""
    async with asynccontextmanager(transaction_of_request)(db) as tx:
        await tx.insert(Artist("Lea"))
    async with asynccontextmanager(transaction_for_plain)(db) as plain:
        await asyncio.to_thread(plain.insert, Artist("Mia"))
    with ThreadPoolExecutor(1) as pool, contextmanager(transaction_of_threads)(db.database) as shared:
        pool.submit(shared.insert, Artist("Noa"))
    print(await db.count(Artist))


if __name__ == "__main__":
    with music() as database:
        for show in (share, snapshot, limit):
            show(database)
        set_up()
        for awaited in (tasks, at_once, serve):
            asyncio.run(awaited(AsyncDatabase(database)))
