"""Write queues: writes of any thread that are ordered and grouped, so that they share a commit."""

from __future__ import annotations

import atexit
import contextvars
import copy
import os
import threading
import warnings
import weakref
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ._assigned import settle
from ._model_info import info_of_records
from ._native import abi
from ._native import queue as native_queue
from ._native.handle import ListenerHandle
from ._owner import Owner
from ._waiting import Nothing, Waiting
from ._work import Work, is_cancelled
from ._write import Conflict, Property, conflict_number, updated_names, write_one
from .error import BusyError, Error, ProgrammingError
from .model import Model
from .thread import call_plain
from .transaction import noting
from .value import PLAIN, Bindings, dump_bindings

if TYPE_CHECKING:
    from typing_extensions import Self, TypeVarTuple, Unpack

    from .database import Database

    Arguments = TypeVarTuple("Arguments")

R = TypeVar("R")
_POLICIES = {"rollback": abi.CORM_BATCH_ROLLBACK, "continue": abi.CORM_BATCH_CONTINUE}
_queues: weakref.WeakSet[WriteQueue] = weakref.WeakSet()


@dataclass(frozen=True)
class WriteResult:
    """What one part of a batch did.

    changes: rows inserted, updated or deleted. generated_key: the key that was made for an inserted or saved record;
    None where none was. error: what kept it from being done, in a batch that goes on after errors.
    """

    changes: int
    generated_key: int | None
    error: Error | None


@dataclass(frozen=True)
class WriteCompletion:
    """How a write ended.

    number: its number in the queue, from 1. error: None when it is committed; else nothing of it is there. results: of
    a batch that is committed, what each part of it did.
    """

    number: int
    tag: str | None
    error: Error | None
    results: list[WriteResult]


class Write(Future[R]):
    """A write on its way: a future of concurrent.futures, which asyncio can await.

    Its result is what the body returned, once that is committed, or of a batch the list of results. cancel() takes it
    back as long as it has not begun.
    """

    def __init__(self, queue: WriteQueue, body: Callable[[], R] | None) -> None:
        super().__init__()
        self._queue = queue
        self._body = body
        self._value: Any = None
        self._raised: BaseException | None = None
        self._number, self._context = 0, 0
        # Of a batch those that call hooks, by their places in it.
        self._parts: dict[int, _Part] = {}

    def cancel(self) -> bool:
        """Takes the write back; False: it has begun, or is done."""
        if self.done():
            return self.cancelled()
        if self._number and not native_queue.cancel(self._queue._handle, self._number, self._context):
            return False
        return super().cancel() and not self.set_running_or_notify_cancel()

    def result(self, timeout: float | None = None) -> R:
        """What the body returned, once that is committed. timeout: seconds until TimeoutError; None: no limit."""
        self._queue._refuse_waiting(self)
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """What the write failed with; None: it is committed. timeout: as of result()."""
        self._queue._refuse_waiting(self)
        return super().exception(timeout)

    def __await__(self) -> Generator[Any, None, R]:
        import asyncio

        return asyncio.wrap_future(self).__await__()

    # On the queue's thread, where nothing may be raised.

    def run(self) -> int:
        """Called by the queue, on its thread."""
        self._queue._thread = threading.get_ident()
        # Called once more where another write of its group made SQLite roll back all.
        if self._body is None or not (self.running() or self.set_running_or_notify_cancel()):
            return abi.CORM_E_CALLBACK
        try:
            self._value, self._raised = noting(self._queue._database, self._body), None
        except BaseException as error:
            self._raised = error
            return _status(error)
        return abi.CORM_OK

    def told(self, completion: native_queue.Completion) -> None:
        """Called by the queue, on its thread, with how the write ended."""
        self._queue._thread = threading.get_ident()
        if self.cancelled():
            return
        _, _, error, results = completion
        if error is not None:
            # What it raised is no reason where it was to run once more and could not.
            raised = self._raised if self._raised and _status(self._raised) == _status(error) else None
            self.set_exception(raised or self._raised_by(error.record_index) or error)
        elif self._body is None:
            self._value = [self._of_part(index, result) for index, result in enumerate(results)]
            self.set_result(self._value)
        else:
            self.set_result(self._value)
        self._body = self._value = self._raised = None
        self._parts = {}

    def _of_part(self, index: int, result: native_queue.Result) -> WriteResult:
        changes, key, error = result
        raised = self._raised_by(index) if error else None
        return WriteResult(changes, key or None, raised if isinstance(raised, Error) else error)

    def _raised_by(self, index: int) -> BaseException | None:
        """What a hook in a part of a batch raised."""
        raised = self._parts[index].raised if index in self._parts else None
        if isinstance(raised, Error):
            raised.record_index = index
        return raised


def _status(error: BaseException) -> int:
    """What the library is told of an exception."""
    code = error.code if isinstance(error, Error) else None
    status: int = getattr(abi, code or "", abi.CORM_E_CALLBACK)
    return min(status, -1)


class _Part:
    """A record with hooks or validators in a batch."""

    def __init__(
        self, queue: WriteQueue, record: Model, operation: int, conflict: int, properties: tuple[str, ...] | None
    ) -> None:
        self._queue = queue
        self._record = _own(record)
        self._how = operation, conflict, properties
        self.raised: BaseException | None = None

    def run(self) -> tuple[int, int]:
        """Called by the queue, on its thread, once more where it has to write once more."""
        self._queue._thread = threading.get_ident()
        self.raised = None
        record = _own(self._record)
        info = record.__model__
        key = info.key[0] if info.generates_key and len(info.key) == 1 else None
        has_key = key is None or getattr(record, key) is not None
        try:
            count = write_one(self._queue._database, record, *self._how)
        except BaseException as error:
            self.raised = error
            raise
        made = 0 if key is None or has_key or not count else info.encode_value(key, getattr(record, key))
        return count, made or 0


def _own(record: Model) -> Model:
    """A record with the same values, whatever becomes of the one and its values."""
    made = copy.copy(record)
    for item in record.__model__.columns:
        value = getattr(record, item.name)
        if type(value) not in PLAIN:
            setattr(made, item.name, copy.deepcopy(value))
    return made


class Batch(Owner):
    """SQL and records that are one write, given by WriteQueue.begin(). What is added is copied.

    Hooks and validators of a record are called with the copy when it is written, on the queue's thread.
    """

    _instead = "begin another"

    def __init__(self, queue: WriteQueue) -> None:
        self._queue = queue
        self._handle = native_queue.begin(queue._handle)
        self._parts: dict[int, _Part] = {}

    def __len__(self) -> int:
        return native_queue.batch_count(self._handle)

    def execute(self, sql: str, bindings: Bindings = ()) -> None:
        """Adds one statement of SQL."""
        native_queue.batch_execute(self._handle, sql, dump_bindings(bindings))

    def insert(self, record: Model, conflict: Conflict = "abort") -> None:
        """Adds a record to insert. What the database makes does not come back into it: see WriteResult."""
        self._add(record, abi.CORM_WRITE_INSERT, conflict_number(conflict))

    def save(self, record: Model) -> None:
        """Adds a record to insert or, when its primary key is there, to update."""
        self._add(record, abi.CORM_WRITE_SAVE)

    def update(self, record: Model, *properties: Property | Sequence[Property]) -> None:
        """Adds a record, or only the properties of it, to write to the row with its key; as of Database.update()."""
        self._add(record, abi.CORM_WRITE_UPDATE, 0, updated_names(type(record), properties))

    def delete(self, record: Model) -> None:
        """Adds a record whose row is deleted."""
        self._add(record, abi.CORM_WRITE_DELETE)

    def _add(self, record: Model, operation: int, conflict: int = 0, properties: tuple[str, ...] | None = None) -> None:
        info = info_of_records(type(record))
        if record.__assigned__ and operation != abi.CORM_WRITE_DELETE:
            settle(self._queue._database._innermost, record, properties)
        # What updates none of the properties calls no hooks, either.
        if info.hooks and properties != ():
            info.dump((record,), properties)
            part = _Part(self._queue, record, operation, conflict, properties)
            place = len(self)
            native_queue.batch_add(self._handle, part)
            self._parts[place] = part
            return
        rows = info.dump((record,), properties)
        native_queue.batch_write(self._handle, info.handle, operation, conflict, properties, rows)

    def commit(
        self, tag: str | None = None, on_error: Literal["rollback", "continue"] = "rollback"
    ) -> Write[list[WriteResult]]:
        """Hands all to the queue as one write, after which the batch is empty and can be filled again.

        tag: for listeners. on_error: "rollback" ends the batch with its first error, whose record_index says which part
        it was, and nothing of it stays; "continue" keeps the others, and each part has its own result.
        """
        if on_error not in _POLICIES:
            raise ProgrammingError(f"on_error is {on_error!r}", hint='use "rollback" or "continue"')
        write: Write[list[WriteResult]] = Write(self._queue, None)
        policy = _POLICIES[on_error]
        count = len(self)
        write._parts, self._parts = self._parts, {}
        try:
            write._number, write._context = native_queue.commit(self._handle, write, policy, tag, wait=True)
        except BaseException:
            # They are back, before what other threads have added meanwhile.
            self._parts = write._parts | {count + place: part for place, part in self._parts.items()}
            raise
        return write


class Listener(Waiting[ListenerHandle, WriteCompletion]):
    """Is told how writes end, given by WriteQueue.listen(). Ended by cancel(), `with` or its queue's close.

    Without a callback completions wait to be taken: by next(), a `for` loop, which waits for them, or an `async for`.
    """

    _instead = "listen() once more"

    def __init__(
        self, queue: WriteQueue, tag: str | None, callback: Callable[[WriteCompletion], object] | None
    ) -> None:
        super().__init__()
        self._queue = queue
        tell = None if callback is None else _teller(callback)
        self._handle = native_queue.listen(queue._handle, tag, tell)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.cancel()

    def __del__(self) -> None:
        if self._handle:
            if self._queue._open:
                warnings.warn(f"listener of {self._queue!r} not cancelled", ResourceWarning, source=self, stacklevel=2)
            self.cancel()

    def _descriptor_of(self, handle: ListenerHandle) -> int:
        return native_queue.descriptor(handle)

    def _take_from(self, handle: ListenerHandle) -> WriteCompletion | Nothing:
        completion = native_queue.next_completion(handle)
        if isinstance(completion, bool):
            return Nothing.EVER if completion else Nothing.YET
        return _completion(completion)


class WriteQueue(Owner):
    """Writes of any thread, run in their order by one thread of the queue's own; given by Database.queue().

    The thread takes what waits, and what comes meanwhile, into one transaction, each write in a savepoint, and commits
    once: only then is each told how it ended. One that fails is rolled back alone and gets its own error. When the
    commit fails, each write of the group gets that error, nothing of it is there, and the queue goes on.
    """

    _instead = "give it to other threads as it is"
    _open = False
    _thread = 0

    def __init__(self, database: Database, capacity: int) -> None:
        if not 1 <= capacity < 2**32:
            raise ProgrammingError(f"a queue for {capacity} writes", hint="give a capacity of at least 1")
        self._database = database
        self._handle = native_queue.open_queue(database._handle, capacity)
        self._open = True
        self._process = os.getpid()
        _queues.add(self)

    def add(
        self,
        body: Callable[[Database, Unpack[Arguments]], R],
        /,
        *args: Unpack[Arguments],
        tag: str | None = None,
    ) -> Write[R]:
        """Has body(database, *args) called on the queue's thread, in a savepoint, and does not wait for that. The body
        is a plain function; a coroutine function is refused.

        What it raises has it rolled back alone, and is what the write's result() raises. Where it is rolled back, for
        whatever reason, records that it wrote are as they were. It can end no transaction but
        those that it begins. Where another write of its group had the whole transaction rolled back (ON CONFLICT
        ROLLBACK, a full disk, a deferred constraint), it is called once more: let it do nothing that cannot be
        repeated. A full queue makes this wait, up to the busy timeout; then it raises BusyError; on the queue's own
        thread, which makes the room, at once.
        """
        return self._added(Write(self, lambda: call_plain(body, self._database, *args)), tag, wait=True)

    async def perform(
        self,
        body: Callable[[Database, Unpack[Arguments]], R],
        /,
        *args: Unpack[Arguments],
        tag: str | None = None,
    ) -> R:
        """add() for asyncio: the result, while the loop goes on, also where the queue is full. The body sees the task's
        context variables.

        When the task is cancelled, a write that has not begun is taken back; one that has runs to its end.
        """
        import asyncio

        context = contextvars.copy_context()
        write = Write(self, lambda: context.run(lambda: call_plain(body, self._database, *args)))
        try:
            self._added(write, tag, wait=False)
        except BusyError:
            work = Work(self._database._handle)

            def wait_for_room() -> None:
                with work:
                    self._added(write, tag, wait=True)
                    # There was room, and the task that waits for this had gone by then.
                    if is_cancelled():
                        write.cancel()

            try:
                await asyncio.to_thread(wait_for_room)
            except asyncio.CancelledError:
                work.cancel()
                if write._number:
                    write.cancel()
                raise
        return await write

    def _added(self, write: Write[R], tag: str | None, wait: bool) -> Write[R]:
        write._number, write._context = native_queue.add(self._handle, write, tag, wait)
        return write

    def begin(self) -> Batch:
        """An empty batch."""
        return Batch(self)

    def listen(
        self, callback: Callable[[WriteCompletion], object] | None = None, *, tag: str | None = None
    ) -> Listener:
        """Begins to tell how writes end, whoever added them; with a tag only those that have it.

        callback: called on the queue's thread, in no transaction. It may use the database and add to the queue, whose
        other writes wait meanwhile. What it raises goes to sys.unraisablehook. Without one completions wait to be
        taken.
        """
        return Listener(self, tag, callback)

    def flush(self) -> None:
        """Waits until all that was added before has ended."""
        native_queue.flush(self._handle)

    def __len__(self) -> int:
        """How many writes wait."""
        return native_queue.count(self._handle)

    def __bool__(self) -> bool:
        return True

    def close(self) -> None:
        """Runs what waits, then ends the thread. A second close does nothing; a refused one can be tried again."""
        if self._open:
            native_queue.close_queue(self._handle)
            self._open = False
            self._handle.closed_as = f"the queue of the database {self._database.path!r}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._open:
            return
        if self._database._open:
            warnings.warn(f"unclosed {self!r}", ResourceWarning, source=self, stacklevel=2)
        if threading.get_ident() == self._thread:
            # Dropped with its last write, on the thread that cannot wait for itself.
            threading.Thread(target=native_queue.close_queue, args=(self._handle,)).start()
        else:
            self.close()

    def __repr__(self) -> str:
        return f"<WriteQueue of {self._database!r}{'' if self._open else ', closed'}>"

    def _refuse_waiting(self, write: Write[Any]) -> None:
        if os.getpid() != self._process and not write.done():
            raise ProgrammingError(
                "the write was added before this process was forked, and is its parent's",
                code="CORM_E_MISUSE",
                hint="reopen the database in the child, and add it to a queue of its own",
            )
        if threading.get_ident() == self._thread and not write.done():
            raise ProgrammingError(
                "the queue's own thread cannot wait for the queue",
                code="CORM_E_MISUSE",
                hint="add the write without waiting, or do it at once on the database",
            )


def queue(database: Database, *, capacity: int = 1024) -> WriteQueue:
    """A queue of writes, for a `with` block or close(); the database's close closes it first.

    capacity: how many writes wait at most; then adding waits.
    """
    return WriteQueue(database, capacity)


def _completion(completion: native_queue.Completion) -> WriteCompletion:
    number, tag, error, found = completion
    results = [WriteResult(changes, key or None, why) for changes, key, why in found]
    return WriteCompletion(number, tag, error, results)


def _teller(callback: Callable[[WriteCompletion], object]) -> Callable[[native_queue.Completion], object]:
    return lambda completion: callback(_completion(completion))


@atexit.register
def _close_all() -> None:
    """The library's threads must not call into an interpreter that ends."""
    with ExitStack() as closing:
        for queue in list(_queues):
            closing.callback(queue.close)
