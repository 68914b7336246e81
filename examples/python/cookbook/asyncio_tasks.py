"""asyncio: calls that are awaited, transactions over awaits, a limit, a cancelled task, a live query."""

from __future__ import annotations

import asyncio

from cormorant import AsyncDatabase, Column, Database, Model, column, update


class Sensor(Model):
    name: Column[str] = column(primary_key=True)
    value: Column[float] = column(default=0.0)


async def measured(name: str) -> float:
    """What comes from elsewhere, and takes its time."""
    await asyncio.sleep(0.01)
    return {"roof": 21.5, "oven": 180.0}[name]


async def measure(db: AsyncDatabase, name: str) -> None:
    """A transaction over an await. Another task's waits for its end; the loop goes on."""
    async with db.transaction():
        await Sensor(name).save(db)
        await Sensor(name, await measured(name)).save(db)


def calibrate(db: Database, factor: float) -> int:
    """Plain code, much at once: perform() runs it on a thread, and gives it the database."""
    with db.transaction():
        for sensor in db.fetch_all(Sensor):
            sensor.value = round(sensor.value * factor, 1)
            sensor.update(db, Sensor.value)
        return db.count(Sensor)


async def follow(db: AsyncDatabase, seen: list[list[str]]) -> None:
    """The rows now, and after each commit that changes them."""
    with await db.observe_live(Sensor.where(Sensor.value > 30).order_by(Sensor.name)) as hot:
        async for event in hot:
            seen.append([sensor.name for sensor in event.rows])
            if len(event.rows) == 2:
                return


async def main() -> None:
    async with AsyncDatabase("sensors.db") as db:
        await db.sync(Sensor)
        seen: list[list[str]] = []
        follower = asyncio.create_task(follow(db, seen))
        await asyncio.gather(measure(db, "roof"), measure(db, "oven"))
        await db.save(Sensor("kiln", 900.0))
        await follower
        print(seen[-1])
        print(await db.perform(calibrate, 1.1), [sensor.value async for sensor in db.cursor(Sensor, order_by="name")])

        try:
            await asyncio.wait_for(reset(db), timeout=0.1)
        except asyncio.TimeoutError:
            print("stopped, and none is 0:", await db.count(Sensor.where(Sensor.value == 0.0)))


async def reset(db: AsyncDatabase) -> None:
    """Takes too long, and is taken back."""
    async with db.transaction():
        await db.execute(update(Sensor).set({Sensor.value: 0.0}))
        await db.fetch_value("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n")


if __name__ == "__main__":
    asyncio.run(main())
