"""The dialect for create_async_engine(): each connection has a thread, so that the loop goes on meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import pool
from sqlalchemy.connectors.asyncio import (
    AsyncAdapt_dbapi_connection,
    AsyncAdapt_dbapi_cursor,
    AsyncAdapt_dbapi_module,
    AsyncAdapt_dbapi_ss_cursor,
    AsyncAdapt_terminate,
)
from sqlalchemy.dialects.sqlite.base import SQLiteExecutionContext
from sqlalchemy.util.concurrency import await_only

from .. import dbapi
from .._waiter import task_waiter
from .._worker import Job, Worker, run
from .dialect import Dialect

if TYPE_CHECKING:
    from sqlalchemy.engine import URL
    from typing_extensions import Self

T = TypeVar("T")


class AsyncConnection:
    """A connection whose calls are awaited. A task that is cancelled stops what the connection does for it."""

    def __init__(self, connection: dbapi.Connection, worker: Worker) -> None:
        self.connection = connection
        self._worker = worker
        self._is_closed = False

    @classmethod
    async def open(cls, *args: Any, **options: Any) -> Self:
        worker, opened = Worker(), list[dbapi.Connection]()
        opening = Job(None, lambda: opened.append(dbapi.connect(*args, **options)), task_waiter())
        try:
            await run(worker.add, opening)
        except BaseException:
            # Also where nobody waits for it any more.
            worker.add(lambda: opened[0].close() if opened else None)
            worker.stop()
            raise
        return cls(opened[0], worker)

    async def run(self, call: Callable[..., T], *args: Any) -> T:
        if self._is_closed:
            raise dbapi.ProgrammingError("the connection is closed", hint="open another with connect()")
        return await run(self._worker.add, Job(self.connection.database._handle, lambda: call(*args), task_waiter()))

    def cursor(self) -> AsyncCursor:
        return AsyncCursor(self)

    async def commit(self) -> None:
        await self.run(self.connection.commit)

    async def rollback(self) -> None:
        await self.run(self.connection.rollback)

    async def close(self) -> None:
        if not self._is_closed:
            try:
                await self.run(self.connection.close)
            finally:
                # Also where the task was cancelled meanwhile.
                if self.connection.is_closed:
                    self._end()

    def stop(self) -> None:
        """Closes it without awaiting anything; where what runs does not end soon, its thread does afterwards."""
        if not self._is_closed:
            try:
                self.connection.interrupt()
                self.connection.close()
            except dbapi.Error:
                self._worker.add(self._close)
            self._end()

    def _close(self) -> None:
        with suppress(dbapi.Error):
            self.connection.close()

    def _end(self) -> None:
        self._is_closed = True
        self._worker.stop()


class AsyncCursor:
    """A cursor whose calls are awaited."""

    def __init__(self, owner: AsyncConnection) -> None:
        self._run = owner.run
        self.cursor = owner.connection.cursor()

    async def __aenter__(self) -> Self:
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cursor, name)

    async def execute(self, operation: str, parameters: Any = ()) -> None:
        await self._run(self.cursor.execute, operation, parameters)

    async def execute_and_fetch(self, operation: str, parameters: Any) -> list[Any]:
        """All rows at once, for one way to the thread and back."""

        def execute() -> list[Any]:
            self.cursor.execute(operation, parameters)
            return self.cursor.fetchall() if self.cursor.description else []

        return await self._run(execute)

    async def executemany(self, operation: str, parameters: Any) -> None:
        await self._run(self.cursor.executemany, operation, parameters)

    async def fetchone(self) -> Any:
        return await self._run(self.cursor.fetchone)

    async def fetchmany(self, size: int | None = None) -> Any:
        return await self._run(self.cursor.fetchmany, size)

    async def fetchall(self) -> Any:
        return await self._run(self.cursor.fetchall)

    async def setinputsizes(self, sizes: Any) -> None:
        """Does nothing: SQLite needs no sizes."""

    async def close(self) -> None:
        await self._run(self.cursor.close)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        row = await self.fetchone()
        if row is None:
            raise StopAsyncIteration
        return row


class AdaptedCursor(AsyncAdapt_dbapi_cursor):
    __slots__ = ()

    async def _execute_async(self, operation: Any, parameters: Any) -> None:
        cursor: Any = self._cursor
        async with self._adapt_connection._execute_mutex:
            self._rows = deque(await cursor.execute_and_fetch(operation, parameters or ()))


class AdaptedConnection(AsyncAdapt_terminate, AsyncAdapt_dbapi_connection):
    __slots__ = ()

    _connection: Any
    _cursor_cls = AdaptedCursor
    _ss_cursor_cls = AsyncAdapt_dbapi_ss_cursor

    @property
    def autocommit(self) -> bool:
        return bool(self._connection.connection.autocommit)

    @autocommit.setter
    def autocommit(self, value: bool) -> None:
        await_only(self._connection.run(setattr, self._connection.connection, "autocommit", value))

    @property
    def isolation_level(self) -> Any:
        return self._connection.connection.isolation_level

    @isolation_level.setter
    def isolation_level(self, value: Any) -> None:
        await_only(self._connection.run(setattr, self._connection.connection, "isolation_level", value))

    async def _terminate_graceful_close(self) -> None:
        await self._connection.close()

    def _terminate_force_close(self) -> None:
        self._connection.stop()


class AdaptedModule(AsyncAdapt_dbapi_module):
    def __init__(self) -> None:
        # SQLAlchemy 2.0 has no __init__ there, and asks for neither.
        self.driver = self.dbapi_module = dbapi

    def __getattr__(self, name: str) -> Any:
        return getattr(dbapi, name)

    def connect(self, *args: Any, **options: Any) -> AdaptedConnection:
        creator = options.pop("async_creator_fn", AsyncConnection.open)
        return AdaptedConnection(self, await_only(creator(*args, **options)))


class CormorantExecutionContext(SQLiteExecutionContext):
    def create_server_side_cursor(self) -> Any:
        return self._dbapi_connection.cursor(server_side=True)


class CormorantAsyncDialect(Dialect):
    """The dialect of create_async_engine("sqlite+cormorant:///app.db")."""

    driver = "cormorant_async"
    is_async = True
    has_terminate = True
    supports_statement_cache = True
    supports_server_side_cursors = True
    execution_ctx_cls = CormorantExecutionContext

    @classmethod
    def import_dbapi(cls) -> Any:
        return AdaptedModule()

    @classmethod
    def get_pool_class(cls, url: URL) -> type[pool.Pool]:
        return pool.AsyncAdaptedQueuePool if cls._is_url_file_db(url) else pool.StaticPool

    def do_terminate(self, dbapi_connection: Any) -> None:
        dbapi_connection.terminate()

    def get_driver_connection(self, connection: Any) -> Any:
        return connection._connection
