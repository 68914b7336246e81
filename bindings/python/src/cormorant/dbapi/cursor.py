"""Cursors of PEP 249."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from .._native.handle import CursorHandle
from .._native.python import Ran
from .._native.result import next_rows
from ..error import Error, InterfaceError, ProgrammingError, count_from
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

    rowcount = -1
    lastrowid: int | None = None
    arraysize = 1
    # Names and declared types of the columns, and the description that is made of them when it is asked for.
    _names: tuple[str, ...] = ()
    _types: tuple[str | None, ...] = ()
    _description: Description | None = None
    # Rows that have crossed, and what gives those that have not.
    _rows: Iterator[Row] = iter(())
    _rest: CursorHandle | None = None
    _is_closed = False

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @property
    def description(self) -> Description | None:
        if self._description is None and self._names:
            self._description = tuple(
                (name, kind, None, None, None, None, None) for name, kind in zip(self._names, self._types)
            )
        return self._description

    def execute(self, operation: str, parameters: Bindings = ()) -> Self:
        """Runs one statement. parameters: a sequence for `?`, or a mapping for `:name`.

        A statement that changes rows has run to its end afterwards, one that reads gives its rows as they are fetched.
        """
        if self._is_closed or self._rest is not None:
            self._begin()
        connection = self.connection
        ran = connection._run(operation, parameters, connection._begin, _BLOCK)  # type: ignore[arg-type]
        if type(ran) is not tuple:
            ran = self._run(ran, operation, parameters)
        rows, self._names, self._types, self.rowcount, key, rest = ran
        if key is not None:
            self.lastrowid = key
        if rest is not None:
            self._rest = CursorHandle(rest)
        self._rows = iter(rows)
        self._description = None
        return self

    def executemany(self, operation: str, seq_of_parameters: Iterable[Bindings]) -> Self:
        """Runs a statement that gives no rows for each set of parameters, as a whole or not at all; rowcount is how
        many rows all of them changed. An error's record_index says which set it was, counted from 0.
        """
        operation = _plain_text(operation)
        source = iter(seq_of_parameters)
        part = list(islice(source, _PART))
        ahead = list(islice(source, 1))
        self._begin()
        if ahead:
            changed = 0

            def run() -> None:
                nonlocal changed
                changed = self._run_parts(operation, chain(part, ahead, source), None)

            self.connection._as_a_whole(run)
        else:
            changed = self._run_parts(operation, part, self.connection._begin)
        self.rowcount = changed
        return self

    def _run_parts(self, operation: str, sets: Iterable[Bindings], begin: bytes | None) -> int:
        """Runs a statement for sets of parameters, of which many cross at once; how many rows changed."""
        source, connection = iter(sets), self.connection
        start, changed = 0, 0
        while part := list(islice(source, _PART)):
            try:
                rows = dump_binding_rows(part, plain)
                changed += connection._ran(connection._run(operation, rows, begin, 0), operation)[3]
            except Error as error:
                count_from(start, error, len(part))
                raise
            start += len(part)
        return changed

    def fetchone(self) -> Row | None:
        """The next row; None after the last."""
        for row in self._rows:
            if self.connection.database._open:
                return row
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
            if self.connection.database._open:
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
        """Ends the cursor, of which rowcount stays. A second close does nothing."""
        changed = self.rowcount
        self._end()
        self.rowcount, self._is_closed = changed, True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, ran: Ran | int | None, operation: str, parameters: Bindings) -> Ran:
        """Runs what did not run yet, or raises why it could not."""
        self._end()
        if ran is None:
            bindings = dump_bindings(parameters, plain=plain)
            ran = self.connection._run(_plain_text(operation), bindings, self.connection._begin, _BLOCK)
        return self.connection._ran(ran, operation)

    def _begin(self) -> None:
        if self._is_closed:
            raise ProgrammingError("the cursor is closed", hint="make another with connection.cursor()")
        self._end()

    def _end(self) -> None:
        """Ends the statement that ran last."""
        rest, self._rest = self._rest, None
        if rest is not None:
            rest.free()
        self._rows = iter(())
        self._names = ()
        self._description = None
        self.rowcount = -1

    def _advance(self) -> None:
        assert self._rest is not None
        try:
            rows = next_rows(self._rest, _BLOCK, until_error=True)
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
        if not self._names:
            raise InterfaceError("there are no rows to fetch", hint="execute a statement that gives rows first")


def _plain_text(sql: str) -> str:
    """The text itself of one of a class derived from str, such as StrEnum."""
    return str.__str__(sql) if isinstance(sql, str) else sql  # pyright: ignore[reportUnnecessaryIsInstance]
