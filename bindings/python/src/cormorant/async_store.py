"""Key-value stores for code that awaits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from ._awaited import StoreCalls
from .key_value import _PAGE, Store, StoreEntry

if TYPE_CHECKING:
    from .aio import AsyncDatabase
    from .database import Database

T = TypeVar("T")


class AsyncStore(StoreCalls):
    """A key-value store for code that awaits, by its name, of AsyncDatabase.store(): the calls of Store, awaited."""

    _store: Store | None = None

    def __init__(self, calls: AsyncDatabase, name: str) -> None:
        self._calls = calls
        self.name = name

    def __repr__(self) -> str:
        return f"<AsyncStore {self.name!r} of {self._calls!r}>"

    async def get(self, key: str, default: Any = None) -> Any:
        """The value of a key; the default where there is none."""
        return await self._run(lambda store: store.get(key, default), False)

    async def contains(self, key: str) -> bool:
        """Whether there is a value."""
        return await self._run(lambda store: key in store, False)

    async def scan(
        self,
        *,
        prefix: str | None = None,
        start: str | None = None,
        end: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[StoreEntry]:
        """Entries in the order of their keys' UTF-8, for `async for`; as Store.scan()."""
        entries = await self._run(
            lambda store: store.scan(prefix=prefix, start=start, end=end, after=after, limit=limit), False
        )
        while page := await self._run(lambda _: list(islice(entries, _PAGE)), False):
            for entry in page:
                yield entry

    async def _call(self, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return await self._run(lambda store: getattr(store, name)(*args, **keywords), name not in ("count", "entry"))

    async def _run(self, body: Callable[[Store], T], writing: bool) -> T:
        def call(database: Database) -> T:
            if self._store is None:
                self._store = database.store(self.name)
            return body(self._store)

        return await self._calls._run(call, writing)
