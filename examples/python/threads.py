"""Threads, snapshots, time limits, asyncio."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from music import Artist, music

from cormorant import Database, OperationalError, RawConnection


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


def rename(db: Database, old: str, new: str) -> Artist | None:
    """Plain code, which perform() runs on a thread."""
    with db.transaction():
        artist = db.fetch_one(Artist, name=old)
        if artist:
            artist.name = new
            artist.save(db)
        return artist


async def tasks(db: Database) -> None:
    """With asyncio the loop goes on while a thread of the database's own does the work."""
    ida, jon, count = await asyncio.gather(
        db.perform(rename, "Ida", "Ida B."),
        db.perform(rename, "Jon", "Jon B."),
        db.perform(lambda db: db.count(Artist)),
    )
    print(ida, jon, count)


async def endpoint(db: Database, old: str, new: str) -> str:
    """What answers a request: its transaction is one body, and nothing is awaited in it."""
    artist = await db.perform(rename, old, new)
    return artist.name if artist else "not found"


if __name__ == "__main__":
    with music() as database:
        for show in (share, snapshot, limit):
            show(database)
        set_up()
        asyncio.run(tasks(database))
        print(asyncio.run(endpoint(database, "Kim", "Kim B.")))
