"""Databases among threads: snapshots, time limits, and awaitables for asyncio."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CoroutineType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from ._native import thread as native_thread
from ._native.handle import DatabaseHandle
from .error import ProgrammingError
from .transaction import Transaction

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from .database import Database

_Database = TypeVar("_Database", bound="Database")
_Result = TypeVar("_Result")
_Parameters = ParamSpec("_Parameters")
# More than there are readers: of those that read some wait, and a short write need not wait behind them.
_WORKERS = 32


def read(database: Database) -> Transaction:
    """A transaction for a `with` block that only reads: one snapshot, beside which other threads write.

    Writing in it raises OperationalError with the code CORM_E_TRANSACTION.
    """
    return Transaction(database, "read")


@contextmanager
def timeout(database: Database, seconds: float) -> Iterator[None]:
    """Gives this thread's calls in a `with` block so much time together; then they raise OperationalError.

    Its code is CORM_E_INTERRUPTED. A transaction around them is still to be ended.
    """
    if not seconds >= 0:
        raise ProgrammingError(f"a timeout of {seconds!r} seconds", hint="give 0 or more")
    work = _Work(database._handle)
    timer = threading.Timer(seconds, work.cancel)
    timer.daemon = True
    timer.start()
    try:
        with work:
            yield
    finally:
        timer.cancel()


async def perform(
    database: _Database,
    body: Callable[Concatenate[_Database, _Parameters], _Result],
    /,
    *args: _Parameters.args,
    **kwargs: _Parameters.kwargs,
) -> _Result:
    """Runs body(database, ...) on a thread of the database's own, for asyncio: the loop goes on meanwhile.

    The body is a plain function, which may use transactions and sees the task's context variables; a coroutine
    function is refused. Up to 32 run at once;
    where all readers are in use, they wait for one as long as other bodies use some, or some are given back; where
    for the busy timeout neither is so, BusyError is raised. When the task is cancelled, its calls raise
    OperationalError with the code CORM_E_INTERRUPTED; the task goes on when it has ended.
    """
    from concurrent import futures

    if database._workers is None:
        database._workers = futures.ThreadPoolExecutor(_WORKERS, "cormorant", initializer=native_thread.be_patient)
    return await run_on(database._workers, database._handle, lambda: call_plain(body, database, *args, **kwargs))


async def run_on(workers: ThreadPoolExecutor, database: DatabaseHandle, body: Callable[[], _Result]) -> _Result:
    """Runs body() on a thread of the workers; when the task is cancelled, what it does on the database is, too."""
    import asyncio

    work = _Work(database)

    def run() -> _Result:
        with work:
            return body()

    future = asyncio.get_running_loop().run_in_executor(workers, contextvars.copy_context().run, run)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        work.cancel()
        await asyncio.wait([future])
        if not future.cancelled():
            # Looked at, so that asyncio does not say that nobody did.
            future.exception()
        raise


def close_workers(database: Database) -> None:
    workers, database._workers = database._workers, None
    if workers is not None:
        workers.shutdown(wait=False)


def call_plain(
    body: Callable[_Parameters, _Result], /, *args: _Parameters.args, **kwargs: _Parameters.kwargs
) -> _Result:
    """What a body gives; an error where that is a coroutine, which nobody would await in the body's thread."""
    if len(args) > 1 and args[0] is args[1]:
        raise ProgrammingError(
            "the body would get the database twice", hint="leave it out: the body's first argument is the database"
        )
    result = body(*args, **kwargs)
    if isinstance(result, CoroutineType):
        result.close()
        raise ProgrammingError(
            "the body gave a coroutine, of which nothing has run",
            hint="give a plain function, or await the coroutine function yourself",
        )
    return result


class _Work:
    """What one thread does in a `with` block, which other threads can cancel at any time."""

    def __init__(self, database: DatabaseHandle) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._cancelled = False

    def __enter__(self) -> None:
        with self._lock:
            self._thread = native_thread.thread_id()
            if self._cancelled:
                native_thread.cancel_thread(self._database, self._thread)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._thread = None
            if self._cancelled:
                native_thread.resume_thread()

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._thread is not None:
                native_thread.cancel_thread(self._database, self._thread)
