"""Write queues: futures, asyncio, batches, listeners."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from music import Artist, music

from cormorant import Database, UniqueViolation, WriteCompletion


def share(db: Database) -> None:
    """The writes of many threads share commits; each has its own result."""

    def name(number: int) -> int | None:
        return queue.add(lambda db: Artist(f"artist {number}").insert(db).id).result()

    with db.queue() as queue, ThreadPoolExecutor(8) as pool:
        print(len(set(pool.map(name, range(100)))))
        twice = queue.add(db_insert, "artist 7")
        try:
            twice.result()
        except UniqueViolation as error:
            print(error)


def db_insert(db: Database, name: str) -> None:
    db.insert(Artist(name))


async def tasks(db: Database) -> None:
    """With asyncio the loop goes on meanwhile, also while the queue is full."""
    with db.queue() as queue:
        await asyncio.gather(*[queue.perform(db_insert, name) for name in ("Pia", "Quin", "Rob")])


def batch(db: Database) -> None:
    """Parts that are one write; a listener is told of all that have a tag."""

    def told(completion: WriteCompletion) -> None:
        print(completion.tag, [result.changes for result in completion.results])

    with db.queue() as queue, queue.listen(told, tag="import"):
        batch = queue.begin()
        batch.insert(Artist("Sam"))
        batch.insert(Artist("Nina"))  # is there already
        batch.execute("UPDATE artist SET name = upper(name) WHERE name = ?", ["Sam"])
        batch.commit("import", on_error="continue")
        queue.flush()


if __name__ == "__main__":
    with music() as database:
        share(database)
        asyncio.run(tasks(database))
        batch(database)
