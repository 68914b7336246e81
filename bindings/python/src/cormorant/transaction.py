"""Transactions as `with` blocks; nested ones are savepoints."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from threading import get_ident
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar
from weakref import WeakValueDictionary, ref

from ._native import abi
from ._native import transaction as native_transaction
from ._task import current_task, is_in_loop
from ._work import is_cancelled
from .error import Error, OperationalError, ProgrammingError

if TYPE_CHECKING:
    from typing_extensions import Self

    from .database import Database
    from .model import Model

R = TypeVar("R")
TransactionKind: TypeAlias = Literal["immediate", "deferred", "exclusive"]
"""How a transaction begins.

immediate: it takes the write lock at once. deferred: it reads a snapshot, and takes the write lock when it first
writes. exclusive: as immediate, and in journal modes other than WAL it keeps readers out.
"""

_KINDS: dict[str, int] = {
    "immediate": abi.CORM_TRANSACTION_IMMEDIATE,
    "deferred": abi.CORM_TRANSACTION_DEFERRED,
    "exclusive": abi.CORM_TRANSACTION_EXCLUSIVE,
    "read": abi.CORM_TRANSACTION_READ,
}


def _current_task() -> int:
    """The number of the task that runs on this thread; 0 outside of asyncio, and in callbacks of its loop."""
    return id(task) if (task := current_task()) else 0


_TASK = native_transaction.task_function(_current_task)


class Notes:
    """What a rollback takes back of the records that were written in a transaction.

    Of one thread's, and known to its calls. The transaction itself is not, so that one that is dropped ends.
    """

    __slots__ = ("_filled", "_greatest_made", "_made", "_outer")

    def __init__(self, outer: Notes | None = None) -> None:
        # Of the transaction around it on its thread.
        self._outer = outer
        # Records that were given their keys in it. As short as can be: the garbage collector walks over all of it.
        self._made: list[ref[Model]] = []
        # From how many on those that are gone are forgotten.
        self._greatest_made = 1000
        # Foreign keys that a graph filled in, versions that writes gave, and what they were.
        self._filled: list[tuple[ref[Model], str, Any]] = []

    def _note(self, record: Model) -> None:
        """Notes a record that is about to get its key: it loses it again when this is rolled back."""
        made = self._made
        made.append(ref(record))
        if len(made) > self._greatest_made:
            self._forget_gone()

    def _note_counted(self, record: Model, names: tuple[str, ...]) -> None:
        """Notes a record that is about to get its row's new version and times, for when this is rolled back."""
        self._filled += [(ref(record), name, getattr(record, name, None)) for name in names]

    def _forget_gone(self) -> None:
        """Forgets records that were given their keys and are gone, once the list has doubled."""
        if len(self._made) > self._greatest_made:
            self._made = [made for made in self._made if made() is not None]
            self._greatest_made = max(1000, 2 * len(self._made))

    def _pass_on(self, outer: Notes) -> None:
        """The transaction around it may still be rolled back."""
        outer._made += self._made
        outer._forget_gone()
        outer._filled += self._filled

    def _take_back(self) -> None:
        for made in self._made:
            if (record := made()) is not None:
                setattr(record, type(record).__model__.key[0], None)
        for filled, name, before in reversed(self._filled):
            if (record := filled()) is not None:
                setattr(record, name, before)
        # What they get from now on is theirs.
        self._made, self._filled = [], []


class Innermost(dict[int, Notes]):
    """The innermost open transaction of each thread on a database, for all who have it open together."""

    def __init__(self) -> None:
        # The threads that leave nothing here when they end.
        self.leaving: set[int] = set()

    def leave(self, thread: int, notes: Notes) -> None:
        """Forgets one that has ended, which may be around others."""
        inner = self.get(thread)
        if inner is not notes:
            while inner is not None and inner._outer is not notes:
                inner = inner._outer
            if inner is not None:
                inner._outer = notes._outer
        elif notes._outer is None:
            del self[thread]
        else:
            self[thread] = notes._outer

    def depth(self) -> int:
        """How many this thread has open."""
        count, notes = 0, self.get(get_ident())
        while notes is not None:
            count, notes = count + 1, notes._outer
        return count

    def roll_back(self, depth: int) -> None:
        """Takes back what was written in this thread's inside of so many, which have been rolled back."""
        for _ in range(self.depth() - depth):
            notes = self[get_ident()]
            notes._take_back()
            self.leave(get_ident(), notes)


class _Here(threading.local):
    """Of a thread. Its transactions end with it, and another one may have its number then."""

    def __init__(self) -> None:
        self.end = _End()


class _End:
    def __init__(self) -> None:
        self._thread = get_ident()
        self.known: WeakValueDictionary[int, Innermost] = WeakValueDictionary()

    def __del__(self) -> None:
        for innermost in self.known.values():
            innermost.pop(self._thread, None)
            innermost.leaving.discard(self._thread)


_here = _Here()


def noting(database: Database, body: Callable[[], R]) -> R:
    """What a body gives that runs in a transaction of the library's own. Where that is rolled back, then or later, the
    records that were written in it are as they were.
    """
    innermost, thread = database._innermost, get_ident()
    innermost[thread] = notes = Notes(innermost.get(thread))
    try:
        result = body()
        if notes._made or notes._filled:
            native_transaction.on_rollback(database._handle, notes._take_back)
        return result
    except BaseException:
        notes._take_back()
        raise
    finally:
        innermost.leave(thread, notes)


class Transaction:
    """What transaction() and read() give: committed at the end of its `with` block, rolled back by an exception.

    commit() and rollback() end it before that. It belongs to the thread that entered the block and, within asyncio, to
    the task: while it is open, calls of other tasks on this thread raise ProgrammingError with the code
    CORM_E_TRANSACTION. So does leaving it before one inside it, in another task or on another thread, which rolls all
    of it back. One that is dropped on its thread before it has ended is rolled back, with a ResourceWarning.
    """

    # 0 while it is not open.
    _number = 0

    def __init__(self, database: Database, kind: str = "immediate") -> None:
        if kind not in _KINDS:
            raise ProgrammingError(f"there is no transaction kind {kind!r}", hint=f"use one of {', '.join(_KINDS)}")
        self._database = database
        self._kind = _KINDS[kind]
        # Kept, so that its number is no other's.
        self._task: object = None
        # Why it was rolled back, where it was to be committed.
        self._failure: Error | None = None
        self._thread = 0
        self._notes = Notes()

    def __enter__(self) -> Self:
        if self._number:
            raise ProgrammingError(
                "the transaction is open already", hint="make one for each block, with transaction()"
            )
        self._failure = None
        in_loop = is_in_loop()
        self._task = current_task() if in_loop else None
        number = native_transaction.Number()
        try:
            native_transaction.open_transaction(self._database._handle, self._kind, _TASK if in_loop else None, number)
            self._thread = get_ident()
            self._number = number.value
            object.__setattr__(self, "__class__", _OpenTransaction)
            innermost = self._database._innermost
            self._notes._outer = innermost.get(self._thread)
            innermost[self._thread] = self._notes
            if self._thread not in innermost.leaving:
                _here.end.known[id(innermost)] = innermost
                innermost.leaving.add(self._thread)
        except BaseException:
            # One that a signal raised, such as KeyboardInterrupt, when it had begun.
            if number.value:
                self._thread = get_ident()
                self._number = number.value
                self._undo()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._number:
            if self._failure is not None and error is None:
                raise self._failure
            return
        if error is not None:
            self._undo()
            return
        try:
            self.commit()
        except Error:
            self._undo()
            raise

    def commit(self) -> None:
        """Commits now. When that fails, with a lock or a deferred foreign key, the transaction stays open."""
        if is_cancelled():
            # Whoever cancelled it believes that nothing of it stays.
            raise OperationalError(
                "the transaction was cancelled before its commit", code="CORM_E_INTERRUPTED", hint="run it again"
            )
        try:
            native_transaction.close_transaction(self._database._handle, self._number, True)
            self._committed()
        except Error as error:
            if error.code == "CORM_E_TRANSACTION":
                self._undo()
                self._failure = error
            raise
        except BaseException:
            # One that a signal raised, before the commit or behind it.
            if self._number:
                try:
                    native_transaction.close_transaction(self._database._handle, self._number, False)
                except Error:
                    self._committed()
                else:
                    self._rolled_back()
            raise

    def rollback(self) -> None:
        """Rolls back now; records that were inserted in it have no key again."""
        try:
            self._rolled_back()
        finally:
            number = self._number
            try:
                native_transaction.close_transaction(self._database._handle, number, False)
            finally:
                self._end()

    def _committed(self) -> None:
        outer = self._leave()
        if outer is not None:
            self._notes._pass_on(outer)
        self._notes = Notes()
        self._end()

    def _rolled_back(self) -> None:
        if self._number:
            self._leave()
        self._notes._take_back()
        self._notes = Notes()

    def _end(self) -> None:
        self._number = 0
        object.__setattr__(self, "__class__", Transaction)

    def _leave(self) -> Notes | None:
        notes = self._notes
        self._database._innermost.leave(self._thread, notes)
        return notes._outer

    def _undo(self) -> None:
        # When SQLite has rolled back by itself or the database is closed, the exception under way says more.
        with suppress(Error):
            self.rollback()


class _OpenTransaction(Transaction):
    """One that has not ended. Others have no __del__, in which what a signal raises would be lost."""

    def __del__(self) -> None:
        # On another thread the calls of its own would be waited for; there it ends with its thread.
        if self._thread != get_ident():
            return
        try:
            self.rollback()
        except Error:
            return  # it has ended, with its database or by another call
        warnings.warn(
            f"dropped a transaction of {self._database.path!r}, which is rolled back",
            ResourceWarning,
            source=self,
            stacklevel=2,
        )
