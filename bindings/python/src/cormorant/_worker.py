"""Threads of a database's own, which make calls for those who wait: tasks, and threads that share a transaction."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

from ._native import thread as native_thread
from ._native.handle import DatabaseHandle
from ._waiter import ThreadWaiter, Waiter, checkpoint, task_waiter
from ._work import Work
from .error import BusyError, ProgrammingError

if TYPE_CHECKING:
    from .database import Database

T = TypeVar("T")
_lock = threading.Lock()


def _forked() -> None:
    global _lock
    # Another thread of the parent may have held it.
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_forked)


class Job(Generic[T]):
    """A call that a worker makes in the context of who waits for it."""

    _value: T

    def __init__(self, database: DatabaseHandle | None, body: Callable[[], T], waiter: Waiter) -> None:
        self.waiter = waiter
        self._work = Work(database)
        self._body: Callable[[], T] | None = body
        self._before = copy_context()
        self._context = self._before.copy()
        self._error: BaseException | None = None

    def __call__(self) -> None:
        body, self._body = self._body, None
        try:
            with self._work:
                if body is not None:
                    self._value = self._context.run(body)
        except BaseException as error:
            self._error = error
        del body
        self.waiter.wake()

    def cancel(self) -> None:
        """Its calls of the database are interrupted."""
        self._work.cancel()

    @property
    def has_failed(self) -> bool:
        return self._error is not None

    def result(self) -> T:
        """What it gave, once it has ended; the context variables that it set are set here, too."""
        _take_over(self._before, self._context)
        if (error := self._error) is not None:
            try:
                raise error
            finally:
                # Else the error would hold itself, by the frames that it came through.
                self._error = None
                del error, self
        return self._value


def _take_over(before: Context, after: Context) -> None:
    """Sets the variables that were set; others of another task of this context may have been meanwhile."""
    for variable, value in after.items():
        if before.get(variable, _take_over) is not value:
            variable.set(value)


class Worker:
    """A thread that does one job after the other."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        # A program that ends does not wait for it; whoever waits for a job does.
        thread = threading.Thread(target=_do, args=(self._jobs,), name="cormorant", daemon=True)
        thread.start()
        self.ident = thread.ident
        self._process = os.getpid()

    def is_parents(self) -> bool:
        """Whether this process is a child of a fork, which has not the thread."""
        return self._process != os.getpid()

    def add(self, job: Callable[[], object]) -> None:
        if self.is_parents():
            raise ProgrammingError(
                "the transaction was begun before this process was forked, and is its parent's",
                code="CORM_E_MISUSE",
                hint="reopen the database in the child, or open another, and leave the parent's alone",
            )
        self._jobs.put(job)

    def stop(self) -> None:
        """Ends the thread after the jobs that it was given."""
        self._jobs.put(None)


def _do(jobs: SimpleQueue[Callable[[], object] | None]) -> None:
    native_thread.set_patience(native_thread.WORK)
    while (job := jobs.get()) is not None:
        job()
        del job


class Turns:
    """Lets so many go at a time; who comes later waits, in order."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._lock = threading.Lock()
        self._waiting: deque[Waiter] = deque()
        # How many have ended.
        self.ended = 0

    def take(self, waiter: Waiter | None = None) -> bool:
        """Whether it is this one's turn; else it is woken once it is. None does not wait."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            if waiter is not None:
                self._waiting.append(waiter)
            return False

    def give_back(self) -> None:
        with self._lock:
            self.ended += 1
            while self._waiting:
                waiter = self._waiting.popleft()
                waiter.has_turn = True
                if waiter.wake():
                    return
                waiter.has_turn = False
            self._free += 1

    def withdraw(self, waiter: Waiter) -> None:
        """One that waited does not any more."""
        with self._lock:
            if not waiter.has_turn:
                if waiter in self._waiting:
                    self._waiting.remove(waiter)
                return
        self.give_back()


class Workers:
    """The threads of one database. Up to `count` do what was awaited; as many more keep what is open, cursors and
    transactions that read, so that no call in a loop over rows waits for loops; and one writes, so that no write waits
    behind reads; of a server as many as its connections that write.
    """

    def __init__(self, count: int, writers: int, timeout: float, is_closed: bool) -> None:
        self.calls = Turns(count)
        self.keeping = Turns(count)
        self.writing = Turns(writers)
        self.timeout = timeout
        self.process = os.getpid()
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._is_closed = is_closed

    def take(self) -> Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Worker()

    def give_back(self, worker: Worker) -> None:
        with self._lock:
            if not self._is_closed:
                self._idle.append(worker)
                return
        worker.stop()

    def close(self) -> None:
        """Ends the threads, those that are at work afterwards."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.stop()


def workers_of(database: Database) -> Workers:
    """The threads of a database, made when they are first needed. Those of its parent a child of a fork has not."""
    with _lock:
        workers = database._workers
        if workers is None or workers.process != os.getpid():
            workers = Workers(
                database._worker_count, database._writer_count, database._busy_timeout, not database._open
            )
            if database._open:
                database._workers = workers
        return workers


class Lease:
    """A worker that is one caller's until its end, which a job on it says."""

    def __init__(self, workers: Workers, turns: Turns) -> None:
        self._workers = workers
        self._turns = turns
        try:
            self.worker = workers.take()
        except BaseException:
            turns.give_back()
            raise
        self._lock = threading.Lock()
        self._is_ended = False
        self._keeps = False

    def add(self, job: Callable[[], object]) -> bool:
        """Gives the worker a job; False where it is anyone's again."""
        with self._lock:
            if not self._is_ended:
                self.worker.add(job)
            return not self._is_ended

    def keep(self) -> None:
        """On the worker: what it takes may be kept while the program does something else."""
        self._keeps = True
        native_thread.set_patience(native_thread.KEEPING)

    def end(self) -> None:
        """On the worker: it is anyone's again."""
        with self._lock:
            if self._is_ended:
                return
            self._is_ended = True
        if self._keeps:
            native_thread.set_patience(native_thread.WORK)
        self._workers.give_back(self.worker)
        self._turns.give_back()


async def lease(database: Database, writing: bool, keeping: bool = False) -> Lease:
    """A worker, when its turn has come. BusyError where none has ended for the busy timeout."""
    await checkpoint()
    workers = workers_of(database)
    turns = workers.writing if writing else workers.keeping if keeping else workers.calls
    if not turns.take() and not turns.take(waiter := task_waiter()):
        try:
            ended = turns.ended
            while not await waiter.wait(workers.timeout):
                if turns.ended == ended:
                    raise _busy(writing)
                ended = turns.ended
        except BaseException:
            turns.withdraw(waiter)
            raise
    return Lease(workers, turns)


def lease_blocking(database: Database) -> Lease:
    """lease() for a thread that writes."""
    workers = workers_of(database)
    turns = workers.writing
    waiter = ThreadWaiter()
    if not turns.take(waiter):
        try:
            ended = turns.ended
            while not waiter.block(workers.timeout):
                if turns.ended == ended:
                    raise _busy(True)
                ended = turns.ended
        except BaseException:
            turns.withdraw(waiter)
            raise
    return Lease(workers, turns)


def _busy(writing: bool) -> BusyError:
    if writing:
        return BusyError(
            "another transaction is open for longer than the busy timeout",
            code="CORM_E_BUSY",
            hint="await nothing in a transaction that may take long; a task that takes part in it calls by the object "
            "of its block: async with db.transaction() as tx",
        )
    return BusyError(
        "all threads of the database are in use for longer than the busy timeout",
        code="CORM_E_BUSY",
        hint="read cursors to their end, or open the database with a greater worker_count",
    )


async def run(worker: Callable[[Job[T]], object], job: Job[T]) -> T:
    """What a job gives on a worker. When the task is cancelled, the job's calls are, and its end is waited for."""
    worker(job)
    return await finish(job)


async def run_committing(worker: Callable[[Job[T]], object], job: Job[T]) -> T:
    """run() of a job that may commit: where it was done though the task was cancelled, it gives what it did, and the
    task is cancelled at its next await.
    """
    worker(job)
    return await finish(job, commits=True)


async def finish(job: Job[T], commits: bool = False) -> T:
    """run() of a job that a worker has."""
    try:
        await job.waiter.wait()
    except GeneratorExit:
        job.cancel()
        raise
    except BaseException as cancelled:
        job.cancel()
        await job.waiter.wait_to_end()
        if not commits or job.has_failed or not job.waiter.put_off(cancelled):
            raise
    return job.result()


async def run_to_end(worker: Callable[[Job[T]], object], job: Job[T]) -> T:
    """run() of a job that goes on when the task is cancelled; the task is then."""
    worker(job)
    cancelled = await job.waiter.wait_to_end()
    if cancelled is not None:
        raise cancelled
    return job.result()


def run_blocking(worker: Callable[[Job[T]], object], job: Job[T]) -> T:
    """run() for a thread, on the job's ThreadWaiter."""
    worker(job)
    waiter = job.waiter
    assert isinstance(waiter, ThreadWaiter)
    try:
        waiter.block()
    except BaseException:
        job.cancel()
        waiter.block()
        raise
    return job.result()


async def run_alone(database: Database, body: Callable[[], T], writing: bool = False) -> T:
    """What a body gives on a thread of the database's, in no transaction."""
    leased = await lease(database, writing)

    def call() -> T:
        try:
            return body()
        finally:
            leased.end()

    return await run_committing(leased.worker.add, Job(database._handle, call, task_waiter()))
