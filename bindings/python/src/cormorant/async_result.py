"""Rows as they come, for code that awaits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from operator import length_hint
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ._waiter import task_waiter
from ._worker import Job, Lease, lease, run, run_to_end
from .error import ProgrammingError
from .result import _BLOCK, Result, closed_early

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._scope import Node
    from .aio import AsyncDatabase
    from .database import Database

T = TypeVar("T")
S = TypeVar("S")


class AsyncResult(Generic[T]):
    """Rows as they come, of AsyncDatabase.cursor() and query(): `async for`, or await fetch_one() and fetch_all().

    The statement begins when it or the first of them is awaited; one that writes has written then. It ends with its
    rows, by close() or by `async with`, or when it is dropped. One task reads at a time.
    """

    _result: Result[T] | None = None
    _place: _Place | None = None
    _is_over = False
    # What was wrong with the row behind the last one that it has.
    _failure: Exception | None = None
    _is_busy = False

    def __init__(self, calls: AsyncDatabase, open_result: Callable[[Database], Result[T]], writing: bool) -> None:
        self._calls = calls
        self._open = open_result
        self._writing = writing
        self._block: Iterator[T] = iter(())

    def __await__(self) -> Generator[Any, None, Self]:
        """Begins the statement, as `result = await db.query(...)` expects; the result itself."""
        return self._begun().__await__()

    async def _begun(self) -> Self:
        await self._do(lambda result: None)
        return self

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        for item in self._block:
            return item
        if not self._is_over:
            self._block = iter(await self._do(_next_block))
            for item in self._block:
                return item
        if self._failure is not None:
            raise self._failure
        raise StopAsyncIteration

    async def fetch_one(self) -> T | None:
        """The next row, or None after the last."""
        async for item in self:
            return item
        return None

    async def fetch_all(self) -> list[T]:
        """All rows that are left."""
        items = list(self._block)
        if self._failure is not None:
            raise self._failure
        return items if self._is_over else items + await self._do(lambda result: result.fetch_all())

    @property
    def columns(self) -> Awaitable[tuple[str, ...]]:
        """The columns' names, to be awaited; for a model, its properties."""
        return self._do(lambda result: result.columns)

    def tuples(self) -> AsyncResult[tuple[Any, ...]]:
        """This result with its rows as tuples. Call it before reading; it takes the place of this one."""
        return self._as(lambda result: result.tuples())

    def dicts(self) -> AsyncResult[dict[str, Any]]:
        """This result with its rows as dicts. Call it before reading; it takes the place of this one."""
        return self._as(lambda result: result.dicts())

    def _as(self, convert: Callable[[Result[T]], Result[S]]) -> AsyncResult[S]:
        if self._result is not None:
            raise ProgrammingError("the rows were read, or the result is closed", hint="run the query again")
        open_result = self._open
        return AsyncResult(self._calls, lambda database: convert(open_result(database)), self._writing)

    async def numpy(self) -> dict[str, Any]:
        """The columns that are left as numpy arrays by name, as Result.numpy() gives them."""
        return await self._do(lambda result: result.numpy())

    async def json(self) -> str:
        """The rows that are left as one JSON array, as Result.json() gives it."""
        return await self._do(lambda result: result.json())

    async def close(self) -> None:
        """Ends the statement; to read rows that were left is a ProgrammingError. A second close does nothing."""
        place, result = self._place, self._result
        if not self._is_over or length_hint(self._block):
            self._failure = closed_early()
        self._block, self._is_over = iter(()), True
        if place is not None:
            await place.end(result)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        self._abandon()

    def _abandon(self) -> None:
        if self._place is not None and not self._is_over:
            self._is_over = True
            self._place.abandon(self._result)

    async def _do(self, body: Callable[[Result[T]], S]) -> S:
        """What body(result) gives, where the statement runs."""
        if self._is_over:
            if self._result is None:
                raise ProgrammingError("the result was closed before it was read", hint="run the query again")
            return body(self._result)
        if self._is_busy:
            raise ProgrammingError("another task reads from this result", hint="make a result for each task")
        self._is_busy = True
        try:
            if self._place is None:
                self._place = await _place_of(self._calls, self._writing)
            place = self._place

            def call() -> S:
                try:
                    if self._result is None:
                        self._result = place.begin(self._open)
                    value = body(self._result)
                except BaseException:
                    self._finish()
                    raise
                if self._result._cursor is None:
                    self._failure = self._result._failure
                    self._finish()
                return value

            return await place.run(call)
        except BaseException:
            # Also where the rows came all the same: who was cancelled reads no more, and may be held by its traceback.
            self._abandon()
            if self._is_over and self._failure is None:
                self._failure = closed_early()
            raise
        finally:
            self._is_busy = False

    def _finish(self) -> None:
        """On the thread of the statement."""
        if not self._is_over:
            self._is_over = True
            if self._place is not None:
                self._place.finish(self._result)


def _next_block(result: Result[T]) -> list[T]:
    """Some rows, and whether they were the last is known."""
    items: list[T] = []
    try:
        while len(items) < _BLOCK and result._advance():
            items += result._block
    except Exception:
        # The result keeps the error for the next time.
        if not items:
            raise
    return items


class _Place:
    """Where a statement runs, until its end: in a transaction, or else on a worker of its own."""

    def __init__(self, database: Database, node: Node | None, leased: Lease | None) -> None:
        self._database = database
        self._node = node
        self._lease = leased

    async def run(self, body: Callable[[], T]) -> T:
        if self._node is not None:
            return await self._node.scope.run(self._node, body)
        assert self._lease is not None
        return await run(self._lease.worker.add, Job(self._database._handle, body, task_waiter()))

    def begin(self, open_result: Callable[[Database], Result[T]]) -> Result[T]:
        if self._lease is not None:
            self._lease.keep()
        return open_result(self._database)

    def finish(self, result: Result[Any] | None) -> None:
        if result is not None:
            result.close()
        if self._lease is not None:
            self._lease.end()

    async def end(self, result: Result[Any] | None) -> None:
        if self._lease is None:
            self.finish(result)
        # What has ended by itself has left its worker to others.
        elif self._lease.add(job := Job(None, lambda: self.finish(result), task_waiter())):
            await run_to_end(lambda _: None, job)

    def abandon(self, result: Result[Any] | None) -> None:
        """finish(), without waiting for it."""
        if self._lease is not None:
            # In the child of a fork it is its parent's.
            if not self._lease.worker.is_parents():
                self._lease.add(lambda: self.finish(result))
        elif result is not None:
            result.close()


async def _place_of(calls: AsyncDatabase, writing: bool) -> _Place:
    database, node = calls._target()
    return _Place(database, node, await lease(database, writing, keeping=True) if node is None else None)
