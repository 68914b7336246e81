"""The calls of the library on results."""

from __future__ import annotations

from collections.abc import Sequence

from . import abi
from .call import call_number, failure, give_back, take
from .handle import CursorHandle, DatabaseHandle
from .library import library, text_array, to_text
from .record import Row

_next = library.corm_block_next


def next_rows(cursor: CursorHandle, max_rows: int, *, until_error: bool = False) -> list[Row]:
    """The next rows; none at the end. max_rows below 0: as many without the sign, of all, which are kept in memory.
    until_error: where one of them is faulty, those before it, and then its error.
    """
    scratch = take()
    status = _next(cursor, max_rows, scratch.block_ref, scratch.error_ref)
    if status == abi.CORM_OK and not until_error:
        status = _next(cursor, max_rows, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    rows: list[Row] = [] if status == abi.CORM_DONE else scratch.read()
    give_back(scratch)
    return rows


def begin(cursor: CursorHandle) -> None:
    """Runs a statement that writes up to its first row, which comes next."""
    scratch = take()
    status = _next(cursor, 0, scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    give_back(scratch)


def only_reads(cursor: CursorHandle) -> bool:
    """Whether the statement, which need not have run yet, changes nothing."""
    return bool(call_number(library.corm_block_only_reads, cursor))


def cursor_columns(cursor: CursorHandle) -> tuple[str, ...]:
    count = library.corm_result_column_count(cursor)
    return tuple(to_text(library.corm_result_column_name(cursor, column)) or "" for column in range(count))


def read_json(cursor: CursorHandle, names: Sequence[str]) -> str:
    """The rows that are left as JSON text."""
    scratch = take()
    status = library.corm_block_json(cursor, *text_array(names), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    text: str = scratch.read()
    give_back(scratch)
    return text


def in_transaction(database: DatabaseHandle) -> bool:
    return bool(call_number(library.corm_block_in_transaction, database))
