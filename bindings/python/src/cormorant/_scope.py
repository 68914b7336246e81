"""Transactions on threads of the database's own, in which tasks and threads take part, a call at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from ._native.call import explain_busy
from ._waiter import ThreadWaiter, Waiter, caller, task_waiter
from ._worker import Job, Lease, finish, lease, lease_blocking, run_blocking, run_committing, run_to_end, workers_of
from .error import BusyError, Error, ProgrammingError
from .transaction import Transaction

if TYPE_CHECKING:
    from .database import Database

T = TypeVar("T")


class Node:
    """An open transaction, or one inside it."""

    def __init__(self, scope: Scope, transaction: Transaction, outer: Node | None) -> None:
        self.scope = scope
        self.transaction = transaction
        # What the task was in before, of whatever database.
        self.outer = outer
        self.owner: object = caller()
        self.is_open = True


# The innermost one that the running task has begun, or one that it began in.
current: ContextVar[Node | None] = ContextVar("cormorant.current", default=None)


class Scope:
    """A transaction and all that are open in it, on one worker. Calls of outer ones wait while an inner one is open."""

    def __init__(self, database: Database, leased: Lease) -> None:
        self.database = database
        self._lease = leased
        # A collection may end one of its transactions inside of it.
        self._lock = threading.RLock()
        # The innermost is the last.
        self._nodes: list[Node] = []
        self._waiting: list[Waiter] = []

    def is_worker(self) -> bool:
        """Whether the calling thread is the worker, in a callback of a call."""
        return self._lease.worker.ident == threading.get_ident()

    def innermost(self, node: Node) -> Node:
        """The innermost one of the caller's own that is open in this one."""
        who = caller()
        with self._lock:
            for found in reversed(self._nodes):
                if found is node or found.owner == who:
                    return found
        return node

    # --- Calls. Each is added under the lock, when nothing is open inside of what it belongs to. ---

    def _add(self, node: Node | None, job: Job[T], begun: Node | None, waiter: Waiter) -> bool:
        """False: it is not its turn, and the waiter is woken when that may be."""
        with self._lock:
            if node is not None and not node.is_open:
                raise _ended()
            if node is not None and self._nodes[-1] is not node:
                self._waiting.append(waiter)
                return False
            if begun is not None:
                self._nodes.append(begun)
            self._lease.worker.add(job)
            return True

    async def _start(self, node: Node | None, job: Job[T], begun: Node | None = None) -> None:
        while not self._add(node, job, begun, waiter := task_waiter()):
            try:
                if not await waiter.wait(workers_of(self.database).timeout):
                    raise _inner_open()
            finally:
                self._forget(waiter)

    def _start_blocking(self, node: Node | None, job: Job[T], begun: Node | None = None) -> None:
        while not self._add(node, job, begun, waiter := ThreadWaiter()):
            try:
                if not waiter.block(workers_of(self.database).timeout):
                    raise _inner_open()
            finally:
                self._forget(waiter)

    def _forget(self, waiter: Waiter) -> None:
        with self._lock:
            if waiter in self._waiting:
                self._waiting.remove(waiter)

    async def run(self, node: Node, body: Callable[[], T]) -> T:
        """What a body gives in the transaction."""
        job = Job(self.database._handle, body, task_waiter())
        await self._start(node, job)
        return await finish(job)

    def run_blocking(self, node: Node, body: Callable[[], T]) -> T:
        """run() for a thread."""
        if self.is_worker():
            return body()
        job = Job(self.database._handle, body, ThreadWaiter())
        self._start_blocking(node, job)
        return run_blocking(_added, job)

    # --- Beginning and ending ---

    async def begin(self, around: Node | None, transaction: Transaction) -> Node:
        """Begins a transaction: the first one, where none is around it."""
        node = Node(self, transaction, current.get())
        job = Job(self.database._handle, lambda: self._enter(node), task_waiter())
        try:
            await self._start(around, job, node)
        except BaseException:
            node.is_open = False
            raise
        try:
            await finish(job)
        except GeneratorExit:
            self.abandon(node)
            raise
        except BaseException:
            # It may have begun all the same, when the task was cancelled.
            if node in self._nodes:
                await self.end(node, None)
            raise
        return node

    def begin_blocking(self, around: Node | None, transaction: Transaction) -> Node:
        """begin() for a thread."""
        node = Node(self, transaction, None)
        job = Job(self.database._handle, lambda: self._enter(node), ThreadWaiter())
        self._start_blocking(around, job, node)
        try:
            run_blocking(_added, job)
        except BaseException:
            self.abandon(node)
            raise
        return node

    async def end(self, node: Node, leave: Callable[[], object] | None, commits: bool = False) -> None:
        """Ends it and what is open in it: by leave(), or else it is rolled back. The task's being cancelled waits.

        commits: leave() does so; of the outermost it does not where the task was cancelled before.
        """
        if self._lease.worker.is_parents():
            return self.end_blocking(node, leave)
        end = run_committing if commits and self._nodes[:1] == [node] else run_to_end
        await end(self._lease.worker.add, self._leaving(node, leave, task_waiter()))

    def end_blocking(self, node: Node, leave: Callable[[], object] | None) -> None:
        """end() for a thread."""
        job = self._leaving(node, leave, ThreadWaiter())
        # In the child of a fork nothing is ended but what it knows of it.
        if self.is_worker() or self._lease.worker.is_parents():
            job()
            return job.result()
        return run_blocking(self._lease.worker.add, job)

    def abandon(self, node: Node) -> None:
        """Rolls it back, and waits for nothing. In the child of a fork it is its parent's."""
        if self._lease.worker.is_parents():
            return
        self._lease.worker.add(self._leaving(node, None, ThreadWaiter()))

    def _leaving(self, node: Node, leave: Callable[[], object] | None, waiter: Waiter) -> Job[None]:
        with self._lock:
            node.is_open = False
        return Job(None, lambda: self._leave(node, leave), waiter)

    # --- On the worker ---

    def _enter(self, node: Node) -> None:
        self._lease.keep()
        try:
            node.transaction.__enter__()
        except BaseException:
            self._close(node)
            raise

    def _leave(self, node: Node, leave: Callable[[], object] | None) -> None:
        try:
            if leave is None:
                node.transaction._undo()
            else:
                leave()
        finally:
            if node.transaction._number:
                # A commit that failed, and can be tried again.
                node.is_open = True
            else:
                self._close(node)

    def _close(self, node: Node) -> None:
        with self._lock:
            if node not in self._nodes:
                return
            place = self._nodes.index(node)
            closed = self._nodes[place:]
            del self._nodes[place:]
            waiting, self._waiting = self._waiting, []
            is_over = not self._nodes
            for left in closed:
                left.is_open = False
        # Those that were left open in it are rolled back with it, and say so when they are left.
        for left in reversed(closed[1:]):
            left.transaction._undo()
            left.transaction._failure = _ended()
        for waiter in waiting:
            waiter.wake()
        if is_over:
            self._lease.end()


def _added(_: object) -> None:
    """Of a job that the worker has."""


async def begin(database: Database, around: Node | None, transaction: Transaction, writing: bool) -> Node:
    """Begins a transaction on a thread of the database's own, or one inside another."""
    scope = Scope(database, await lease(database, writing, keeping=True)) if around is None else around.scope
    return await scope.begin(around, transaction)


def begin_blocking(database: Database, around: Node | None, transaction: Transaction) -> Node:
    """begin() for a thread."""
    scope = Scope(database, lease_blocking(database)) if around is None else around.scope
    return scope.begin_blocking(around, transaction)


def task_node(database: Database) -> Node | None:
    """The innermost transaction of the running task on a database. One of another task, in which this one was begun,
    is an error: whether the call is to be part of it, nobody knows.
    """
    node = current.get()
    while node is not None and not (node.is_open and node.scope.database is database):
        node = node.outer
    if node is not None and node.owner != caller():
        raise ProgrammingError(
            "the task was begun inside of another task's transaction",
            code="CORM_E_TRANSACTION",
            hint="where it takes part, as under asyncio.gather, call by the object of the block, "
            "async with db.transaction() as tx; else begin it outside of the block",
        )
    return node


def _explain_busy(error: Error) -> Error:
    """Where plain code waits for the transaction of the task that runs it, also on a thread, the waiting is in vain."""
    node = current.get()
    while node is not None and not node.is_open:
        node = node.outer
    if node is None or node.scope.is_worker():
        return error
    return BusyError(
        f"{error.message}, which may be the transaction of the task itself",
        code=error.code,
        hint="await the call, by AsyncDatabase, or make it by the `database` of the transaction's block",
    )


explain_busy.append(_explain_busy)


def _ended() -> ProgrammingError:
    return ProgrammingError(
        "the transaction has ended",
        code="CORM_E_TRANSACTION",
        hint="make all calls inside of its block, and await there what takes part in it",
    )


def _inner_open() -> BusyError:
    return BusyError(
        "a transaction inside of this one is open in another task or thread for longer than the busy timeout",
        code="CORM_E_BUSY",
        hint="await nothing in the inner one that waits for the outer one",
    )


__all__ = ["Node", "Scope", "begin", "begin_blocking", "current", "task_node"]
