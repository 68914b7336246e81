"""A list that is always right: shown now, and again when a commit has changed it."""

import asyncio
from datetime import date

from cormorant import Database

from models import Tool
from shed import OUT, give_back, lend
from store import open_shed


async def watch(db: Database) -> None:
    with db.observe_live(Tool.where(Tool.loans.none(OUT)).order_by(Tool.name)) as free:
        async for event in free:
            print("free:", [tool.name for tool in event.rows])
            if not event.rows:
                await db.perform(give_back, 3, date(2026, 4, 1))
                break
            await db.perform(lend, 3, 2, date(2026, 4, 1))


with open_shed("shed.db") as db:
    asyncio.run(watch(db))
