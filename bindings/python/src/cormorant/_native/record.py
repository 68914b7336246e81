"""The calls of the library on records. Rows cross in blocks, one call per operation."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from . import abi
from .call import call, call_number, failure, give_back, take
from .handle import DatabaseHandle, ModelHandle
from .library import library, name_list
from .struct import make_struct

Row = tuple[Any, ...]
Places: TypeAlias = "ctypes.Array[ctypes.c_int32]"

_find = library.corm_block_find
_write = library.corm_block_write

_delete_key = library.corm_block_delete_key

# ctypes is quicker with an argument that is of the very type.
for _function in (_find, _write, _delete_key):
    _function.argtypes = (DatabaseHandle, ModelHandle, *_function.argtypes[2:])


def find(database: DatabaseHandle, model: ModelHandle, key: bytes) -> Row | None:
    scratch = take()
    status = _find(database, model, key, len(key), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status, database)
    row: Row | None = scratch.read() if status == 0 else None
    give_back(scratch)
    return row


def exists(database: DatabaseHandle, model: ModelHandle, key: bytes) -> bool:
    return call(_find, database, model, key, len(key), None) == abi.CORM_OK


def places(columns: Iterable[int]) -> Places:
    """Places of columns in a model, as the library takes them."""
    found = tuple(columns)
    return (ctypes.c_int32 * len(found))(*found)


def write(
    database: DatabaseHandle,
    model: ModelHandle,
    operation: int,
    conflict: int,
    properties: Sequence[str],
    rows: bytes,
    columns: Places | None = None,
    *,
    is_part: bool = False,
) -> tuple[list[Any], int]:
    """Writes rows, which have all columns, or these in one list; what came back for each, and how many were written.

    is_part: a transaction is open that is rolled back when this fails; so it needs no savepoint of its own.
    """
    scratch = take()
    count = 0 if columns is None else len(columns)
    status = _write(
        database, model, operation, conflict, name_list(properties), columns, count, is_part, rows, len(rows),
        scratch.block_ref, scratch.number_ref, scratch.error_ref,
    )  # fmt: skip
    if status < 0:
        raise failure(scratch, status, database)
    answer = scratch.read(), scratch.number.value
    give_back(scratch)
    return answer


def upsert(
    database: DatabaseHandle,
    model: ModelHandle,
    on: Sequence[str],
    keep: Sequence[str],
    keep_row: bool,
    rows: bytes,
    *,
    is_part: bool = False,
) -> tuple[list[Any], int]:
    """Upserts rows; what came back for each, and how many were written."""
    members = {"on": list(on) or None, "keep": list(keep) or None, "keep_row": keep_row}
    options = make_struct("corm_upsert_options", members)
    scratch = take()
    status = library.corm_block_upsert(
        database, model, ctypes.byref(options), is_part, rows, len(rows),
        scratch.block_ref, scratch.number_ref, scratch.error_ref,
    )  # fmt: skip
    if status < 0:
        raise failure(scratch, status, database)
    answer = scratch.read(), scratch.number.value
    give_back(scratch)
    return answer


def lookup(database: DatabaseHandle, model: ModelHandle, on: Sequence[str], rows: bytes) -> Row | None:
    """The row that has a row's values of a unique key."""
    scratch = take()
    status = library.corm_block_lookup(
        database, model, name_list(on), rows, len(rows), scratch.block_ref, scratch.error_ref
    )
    if status < 0:
        raise failure(scratch, status, database)
    found: list[Row] = scratch.read()
    give_back(scratch)
    return found[0] if found else None


def insert_rows(database: DatabaseHandle, model: ModelHandle, conflict: int, rows: bytes, is_part: bool) -> int:
    """Inserts rows of which nothing is told but how many went in. is_part: as of write()."""
    return call_number(
        _write, database, model, abi.CORM_WRITE_INSERT, conflict, None, None, 0, is_part, rows, len(rows), None
    )


def delete_key(database: DatabaseHandle, model: ModelHandle, key: bytes) -> bool:
    return call(_delete_key, database, model, key, len(key)) == abi.CORM_OK


def delete_all(database: DatabaseHandle, model: ModelHandle) -> int:
    return call_number(library.corm_query_delete, database, model, None)
