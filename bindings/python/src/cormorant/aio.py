"""The database for code that awaits: the calls of Database, made on threads of the database's own."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from ._awaited import DatabaseCalls
from ._elsewhere import OF_DATABASE, no_attribute
from ._owner import Owner
from ._path import path_text, shown_path
from ._scope import Node, begin, current, task_node
from ._waiter import task_waiter
from ._worker import Job, Worker, run_alone, run_to_end
from .async_result import AsyncResult
from .async_store import AsyncStore
from .database import Database
from .error import ConflictError, Error, ProgrammingError, note_refusal
from .select import Select
from .shared import shared_database
from .statement import Statement
from .thread import call_plain, pauses
from .trace import operation_of
from .transaction import Transaction, TransactionKind

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._open_options import OpenOptions

T = TypeVar("T")
P = ParamSpec("P")

# What does not write, unless it is given a statement that does. A write waits for its turn without a thread.
_READING = frozenset(
    (
        "backup",
        "cache_statistics",
        "check_pages",
        "count",
        "cursor",
        "exists",
        "explain",
        "fetch_all",
        "fetch_one",
        "fetch_value",
        "fetch_values",
        "find",
        "load",
        "max_key",
        "metadata",
        "one",
        "one_value",
        "page_count",
        "plan",
        "query",
        "refresh",
        "schema",
        "table_exists",
    )
)
# What functions ask a Database for first.
_OF_PLAIN = frozenset(("_handle", "_innermost", "_tracers"))
# What to write for calls of Database that are not here.
_INSTEAD = {"timeout": "what is awaited ends with its task's time, async with asyncio.timeout(seconds)"}
_READING_WORDS = frozenset(("EXPLAIN", "PRAGMA", "SELECT", "VALUES", "WITH"))


def _writes(name: str, args: tuple[Any, ...]) -> bool:
    if name not in _READING:
        return True
    first = args[0] if args else None
    if isinstance(first, str):
        return operation_of(first) not in _READING_WORDS
    return isinstance(first, Statement) and not isinstance(first, Select)


class AsyncDatabase(DatabaseCalls, Owner):
    """A Database for code that awaits, under asyncio or trio: `async with AsyncDatabase("app.db") as db:`.

    It has the calls of Database, to be awaited, `await db.insert(person)`, with the same parameters and results, and a
    record's own take it, `await person.insert(db)`. cursor() and query() give an AsyncResult, for `async for`;
    transaction() and read() are for `async with`, and all that is awaited in the block is part of them.

    A path is opened at the beginning of the block, and closed at its end; options: those of Database. An open Database
    is used, and stays open. `database` is that one, for plain code; calls that are not here, such as queue(), reopen(),
    tracing(), logging_statements() and opentelemetry_spans(), are there, and tell of what is awaited, too. In place of
    timeout() there is asyncio.timeout(): what is awaited is interrupted where its task's time is over.

    The calls are made on threads, worker_count at most and one more that writes, on a server writer_count more; the
    context variables of the task are
    seen there, and those set there are set in the task. A task that is cancelled, or whose time is over, has its call
    interrupted, and goes on when that has ended: where it was done and committed by then, with its result, and is
    cancelled at its next await (up to Python 3.10 at once). Writes wait for their turn in order; BusyError when no
    other has ended for the busy timeout.
    """

    _instead = "open it anew in the other process, by its path; tasks and threads may share it"
    _database: Database | None = None
    _opens: Callable[[], Database] | None = None

    def __init__(self, database: str | os.PathLike[str] | Database, **options: Unpack[OpenOptions]) -> None:
        if isinstance(database, Database):
            if options:
                raise ProgrammingError(
                    "options for a database that is open", hint="give them where it is opened, or give its path"
                )
            self._database = database
            self.path = database.path
        else:
            path = path_text(database)
            self.path = shown_path(path)
            self._opens = lambda: Database(path, **options)

    async def __aenter__(self) -> Self:
        if self._opens is not None:
            if self._database is not None and self._database._open:
                raise ProgrammingError("the database is open already", hint="enter its block once")
            self._database = await _open(self._opens)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._opens is not None:
            try:
                await self.close()
            except Error as refused:
                if error is None:
                    raise
                note_refusal(error, refused)

    async def close(self) -> None:
        """Database.close(), awaited."""
        await _on_thread_of_its_own(self.database.close)

    def __repr__(self) -> str:
        state = " closed" if self._database is None or not self._database._open else ""
        return f"<{type(self).__name__} {self.path!r}{state}>"

    @property
    def database(self) -> Database:
        """The same database for plain code, on any thread. In a transaction of a task its calls are not part of it."""
        if self._database is None:
            raise ProgrammingError("the database is not open", hint="begin its block: async with db")
        return self._database

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name in _OF_PLAIN:
                raise ProgrammingError(
                    f"an {type(self).__name__} stands where a Database is wanted",
                    hint="run it by await db.perform(lambda database: ...), or give db.database in plain code",
                )
            if name[:1] != "_" and hasattr(Database, name):
                message = f"{type(self).__name__} has no {name!r}: "
                message += _INSTEAD.get(name, f"it is of plain code, db.database.{name}")
                raise AttributeError(message, name=name, obj=self)
            raise no_attribute(self, name, OF_DATABASE)

    # --- How calls are made ---

    def _target(self) -> tuple[Database, Node | None]:
        """The database, and the transaction that calls are part of."""
        return self.database, task_node(self.database)

    async def _call(self, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return await self._run(lambda database: getattr(database, name)(*args, **keywords), _writes(name, args))

    async def _run(self, body: Callable[[Database], T], writing: bool) -> T:
        database, node = self._target()
        if node is not None:
            return await node.scope.run(node, lambda: body(database))
        return await run_alone(database, lambda: body(database), writing)

    def _open_result(self, name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> AsyncResult[Any]:
        return AsyncResult(self, lambda database: getattr(database, name)(*args, **keywords), _writes(name, args))

    async def perform(self, body: Callable[Concatenate[Database, P], T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs body(database, ...), a plain function, on a thread, in the transaction of the task if it is in one: for
        what has no call here, and for much at once.
        """
        return await self._run(lambda database: call_plain(body, database, *args, **kwargs), False)

    # --- What has a form of its own ---

    async def transact(
        self, body: Callable[Concatenate[AsyncTransaction, P], Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Awaits body(tx, ...) in a transaction, and again, up to ten times in all, where it met another transaction
        (ConflictError), with a pause that differs for each.

        The body is a coroutine function, which must do nothing outside of the database that may not be done twice.
        Inside a transaction it is a savepoint, and is not run again: the one around it has failed.
        """
        if self._target()[1] is None:
            for pause in pauses():
                try:
                    async with self.transaction() as tx:
                        return await body(tx, *args, **kwargs)
                except ConflictError:
                    await _on_thread_of_its_own(partial(time.sleep, pause))
        async with self.transaction() as tx:
            return await body(tx, *args, **kwargs)

    def transaction(self, kind: TransactionKind = "immediate") -> AsyncTransaction:
        """A transaction for an `async with` block: commits at its end, rolls back when an exception leaves it, or when
        the task is cancelled. Inside another it is a savepoint. Where the commit was done when the task was cancelled,
        the block ends as usual, and the task is cancelled at its next await (up to Python 3.10 at once).

        It belongs to the task: while it is open, other tasks' writes wait until it ends, but on a server, where as
        many as writer_count go at once; and the calls of tasks that
        were begun in the block raise ProgrammingError (CORM_E_TRANSACTION), unless they are made by the object that
        the block gives.
        """
        return AsyncTransaction(self, kind)

    def read(self) -> AsyncTransaction:
        """A transaction for an `async with` block that only reads: one snapshot, beside which others write."""
        return AsyncTransaction(self, "read")

    def store(self, name: str) -> AsyncStore:
        """The key-value store of a name."""
        return AsyncStore(self, name)

    @property
    def version(self) -> Awaitable[int]:
        """The file's number, to be awaited: `await db.version`."""
        return self._run(lambda database: database.version, False)

    def interrupt(self) -> None:
        """Stops what all threads do now on the database; it is not awaited."""
        self.database.interrupt()


class AsyncTransaction(AsyncDatabase):
    """What AsyncDatabase.transaction() and read() give, for `async with`: an AsyncDatabase whose calls are part of it,
    whichever task makes them: `async with db.transaction() as tx: await asyncio.gather(tx.insert(a), tx.insert(b))`.

    Its calls are made one at a time; those of an outer transaction wait while one inside it is open. After its end they
    raise ProgrammingError (CORM_E_TRANSACTION). `database` is for plain code on any thread, such as a web framework's.
    One that is dropped before it has ended is rolled back, with a ResourceWarning.
    """

    _node: Node | None = None

    def __init__(self, around: AsyncDatabase, kind: str) -> None:
        self._around = around
        self._kind = kind
        self.path = around.path
        # The kind is looked at when it is made, as in plain code.
        self._transaction = Transaction(around._target()[0], kind)

    async def __aenter__(self) -> Self:
        if self._node is not None and self._node.is_open:
            raise ProgrammingError(
                "the transaction is open already", hint="make one for each block, with transaction()"
            )
        database, around = self._around._target()
        self._database = database
        self._node = await begin(database, around, self._transaction, self._kind != "read")
        current.set(self._node)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        node, transaction = self._begun(), self._transaction
        self._leave_context(node)
        if node.is_open:
            # Errors are told without their frames, which are the task's.
            await node.scope.end(node, lambda: transaction.__exit__(kind, error, None), error is None)
        else:
            transaction.__exit__(kind, error, traceback)

    async def commit(self) -> None:
        """Commits now. When that fails, with a deferred foreign key, the transaction stays open."""
        await self._end(self._transaction.commit, True)

    async def rollback(self) -> None:
        """Rolls back now; records that were inserted in it have no key again."""
        await self._end(self._transaction.rollback)

    async def _end(self, leave: Callable[[], object], commits: bool = False) -> None:
        node = self._begun()
        if not node.is_open:
            leave()
            return
        await node.scope.end(node, leave, commits)
        self._leave_context(node)

    async def close(self) -> None:
        """Refused: the transaction ends with its block."""
        raise ProgrammingError("a transaction is no database to close", hint="end its block, and close the database")

    @property
    def database(self) -> Database:
        """A Database for plain code, on any thread: its calls are part of the transaction, one at a time."""
        return shared_database(self._begun())

    def _begun(self) -> Node:
        if self._node is None:
            raise ProgrammingError("the transaction has not begun", hint="begin it: async with db.transaction() as tx")
        return self._node

    def _leave_context(self, node: Node) -> None:
        # Not where the block is left in another context than it was entered in.
        if current.get() is node:
            current.set(node.outer)

    def _target(self) -> tuple[Database, Node | None]:
        node = self._begun()
        return node.scope.database, node.scope.innermost(node)

    def __repr__(self) -> str:
        is_open = self._node is not None and self._node.is_open
        return f"<AsyncTransaction of {self.path!r}{'' if is_open else ' closed'}>"

    def __del__(self) -> None:
        node = self._node
        if node is not None and node.is_open:
            node.scope.abandon(node)
            warnings.warn(f"dropped {self!r}, which is rolled back", ResourceWarning, source=self, stacklevel=2)


async def _open(opens: Callable[[], Database]) -> Database:
    worker, waiter = Worker(), task_waiter()
    job = Job(None, opens, waiter)
    worker.add(job)
    worker.stop()
    cancelled = await waiter.wait_to_end()
    if cancelled is not None:
        if not job.has_failed:
            job.result().close()
        raise cancelled
    return job.result()


async def _on_thread_of_its_own(body: Callable[[], T]) -> T:
    """On none of the database's, which may all be busy."""
    worker = Worker()
    job = Job(None, body, task_waiter())
    worker.add(job)
    worker.stop()
    return await run_to_end(lambda _: None, job)
