"""What comes from other threads and waits to be taken."""

from __future__ import annotations

import math
import os
import select
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from enum import Enum
from typing import Any, Generic, TypeVar

from ._native.handle import Handle
from ._owner import Owner
from .error import ProgrammingError

H = TypeVar("H", bound=Handle)
E = TypeVar("E")
_LONGEST_POLL = 2**31 - 1


class Nothing(Enum):
    """Why there is no item."""

    YET = "none waits"
    EVER = "none will come"


class Waiting(Owner, Generic[H, E]):
    """Items that wait to be taken: by next(), a `for` loop, which waits for them, or an `async for`.

    Each item is taken once. There is one loop at a time: a second one beside it raises ProgrammingError.
    """

    # None: cancelled.
    _handle: H | None = None
    _descriptor: _Descriptor | None = None
    _loop: Callable[[], _Loop[E] | None] = staticmethod(lambda: None)

    def __init__(self) -> None:
        # Held while the handle is used, so that cancel() on another thread does not free it meanwhile.
        self._lock = threading.RLock()

    def _take_from(self, handle: H) -> E | Nothing:
        raise NotImplementedError

    def _descriptor_of(self, handle: H) -> int:
        raise NotImplementedError

    def _take(self) -> E | Nothing:
        with self._lock:
            return Nothing.EVER if self._handle is None else self._take_from(self._handle)

    def cancel(self) -> None:
        """Ends it, and whoever waits for it. It does not wait: a callback that runs on another thread runs to its end.
        A second call does nothing."""
        with self._lock:
            handle, self._handle = self._handle, None
            if handle is not None:
                handle.free()

    def fileno(self) -> int:
        """A file descriptor to wait for: it is readable while items wait, and at the end. Read and close nothing."""
        with self._lock:
            if self._descriptor is None:
                if self._handle is None:
                    raise ProgrammingError(f"the {type(self).__name__} is cancelled", hint=self._instead)
                self._descriptor = _Descriptor(self._descriptor_of(self._handle))
            return self._descriptor.number

    def next(self, timeout: float | None = None) -> E | None:
        """The next one; None when none came in so many seconds, or none will come. timeout None: waits for ever."""
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        poll = None
        # That the descriptor is readable does not say that an item waits: a live query's result may be what it was.
        while (item := self._take()) is Nothing.YET:
            if poll is None:
                poll = self._poll()
                if poll is None:
                    return None
            elif time.monotonic() >= deadline:
                return None
            seconds = deadline - time.monotonic()
            poll.poll(math.ceil(min(max(seconds * 1000, 0), _LONGEST_POLL)))
        return None if isinstance(item, Nothing) else item

    def __iter__(self) -> Iterator[E]:
        return self._begin_loop()

    def __aiter__(self) -> AsyncIterator[E]:
        return self._begin_loop()

    def _begin_loop(self) -> _Loop[E]:
        loop = _Loop(self)
        self._claim(loop)
        return loop

    def _claim(self, loop: _Loop[E]) -> None:
        """Makes it the loop that goes over the items."""
        with self._lock:
            if self._loop() not in (None, loop):
                raise ProgrammingError(
                    f"another loop goes over this {type(self).__name__}",
                    hint=f"make one {type(self).__name__} for each loop, as each item is taken once",
                )
            self._loop = weakref.ref(loop)

    def _end_loop(self) -> None:
        self._loop = lambda: None

    def _wait(self) -> None:
        if poll := self._poll():
            poll.poll()

    def _poll(self) -> select.poll | None:
        """What waits for items; None where cancel() came first."""
        with self._lock:
            if self._handle is None:
                return None
            poll = select.poll()
            poll.register(self.fileno(), select.POLLIN)
            return poll

    async def _readable(self) -> None:
        import asyncio

        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        with self._lock:
            if self._handle is None:
                return
            descriptor = self.fileno()

        def wake() -> None:
            if not ready.done():
                ready.set_result(None)

        loop.add_reader(descriptor, wake)
        try:
            await ready
        finally:
            loop.remove_reader(descriptor)


class _Loop(Iterator[E], AsyncIterator[E]):
    """One loop over items. No generator, because an `async for` that is left early ends those too late."""

    def __init__(self, waiting: Waiting[Any, E]) -> None:
        self._waiting = waiting

    # What ends a loop by raising here ends it at once: its traceback may hold this object for long.

    def __next__(self) -> E:
        self._waiting._claim(self)
        try:
            while (item := self._waiting._take()) is Nothing.YET:
                self._waiting._wait()
            if isinstance(item, Nothing):
                raise StopIteration
            return item
        except BaseException:
            self._waiting._end_loop()
            raise

    async def __anext__(self) -> E:
        self._waiting._claim(self)
        try:
            while (item := self._waiting._take()) is Nothing.YET:
                await self._waiting._readable()
            if isinstance(item, Nothing):
                raise StopAsyncIteration
            return item
        except BaseException:
            self._waiting._end_loop()
            raise


class _Descriptor:
    """A descriptor beside the library's, which closes its own while others may wait for it."""

    def __init__(self, number: int) -> None:
        self.number = os.dup(number)

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        close(self.number)
