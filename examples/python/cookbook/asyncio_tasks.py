"""asyncio: calls that are awaited, a limit, a cancelled task, a live query."""

from __future__ import annotations

import asyncio

from cormorant import Column, Database, Model, column, update


class Sensor(Model):
    name: Column[str] = column(primary_key=True)
    value: Column[float] = column(default=0.0)


def measure(db: Database, name: str, value: float) -> int:
    """Plain code with a transaction; perform() runs it on a thread, and gives it the database."""
    with db.transaction():
        db.save(Sensor(name, value))
        return db.count(Sensor)


def count_slowly(db: Database) -> int:
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000000) SELECT count(*) FROM n"
    return len(db.query(numbers).fetch_all())


async def follow(db: Database, seen: list[list[str]]) -> None:
    """The rows now, and after each commit that changes them."""
    with db.observe_live(Sensor.where(Sensor.value > 30).order_by(Sensor.name)) as hot:
        async for event in hot:
            seen.append([sensor.name for sensor in event.rows])
            if len(event.rows) == 2:
                return


async def main(db: Database) -> None:
    seen: list[list[str]] = []
    follower = asyncio.create_task(follow(db, seen))
    print(max(await asyncio.gather(db.perform(measure, "roof", 21.5), db.perform(measure, "oven", 180.0))))
    await db.perform(measure, "kiln", 900.0)
    await follower
    print(seen[-1])

    try:
        await asyncio.wait_for(db.perform(count_slowly), timeout=0.1)
    except asyncio.TimeoutError:
        print("stopped, and the database goes on:", await db.perform(lambda db: db.count(Sensor)))

    changed = await db.perform(lambda db: db.execute(update(Sensor).set(value=0.0)))
    print(changed, "set to 0")


if __name__ == "__main__":
    with Database("sensors.db") as db:
        db.sync(Sensor)
        asyncio.run(main(db))
