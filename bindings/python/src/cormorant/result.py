"""Rows of a running statement, streamed in blocks and so in constant memory."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import length_hint
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar
from weakref import ref

from ._native import record as native_record
from ._native import result as native_result
from ._native.handle import CursorHandle
from ._owner import Owner
from .columns import ColumnMethods
from .error import DataError, ProgrammingError

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._model_info import ModelInfo
    from .database import Database

T = TypeVar("T")
_BLOCK = 200

# A running statement's column names.
Names = Callable[[CursorHandle], tuple[str, ...]]
Convert = Callable[[list[native_record.Row]], list[Any]]


class PausedCollector:
    """For a `with` block that makes many objects: the collector would walk them again and again, for nothing.

    The first block of any thread pauses it, the last one lets it go on. Where a signal raises as a block begins or
    ends, the collector goes on then, or with the block after it.
    """

    __slots__ = ("__weakref__",)
    # A signal's handler, which runs in the midst of either, may read as well.
    _lock = threading.RLock()
    # Those that are entered; one that is gone has ended.
    _blocks: list[ref[PausedCollector]] = []  # noqa: RUF012
    _is_paused = False
    _collecting = False

    def __enter__(self) -> None:
        cls = PausedCollector
        try:
            with cls._lock:
                is_collecting = gc.isenabled()
                cls._blocks = [*_others(cls._blocks), ref(self)] if cls._blocks else [ref(self)]
                if not cls._is_paused:
                    cls._collecting = is_collecting
                    cls._is_paused = True
                gc.disable()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        cls = PausedCollector
        with cls._lock:
            cls._blocks = _others(cls._blocks, self)
            if not cls._blocks:
                if cls._collecting:
                    gc.enable()
                cls._is_paused = False

    @classmethod
    def _forked(cls) -> None:
        """The child has none of the other threads."""
        cls._lock = threading.RLock()
        if cls._is_paused and cls._collecting:
            gc.enable()
        cls._blocks, cls._is_paused = [], False


def _others(blocks: list[ref[PausedCollector]], ended: PausedCollector | None = None) -> list[ref[PausedCollector]]:
    """Those that have not ended."""
    if len(blocks) == 1 and blocks[0]() is ended:
        return []
    return [block for block in blocks if block() not in (None, ended)]


os.register_at_fork(after_in_child=PausedCollector._forked)


def read_all(cursor: CursorHandle, convert: Convert | None, before: int = 0) -> list[Any]:
    """Every row left, converted; frees the cursor, before the collector looks at all that was made. before: how many
    rows were read already.
    """
    items: list[Any] = []
    with PausedCollector():
        try:
            while rows := native_result.next_rows(cursor, -_BLOCK):
                items += converted(rows, convert, before + len(items)) if convert else rows
        finally:
            cursor.free()
    return items


class Result(Owner, ColumnMethods, Generic[T]):
    """Rows as they come: iterate, or take fetch_one() and fetch_all(). Closed at its end, by close() or by `with`.

    A statement that writes has written when it is opened, whether its rows are read or not. A row that cannot be read
    is an error where it comes, after those before it; it ends the result.

    columns: the columns' names; for a model, its properties.
    """

    _instead = "take its rows with fetch_all(), and copy those"

    def __init__(
        self,
        database: Database,
        cursor: CursorHandle | None,
        name_columns: Names,
        convert: Convert | None,
        plain: Convert | None,
        model: ModelInfo | None = None,
    ) -> None:
        self._database = database  # which would close the cursor if it went first
        self._cursor = cursor
        self._given_out = None
        self._model = model
        # pandas.DataFrame asks for this before it would make columns without names, or take each record for a value.
        self.__array__ = _refuse_array
        self._name_columns = name_columns
        self._columns: tuple[str, ...] | None = None
        # What was wrong with the row behind the last one that it has given.
        self._failure: Exception | None = None
        self._convert = convert
        self._plain = plain
        self._block: Iterator[T] = iter(())
        # How many rows came in blocks.
        self._count = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns' names; for a model, its properties. Before the first row is read, a statement that only reads
        goes to it for them: another program may have altered the table. ProgrammingError when it was closed unread.
        """
        if self._columns is None:
            cursor = self._cursor or self._given_out
            if cursor is None:
                raise ProgrammingError(
                    "the result was closed before its columns were known", hint="ask it for them first"
                )
            self._columns = self._name_columns(cursor)
        return self._columns

    def __iter__(self) -> Iterator[T]:
        while True:
            yield from self._block
            if not self._advance():
                return

    def __next__(self) -> T:
        """The next row, as next(result) asks for it: StopIteration after the last."""
        return next(iter(self))

    def fetch_one(self) -> T | None:
        """The next row, or None after the last."""
        return next(iter(self), None)

    def fetch_all(self) -> list[T]:
        """All rows that are left."""
        items = list(self._block)
        if self._cursor is not None:
            _ = self.columns  # known no more when the cursor is gone
            try:
                items += read_all(self._cursor, self._convert, self._count)
            finally:
                self._end()
        elif self._failure is not None:
            raise self._failure
        return items

    def tuples(self) -> Result[tuple[Any, ...]]:
        """This result with its rows as tuples. Call it before reading; it takes the place of this one."""
        return self._as(self._plain)

    def dicts(self) -> Result[dict[str, Any]]:
        """This result with its rows as dicts. Call it before reading; it takes the place of this one."""
        names, plain = self.columns, self._plain
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ProgrammingError(f"two columns are called {twice!r}", hint="give one of them another name")

        def convert(rows: list[native_record.Row]) -> list[dict[str, Any]]:
            return [dict(zip(names, row)) for row in (plain(rows) if plain else rows)]

        return self._as(convert)

    def close(self) -> None:
        """Ends the statement; to read rows that were left is a ProgrammingError. A second close does nothing."""
        if self._cursor is not None or length_hint(self._block):
            self._end()
            self._failure = closed_early()
        else:
            self._given_out = None

    def _end(self) -> None:
        # Freed here, or by the other thread that reads from it at this moment.
        self._cursor = self._given_out = None
        self._failure = None
        self._block = iter(())

    def _begin(self) -> Self:
        """Runs a statement that writes; one that only reads waits for who reads its rows."""
        assert self._cursor is not None
        try:
            native_result.begin(self._cursor)
        except Exception:
            self._end()
            raise
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _as(self, convert: Convert | None) -> Result[Any]:
        cursor = self._take_over()
        result: Result[Any] = Result(self._database, cursor, self._name_columns, convert, self._plain)
        result._columns = self._columns
        result._model = self._model
        result._flat_names = self._flat_names
        del result.__array__
        return result

    def _advance(self) -> bool:
        # Another thread may close the result meanwhile.
        cursor = self._cursor
        if cursor is None:
            if self._failure is not None:
                raise self._failure
            return False
        rows: list[native_record.Row] = []
        items: Any = []
        try:
            rows = native_result.next_rows(cursor, _BLOCK, until_error=True)
            if self._columns is None:
                self._columns = self._name_columns(cursor)
            items = converted(rows, self._convert, self._count) if self._convert else rows
        except Exception as error:
            self._end()
            # The statement ends with the cursor, which the error must not keep.
            del cursor
            _forget_locals(error)
            self._failure = error
            if self._convert is not None:
                items = _before_error(rows, self._convert)
            if not items:
                raise
        self._block = iter(items)
        self._count += len(items)
        if not items:
            self._end()
        return bool(items)


def closed_early() -> ProgrammingError:
    return ProgrammingError(
        "the result was closed before its rows were read", hint="read them before, or run the query again"
    )


def _forget_locals(error: Exception) -> None:
    """Lets go of what the calls had that it came through, but for those that still run."""
    trace = error.__traceback__
    while trace is not None:
        with suppress(RuntimeError):
            trace.tb_frame.clear()
        trace = trace.tb_next


def converted(rows: list[native_record.Row], convert: Convert, before: int) -> list[Any]:
    """The rows, converted. An error says which row it was, as the library does of its own."""
    try:
        return convert(rows)
    except DataError as error:
        if error.record_index < 0:
            error.record_index = before + len(_before_error(rows, convert))
        raise


def _before_error(rows: list[native_record.Row], convert: Convert) -> list[Any]:
    """The rows before the first that cannot be converted."""
    items: list[Any] = []
    with suppress(Exception):
        for row in rows:
            items += convert([row])
    return items


def _refuse_array(*_: object, **__: object) -> NoReturn:
    raise ProgrammingError(
        "a result is no array",
        hint="take pandas.DataFrame.from_arrow(result), result.numpy(), or rows by result.dicts() or result.tuples()",
    )
