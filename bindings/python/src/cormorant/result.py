"""Rows of a running statement, streamed in blocks and so in constant memory."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from . import _native
from .columns import ColumnMethods
from .error import Error, ProgrammingError

if TYPE_CHECKING:
    from typing_extensions import Self

    from .record import RecordMethods

T = TypeVar("T")
_BLOCK = 200

Convert = Callable[[list[_native.Row]], list[Any]]


class PausedCollector:
    """For a `with` block that makes many objects: the collector would walk them again and again, for nothing."""

    __slots__ = ("_collecting",)

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collecting:
            gc.enable()


def read_all(cursor: int, convert: Convert | None) -> list[Any]:
    """Every row left, converted."""
    items: list[Any] = []
    with PausedCollector():
        while rows := _native.next_rows(cursor, _BLOCK):
            items += convert(rows) if convert else rows
    return items


class Result(ColumnMethods, Generic[T]):
    """Rows as they come: iterate, or take fetch_one() and fetch_all(). Closed at its end, by close() or by `with`.

    columns: the columns' names; for a model, its properties.
    """

    columns: tuple[str, ...]

    def __init__(
        self,
        database: RecordMethods,
        cursor: int,
        columns: tuple[str, ...],
        convert: Convert | None,
        plain: Convert | None,
    ) -> None:
        self._database = database  # which would close the cursor if it went first
        self._cursor: int | None = cursor
        self.columns = columns
        self._convert = convert
        self._plain = plain
        self._block: Iterator[T] = iter(())

    def __iter__(self) -> Iterator[T]:
        while True:
            yield from self._block
            if not self._advance():
                return

    def fetch_one(self) -> T | None:
        """The next row, or None after the last."""
        return next(iter(self), None)

    def fetch_all(self) -> list[T]:
        """All rows that are left."""
        items = list(self._block)
        if self._cursor is not None:
            try:
                items += read_all(self._cursor, self._convert)
            finally:
                self.close()
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

        def convert(rows: list[_native.Row]) -> list[dict[str, Any]]:
            return [dict(zip(names, row)) for row in (plain(rows) if plain else rows)]

        return self._as(convert)

    def close(self) -> None:
        """Ends the statement; no more rows come. A second close does nothing."""
        cursor, self._cursor, self._block = self._cursor, None, iter(())
        if cursor is not None:
            _native.close_cursor(cursor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def _as(self, convert: Convert | None) -> Result[Any]:
        cursor, self._cursor = self._cursor, None
        result: Result[Any] = Result(self._database, 0, self.columns, convert, self._plain)
        result._cursor = cursor
        return result

    def _advance(self) -> bool:
        if self._cursor is None:
            return False
        try:
            rows = _native.next_rows(self._cursor, _BLOCK)
            items: list[Any] = self._convert(rows) if self._convert else rows
            self._block = iter(items)
        except Error:
            self.close()
            raise
        if not rows:
            self.close()
        return bool(rows)
