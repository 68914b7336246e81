"""The calls of the library on key-value stores."""

from __future__ import annotations

import ctypes
import marshal
from collections.abc import Mapping
from typing import Any

from . import abi
from .call import call, call_handle, call_number, failure, give_back, take
from .handle import CursorHandle, DatabaseHandle, StoreHandle
from .library import TYPES, library, utf8
from .result import next_rows
from .struct import make_sized

# Value, whether it is JSON, created, updated, expires and version.
Row = tuple[Any, bool, int, int, int | None, int]
# Key, whether the value is JSON, expires, version and value.
PutRow = tuple[str, bool, int | None, int | None, Any]

_get = library.corm_block_store_get
_put = library.corm_block_store_put


def open_store(database: DatabaseHandle, name: str) -> StoreHandle:
    return call_handle(StoreHandle, library.corm_store_open, database, utf8(name, "the store's name"))


def get(store: StoreHandle, key: bytes) -> Row | None:
    scratch = take()
    status = _get(store, key, len(key), scratch.block_ref, scratch.error_ref)
    if status < 0:
        raise failure(scratch, status)
    row: Row | None = scratch.read() if status == abi.CORM_OK else None
    give_back(scratch)
    return row


def contains(store: StoreHandle, key: bytes) -> bool:
    return call(library.corm_store_get, store, key, len(key), None, None) == abi.CORM_OK


def put(store: StoreHandle, rows: list[PutRow]) -> int:
    """How many were written. ValueError where a value is of no type that the library takes."""
    data = marshal.dumps(rows, 2)
    return call_number(_put, store, data, len(data))


def delete(store: StoreHandle, key: bytes) -> bool:
    return call(library.corm_store_delete, store, key, len(key)) == abi.CORM_OK


def _range(members: Mapping[str, bytes], limit: int = 0) -> Any:
    struct = make_sized("corm_store_range")
    for name, text in members.items():
        setattr(struct, name, TYPES["corm_text"](text, len(text)))
    struct.limit = limit
    return ctypes.byref(struct)


def scan(store: StoreHandle, members: Mapping[str, bytes], limit: int) -> list[tuple[Any, ...]]:
    """Rows of a key and what Row has."""
    cursor = call_handle(CursorHandle, library.corm_store_scan, store, _range(members, limit))
    try:
        return next_rows(cursor, limit)
    finally:
        cursor.free()


def count(store: StoreHandle, members: Mapping[str, bytes]) -> int:
    return call_number(library.corm_store_count, store, _range(members))


def clear(store: StoreHandle, members: Mapping[str, bytes]) -> int:
    return call_number(library.corm_store_clear, store, _range(members))


def purge(store: StoreHandle) -> int:
    return call_number(library.corm_store_purge, store)


def adopt(store: StoreHandle, table: str) -> int:
    return call_number(library.corm_store_adopt, store, utf8(table, "the table's name"))


def expiry(milliseconds: int) -> int:
    return call_number(library.corm_block_store_expiry, milliseconds)
