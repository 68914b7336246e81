"""Cursors of PEP 249."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from .._native.handle import CursorHandle
from .._native.result import Ran, next_rows
from ..error import DataError, Error, IntegrityError, InterfaceError, ProgrammingError
from ..result import read_all
from ..value import Bindings, dump_binding_rows, dump_bindings
from .types import plain

if TYPE_CHECKING:
    from typing_extensions import Self

    from .connection import Connection

Row: TypeAlias = tuple[Any, ...]
# Name and declared type of a column; of the rest of PEP 249's seven SQLite knows nothing.
Description: TypeAlias = tuple[tuple[str, "str | None", None, None, None, None, None], ...]

# Rows of a result cross in blocks of so many, those of bindings in parts.
_BLOCK = 200
_PART = 10_000


class Cursor:
    """Runs statements, and has the rows of the last one. One thread at a time may use it.

    description: of each column its name and its declared type, None for an expression; None where there are no rows to
    fetch. rowcount: rows that an INSERT, REPLACE, UPDATE or DELETE changed; -1 for other statements. lastrowid: the
    rowid of the row that execute() inserted last; None before. arraysize: how many rows fetchmany() gives when it is
    not told.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.description: Description | None = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1
        # Rows that have crossed, and what gives those that have not.
        self._rows: Iterator[Row] = iter(())
        self._rest: CursorHandle | None = None
        self._is_closed = False

    def execute(self, operation: str, parameters: Bindings = ()) -> Self:
        """Runs one statement. parameters: a sequence for `?`, or a mapping for `:name`.

        A statement that changes rows has run to its end afterwards, one that reads gives its rows as they are fetched.
        """
        ran = self._run(operation, dump_bindings(parameters, plain=plain))
        rows, names, types, self.rowcount, key = ran
        if key is not None:
            self.lastrowid = key
        if names:
            self.description = tuple((name, kind, None, None, None, None, None) for name, kind in zip(names, types))
            self._rows = iter(rows)
        return self

    def executemany(self, operation: str, seq_of_parameters: Iterable[Bindings]) -> Self:
        """Runs a statement that gives no rows for each set of parameters, as a whole or not at all; rowcount is how
        many rows all of them changed. An error's record_index says which set it was, counted from 0.
        """
        source = iter(seq_of_parameters)
        part, start, changed = list(islice(source, _PART)), 0, 0
        ahead = list(islice(source, 1))
        with self.connection._savepoint() if ahead else nullcontext():
            while part:
                try:
                    changed += self._run(operation, dump_binding_rows(part, plain), many=True)[3]
                except (IntegrityError, DataError) as error:
                    error.record_index = start + max(error.record_index, 0)
                    raise
                start += len(part)
                part = list(islice(chain(ahead, source), _PART))
                ahead = []
        self._end()
        self.rowcount = changed
        return self

    def fetchone(self) -> Row | None:
        """The next row; None after the last."""
        self._check_rows()
        return next(self, None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next rows, arraysize of them when no size is said; fewer where the result ends."""
        self._check_rows()
        return list(islice(self, self.arraysize if size is None else size))

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        self._check_rows()
        rows, self._rows = list(self._rows), iter(())
        rest, self._rest = self._rest, None
        if rest is not None:
            rows += read_all(rest, None)
        return rows

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Row:
        for row in self._rows:
            return row
        self._check_rows()
        if self._rest is not None:
            self._advance()
            for row in self._rows:
                return row
        raise StopIteration

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Does nothing: SQLite needs no sizes."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Does nothing: values are of any size."""

    def close(self) -> None:
        """Ends the cursor. A second close does nothing."""
        self._end()
        self._is_closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, operation: str, bindings: bytes | None, many: bool = False) -> Ran:
        if self._is_closed:
            raise ProgrammingError("the cursor is closed", hint="make another with connection.cursor()")
        self._end()
        ran, self._rest = self.connection._run(operation, bindings, many, _BLOCK)
        return ran

    def _end(self) -> None:
        """Ends the statement that ran last."""
        rest, self._rest = self._rest, None
        if rest is not None:
            rest.free()
        self._rows = iter(())
        self.description = None
        self.rowcount = -1

    def _advance(self) -> None:
        assert self._rest is not None
        try:
            rows = next_rows(self._rest, _BLOCK)
        except Error:
            self._rest = None
            raise
        if not rows:
            self._rest = None
        self._rows = iter(rows)

    def _check_rows(self) -> None:
        if self._is_closed:
            raise ProgrammingError("the cursor is closed", hint="make another with connection.cursor()")
        if self.connection.is_closed:
            raise ProgrammingError("the connection is closed", hint="open another with connect()")
        if self.description is None:
            raise InterfaceError("there are no rows to fetch", hint="execute a statement that gives rows first")
