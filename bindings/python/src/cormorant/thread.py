"""Databases among threads: snapshots, time limits, and awaitables for asyncio."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CoroutineType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from ._work import Work
from .error import ConflictError, ProgrammingError
from .transaction import Transaction

if TYPE_CHECKING:
    from .database import Database

_Database = TypeVar("_Database", bound="Database")
_Result = TypeVar("_Result")
_Parameters = ParamSpec("_Parameters")


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
    work = Work(database._handle)
    timer = threading.Timer(seconds, work.cancel)
    timer.daemon = True
    timer.start()
    try:
        with work:
            yield
    finally:
        timer.cancel()


def transact(
    database: _Database,
    body: Callable[Concatenate[_Database, _Parameters], _Result],
    /,
    *args: _Parameters.args,
    **kwargs: _Parameters.kwargs,
) -> _Result:
    """Runs body(database, ...) in a transaction, and again, up to ten times in all, where it met another transaction
    (ConflictError), with a pause that differs for each: db.transact(transfer, "Ada", "Bob", 10).

    The body is a plain function, which must do nothing outside of the database that may not be done twice. What it
    raises rolls back. Inside a transaction it is a savepoint, and is not run again: the one around it has failed.
    """
    if not database.transaction_depth:
        for pause in pauses():
            try:
                with Transaction(database):
                    return call_plain(body, database, *args, **kwargs)
            except ConflictError:
                time.sleep(pause)
    with Transaction(database):
        return call_plain(body, database, *args, **kwargs)


def pauses() -> Iterator[float]:
    """The seconds between the runs of a transaction that meets others."""
    for attempt in range(9):
        yield random.uniform(0, 0.002 * 2 ** min(attempt, 6))


async def perform(
    database: _Database,
    body: Callable[Concatenate[_Database, _Parameters], _Result],
    /,
    *args: _Parameters.args,
    **kwargs: _Parameters.kwargs,
) -> _Result:
    """Runs body(database, ...) on a thread of the database's own, for asyncio and trio: the loop goes on meanwhile.

    The body is a plain function, which may use transactions and sees the task's context variables; a coroutine
    function is refused. In a transaction of the task's, of AsyncDatabase, it is part of that. worker_count of them run
    at once; where all readers are in use, they wait for one as long as other bodies use some, or some are given back;
    where for the busy timeout neither is so, BusyError is raised. When the task is cancelled, its calls raise
    OperationalError with the code CORM_E_INTERRUPTED; the task goes on when it has ended. Where the body came to its
    end all the same, that is with its result, and the task is cancelled at its next await (up to Python 3.10 at once).
    """
    from ._scope import task_node
    from ._worker import run_alone

    def call() -> _Result:
        return call_plain(body, database, *args, **kwargs)

    node = task_node(database)
    return await (run_alone(database, call) if node is None else node.scope.run(node, call))


def close_workers(database: Database) -> None:
    workers, database._workers = database._workers, None
    if workers is not None:
        workers.close()


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
