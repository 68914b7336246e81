"""What tests of AsyncDatabase run in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from models import Department, Note, Person

from cormorant import AsyncDatabase

T = TypeVar("T")
# SQL that does not end by itself.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


def on(path: Path, body: Callable[[AsyncDatabase], Coroutine[Any, Any, T]], **options: Any) -> T:
    """What body(db) gives in a loop of its own."""

    async def main() -> T:
        async with AsyncDatabase(path, **options) as db:
            await db.create_tables(Department, Person, Note)
            return await asyncio.wait_for(body(db), 30)

    return asyncio.run(main())
