"""What comes from other threads and waits to be taken."""

from __future__ import annotations

import asyncio
import select
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from typing import Generic, TypeVar

E = TypeVar("E")


class Waiting(ABC, Generic[E]):
    """Items that wait to be taken: by next(), a `for` loop, which waits for them, or an `async for`."""

    _handle = 0

    @abstractmethod
    def fileno(self) -> int:
        """A file descriptor to wait for: it is readable while items wait, and at the end. Read and close nothing."""

    @abstractmethod
    def _take(self) -> E | bool:
        """False: none waits; True: none will come."""

    def next(self, timeout: float | None = None) -> E | None:
        """The next one; None when none came in so many seconds, or none will come. timeout None: waits for ever."""
        item = self._take()
        if item is False:
            select.select([self.fileno()], [], [], timeout)
            item = self._take()
        return None if isinstance(item, bool) else item

    def __iter__(self) -> Iterator[E]:
        while self._handle and (item := self.next()) is not None:
            yield item

    async def _items(self) -> AsyncIterator[E]:
        while self._handle and (item := self._take()) is not True:
            if isinstance(item, bool):
                await self._readable()
            else:
                yield item

    def __aiter__(self) -> AsyncIterator[E]:
        return self._items()

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        descriptor = self.fileno()

        def wake() -> None:
            if not ready.done():
                ready.set_result(None)

        loop.add_reader(descriptor, wake)
        try:
            await ready
        finally:
            loop.remove_reader(descriptor)
